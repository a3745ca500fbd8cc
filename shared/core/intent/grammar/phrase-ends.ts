// Finds the end of a noun phrase within a clause: `the song | playing now`, `users | signed up today`, `is the road | closed`.
import { singular } from '../lexicon/inflection.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Sentence, Token } from '../text/tokens.ts';
import { K, tokenIs, tokenIsAny } from '../lexicon/word-kinds.ts';

/** The number of words searched backwards for a question's auxiliary. */
const REACH = 12;

/** The phrase ends here: the clause ends, or a preposition or conjunction follows. */
function goesNoFurther(token: Token | undefined): boolean {
  if (token === undefined) return true;
  if (token.kind === 'punct') return !/^[/"'([&-]/.test(token.text);
  return tokenIsAny(token, K.preposition, K.conjunction, K.afterwards);
}

/** Whether the lexicon knows a lower-case word as a noun, in the singular or the plural. */
export const isNoun = (word: string, { domainOfNoun, plurals }: Lexicon): boolean =>
  domainOfNoun.has(singular(word, plurals));

/** A past participle that is neither a noun nor a base form: `sent`, `made`, `blocked`. */
export function isParticiple(word: string, lexicon: Lexicon): boolean {
  return lexicon.participles.get(word) !== undefined && !lexicon.verbs.has(word) && !isNoun(word, lexicon);
}

/** Whether the words at `at` are a predicate of the preceding noun: `bad`, `blocked by you`. */
export function isPredicateOf(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const token = sentence[at];
  if (token?.kind !== 'word' || !(tokenIs(token, K.predicate) || isParticiple(token.lower, lexicon))) return false;
  return goesNoFurther(sentence[at + 1]);
}

/** Whether a participle describes the preceding noun: `payments made by Ana`, `users signed up last week`. */
function isDescription(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const word = sentence[at]?.lower ?? '';
  const next = sentence[at + 1];
  if (word.endsWith('ed') && !lexicon.domainOfNoun.has(word) && tokenIs(next, K.description_opening)) return true;
  const past = word.endsWith('ed') && word.length > 5 && !lexicon.verbs.has(word) && !isNoun(word, lexicon);
  if (past && (next === undefined || next.kind === 'punct')) return true;
  if (!isParticiple(word, lexicon)) return false;
  return next === undefined || next.kind !== 'word' || tokenIsAny(next, K.description_opening, K.inner_particle);
}

/** Whether a gerund describes what the preceding noun does. */
function tellsDoing(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const word = sentence[at]?.lower ?? '';
  if (!word.endsWith('ing') || isNoun(word, lexicon)) return false;
  const next = sentence[at + 1];
  if (tokenIs(next, K.after_verb)) return true;
  return (
    tokenIs(sentence[at], K.gerund_doing) &&
    (goesNoFurther(next) || !(next?.kind === 'word' && isNoun(next.lower, lexicon)))
  );
}

/** Whether a verb with an object follows the noun: `which pods | use more than one`. */
function takesObject(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const word = sentence[at]?.lower ?? '';
  const next = sentence[at + 1];
  if (!(next?.kind === 'number' || tokenIsAny(next, K.name_determiner, K.more_less))) return false;
  return lexicon.verbForms.get(word) !== undefined && !isNoun(word, lexicon);
}

/** Whether the verb of a question follows its subject: `how long does the export take`. */
function closesQuestion(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const word = sentence[at]?.lower ?? '';
  const entry = lexicon.verbs.get(word);
  const closes =
    tokenIs(sentence[at], K.closing_verb) || (entry !== undefined && !isNoun(word, lexicon) && word !== 'show');
  // `when will the refund show up`
  const parted = (closes || entry !== undefined) && tokenIs(sentence[at + 1], K.inner_particle);
  if (!(parted || (closes && goesNoFurther(sentence[at + 1])))) return false;
  for (let before = at - 1; before >= Math.max(0, at - REACH); before -= 1) {
    if (sentence[before]?.kind === 'punct' || tokenIs(sentence[before], K.question_speaker)) return false;
    if (tokenIs(sentence[before], K.question_do)) return true;
  }
  return false;
}

/** Whether the word at `at` ends the preceding noun phrase. */
export function endsNounPhrase(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  return (
    tokenIsAny(sentence[at], K.phrase_closing, K.inner_particle) ||
    isDescription(sentence, at, lexicon) ||
    isPredicateOf(sentence, at, lexicon) ||
    tellsDoing(sentence, at, lexicon) ||
    takesObject(sentence, at, lexicon) ||
    closesQuestion(sentence, at, lexicon)
  );
}

/** Whether the word at `at` can not begin a noun phrase: `who | approved the change`, `who | owns it`, `I | paid for it`. */
export function isVerbBefore(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const token = sentence[at];
  const next = sentence[at + 1];
  if (token?.kind !== 'word' || isNoun(token.lower, lexicon)) return false;
  if (tokenIs(next, K.name_determiner)) return true;
  return isParticiple(token.lower, lexicon) && (goesNoFurther(next) || tokenIs(next, K.afterwards));
}

/** Whether the words only express a time: `ten am`, `Monday`. */
export const isOnlyTime = (tokens: readonly Token[]): boolean =>
  tokens.length > 0 && tokens.every((token) => tokenIs(token, K.clock_word));
