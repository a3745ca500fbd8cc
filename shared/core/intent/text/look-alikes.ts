// Reads the segments of a resource as a human would: look-alike letters, accents and digits stand for the letters they look like.
import { DIGITS_AS_LETTERS, pairs, plainWord } from './text.ts';

/** The words of a segment as they look, and the segment with them in place. */
export interface SegmentAsItLooks {
  readonly words: readonly string[];
  readonly text: string;
  /** A letter or digit stands for another one, so that a filter would not see the word. */
  readonly disguised: boolean;
}

/** What a word has to mean for a disguise to be one. */
export interface KnownWords {
  /** The word means something to the parser. */
  readonly isKnown: (word: string) => boolean;
  /** It names a place, such as `production`: then a number behind it still says where, as in `prod1`. */
  readonly isPlace: (word: string) => boolean;
}

const PLAIN = /^[a-z]+$/;
const PLAIN_SEGMENT = /^[a-z]+(?:[_-][a-z]+)*$/;
/** Letters, digits, and the signs that are written for letters. */
const TOKEN = /[\p{L}\p{N}@$]+/gu;
const PARTS = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;
const TRAILING_DIGITS = /\d+$/;
/** A number that tells one of several things from the others. */
const NUMBERED = /[_-]\d+$/;
/** Short words with digits are names (`s3`, `h1`), not disguises. */
const MIN_SPELLED = 4;

/** Latin letters that Unicode does not take apart: with a stroke, a hook or a tail, and small capitals. */
const STROKES = new Map([
  ['ß', 'ss'],
  ...pairs('øłđðħŧƀɨɢʀɴʟɪʏʙʜᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜰꜱ', 'olddhtbigrnliybhacdejkmoptuvwzfs'),
  ...pairs('ⱥȼɇꞡɉꞣꞥᵽꝑꝓꞧɍꞩⱦɏƶɓƈɖɗƒɠƙƥʂƭʋⱳƴȥᵬᵭᵮᵯᵰᵱᵲᵴᵵᵶ', 'acegjknppprrstyzbcddfgkpstvwyzbdfmnprstz'),
]);

/** Without accents and strokes: `productíon` is `production`. */
function withoutAccents(text: string): string {
  let plain = '';
  for (const char of text.normalize('NFD').replace(MARKS, '')) plain += STROKES.get(char) ?? char;
  return plain;
}

/** The words that digits and signs may be written for: `1` stands for `i` and for `l`. */
function spelledOut(word: string): string[] {
  const letters = word.replace(/[0-9@$]/g, (sign) => DIGITS_AS_LETTERS[sign] ?? sign);
  const withL = word.replaceAll('1', 'l').replace(/[0-9@$]/g, (sign) => DIGITS_AS_LETTERS[sign] ?? sign);
  return letters === withL ? [letters] : [letters, withL];
}

/** One word: what it means, and how it counts within a resource that policies match. */
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
  // `server2` is a server with a number, and hides nothing.
  if (isKnown(numberless)) return { word: numberless, inPath: isPlace(numberless) ? numberless : plain, disguised };
  const spelled = [...spelledOut(plain), ...spelledOut(numberless)].find(isKnown);
  if (spelled !== undefined && plain.length >= MIN_SPELLED) return { word: spelled, inPath: spelled, disguised: true };
  return { word: plain, inPath: plain, disguised };
}

/** A canonical segment as it looks. */
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
  // `prod-2` is one of several.
  const [numberless = text] = text.split(NUMBERED, 1);
  return { words, text: known.isPlace(numberless) ? numberless : text, disguised };
}

/** The word that one with digits for letters looks like, when that is known: `de1ete`. Undefined for any other. */
export function wordAsItLooks(word: string, isKnown: (word: string) => boolean): string | undefined {
  return word.length >= MIN_SPELLED && /[0-9@$]/.test(word) ? spelledOut(word).find(isKnown) : undefined;
}
