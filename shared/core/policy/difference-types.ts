// Types of a policy difference: decisions before and after a draft, and the report about them. Plain data.
import type { Verdict } from '../../kernel/vocabulary.ts';
import type { Evaluation, Reason } from './types.ts';

/** A decision that was evaluated again. `before` is the recorded result, `after` the result under the draft. */
export interface Compared {
  readonly decisionId: string;
  /** RFC 3339. */
  readonly evaluatedAt: string;
  readonly organisation: string;
  readonly environment: string;
  readonly agentId: string;
  /** The normalized intent. */
  readonly intent: string;
  readonly resource: string;
  readonly before: Evaluation;
  readonly after: Evaluation;
}

/** Why a decision could not be evaluated again. */
export type NotEvaluable =
  /** Retention deleted its facts. */
  | 'factsErased'
  /** The record or the facts were altered after they were written; `custos decision verify` gives details. */
  | 'damaged'
  /** It was made under this very set, and its facts do not reproduce the recorded result. */
  | 'notReproduced';

/** Limits on the entries that a difference counts individually and shows. */
export interface DifferenceLimits {
  /** Distinct agents, resources and rules that are counted individually; later ones are counted together. */
  readonly counted: number;
  /** Entries of a table in the report. */
  readonly shown: number;
  /** Examples of each transition. */
  readonly examples: number;
}

/** Sorted by size, largest first, then by name. */
export interface Table<Item> {
  readonly items: readonly Item[];
  /** Number of entries that are not shown. */
  readonly more: number;
  /** Changes of entries that were not counted individually because there were too many. */
  readonly beyond: number;
}

export interface Change {
  readonly decisions: number;
  /** Verdicts that became stricter, in the order ALLOW, DEGRADE, ESCALATE, DENY. */
  readonly stricter: number;
  readonly looser: number;
}

export interface Said {
  readonly verdict: Verdict;
  /** The first five. */
  readonly reasons: readonly Reason[];
  readonly obligations: readonly Readonly<Record<string, unknown>>[];
}

export interface Example extends Omit<Compared, 'before' | 'after'> {
  readonly before: Said;
  readonly after: Said;
}

export interface DifferenceReport {
  readonly decisions: {
    readonly total: number;
    readonly evaluated: number;
    /** Results that do not depend on policies: a halt, a refused approval, an aborted evaluation. */
    readonly standing: number;
    readonly notEvaluable: { readonly total: number } & Readonly<Record<NotEvaluable, number>>;
  };
  readonly changed: Change & {
    /** DEGRADE before and after, with different obligations. */
    readonly obligations: number;
  };
  /** The same verdict and obligations for different reasons: no change for the caller. */
  readonly otherReasons: number;
  readonly transitions: readonly { readonly from: Verdict; readonly to: Verdict; readonly decisions: number }[];
  readonly rules: Table<{
    readonly policy: string;
    readonly rule: string;
    readonly effect: string;
    /** Changed decisions of which the rule, with this effect, is a reason only under the draft. */
    readonly newly: number;
    readonly noLonger: number;
  }>;
  readonly agents: Table<
    { readonly organisation: string; readonly environment: string; readonly agentId: string } & Change
  >;
  readonly resources: Table<{ readonly resource: string } & Change>;
  readonly environments: Table<{ readonly organisation: string; readonly environment: string } & Change>;
  /** For each transition the oldest examples; each agent, resource and list of reasons once, and at most five with the same reasons. */
  readonly examples: readonly Example[];
}
