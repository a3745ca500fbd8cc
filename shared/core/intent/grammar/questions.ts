// Requests without an imperative: questions, requests for permission, wishes and announcements.
import { AUX, SUBJECTS, WH } from './clause-words.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { wordSet } from '../text/word-set.ts';

/** The certainty of a request for permission, relative to a direct request. */
export const ASKED = 0.6;
/** Words that open a condition. */
export const CONDITIONAL = wordSet('if when unless whenever whether');

/** `I also need to`, `we really want to`: a prefix with an adverb inside. */
export function prefixAround(words: readonly string[], at: number, lexicon: Lexicon) {
  if (!isAdverb(words[at + 1] ?? '') || !SPEAKERS.has(words[at] ?? '')) return undefined;
  const found = lexicon.prefixes.match([words[at] ?? '', ...words.slice(at + 2, at + MAX_PREFIX)], 0);
  return found && found.length > 1 ? { value: found.value, length: found.length + 1 } : undefined;
}
const INTENSIFIERS = wordSet(
  'also just really only still now first simply actually then urgently desperately definitely all both',
);
const isAdverb = (word: string): boolean => INTENSIFIERS.has(word) || (word.length > 4 && word.endsWith('ly'));
const SPEAKERS = wordSet("i we you i'd we'd i'll they he she");
const MAX_PREFIX = 10;

/** The number of words that ask for permission to do something now: `can I change my seat`; 0 for none. */
export function leaveAsked(words: readonly string[], at: number, lexicon: Lexicon): number {
  if (!/^(?:can|could|may|might)$/.test(words[at] ?? '') || !/^(?:i|we)$/.test(words[at + 1] ?? '')) return 0;
  let next = at + 2;
  while (INTENSIFIERS.has(words[next] ?? '') || /^(?:please|maybe|possibly|quickly)$/.test(words[next] ?? ''))
    next += 1;
  const match = lexicon.verbForms.match(words, next);
  if (!match || match.value.form !== 'base') return 0;
  const { entry } = match.value;
  if (entry.weak || entry.action === 'read' || VAGUE.has(entry.verb)) return 0;
  return entry.action === 'send' || OWNED.has(words[next + match.length] ?? '') ? next - at : 0;
}
/** Verbs with which such a question is rather about a rule: `can I take my dog on board`. */
const VAGUE = wordSet('take bring put play leave turn run pay hold cover host');
const OWNED = wordSet('my our the this that these those it them all a an another some');

/** `New issue: the page crashes`, `Reminder: call the bank` request something new. */
export function announcesNew(words: readonly string[]): boolean {
  const colon = words.indexOf(':');
  if (colon < 1 || colon > 4 || !words.slice(1, colon).every((word) => /^[a-z]/.test(word))) return false;
  return (words[0] === 'new' && colon > 1) || ANNOUNCED.test(words.slice(0, colon).join(' '));
}
const ANNOUNCED = /^(?:reminder|note|bug|bug report|email draft|feature request|note to self|appointment|event)$/;

const LIKES = new Set(['like', 'love', 'appreciate']);
const WANTS = new Set(['need', 'want', 'require', 'needs', 'wants']);

/** The number of words that express a wish: `I need a cluster`, `we'd like the report`; 0 for none. */
export function wantedAt(words: readonly string[], at: number): number {
  if (INTENSIFIERS.has(words[at + 1] ?? '')) {
    const inner = wantedAt([words[at] ?? '', ...words.slice(at + 2, at + MAX_PREFIX)], 0);
    return inner > 0 ? inner + 1 : 0;
  }
  const [subject, second = ''] = [words[at], words[at + 1]];
  // `can Tom get access to the vault`
  if (/^(?:can|could|may)$/.test(subject ?? ''))
    for (let next = at + 2; next < at + 5; next += 1)
      if (/^(?:get|have)$/.test(words[next] ?? '') && /^(?:access|permission|rights)$/.test(words[next + 1] ?? ''))
        return next + 1 - at;
  // `can I have a receipt`
  if (/^(?:can|could|may)$/.test(subject ?? '') && /^(?:i|we)$/.test(second))
    return /^(?:have|get)$/.test(words[at + 2] ?? '') ? 3 : 0;
  if (subject === "i'd" || subject === "we'd") return LIKES.has(second) ? 2 : 0;
  if (subject === 'you') return WANTS.has(second) && /^(?:an?|another|some)$/.test(words[at + 2] ?? '') ? 2 : 0;
  if (subject !== 'i' && subject !== 'we') return 0;
  if (second === 'would') return LIKES.has(words[at + 2] ?? '') ? 3 : 0;
  return WANTS.has(second) ? 2 : 0;
}

const ANY = wordSet('any anything anyone anybody');
const AFTER_AUX = /^(?:i|we|you|please|to)$/;
const BE = new Set(['is', 'are', 'was', 'were']);
const OPENS_QUESTION = new Set([
  'does',
  'did',
  'has',
  "hasn't",
  "wasn't",
  'is',
  'are',
  'was',
  'were',
  'am',
  "isn't",
  "aren't",
  "doesn't",
  "didn't",
]);

export function isQuestion(words: readonly string[], at: number, endsAsQuestion: boolean): boolean {
  const word = words[at] ?? '';
  const next = words[at + 1] ?? '';
  if (WH.has(word)) {
    if (at === 0 && (word === 'who' || word === 'which' || (word === 'where' && BE.has(words.at(-1) ?? ''))))
      return true;
    if (word === 'when' || word === 'where' || word === 'which' || word === 'who')
      return endsAsQuestion || AUX.has(next) || (at === 0 && words.slice(1, 5).some((later) => BE.has(later)));
    return true;
  }
  // `Any news about the release?`
  if (word.startsWith('any') && ANY.has(word)) return endsAsQuestion || /^(?:idea|news|word)$/.test(next);
  // `could we do it`, `may I have a look`: no auxiliary follows another one.
  if (
    (word === 'do' || word === 'have') &&
    at > 0 &&
    AFTER_AUX.test(words[at - 1] ?? '') &&
    !/^(?:i|we|you|they|he|she)$/.test(next)
  )
    return false;
  // No request begins with these: `does the shop deliver`.
  if (at === 0 && OPENS_QUESTION.has(word) && next !== '') return true;
  return (
    AUX.has(word) &&
    (endsAsQuestion || (SUBJECTS.has(next) && word !== 'do' && word !== 'have') || /^(?:i|we|you|they)$/.test(next))
  );
}
