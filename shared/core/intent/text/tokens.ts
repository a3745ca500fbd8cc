// Splits a plain text into sentences of tokens. One pass, no backtracking beyond a bounded distance.
import type { KindSet } from '../lexicon/word-kinds.ts';
import type { WordInfo, WordTable } from '../lexicon/word-table.ts';
import { type WordsOf, wordsOf } from './word-set.ts';

const KINDS = 'word number quoted code email url path identifier secret punct';
export type TokenKind = WordsOf<typeof KINDS>;
export const TOKEN_KINDS = wordsOf([KINDS]);

/**
 * A class, not an object literal: a text creates thousands of short-lived tokens, and V8 starts to allocate literals of such a loop
 * directly in the old generation, which only a full collection frees.
 */
export class Token {
  readonly kind: TokenKind;
  /** As written, without quotes. */
  readonly text: string;
  readonly lower: string;
  /** Offset in the plain text. */
  readonly at: number;
  readonly kinds: KindSet;
  /** What is known about it as a word. */
  readonly info: WordInfo;

  constructor(kind: TokenKind, text: string, at: number, words: WordTable) {
    this.kind = kind;
    this.text = text;
    this.at = at;
    this.info = words.of(text.toLowerCase());
    this.lower = this.info.word;
    this.kinds = this.info.kinds;
  }
}

export type Sentence = readonly Token[];
export type Sentences = readonly Sentence[];

const QUOTES = new Map([
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['\u00ab', '\u00bb'],
]);
const DOUBLE_QUOTE = 0x22;
const BACK_QUOTE = 0x60;
/** The longest quotation; text after an unpaired quote is ordinary text. */
const MAX_QUOTED = 400;
const TRAILING = '.,;:!?)]}\'"\u2026';
const LEADING = '([{<\'"*#>-+';
const ENDS_SENTENCE = /[.!?\n;\u2026]/;
const MIN_SECRET = 12;
const WORD = /^[\p{L}\p{M}][\p{L}\p{M}\p{N}'_-]*$/u;

// Patterns used in inner loops are constants of the module, because a literal inside a function creates a new object on each call.
const URL_START = /^(?:[a-z][a-z0-9+.-]*:\/\/|www\.[^.])/i;
const PATH_START = /^(?:(?:~|\.{1,2})?\/|[a-z]:\\|\\\\)/i;
const DIGIT = /\d/;
const NUMBER = /^[\p{Sc}]?\d[\d.,:%/-]*[a-z%]{0,4}$/iu;
const HAS_LETTER = /[\p{L}\p{N}]/u;

/** The kind of a token without spaces. Anchored patterns over bounded input only. */
function kindOf(text: string, isSecret: (token: string) => boolean): TokenKind {
  if (text.length >= MIN_SECRET && isSecret(text)) return 'secret';
  const short = text.length > 300 ? text.slice(0, 300) : text;
  // Fast path: most tokens are plain words.
  if (WORD.test(short)) {
    const named = short.includes('_') || (short.length > 5 && DIGIT.test(short));
    return named ? 'identifier' : 'word';
  }
  if (URL_START.test(short)) return 'url';
  const at = short.indexOf('@');
  if (at > 0 && short.indexOf('.', at) > at + 1 && !/[/\s]/.test(short)) return 'email';
  if (PATH_START.test(short)) return 'path';
  if (NUMBER.test(short)) return 'number';
  if (HAS_LETTER.test(short)) return 'identifier';
  return 'punct';
}

/** White space beyond ASCII. */
const isFarSpace = (code: number): boolean =>
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000 ||
  code === 0xfeff;
/** Whether `\s` matches a code unit. */
export const isSpace = (code: number): boolean =>
  code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code > 0x7f && isFarSpace(code));
export const isLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);

/**
 * Splits a text into sentences. Each quoted or back-quoted span becomes one token, so that a quoted name is never parsed as a verb.
 * `isSecret` recognizes credentials, whose text no output may repeat; `words` tell what is known about the tokens.
 */
