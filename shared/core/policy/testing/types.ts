// What a policy test file says, as types; schema.ts is the published form of the same.
import type { AgentStatus, Environment, RiskLevel, Verdict } from '../../../kernel/vocabulary.ts';

/** Counts of an agent's decisions. What is not given is 0, or what the shorter window has. */
export type TestHistory = Partial<Record<'last_60s' | 'last_1h' | 'last_24h', Partial<Record<Verdict, number>>>>;

export interface TestAgent {
  /** Absent: the name of the fixture. */
  id?: string;
  /** Absent: true. */
  registered?: boolean;
  /** Of a registered agent; absent: ACTIVE. */
  status?: AgentStatus;
  /** 0..1000. Absent: the lowest score of `level`, else that of no evidence. */
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

/** An intent that is more than its string: free text, read as `POST /v1/intent` reads it, or facts that are set. */
export type TestReading = ({ text: string } | { intent: string }) & { facts?: Record<string, unknown> };
/** The name of a fixture; `domain.action.object`; `action:resource`; or more. */
export type TestIntent = string | TestReading;

/** The circumstances of a question, of one case or of all in a matrix. */
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
  /** Full path, such as `intent.effect`, to the value that replaces what the reading says. */
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
  /** No reason but those of `reasons`. */
  exact?: boolean;
  obligations?: Record<string, unknown>[];
  risk?: ExpectedRisk;
  /** Full path to the value that the rules saw; null: missing. */
  facts?: Record<string, unknown>;
}

export interface PolicyTestCase extends TestSituation {
  name: string;
  agent: string | TestAgent;
  intent: TestIntent;
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
  /** Agent, then intent, then verdict; what is not listed is DENY. */
  expect: Record<string, Record<string, MatrixCell>>;
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

/** Most cases of one file, those of its matrices too: some eight seconds of asking. */
export const MAX_CASES_PER_FILE = 100_000;

/** What holds where a file says nothing. */
export const TEST_DEFAULTS = {
  /** A Monday. */
  now: '2026-01-05T12:00:00Z',
  organisation: 'default',
  environment: 'live',
  keyId: 'key_test',
  agentId: 'agent-under-test',
  /** Of an agent whose score is given. */
  uncertainty: 0.5,
} as const;
