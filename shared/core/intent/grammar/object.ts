// Converts the noun phrase after a verb into the object of a normalized intent.
import { singular } from '../lexicon/inflection.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { endsNounPhrase, isNoun, isOnlyTime, isParticiple, isPredicateOf, isVerbBefore } from './phrase-ends.ts';
import type { Sentence, Token } from '../text/tokens.ts';
import { K, tokenIs } from '../lexicon/word-kinds.ts';

const MAX_OBJECT_LENGTH = 64;
const MAX_OBJECT_WORDS = 6;
/** The number of words after a verb in which an object is searched. */
const REACH = 24;

export interface ObjectPhrase {
  /** snake_case, at most 64 characters; empty when there is none. */
  readonly name: string;
  /** Its words, singular, for look-ups. */
  readonly words: readonly string[];
  /** The lexicon knows the last noun. */
  readonly known: boolean;
  readonly plural: boolean;
}

const LABEL = /^\p{Lu}+\d*$/u;
const NAME = /^\p{Lu}\p{Ll}/u;
const PLAIN = /^[A-Za-z]?[a-z0-9]*$/;

export const NO_OBJECT: ObjectPhrase = { name: '', words: [], known: false, plural: false };

/** ASCII snake_case words of a token: `HorizontalPod` becomes two when the lexicon knows both parts. */
function partsOf(token: Token, lexicon: Lexicon): string[] {
  if (PLAIN.test(token.text)) return [token.lower];
  const camel = token.text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[\s_-]+/);
  const knows = (word: string) => isNoun(word.toLowerCase(), lexicon) || lexicon.synonyms.has(word.toLowerCase());
  const split = camel.length >= 3 || (camel.length === 2 && (/[_-]/.test(token.text) || camel.every(knows)));
  return (split ? camel : [token.text.replace(/[_-]+/g, ' ')])
    .flatMap((part) => part.split(' '))
    .map((part) =>
      part
        .normalize('NFD')
        .toLowerCase()
        .replace(/'s?$/, '')
        .replace(/[^a-z0-9]/g, ''),
    )
    .filter((part) => part !== '');
}

/** The noun phrase that begins at or after `from` and before `to`; `made`: whether it is created. */
export function objectAt(sentence: Sentence, from: number, to: number, lexicon: Lexicon, made = false): ObjectPhrase {
  let at = from;
  const end = Math.min(to, from + REACH);
  while (at < end && (tokenIs(sentence[at], K.object_lead) || lexicon.fillers.has(sentence[at]?.lower ?? ''))) at += 1;
  for (let tries = 0; tries < 4 && at < end; tries += 1) {
    const [tokens, next] = phraseAt(sentence, at, end, lexicon);
    const phrase = isOnlyTime(tokens) ? NO_OBJECT : nameOf(tokens, lexicon);
    // `the list of users`, `information about users`, `a copy of the report`: the object follows.
    const preposition = sentence[next]?.lower ?? '';
    const container =
      isContainer(phrase, lexicon) && !(made && lexicon.wordKinds.has(phrase.words.at(-1) ?? '', K.made_list));
    const about = preposition === 'about' || preposition === 'for' || preposition === 'on';
    const within = preposition === 'from' || preposition === 'in';
    const head = phrase.words.at(-1) ?? '';
    const leads = preposition === 'of' || (container && (about || (within && lexicon.genericNouns.has(head))));
    if (phrase.name !== '' && !(leads && container)) return phrase;
    if (leads || (phrase.name === '' && next < end && tokens.length === 0)) {
      const rest = afterFillers(sentence, next + 1, end, lexicon);
      if (phrase.name !== '') {
        const [within] = phraseAt(sentence, rest, end, lexicon);
        const inner = isOnlyTime(within) ? NO_OBJECT : nameOf(within, lexicon);
        return inner.name === '' ? phrase : inner;
      }
      at = rest;
      continue;
    }
    at = Math.max(next, at + 1);
  }
  return NO_OBJECT;
}