export function sentencesOf(text: string, isSecret: (token: string) => boolean, words: WordTable): Sentence[] {
  const sentences: Token[][] = [];
  const tokens: Token[] = [];
  let first = 0;
  const push = (kind: TokenKind, piece: string, at: number) => {
    tokens.push(new Token(kind, piece, at, words));
  };
  const flush = () => {
    if (tokens.length > first) sentences.push(tokens.slice(first));
    first = tokens.length;
  };
  // By kind of quote, the position before which no closing quote occurs, so that unpaired quotes are not searched repeatedly.
  const bare = new Map<string, number>();
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) {
      if (code === 0x0a) flush();
      at += 1;
      continue;
    }
    const quoted = isLetter(code) ? undefined : quotation(text, at, bare);
    if (quoted !== undefined) {
      push(text[at] === '`' ? 'code' : isSecret(quoted) ? 'secret' : 'quoted', quoted, at);
      at += quoted.length + 2;
      continue;
    }
    let plain = isLetter(code);
    let end = at + 1;
    for (; end < text.length; end += 1) {
      const next = text.charCodeAt(end);
      if (isLetter(next)) continue;
      if (isSpace(next) || next === DOUBLE_QUOTE || next === BACK_QUOTE) break;
      plain = false;
    }
    const piece = text.slice(at, end);
    // Fast path: a shorter token can not be a credential.
    if (plain && piece.length < MIN_SECRET) push('word', piece, at);
    else splitPiece(piece, at, push, flush, isSecret);
    at = end;
  }
  flush();
  return sentences;
}

/** The content of a quotation that opens at `at`, or undefined. */
function quotation(text: string, at: number, bare: Map<string, number>): string | undefined {
  const close = QUOTES.get(text[at] ?? '');
  if (close === undefined) return undefined;
  const known = bare.get(close) ?? 0;
  const limit = Math.min(text.length, at + MAX_QUOTED);
  let end = nextOf(close, text, Math.max(at + 1, known));
  for (; end < limit; end = nextOf(close, text, end + 1)) {
    if (end === at + 1) return undefined;
    // An apostrophe inside a word does not close a quotation.
    if (close !== "'" || !HAS_LETTER.test(text[end + 1] ?? ' ')) return text.slice(at + 1, end);
  }
  bare.set(close, Math.max(end, known));
  return undefined;
}

/** The next position of `char`, or the end of the text. */
function nextOf(char: string, text: string, from: number): number {
  const at = text.indexOf(char, from);
  return at < 0 ? text.length : at;
}

const JOINT = /[,/:;|()=&<>[\]{}\u2014]/;
const JOINTS = /([,/:;|()=&<>[\]{}\u2014]+)/;

/** Splits a span without spaces into tokens: punctuation is separated at both ends. */
function splitPiece(
  piece: string,
  offset: number,
  push: (kind: TokenKind, text: string, at: number) => void,
  flush: () => void,
  isSecret: (token: string) => boolean,
): void {
  let start = 0;
  let end = piece.length;
  while (start < end && LEADING.includes(piece[start] ?? '')) start += 1;
  while (end > start && TRAILING.includes(piece[end - 1] ?? '')) end -= 1;
  if (start > 0) push('punct', piece.slice(0, Math.min(start, 8)), offset);
  if (end > start) {
    const core = piece.slice(start, end);
    const kind = kindOf(core, isSecret);
    // `word/word`, `word,word` and `word:word` are separate words; longer compounds stay one identifier.
    const parts = kind === 'identifier' && JOINT.test(core) ? core.split(JOINTS, 9) : [];
    if (
      parts.length > 1 &&
      parts.length < 9 &&
      parts.every((part, at) => at % 2 === 1 || part === '' || WORD.test(part))
    ) {
      let at = offset + start;
      for (const part of parts) {
        if (part !== '') push(JOINT.test(part) ? 'punct' : kindOf(part, isSecret), part, at);
        at += part.length;
      }
    } else {
      push(kind, core, offset + start);
    }
  }
  const tail = piece.slice(Math.max(end, start));
  if (tail === '') return;
  push('punct', tail.slice(0, 8), offset + end);
  if (ENDS_SENTENCE.test(tail) && !isAbbreviation(piece)) flush();
}

const ABBREVIATION = /^(?:e\.g|i\.e|etc|vs|dr|mr|mrs|ms|no|approx|inc|\p{Lu})\.$/iu;

function isAbbreviation(piece: string): boolean {
  return ABBREVIATION.test(piece.slice(0, 12));
}
