// Types of the linter's findings: rules without effect, contradictions, and rules that permit more than they seem to, each with a witness.
import type { Verdict } from '../../../kernel/vocabulary.ts';
import type { Facts } from '../types.ts';

export const LINT_CODES = [
  'NEVER_TRUE',
  'UNREACHABLE',
  'SHADOWED',
  'CONTRADICTORY',
  'WIDENING',
  'ALWAYS_TRUE',
  'ONLY_WHEN_MISSING',
  'CONSTANT_PART',
  'DUPLICATE_CONDITION',
  'CONTEXT_TYPE',
  'CALLERS_WORD',
  'UNKNOWN_WORD',
  'WRONG_SCALE',
  'HOST_BITS',
  'UNKNOWN_OBLIGATION',
  'UNKNOWN_ORGANISATION',
  'TOOL_ABSENT',
  'UNANCHORED_PATTERN',
  'PATH_PREFIX',
  'ANY_ITEM',
  'UNKNOWN_TOOL',
  'UNKNOWN_CALL',
  'BUDGET_BYPASSED',
] as const;
export type LintCode = (typeof LINT_CODES)[number];

/**
 * `error`: the rule can never count, for any request; such a set is not loaded. `warning`: the rule is valid, but its meaning is probably
 * not the one that its author intended.
 */
export type LintSeverity = 'error' | 'warning';

export interface RuleName {
  readonly policy: string;
  readonly rule: string;
}

/** Facts that demonstrate a finding. Every member was computed by an evaluation of the linted set on these facts. */
export interface Witness {
  /** The request as POST /v1/enforce takes it: `delete:db/production/example`. */
  readonly intent: string;
  readonly environment: string;
  /** The relevant facts by full path such as `trust.level`; null for a missing one. */
  readonly relevant: Readonly<Record<string, unknown>>;
  /** All facts, as an evaluation takes them. */
  readonly facts: Facts;
  /** Whether the conditions of the rule hold on these facts. */
  readonly holds: boolean;
  /** The verdict of the whole set, or the risk score for rules of stage intake. */
  readonly answer: Verdict | number;
  /** The result of the set without this rule. */
  readonly without: Verdict | number;
  /** What the facts show, in one sentence. */
  readonly shows: string;
}

export interface LintFinding extends RuleName {
  readonly code: LintCode;
  readonly severity: LintSeverity;
  /** RFC 6901 JSON Pointer into the policy's file: to the rule, or to the part of its conditions that is concerned. */
  readonly pointer: string;
  readonly message: string;
  /** The other rules involved, by policy and rule name. */
  readonly others: readonly RuleName[];
  /** Absent only where a value is wrong by itself and no demonstrating facts were found within the budget. */
  readonly witness?: Witness;
  /** How to fix it, where that depends on the values. */
  readonly hint?: string;
}
