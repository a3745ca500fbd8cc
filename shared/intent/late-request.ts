// Finds a request that no sign leads to, in a sentence where none was found otherwise.
import { AFTER_VERB, AUX, CONJUNCTIONS, FINITE, PERSONS, SUBORDINATORS, WH } from './clause-words.ts';
import type { Lexicon, VerbEntry } from './lexicon.ts';
import type { Request } from './request.ts';
import type { Sentence } from './tokens.ts';

/** How far a request without a comma before it is looked for. */
const LATE = 12;
const PLACING = new Set(['in', 'on', 'at', 'from', 'within', 'inside', 'under', 'for', 'with', 'using', 'via']);
const ASKERS = new Set(['i', 'we', 'you']);

/** What is asked for without a sign of it: `in my calendar delete all golf events`, `I'm off to Rome do I need a visa`. */
export function lateRequest(
  sentence: Sentence,
  words: readonly string[],
  lexicon: Lexicon,
  query: VerbEntry,
): Request | undefined {
  const placed = PLACING.has(words[0] ?? '');
  for (let at = 2; at < Math.min(words.length, LATE); at += 1) {
    const [before = '', word = '', next = ''] = words.slice(at - 1, at + 2);
    const common = { at: sentence[at]?.at ?? 0, next: at + 1, sentence, negated: false, wanted: false };
    if (AUX.has(word) && ASKERS.has(next) && !CONJUNCTIONS.has(before) && !WH.has(before) && !SUBORDINATORS.has(before))
      return { ...common, entry: query, certainty: 0.6, kind: 'question' };
    const entry = placed && AFTER_VERB.has(next) ? lexicon.verbForms.get(word) : undefined;
    if (entry?.form !== 'base' || entry.entry.weak || entry.entry.alsoNoun) continue;
    if (FINITE.has(before) || WH.has(before) || PERSONS.has(before) || /^(?:to|not|never|case|that)$/.test(before))
      continue;
    return { ...common, entry: entry.entry, certainty: 0.6, kind: 'imperative' };
  }
  return undefined;
}
