// The features of a text that the learned weights refer to: its words, their pairs and stems, kinds of words, and signs of the rules.
import type { Kinds, Lexicon } from '../lexicon/types.ts';
import type { SpokenWords } from '../text/words.ts';

/** The number of a feature is the FNV-1a hash of its name, folded to so many bits. */
const BITS = 18;
export const BUCKETS = 2 ** BITS;

/** Distinct feature numbers, with the words that each stands for. */
export type Features = ReadonlyMap<number, string>;

/** A chunk of a text: a sentence or a line, or a part of one that is too long. */
export interface Chunk {
  readonly words: number;
  readonly features: Features;
}

/** A longer sentence is cut, so that its length does not add up to an attack. */
const MAX_CHUNK = 24;
/** A text of at least so many chunks is a document rather than a request. */
const DOCUMENT = 5;
const STEM = 5;

function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return ((hash >>> BITS) ^ hash) & (BUCKETS - 1);
}

function kindNamesOf({ low, high }: Kinds, names: readonly string[]): string[] {
  return names.filter((_, at) => ((at < 31 ? low >>> at : high >>> (at - 31)) & 1) === 1);
}

/** Adds the features of the words `from..to`. Digits are made alike: a number says nothing about the intention. */
function featuresOf(words: readonly string[], document: boolean, lexicon: Lexicon): Map<number, string> {
  const features = new Map<number, string>();
  const add = (name: string, shown: string) => {
    const number = hashOf(name);
    if (!features.has(number)) features.set(number, shown);
  };
  let before = '^';
  let kindsBefore: readonly string[] = [];
  for (const word of words) {
    const plain = word.replace(/\d+/g, '0');
    add(plain, word);
    add(`${before} ${plain}`, before === '^' ? word : `${before} ${word}`);
    if (plain.length > STEM) add(`${plain.slice(0, STEM)}-`, word);
    const { kinds } = lexicon.telling.get(word) ?? {};
    const named = kinds === undefined ? [] : kindNamesOf(kinds, lexicon.kindNames);
    for (const kind of named) {
      add(`=${kind}`, word);
      if (document) add(`doc =${kind}`, word);
      for (const other of kindsBefore) add(`=${other} =${kind}`, word);
    }
    if (named.length > 0) kindsBefore = [...new Set([...kindsBefore, ...named])];
    before = plain;
  }
  if (document && lexicon.verbs.has(words[0] ?? '')) {
    add('doc verb', words[0] ?? '');
    if (words.includes('your')) add('doc verb your', `${words[0]} your`);
  }
  return features;
}

/** The chunks of a text, in its order. Linear in its length. */
export function chunksOf({ words, ends }: SpokenWords, lexicon: Lexicon): Chunk[] {
  const chunks: Chunk[] = [];
  let start = 0;
  for (const end of ends) {
    for (let from = start; from < end; from += MAX_CHUNK) {
      const part = words.slice(from, Math.min(end, from + MAX_CHUNK));
      chunks.push({ words: part.length, features: featuresOf(part, ends.length >= DOCUMENT, lexicon) });
    }
    start = end;
  }
  return chunks;
}

/** The features of the whole text: signs that the rules found. */
export const signFeatures = (names: Iterable<string>): Features =>
  new Map([...names].map((name) => [hashOf(`sign ${name}`), name]));
