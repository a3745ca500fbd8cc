// The facts that policies evaluate and the result of an evaluation. Plain data: stored with each decision and used again by replays.
import type { ToolFacts } from '../tools/call.ts';
import type { TrustFacts } from '../trust/facts.ts';
import type { ParsedIntent } from '../intent/types.ts';
import type { AgentStatus, Environment, Effect, RiskLevel, Verdict } from '../../kernel/vocabulary.ts';

export interface RiskFactor {
  factor: string;
  score: number;
  message: string;
}

export interface Risk {
  level: RiskLevel;
  /** 0..1000 */
  score: number;
  factors: RiskFactor[];
  /** The risk computed without the factors that count only because facts are missing; absent when there are no such factors. */
  certain?: { level: RiskLevel; score: number };
}

/** The caller's input, unchanged: the `intent` of an enforcement, action and resource of a submitted intent, or the tool that is called. */
export type Requested =
  | { readonly intent: string }
  | { readonly action: string; readonly resource: string }
  | { readonly tool: { readonly server: string; readonly name: string } };

/** A parsed intent with the canonical resource that policies match. */
export type IntentFacts = Omit<ParsedIntent, 'alternatives'> & {
  /** Not visible to policies. Absent in decisions recorded before this member was introduced. */
  requested?: Requested;
  /** Canonical, without the action: `data/user_profile`, `db/production/*`. */
  resource: string;
  /** Number of named segments of the resource; the `*` of a pattern is not counted. */
  depth: number;
  /** Whether a parse by this agent, at most 15 minutes old, was joined to it, with or without an `intent_id` in the request. */
  parsed: boolean;
  risk: Risk;
};

/** All facts that a rule may refer to. `context` is the object that the caller sent. */
export interface Facts {
  intent: IntentFacts;
  agent: {
    id: string;
    registered: boolean;
    status: AgentStatus | 'UNREGISTERED';
    capabilities: string[];
    tags: string[];
  };
  trust: TrustFacts;
  key: { id: string; bound: boolean; environment: Environment };
  context: Record<string, unknown>;
  /** Absent when the question is no tool call. */
  tool?: ToolFacts;
  /** UTC. `weekday` 1 (Monday) .. 7; `minute_of_day` 0..1439. */
  time: { now: string; date: string; hour: number; minute_of_day: number; weekday: number };
  /** The agent's decisions, counted by verdict in three windows; at most 1 s stale. */
  history: Record<'last_60s' | 'last_1h' | 'last_24h', Record<Verdict, number>>;
  organisation: { slug: string };
  environment: Environment;
}

export interface Reason {
  policy: string;
  rule: string;
  effect: Verdict;
  code: string;
  message: string;
}

/** An obligation of a DEGRADE verdict: the caller may act only if it complies with it. */
export interface Obligation {
  type: string;
  [member: string]: unknown;
}

/** One condition with the actual value it was compared with (for `explain`). */
export interface ExplainedCondition {
  fact: string;
  path?: string;
  operator: string;
  expected: unknown;
  actual: unknown;
  missing: boolean;
  result: boolean;
}

export interface ExplainedRule {
  policy: string;
  rule: string;
  effect: Verdict;
  matched: boolean;
  /** Why a candidate rule was skipped, or did not count although its conditions matched. */
  skipped?: string;
  conditions: ExplainedCondition[];
}

/** Deeply frozen, because a memoized evaluation is returned to several callers. */
export interface Evaluation {
  readonly verdict: Verdict;
  /** By severity (DENY, ESCALATE, DEGRADE, ALLOW), then policy id, then rule name. Never empty. */
  readonly reasons: readonly Reason[];
  /** Non-empty only when the verdict is DEGRADE. */
  readonly obligations: readonly Obligation[];
}

/** The input of intake policies: all facts except the risk, which these policies compute. */
export type RiskFacts = Omit<Facts, 'intent'> & { intent: Omit<IntentFacts, 'risk'> };

/** A problem in a policy file, a lexicon or a stored set that prevents its use, with its position. `line` and `column` count from 1. */
export interface Finding {
  file: string;
  line: number;
  column: number;
  /** RFC 6901 JSON Pointer into the file. */
  pointer: string;
  /** A FindingCode, or a LintCode for findings of the linter. */
  code: string;
  message: string;
  /** Absent means error. A set with an error is not put into force. */
  severity?: 'error' | 'warning';
  /** How to fix it. */
  hint?: string;
  /** A request that demonstrates the finding. */
  example?: string;
}

export type FindingCode =
  | 'TOO_LARGE'
  | 'NOT_JSON'
  | 'SCHEMA'
  | 'UNKNOWN_FACT'
  | 'UNKNOWN_OPERATOR'
  | 'OPERATOR_MISUSED'
  | 'BAD_VALUE'
  | 'BAD_RESOURCE'
  | 'DUPLICATE_RULE'
  | 'DUPLICATE_ID'
  | 'ALLOW_OF_UNKNOWN'
  | 'BAD_TOOL_NAME'
  | 'BAD_TEMPLATE'
  | 'BAD_POINTER'
  | 'DUPLICATE_SERVER'
  | 'LEXICON';

export type { Effect };
