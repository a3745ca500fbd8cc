// The facts that policies see, and what an evaluation says. Plain data: recorded with each decision, evaluated again in replays.
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
  /** Without the factors that count only because facts are missing; absent when there are none. */
  certain?: { level: RiskLevel; score: number };
}

/** What the caller wrote, as it came: the `intent` of an enforcement, or action and resource of a submitted intent. */
export type Requested = { readonly intent: string } | { readonly action: string; readonly resource: string };

/** A parse, and the canonical resource that policies match. */
export type IntentFacts = Omit<ParsedIntent, 'alternatives'> & {
  /** No policy looks at it. Absent in decisions that were recorded before it was. */
  requested?: Requested;
  /** Canonical, without the action: `data/user_profile`, `db/production/*`. */
  resource: string;
  /** How many segments of the resource are named; the `*` of a pattern is not counted. */
  depth: number;
  /** Whether a parse by this agent, at most 15 minutes old, stands behind it, named by its `intent_id` or not. */
  parsed: boolean;
  risk: Risk;
};

/** Everything a rule may look at. `context` is the caller's own object. */
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
  /** UTC. `weekday` 1 (Monday) .. 7; `minute_of_day` 0..1439. */
  time: { now: string; date: string; hour: number; minute_of_day: number; weekday: number };
  /** The agent's decisions by verdict in three windows, at most 1 s old. */
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

/** An obligation of a DEGRADE verdict: the caller must keep it. */
export interface Obligation {
  type: string;
  [member: string]: unknown;
}

/** One condition with the value it saw (for `explain`). */
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
  /** Why a candidate did not count although its conditions matched, or was skipped. */
  skipped?: string;
  conditions: ExplainedCondition[];
}

/** Deeply frozen: an evaluation may be remembered and given to several callers. */
export interface Evaluation {
  readonly verdict: Verdict;
  /** By severity (DENY, ESCALATE, DEGRADE, ALLOW), then policy id, then rule name. Never empty. */
  readonly reasons: readonly Reason[];
  /** Not empty only when the verdict is DEGRADE. */
  readonly obligations: readonly Obligation[];
}

/** What intake policies see: everything but the risk that they compute. */
export type RiskFacts = Omit<Facts, 'intent'> & { intent: Omit<IntentFacts, 'risk'> };

/** A policy file, a lexicon or a stored set that can't be used, and where. `line` and `column` count from 1. */
export interface Finding {
  file: string;
  line: number;
  column: number;
  /** RFC 6901, into the file. */
  pointer: string;
  /** A FindingCode, or of the linter a LintCode. */
  code: string;
  message: string;
  /** Absent: error. An error keeps the set out of force. */
  severity?: 'error' | 'warning';
  /** What to do about it. */
  hint?: string;
  /** A question that shows it. */
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
  | 'LEXICON';

export type { Effect };
