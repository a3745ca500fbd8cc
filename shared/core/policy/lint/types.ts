// What the linter says: rules that do nothing, that contradict each other or that open more than they seem to, each with facts that show it.
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
] as const;
export type LintCode = (typeof LINT_CODES)[number];

/**
 * `error`: the rule can never count, whatever is asked; such a set is not loaded. `warning`: it has a meaning, most likely not the
 * one that its author had in mind.
 */
export type LintSeverity = 'error' | 'warning';

export interface RuleName {
  readonly policy: string;
  readonly rule: string;
}

/** Facts that show a finding. All that is said here was evaluated on them, with the set that was linted, before it was said. */
export interface Witness {
  /** What is asked for, as POST /v1/enforce takes it: `delete:db/production/example`. */
  readonly intent: string;
  readonly environment: string;
  /** The facts that matter, by full path such as `trust.level`; null for one that is missing. */
  readonly relevant: Readonly<Record<string, unknown>>;
  /** All of them, as an evaluation takes them. */
  readonly facts: Facts;
  /** Whether the conditions of the rule hold on these facts. */
  readonly holds: boolean;
  /** The verdict of the whole set, or for rules of stage intake the risk score. */
  readonly answer: Verdict | number;
  /** The answer of the set without this rule. */
  readonly without: Verdict | number;
  /** What the facts show, in one sentence. */
  readonly shows: string;
}

export interface LintFinding extends RuleName {
  readonly code: LintCode;
  readonly severity: LintSeverity;
  /** RFC 6901, into the policy's file: to the rule, or the part of its conditions that is meant. */
  readonly pointer: string;
  readonly message: string;
  /** The other rules that make it so, by policy and rule name. */
  readonly others: readonly RuleName[];
  /** Absent only where a value is wrong by itself, and no facts were found in time that show what it does. */
  readonly witness?: Witness;
  /** What to do about it, where that depends on the values. */
  readonly hint?: string;
}
