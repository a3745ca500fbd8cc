// Separates words that are glued together where a request begins: `listallusers`, `ShowMeTheOpenTickets`, `please-show-the-weather`.
import { singular } from '../lexicon/inflection.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { K } from '../lexicon/word-kinds.ts';
import { wordSet } from './word-set.ts';

const MIN_GLUED = 10;
const MAX_GLUED = 48;
const MAX_WORD = 14;
/** Of fewer words, names are made: `readme`, `showroom`. */
const MIN_WORDS = 3;

const FIRST = /^[A-Za-z][A-Za-z0-9_-]*(?=$|[\s,.!?])/;
const HYPHENATED = /^[a-z]+(?:([-_])[a-z0-9]+)(?:\1[a-z0-9]+)*$/;
const CAMEL = /^[A-Za-z][a-z]+(?:[A-Z][a-z]*)+\d*$/;
/** What follows the name of a setting: `mask_card_numbers = false`, `PermitRootLogin no`. */
const VALUE = /^\s{1,9}(?::?=|(?:yes|no|on|off|true|false|none|\d{1,9}[a-z%]{0,2})$)/i;
const CAMEL_PARTS = /[A-Z]?[a-z]+|[A-Z]|\d+/g;

/** Whether a word is one of the language, or of the lexicon. */
function isWord(word: string, lexicon: Lexicon): boolean {
  const noun = singular(word, lexicon.plurals);
  return (
    lexicon.functionWords.has(word) ||
    lexicon.fillers.has(word) ||
    lexicon.commonWords.has(word) ||
    lexicon.commonWords.has(noun) ||
    lexicon.domainOfNoun.has(noun) ||
    lexicon.genericNouns.has(noun) ||
    lexicon.wordKinds.has(word, K.english) ||
    lexicon.verbForms.get(word) !== undefined
  );
}

/** A name has so many words at most; what has more is a sentence. */
const MAX_NAME = 5;
/** The words of a name: `UsePAM`, `ClearACustomer`, `x11Forwarding`. */
const NAME_PARTS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;
/** Digits among letters, as in `D1s4bl3`. */
const MASKED = /[a-z]\d+[a-z]+\d/i;

/** Whether the words of a name make a sentence, as in `stake_the_eth`: settings are not called so. */
export function isSentence(name: string, { wordKinds }: Lexicon): boolean {
  const words = (name.match(NAME_PARTS) ?? []).map((word) => word.toLowerCase());
  const refers = (word: string) =>
    wordKinds.has(word, K.determines_secret) || wordKinds.has(word, K.subject_pronoun) || REFERS.has(word);
  return words.length > MAX_NAME || MASKED.test(name) || words.some(refers);
}
const REFERS = wordSet('all everyone everybody everything anyone anybody me us them him her his its their');

/** Whether words begin as a request does: with a verb, perhaps after a filler. */
const begins = ([first = '', second = '']: readonly string[], lexicon: Lexicon): boolean =>
  lexicon.verbs.has(first) ||
  ((lexicon.fillers.has(first) || lexicon.wordKinds.has(first, K.politeness)) && lexicon.verbs.has(second));

/** The words of a run of letters and digits, as few as there can be; undefined when some part of it is no word. */
function wordsOf(run: string, lexicon: Lexicon): string[] | undefined {
  /** For each offset, the words up to it. */
  const upTo: (string[] | undefined)[] = [[]];
  for (let end = 1; end <= run.length; end += 1) {
    for (let from = Math.max(0, end - MAX_WORD); from < end; from += 1) {
      const before = upTo[from];
      if (before === undefined || before.length + 1 >= (upTo[end]?.length ?? Infinity)) continue;
      const word = run.slice(from, end);
      if (/^\d+$/.test(word) ? !/\d/.test(run.charAt(end)) : isWord(word, lexicon)) upTo[end] = [...before, word];
    }
  }
  return upTo[run.length];
}

/**
 * The text with the words of its first token separated when these begin a request. `disguised`: nothing in the token showed where its
 * words begin. The names of code, such as `getUserProfile(12)`, of two parts (`read_file`)
 * and of settings are left alone; those of settings are no sentences.
 */
export function separated(text: string, lexicon: Lexicon): { readonly text: string; readonly disguised: boolean } {
  const same = { text, disguised: false };
  const [first] = FIRST.exec(text) ?? [];
  if (first === undefined || first.length < MIN_GLUED || first.length > MAX_GLUED) return same;
  if (VALUE.test(text.slice(first.length)) && !isSentence(first, lexicon)) return same;
  const lower = first.toLowerCase();
  if (lexicon.verbs.has(lower) || lexicon.commands.has(lower) || lexicon.domainOfNoun.has(lower)) return same;
  const isOpen = CAMEL.test(first) || HYPHENATED.test(first);
  const words = isOpen
    ? HYPHENATED.test(first)
      ? first.split(/[-_]/)
      : first.match(CAMEL_PARTS)?.map((part) => part.toLowerCase())
    : /^[A-Za-z][a-z0-9]*$/.test(first)
      ? wordsOf(lower, lexicon)
      : undefined;
  if (words === undefined || words.length < MIN_WORDS || !begins(words, lexicon)) return same;
  return { text: words.join(' ') + text.slice(first.length), disguised: !isOpen };
}
