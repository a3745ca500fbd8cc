// Removes disguises from a text (full-width letters, look-alike letters, invisible characters) and reports whether there were any.

export interface PlainText {
  readonly text: string;
  /** Something was hidden from a human or a filter. */
  readonly disguised: boolean;
}

/** Characters outside plain ASCII: without one, no characters can be disguised. */
const UNUSUAL = /[^\t\n\r\x20-\x7e]/;

/** The largest number of UTF-16 code units parsed: twice what the API accepts. */
const MAX_LENGTH = 20_000;

// Bidirectional controls, zero-width characters, fillers, variation selectors, and the tag block, which is not rendered.
const INVISIBLE =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
// Also runs of characters that do not normally occur next to each other and can carry a hidden message.
const HIDING =
  /[\u202d\u202e\u{e0020}-\u{e007e}]|[\u200b\u2060-\u2064\ufeff][\u200b-\u200d\u2060-\u2064\ufeff]|[\u200c\u200d][\u200b\u2060-\u2064\ufeff]/u;
const INSIDE_WORD = /[A-Za-z][\u00ad\u034f\u115f\u1160\u180e\u200b-\u200f\u2060-\u2064\u3164\ufeff\uffa0]+[A-Za-z]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const CONTROL_INSIDE_WORD = /[A-Za-z][\u0000-\u0008\u000e-\u001f\u007f][A-Za-z]/;
// Full-width, circled, parenthesized and mathematical letters: compatibility forms of A..Z and a..z.
const STYLED_LETTER = /[\uff21-\uff3a\uff41-\uff5a\u24b6-\u24e9\u249c-\u24b5\u{1d400}-\u{1d6a3}\u{1f130}-\u{1f189}]/u;
const COMBINING_RUN = /(\p{M}{4})\p{M}+/gu;

/** Each letter with the Latin one at the same place. */
export function pairs(letters: string, latin: string): [letter: string, latin: string][] {
  return [...letters].map((letter, at) => [letter, latin.charAt(at)]);
}

/** Letters of other scripts that look like Latin ones (a subset of the confusables of Unicode TS 39). */
const LOOK_ALIKES = new Map([
  // Cyrillic, Greek, Armenian, and Latin letters of phonetic alphabets.
  ...pairs('авсԁеёһіїјкӏмпорԛгѕтцѵԝхунь', 'abcdeehiijklmnopqrstuvwxyhb'),
  ...pairs('αβϲεηικνορτυχωγζμσ', 'abcenikvoptuxwyzuo'),
  ...pairs('ıɑɡɩօսհոցզ', 'iagiouhngq'),
  // Coptic, Lisu and Cherokee.
  ...pairs('ⲁⲃⲅⲇⲉⲓⲕⲙⲛⲟⲡⲣⲥⲧⲩⲭ', 'abrdeikmnonpctyx'),
  ...pairs('ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ', 'bpdtgkjczfmnlsrvhwxyaeiou'),
  ...pairs('ꭰꭱꭲꭵꭺꭻꭼꮃꮇꮋꮐꮓꮟꮢꮤꮥꮩꮪꮮꮯꮲꮶᏼ', 'drtiajewmhgzbrwsvslcpkb'),
]);
const LATIN = /[a-z]/i;
const LOOK_ALIKE = /[\u0131\u0250-\u058f\u13a0-\u13ff\u2c80-\u2cff\ua4d0-\ua4ff\uab70-\uabbf]/;
const OTHER_SCRIPT =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Coptic}\p{Script=Lisu}\p{Script=Cherokee}\u0131\u0251\u0261\u0269]/u;
/** The lookahead comes first, because it is rare and much cheaper than the letter classes. */
const NEVER_WITH_LATIN =
  /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}])\p{L}|(?![0-9])\p{Nd}/u;

/** A word that consists of ASCII and look-alikes. The lookbehind comes second, because most letters are neither. */
const FOLDABLE = (() => {
  const letters = [...LOOK_ALIKES.keys()].join('');
  const kinds = `[A-Za-z0-9${letters}${letters.toUpperCase()}]`;
  return new RegExp(`${kinds}(?<![\\p{L}\\p{N}].)${kinds}*(?![\\p{L}\\p{N}])`, 'gu');
})();

/** A word with its look-alikes replaced by the Latin letters. */
function latinOf(word: string): string {
  let plain = '';
  for (const char of word) plain += LATIN.test(char) ? char : (LOOK_ALIKES.get(char.toLowerCase()) ?? char);
  return plain;
}

/**
 * A lower-case word as it looks. It is disguised if it mixes Latin with the letters of a script that has look-alikes, or if it is written in
 * that script alone and looks like a word that `isKnown` knows.
 */
export function plainWord(word: string, isKnown: (word: string) => boolean): PlainText {
  const mixed = LATIN.test(word) && NEVER_WITH_LATIN.test(word);
  if (!mixed && !OTHER_SCRIPT.test(word)) return { text: word, disguised: false };
  const text = latinOf(word);
  const disguised = mixed || LATIN.test(word) || isKnown(text);
  return { text: disguised ? text : word, disguised };
}

