// What a difference is made of: decisions before and after a draft, and the report of them. Plain data.
import type { Verdict } from '../../kernel/vocabulary.ts';
import type { Evaluation, Reason } from './types.ts';

/** A decision that was evaluated again. `before` is what was recorded, `after` what the draft says. */
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
  /** Retention erased its facts. */
  | 'factsErased'
  /** Record or facts are not what was written: `custos decision verify` says more. */
  | 'damaged'
  /** It was made under this very set, and its facts do not lead to what it says. */
  | 'notReproduced';

/** How many entries a difference counts one by one, and shows. */
export interface DifferenceLimits {
  /** Distinct agents, resources and rules that are counted; what comes later is counted together. */
  readonly counted: number;
  /** Entries of a table in the report. */
  readonly shown: number;
  /** Examples of each transition. */
  readonly examples: number;
}

/** The largest first, then by name. */
export interface Table<Item> {
  readonly items: readonly Item[];
  /** Further entries that are not shown. */
  readonly more: number;
  /** Changes of entries that were not counted one by one, because there were too many. */
  readonly beyond: number;
}

export interface Change {
  readonly decisions: number;
  /** Verdicts that became stricter, on the scale ALLOW, DEGRADE, ESCALATE, DENY. */
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
    /** Answers that no policy gives or changes: a halt, a refused approval, an evaluation that was given up. */
    readonly standing: number;
    readonly notEvaluable: { readonly total: number } & Readonly<Record<NotEvaluable, number>>;
  };
  readonly changed: Change & {
    /** DEGRADE before and after, with other obligations. */
    readonly obligations: number;
  };
  /** The same verdict and obligations for other reasons: no change for whoever asked. */
  readonly otherReasons: number;
  readonly transitions: readonly { readonly from: Verdict; readonly to: Verdict; readonly decisions: number }[];
  readonly rules: Table<{
    readonly policy: string;
    readonly rule: string;
    readonly effect: string;
    /** Changed decisions that the rule is a reason of now, with this effect, and was not. */
    readonly newly: number;
    readonly noLonger: number;
  }>;
  readonly agents: Table<
    { readonly organisation: string; readonly environment: string; readonly agentId: string } & Change
  >;
  readonly resources: Table<{ readonly resource: string } & Change>;
  readonly environments: Table<{ readonly organisation: string; readonly environment: string } & Change>;
  /** For each transition the oldest of their kind, each agent, resource and reasons once, five with the same reasons. */
  readonly examples: readonly Example[];
}
