// Types of a policy test file; schema.ts is the published schema of the same format.
import type { ToolCall } from '../../tools/call.ts';
import type { AgentStatus, Environment, RiskLevel, Verdict } from '../../../kernel/vocabulary.ts';

/** Counts of an agent's decisions. A missing count is 0, or the count of the shorter window. */
export type TestHistory = Partial<Record<'last_60s' | 'last_1h' | 'last_24h', Partial<Record<Verdict, number>>>>;

export interface TestAgent {
  /** Absent: the name of the fixture. */
  id?: string;
  /** Absent: true. */
  registered?: boolean;
  /** For registered agents; absent: ACTIVE. */
  status?: AgentStatus;
  /** 0..1000. Absent: the lowest score of `level`, or the score of no evidence. */
  score?: number;
  /** 0..7 */
  level?: number;
  /** 0..1 */
  uncertainty?: number;
  capabilities?: string[];
  tags?: string[];
  history?: TestHistory;
}

export interface TestKey {
  id?: string;
  /** Absent: false. */
  bound?: boolean;
}

/** A tool call. Absent arguments: none; an absent digest: the pinned one, so that the tool has not changed. */
export type TestCall = Pick<ToolCall, 'server' | 'name'> & Partial<ToolCall>;

/** More than the string of an intent: free text, read as `POST /v1/intent` reads it, a tool call, or overridden facts. */
export type TestReading = ({ text: string } | { intent: string } | { tool: TestCall }) & {
  facts?: Record<string, unknown>;
};
/** The name of a fixture, `domain.action.object`, `action:resource`, or an object. */
export type TestIntent = string | TestReading;

/** The circumstances of a request, of one case or of all cases of a matrix. */
export interface TestSituation {
  organisation?: string;
  /** RFC 3339 */
  now?: string;
  /** The name of a fixture, or the key itself. */
  key?: string | TestKey;
  /** The name of a fixture, or the context itself. */
  context?: string | Record<string, unknown>;
  history?: TestHistory;
  claim?: { score?: number; level?: number };
  /** Maps a full path, such as `intent.effect`, to the value that replaces the parsed one. */
  facts?: Record<string, unknown>;
}

export interface ExpectedReasonParts {
  policy?: string;
  rule?: string;
  effect?: Verdict;
  code?: string;
}
/** `policy/rule`, or some members of a reason. */
export type ExpectedReason = string | ExpectedReasonParts;

export interface ExpectedRisk {
  level?: RiskLevel;
  atLeast?: number;
  atMost?: number;
  factors?: string[];
}

export interface Expectation {
  verdict: Verdict;
  reasons?: ExpectedReason[];
  /** No reasons except those in `reasons`. */
  exact?: boolean;
  obligations?: Record<string, unknown>[];
  risk?: ExpectedRisk;
  /** Maps a full path to the value that the rules saw; null for a missing one. */
  facts?: Record<string, unknown>;
}

export interface PolicyTestCase extends TestSituation {
  name: string;
  agent: string | TestAgent;
  /** Either this or `tool`. */
  intent?: TestIntent;
  tool?: TestCall;
  environment?: Environment;
  /** Absent: DENY. */
  expect?: Verdict | Expectation;
}

export type MatrixCell = Verdict | Partial<Record<Environment, Verdict>>;

export interface PolicyTestMatrix extends TestSituation {
  name: string;
  /** Names of fixtures. */
  agents: string[];
  /** Names of fixtures, `domain.action.object` or `action:resource`. */
  intents: string[];
  environments?: Environment[];
  /** Agent, then intent, then verdict, or one verdict for all intents of the agent; unlisted combinations expect DENY. */
  expect: Record<string, Verdict | Record<string, MatrixCell>>;
}

export interface PolicyTestFile {
  $schema?: string;
  name: string;
  description?: string;
  now?: string;
  organisation?: string;
  environment?: Environment;
  fixtures?: {
    agents?: Record<string, TestAgent>;
    keys?: Record<string, TestKey>;
    intents?: Record<string, TestIntent>;
    contexts?: Record<string, Record<string, unknown>>;
  };
  cases?: PolicyTestCase[];
  matrix?: PolicyTestMatrix[];
}

/** The largest number of cases of one file, including those of its matrices: about eight seconds of evaluation. */
export const MAX_CASES_PER_FILE = 100_000;

/** Defaults for omitted members. */
export const TEST_DEFAULTS = {
  /** A Monday. */
  now: '2026-01-05T12:00:00Z',
  organisation: 'default',
  environment: 'live',
  keyId: 'key_test',
  agentId: 'agent-under-test',
  /** For an agent whose score is given. */
  uncertainty: 0.5,
} as const;
