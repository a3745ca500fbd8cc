// The features of a text that the learned weights refer to: its words, their pairs and stems, kinds of words, and signs of the rules.
import type { Lexicon } from '../lexicon/types.ts';
import { hashed } from '../text/fnv.ts';
import type { KnownWords } from '../text/words.ts';
import { isOf, type KindSet } from '../lexicon/word-kinds.ts';
import type { WordInfo } from '../lexicon/word-table.ts';

/** The number of a feature is the FNV-1a hash of its name, folded to so many bits. */
const BITS = 18;
export const BUCKETS = 2 ** BITS;

/** Feature numbers, some of them several times, and for each the place of what it stands for. */
export interface Features {
  readonly numbers: readonly number[];
  /** The index of a word, plus PAIR when the feature is about that word and the one before it. */
  readonly places: readonly number[];
}

/** A chunk of a text: a sentence or a line, or a part of one that is too long. */
export interface Chunk {
  readonly words: readonly string[];
  readonly features: Features;
}

const PAIR = 0x10000;

/** The words that a feature of a chunk stands for. */
export function wordsOf({ words }: Chunk, place: number): string {
  const at = place % PAIR;
  return place < PAIR || at === 0 ? (words[at] ?? '') : `${words[at - 1]} ${words[at]}`;
}

/** A longer sentence is cut, so that its length does not add up to an attack. */
const MAX_CHUNK = 24;
/** A text of at least so many chunks is a document rather than a request. */
const DOCUMENT = 5;
const STEM = 5;

const numberOf = (hash: number): number => ((hash >>> BITS) ^ hash) & (BUCKETS - 1);

/** A kind of words by the hashes of its features: alone, in a document, and after another kind. */
interface KindHashes {
  readonly alone: number;
  readonly inDocument: number;
  readonly after: (before: number) => number;
}

/** By the kinds of a word, which words of a lexicon share. */
const hashesByKinds = new WeakMap<KindSet, readonly KindHashes[]>();

function hashesOf(kinds: KindSet, names: readonly string[]): readonly KindHashes[] {
  let hashes = hashesByKinds.get(kinds);
  if (hashes === undefined) {
    hashes = names
      .filter((_, at) => isOf(kinds, at))
      .map((name) => ({
        alone: hashed(`=${name}`),
        inDocument: hashed(`doc =${name}`),
        after: (before) => hashed(` =${name}`, before),
      }));
    hashesByKinds.set(kinds, hashes);
  }
  return hashes;
}

/** What stands before the first word of a chunk. */
const START = hashed('^ ');
const DIGIT = /\d/;

/** The features of the words of a chunk. Digits are made alike: a number says nothing about the intention. */
function featuresOf(
  words: readonly string[],
  infos: readonly WordInfo[],
  document: boolean,
  lexicon: Lexicon,
): Features {
  const numbers: number[] = [];
  const places: number[] = [];
  const add = (hash: number, place: number) => {
    numbers.push(numberOf(hash));
    places.push(place);
  };
  let wordBefore = START;
  const kindsBefore = new Set<number>();
  for (const [at, word] of words.entries()) {
    const plain = DIGIT.test(word) ? word.replace(/\d+/g, '0') : word;
    const whole = hashed(plain);
    add(whole, at);
    add(hashed(plain, wordBefore), at + PAIR);
    if (plain.length > STEM) add(hashed(`${plain.slice(0, STEM)}-`), at);
    wordBefore = hashed(' ', whole);
    const info = infos[at];
    // By the word as it is written.
    const kinds = (info?.meant === undefined ? info?.telling : lexicon.telling.get(word))?.kinds;
    if (kinds === undefined) continue;
    const hashes = hashesOf(kinds, lexicon.kindNames);
    for (const { alone, inDocument, after } of hashes) {
      add(alone, at);
      if (document) add(inDocument, at);
      for (const before of kindsBefore) add(after(before), at);
    }
    for (const { alone } of hashes) kindsBefore.add(alone);
  }
  if (document && lexicon.verbs.has(words[0] ?? '')) {
    add(hashed('doc verb'), 0);
    if (words.includes('your')) add(hashed('doc verb your'), 0);
  }
  return { numbers, places };
}

/** The chunks of a text, in its order. Linear in its length. */
export function chunksOf({ words, infos, ends }: KnownWords, lexicon: Lexicon): Chunk[] {
  const chunks: Chunk[] = [];
  let start = 0;
  for (const end of ends) {
    for (let from = start; from < end; from += MAX_CHUNK) {
      const to = Math.min(end, from + MAX_CHUNK);
      const part = words.slice(from, to);
      const features = featuresOf(part, infos.slice(from, to), ends.length >= DOCUMENT, lexicon);
      chunks.push({ words: part, features });
    }
    start = end;
  }
  return chunks;
}

/** The number of the feature that says that the rules found a sign. */
export const signFeature = (name: string): number => numberOf(hashed(`sign ${name}`));
