// The answers of the dashboard's routes about decisions. Types only, which the server imports as well.
import type { ExplainedRule, Facts } from '#shared/core/policy/types.js';
import type { Masked } from '#shared/core/tools/mask.js';
import type { Verdict } from '#shared/kernel/vocabulary.js';
import type { DecisionAnswer } from '../answers.ts';
import type { ListPage } from '../wire.ts';

export type { ExplainedCondition, ExplainedRule } from '#shared/core/policy/types.js';

/** GET /dashboard/api/decisions/search */
export interface DecisionsFound extends ListPage<DecisionAnswer> {
  /** RFC 3339: decisions before this time were not searched yet, because the time was over. Null with a full page, and at the end. */
  readonly searchedTo: string | null;
}

/** GET /dashboard/api/decisions/histogram */
export interface DecisionHistogram {
  /** The beginning of the first bucket, milliseconds since 1970. */
  readonly startMs: number;
  readonly stepMs: number;
  /** Decisions in each bucket. */
  readonly counts: Readonly<Record<Verdict, readonly number[]>>;
  /** RFC 3339: decisions before this time were not counted, because the time was over. Null: all were. */
  readonly countedTo: string | null;
}

/** GET /dashboard/api/decisions/suggestions */
export interface Suggestions {
  readonly values: readonly string[];
}

/** GET /dashboard/api/decisions/newer */
export interface NewerDecisions {
  readonly newer: number;
  /** Whether counting stopped at its limit. */
  readonly more: boolean;
}

/** GET /dashboard/api/decisions/{id}/explanation */
export type DecisionExplanation =
  | {
      readonly state: 'explained';
      /** The verdict of the policies for the stored facts, evaluated now. */
      readonly verdict: Verdict;
      /** Whether verdict and reasons are those of the record. */
      readonly agrees: boolean;
      /** The cause when not the policies alone decided: a halt, a used or refused approval, or a failed evaluation. */
      readonly special: 'halted' | 'used' | 'refused' | 'failed' | 'key_invalid' | null;
      /** Whether the stored facts match the digest in the record. */
      readonly factsAsRecorded: boolean;
      /** Matched rules first, then in the order of the set; at most 1,000. */
      readonly rules: readonly ExplainedRule[];
      /** The number of rules that applied. */
      readonly total: number;
      readonly matched: number;
      readonly facts: Facts;
      /** The arguments of a tool call that are masked in the facts. */
      readonly masked: readonly Masked[];
    }
  | { readonly state: 'erased' }
  | { readonly state: 'unreadable'; readonly sentence: string };
