// The type of a candidate: one action that a text may request, with its object.
import type { Deed } from '../code/code.ts';

/** Beyond this number of candidates, only one that is more consequential than all others, or of another class, is considered, because it may come last. */
export const MAX_CANDIDATES = 200;

/** One action that the text requests. */
export interface CandidateAction extends Deed {
  readonly at: number;
  readonly certainty: number;
  readonly objectKnown: boolean;
  readonly negated: boolean;
  readonly weak: boolean;
  readonly source: 'words' | 'question' | 'code';
  /** The verb only talks about things, so code in its sentence is mentioned and not requested. */
  readonly mentions: boolean;
  /** What its sentence says after it is told, not requested: `explain how to delete a branch`, `write a runbook for wiping disks`. */
  readonly tells: boolean;
  readonly pronoun: boolean;
  /** Inferred from a statement such as `users should be deleted`, without a verb of request. */
  readonly implied: boolean;
  /** It states an intention: `I need to check my plan. Please list the prices.` */
  readonly intention: boolean;
  readonly sentence: number;
}

/** What is asked for by a text that is not understood, and the usual members of a candidate. */
export const UNKNOWN: CandidateAction = {
  verb: 'unknown',
  action: 'unknown',
  effect: 'write',
  traits: [],
  object: 'unknown',
  domain: 'unknown',
  extent: 'one',
  at: 0,
  certainty: 0,
  objectKnown: false,
  negated: false,
  weak: false,
  source: 'words',
  mentions: false,
  tells: false,
  pronoun: false,
  implied: false,
  intention: false,
  sentence: 0,
};

/** A candidate with other members. Member by member, because all that reads candidates is slow when spreading gives them many layouts. */
export const changed = (one: CandidateAction, by: Partial<CandidateAction>): CandidateAction => ({
  verb: by.verb ?? one.verb,
  action: by.action ?? one.action,
  effect: by.effect ?? one.effect,
  traits: by.traits ?? one.traits,
  object: by.object ?? one.object,
  domain: by.domain ?? one.domain,
  extent: by.extent ?? one.extent,
  at: by.at ?? one.at,
  certainty: by.certainty ?? one.certainty,
  objectKnown: by.objectKnown ?? one.objectKnown,
  negated: by.negated ?? one.negated,
  weak: by.weak ?? one.weak,
  source: by.source ?? one.source,
  mentions: by.mentions ?? one.mentions,
  tells: by.tells ?? one.tells,
  pronoun: by.pronoun ?? one.pronoun,
  implied: by.implied ?? one.implied,
  intention: by.intention ?? one.intention,
  sentence: by.sentence ?? one.sentence,
});

const NONE: readonly CandidateAction[] = [];

/** The candidates of a sentence by its index, in their order. */
export type OfSentence = (sentence: number) => readonly CandidateAction[];

export function bySentence(candidates: readonly CandidateAction[]): OfSentence {
  const found = new Map<number, CandidateAction[]>();
  for (const candidate of candidates) {
    const of = found.get(candidate.sentence);
    if (of === undefined) found.set(candidate.sentence, [candidate]);
    else of.push(candidate);
  }
  return (sentence) => found.get(sentence) ?? NONE;
}
