// Interprets the segments of a resource as a human would: look-alike letters, accents and digits count as the letters they look like.
import { inLetters, pairs, plainWord } from './text.ts';

/** The words of a segment as they look, and the segment composed of them. */
export interface SegmentAsItLooks {
  readonly words: readonly string[];
  readonly text: string;
  /** A letter or digit stands for another one, so that a filter would not recognize the word. */
  readonly disguised: boolean;
}

/** Words of the lexicon; only they can be disguised. */
export interface KnownWords {
  /** The word has a meaning for the parser. */
  readonly isKnown: (word: string) => boolean;
  /** It names a place, such as `production`: a number after it is then part of the name, as in `prod1`. */
  readonly isPlace: (word: string) => boolean;
}

const PLAIN = /^[a-z]+$/;
const PLAIN_SEGMENT = /^[a-z]+(?:[_-][a-z]+)*$/;
/** Letters, digits, and the signs that are used in place of letters. */
const TOKEN = /[\p{L}\p{N}@$]+/gu;
const PARTS = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;
const TRAILING_DIGITS = /\d+$/;
/** A number that distinguishes instances. */
const NUMBERED = /[_-]\d+$/;
/** Short words with digits are names (`s3`, `h1`), not disguises. */
const MIN_SPELLED = 4;

/** Latin letters without a Unicode decomposition: with a stroke, and small capitals. */
const STROKES = new Map([
  ['ß', 'ss'],
  ...pairs('øłđðħŧƀɨɢʀɴʟɪʏʙʜᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜰꜱ', 'olddhtbigrnliybhacdejkmoptuvwzfs'),
  ...pairs('ⱥȼɇꞡɉꞣꞥᵽꝑꝓꞧɍꞩⱦɏƶɓƈɖɗƒɠƙƥʂƭʋⱳƴȥᵬᵭᵮᵯᵰᵱᵲᵴᵵᵶ', 'acegjknppprrstyzbcddfgkpstvwyzbdfmnprstz'),
]);

/** Removes accents and strokes: `productíon` is `production`. */
function withoutAccents(text: string): string {
  let plain = '';
  for (const char of text.normalize('NFD').replace(MARKS, '')) plain += STROKES.get(char) ?? char;
  return plain;
}

/** The words that digits and signs may represent: `1` stands for `i` and for `l`. */
function spelledOut(word: string): string[] {
  return [...new Set([word, word.replaceAll('1', 'l')].map(inLetters))];
}

/** One word: its meaning, and its form in a resource that policies match. */
function readWord(
  word: string,
  { isKnown, isPlace }: KnownWords,
): { word: string; inPath: string; disguised: boolean } {
  if (PLAIN.test(word)) return { word, inPath: word, disguised: false };
  const script = plainWord(word, isKnown);
  const plain = script.text;
  const { disguised } = script;
  if (isKnown(plain) || !/[0-9@$]/.test(plain) || !/\p{L}/u.test(plain))
    return { word: plain, inPath: plain, disguised };
  const numberless = plain.replace(TRAILING_DIGITS, '');
  // `server2` is a server with a number, not a disguise.
  if (isKnown(numberless)) return { word: numberless, inPath: isPlace(numberless) ? numberless : plain, disguised };
  const spelled = [...spelledOut(plain), ...spelledOut(numberless)].find(isKnown);
  if (spelled !== undefined && plain.length >= MIN_SPELLED) return { word: spelled, inPath: spelled, disguised: true };
  return { word: plain, inPath: plain, disguised };
}

export function segmentAsItLooks(segment: string, known: KnownWords): SegmentAsItLooks {
  if (PLAIN_SEGMENT.test(segment)) return { words: segment.split(/[_-]/), text: segment, disguised: false };
  const words: string[] = [];
  let disguised = false;
  const take = (part: string): string => {
    const read = readWord(part, known);
    disguised ||= read.disguised;
    words.push(read.word);
    return read.inPath;
  };
  const text = withoutAccents(segment).replace(TOKEN, (token) => {
    if (!/[@$]/.test(token)) return take(token);
    const spelled = readWord(token, known);
    return spelled.disguised ? take(token) : token.replace(PARTS, take);
  });
  // `prod-2` is an instance of `prod`.
  const [numberless = text] = text.split(NUMBERED, 1);
  return { words, text: known.isPlace(numberless) ? numberless : text, disguised };
}

/** The known word that a word with digits for letters looks like: `de1ete`. Undefined if there is none. */
export function wordAsItLooks(word: string, isKnown: (word: string) => boolean): string | undefined {
  return word.length >= MIN_SPELLED && /[0-9@$]/.test(word) ? spelledOut(word).find(isKnown) : undefined;
}