/** The text with what matches replaced by what it is meant to be; undefined leaves it as it is. */
function withMeant(text: string, disguises: RegExp, meantBy: (written: string) => string | undefined): PlainText {
  let disguised = false;
  const plain = text.replace(disguises, (written) => {
    const meant = meantBy(written);
    disguised ||= meant !== undefined;
    return meant ?? written;
  });
  return { text: plain, disguised };
}

/** Folds look-alike letters of words that also have Latin ones, or that `isKnown` knows when they are folded. */
function foldLookAlikes(text: string, isKnown: (word: string) => boolean): PlainText {
  if (!LOOK_ALIKE.test(text)) return { text, disguised: false };
  const latin = text.replace(/[^a-z]+/gi, '').length;
  const mostlyLatin = latin * 2 > text.length / 2;
  return withMeant(text, FOLDABLE, (word) => {
    if (!OTHER_SCRIPT.test(word)) return undefined;
    const plain = latinOf(word);
    const isMeant = LATIN.test(word) || (isKnown(plain.toLowerCase()) && (mostlyLatin || word.length >= 4));
    return isMeant ? plain : undefined;
  });
}

/** A word with a space or sign between each two letters: `d e l e t e`. */
const SPELLED_OUT = /(?=.[ ._-].[ ._-])(?<![\p{L}\p{N}])\p{L}(?:[ ._-]\p{L}){2,30}(?![\p{L}\p{N}])/gu;

/** Two single characters in a row with their separators: a cheap test that every spelled-out word passes. */
const SINGLES = /[ ._-][^ ._-]{1,2}[ ._-][^ ._-]{1,2}(?![A-Za-z0-9])/;

/** Joins the letters of a spelled-out word when `isKnown` knows the word. */
function joinSpelledOut(text: string, isKnown: (word: string) => boolean): PlainText {
  if (!SINGLES.test(text)) return { text, disguised: false };
  return withMeant(text, SPELLED_OUT, (run) => {
    const word = run.replace(/[ ._-]/g, '');
    return isKnown(word.toLowerCase()) ? word : undefined;
  });
}

/** Digits and signs, with the letters that they represent. */
const AS_LETTERS = new Map(pairs('013457@$', 'oieastas'));

/** A word with such digits and signs as letters. */
export const inLetters = (word: string): string => word.replace(/[013457@$]/g, (sign) => AS_LETTERS.get(sign) ?? sign);

/** Fast check: every word below has one of these signs between letters. */
const LEET_SIGN = /[013457@$](?<=[a-z].)(?=[a-z])/i;
/** A word with such a sign among its letters. */
const LEET_WORD = /(?<![\w@$])(?=[a-z@$0-9]{0,14}?[a-z][013457@$][a-z])[a-z@$0-9]{4,16}(?![\w@$])/gi;

/** Words of letters with such digits among them, beside a word that is disguised: `t1ck3ts`, `th3`, but not `server12`. */
const LEET_BESIDE =
  /(?<![\w@$.-])(?=\d?[a-z])(?!\d?[a-z]+\d\d+(?!\w))(?=[a-z]{0,14}[013457])[a-z013457]{2,16}(?![\w@$.-])/gi;

/** Reads `d3l3te` as `delete`, when `isKnown` knows the word; then the other words of the text, too. */
function unLeet(text: string, isKnown: (word: string) => boolean): PlainText {
  if (!LEET_SIGN.test(text)) return { text, disguised: false };
  const read = withMeant(text, LEET_WORD, (word) => {
    const letters = inLetters(word.toLowerCase());
    return isKnown(letters) ? letters : undefined;
  });
  return read.disguised
    ? { ...read, text: read.text.replace(LEET_BESIDE, (word) => inLetters(word.toLowerCase())) }
    : read;
}

/** Compatibility forms composed (NFKC), invisible and control characters gone, quotation marks and apostrophes plain. */
function visible(raw: string): PlainText {
  const disguised =
    INSIDE_WORD.test(raw) || HIDING.test(raw) || CONTROL_INSIDE_WORD.test(raw) || STYLED_LETTER.test(raw);
  // Reordering long runs of combining marks is not linear in every Unicode library; nothing readable has them.
  const bounded = raw.toWellFormed().replace(COMBINING_RUN, '$1');
  const bare = bounded.replace(INVISIBLE, '').replace(CONTROL, ' ');
  const composed = bare.normalize('NFKC');
  const text = composed === bare ? bare : composed.replace(CONTROL, ' ').replace(INVISIBLE, '');
  return { text: text.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d\u201e]/g, '"'), disguised };
}

/**
 * The text as a human reads it: compatibility forms composed, invisible and control characters gone, look-alike letters
 * folded. `isKnown` says whether a lower-case word means something to the parser.
 */
export function plainText(raw: string, isKnown: (word: string) => boolean): PlainText {
  const seen = UNUSUAL.test(raw) ? visible(raw) : { text: raw, disguised: false };
  // One character may become eighteen: nothing readable grows beyond this, so what is cut counts as hidden.
  let disguised = seen.disguised || seen.text.length > MAX_LENGTH;
  let text = seen.text.slice(0, MAX_LENGTH);
  for (const step of [foldLookAlikes, joinSpelledOut, unLeet]) {
    const result = step(text, isKnown);
    text = result.text;
    disguised ||= result.disguised;
  }
  return { text, disguised };
}