export function afterFillers(sentence: Sentence, from: number, end: number, lexicon: Lexicon): number {
  let at = from;
  while (at < end && lexicon.fillers.has(sentence[at]?.lower ?? '')) at += 1;
  return at;
}

/** Every word of the phrase only expresses a quantity or a part. */
function isContainer(phrase: ObjectPhrase, lexicon: Lexicon): boolean {
  const head = phrase.words.at(-1) ?? '';
  return phrase.words.length === 1 && (lexicon.containerNouns.has(head) || lexicon.genericNouns.has(head));
}

/** The tokens of one noun phrase, and the index after it. */
function phraseAt(sentence: Sentence, from: number, end: number, lexicon: Lexicon): [tokens: Token[], next: number] {
  const tokens: Token[] = [];
  let at = from;
  for (; at < end; at += 1) {
    const token = sentence[at];
    if (!token) break;
    const { kind, lower } = token;
    if (kind === 'punct') {
      if (tokens.length === 0 && /^["'([<*{#]+$/.test(token.text)) continue;
      // `my boss' inbox`
      if (token.text === "'" && tokens.at(-1)?.lower.endsWith('s') && sentence[at + 1]?.kind === 'word') {
        tokens.length = 0;
        continue;
      }
      // `CI/CD variables`, `changes/diffs`: the first of two alternatives is taken.
      if (token.text === '/' && sentence[at + 1]?.kind === 'word') {
        const further = sentence[at + 2];
        if (further?.kind === 'word' && !tokenIs(further, K.noun_phrase_stop) && further.lower !== 'of') at += 1;
        tokens.length = 0;
        continue;
      }
      // An acronym expanded in parentheses does not end the phrase: `SLO (service level objective) reports`.
      const close = token.text === '(' ? closingOf(sentence, at, end) : -1;
      if (close < 0 || sentence[close + 1]?.kind !== 'word') break;
      at = close;
      continue;
    }
    // A quoted name precedes or follows its noun; alone it does not tell the kind of thing.
    if (kind !== 'word' && kind !== 'identifier') {
      if (tokens.length > 0) break;
      continue;
    }
    if (tokenIs(token, K.noun_phrase_stop) || lower === 'of') break;
    if (lower === 'and' || lower === 'or' || lower === '&') {
      // `list and map of users` and `read and write access`: only an incomplete phrase continues to a later head.
      if (tokens.length > 0 && yieldsTo(tokens, sentence.slice(at + 1, Math.min(end, at + 3)), lexicon)) {
        tokens.length = 0;
        continue;
      }
      break;
    }
    if (lexicon.fillers.has(lower)) {
      if (tokens.length > 0 && (tokenIs(sentence[at + 1], K.calendar_word) || !tokenIs(token, K.calendar_adjective)))
        break;
      continue;
    }
    if (tokens.length > 0 && endsNounPhrase(sentence, at, lexicon)) break;
    // `my calendar Sunday`, `the activity October 13`
    if (tokens.length > 0 && tokenIs(token, K.calendar_date) && !isKnown(sentence[at + 1], lexicon)) break;
    if (tokens.length === 0 && isVerbBefore(sentence, at, lexicon)) continue;
    // `the user Alice Smith`: the name belongs to the noun before it.
    if (isNameAfter(tokens.at(-1), token, lexicon)) break;
    // A digest, an encoded blob or a key does not name a kind of thing.
    if (kind === 'identifier' && token.text.length > 15 && (/\d/.test(token.text) || token.text.length > 60)) {
      if (tokens.length > 0) break;
      continue;
    }
    if (kind === 'identifier' && tokens.length > 0 && /[\d.]/.test(token.text)) break;
    // `the problem PRB9`, `column C`
    if (tokens.length > 0 && token.text !== lower && LABEL.test(token.text) && isKnown(tokens.at(-1), lexicon)) break;
    if (lower.endsWith('ly') && lower.length > 4 && !tokenIs(token, K.noun_in_ly)) {
      if (tokens.length === 0) continue;
      break;
    }
    tokens.push(token);
    // A possessive belongs to the following noun: `the user's inbox`, but not in `whether my account's blocked`.
    if (lower.endsWith("'s")) {
      if (isPredicateOf(sentence, at + 1, lexicon)) return [tokens, at + 1];
      tokens.length = 0;
    }
  }
  return [tokens, at];
}

const isKnown = (token: Token | undefined, lexicon: Lexicon): boolean =>
  token?.kind === 'word' && isNoun(token.lower, lexicon);

/** Whether a capitalized word that names no kind of thing follows a plain noun that does. */
function isNameAfter(previous: Token | undefined, { kind, text, lower }: Token, lexicon: Lexicon): boolean {
  if (kind !== 'word' || !NAME.test(text) || previous?.text !== previous?.lower) return false;
  return previous !== undefined && isNoun(previous.lower, lexicon) && !isNoun(lower, lexicon);
}

/** The index of the token that closes the parenthesis at `at`, within a few words, or -1. */
function closingOf(sentence: Sentence, at: number, end: number): number {
  for (let next = at + 1; next < Math.min(end, at + 8); next += 1) {
    if (sentence[next]?.kind === 'punct') return sentence[next]?.text === ')' ? next : -1;
  }
  return -1;
}

/** Whether the phrase continues after `and`: `status and details of ...`, `Foo or Bar server`. */
function yieldsTo(tokens: readonly Token[], [next, further]: readonly Token[], lexicon: Lexicon): boolean {
  const saysLittle = (token: Token | undefined) => {
    const noun = singular(token?.lower ?? '', lexicon.plurals);
    return lexicon.genericNouns.has(noun) || lexicon.containerNouns.has(noun);
  };
  const brand = (token: Token | undefined) =>
    token !== undefined && /^\p{Lu}/u.test(token.text) && !isNoun(token.lower, lexicon);
  // `a failed or canceled pipeline`, `a project or group webhook`: a bare singular describes the head that follows.
  const bare = tokens.length === 1 && tokens[0]?.lower === singular(tokens[0]?.lower ?? '', lexicon.plurals);
  if (bare && isKnown(further, lexicon) && next?.kind === 'word' && !lexicon.fillers.has(next.lower)) return true;
  return saysLittle(next) || saysLittle(tokens.at(-1)) || (tokens.length === 1 && brand(tokens[0]) && brand(next));
}

/** Digits before the first letter, and underscores at the end. */
const AT_ENDS = /^[\d_]+(?=[a-z])|_+$/g;

/** The object named by a run of tokens. */
function nameOf(tokens: readonly Token[], lexicon: Lexicon): ObjectPhrase {
  const words: string[] = [];
  let plural = false;
  for (const token of tokens) {
    for (const part of partsOf(token, lexicon)) {
      const one = singular(part, lexicon.plurals);
      const synonym = lexicon.synonyms.get(one);
      if (synonym === undefined) words.push(one);
      else words.push(...synonym.split('_'));
      plural = one !== part;
    }
  }
  if (words.length === 0) return NO_OBJECT;
  // `an AWS resource` is a resource: a brand alone is not a kind of thing.
  while (
    words.length > 1 &&
    lexicon.genericNouns.has(words.at(-1) ?? '') &&
    !(words.length === 2 && (words[1] === 'resource' || words[1] === 'data' || isParticiple(words[0] ?? '', lexicon)))
  )
    words.pop();
  const kept = words.slice(-MAX_OBJECT_WORDS);
  while (kept.length > 1 && kept.join('_').length > MAX_OBJECT_LENGTH) kept.shift();
  const name = kept.join('_').slice(0, MAX_OBJECT_LENGTH).replace(AT_ENDS, '');
  return { name, words: kept, known: lexicon.domainOfNoun.has(kept.at(-1) ?? ''), plural };
}
