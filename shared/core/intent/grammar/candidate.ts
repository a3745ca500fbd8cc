// A candidate: one action that a text may ask for, with what it is about. Types only.
import type { Action, Effect, Extent, Trait } from '../../../kernel/vocabulary.ts';

/** One action that the text asks for. */
export interface CandidateAction {
  readonly verb: string;
  readonly action: Action;
  readonly effect: Effect;
  readonly traits: readonly Trait[];
  readonly object: string;
  readonly domain: string;
  readonly extent: Extent;
  readonly at: number;
  readonly certainty: number;
  readonly objectKnown: boolean;
  readonly negated: boolean;
  readonly weak: boolean;
  readonly source: 'words' | 'question' | 'code';
  /** The verb only talks about things: code in its sentence is mentioned, not asked for. */
  readonly mentions: boolean;
  /** Its object is a pronoun. */
  readonly pronoun: boolean;
  /** No verb asks for it: it follows from a statement such as `users should be deleted`. */
  readonly implied: boolean;
  /** It tells what somebody wants to do: `I need to check my plan. Please list the prices.` */
  readonly told: boolean;
  /** Index of its sentence. */
  readonly sentence: number;
}
