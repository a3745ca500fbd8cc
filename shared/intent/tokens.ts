// Splits a plain text into sentences of tokens. One pass, no backtracking beyond a bounded distance.

export type TokenKind =
  | 'word'
  | 'number'
  | 'quoted'
  | 'code'
  | 'email'
  | 'url'
  | 'path'
  | 'identifier'
  | 'secret'
  | 'punct';

export interface Token {
  readonly kind: TokenKind;
  /** As written, without quotes. */
  readonly text: string;
  readonly lower: string;
  /** Offset in the plain text. */
  readonly at: number;
}

export type Sentence = readonly Token[];

const SPACE = /\s/;
/** From where it is set to the next white space or double quote. */
const PIECE = /[^\s"`]*/y;
const QUOTES: Readonly<Record<string, string>> = { '"': '"', "'": "'", '`': '`', '\u00ab': '\u00bb' };
/** A quotation is no longer than this: what follows an unpaired quote is ordinary text. */
const MAX_QUOTED = 400;
const TRAILING = '.,;:!?)]}\'"\u2026';
const LEADING = '([{<\'"*#>-+';
const ENDS_SENTENCE = /[.!?\n;\u2026]/;
const LETTERS = /^[A-Za-z]+$/;
const MIN_SECRET = 12;
const WORD = /^[\p{L}\p{M}][\p{L}\p{M}\p{N}'_-]*$/u;

/** What a token without spaces is. Anchored patterns over bounded input only. */
function kindOf(text: string, isSecret: (token: string) => boolean): TokenKind {
  // Most words need no closer look: a credential is longer.
  if (text.length < MIN_SECRET && LETTERS.test(text)) return 'word';
  if (isSecret(text)) return 'secret';
  const short = text.length > 300 ? text.slice(0, 300) : text;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(short) || /^www\.[^.]/i.test(short)) return 'url';
  const at = short.indexOf('@');
  if (at > 0 && short.indexOf('.', at) > at + 1 && !/[/\s]/.test(short)) return 'email';
  if (/^(?:~|\.{1,2})?\/[^/]*/.test(short) || /^[a-z]:\\/i.test(short) || short.startsWith('\\\\')) return 'path';
  if (/^[\p{Sc}]?\d[\d.,:%/-]*[a-z%]{0,4}$/iu.test(short)) return 'number';
  if (WORD.test(short))
    return /\d/.test(short) && short.length > 5 ? 'identifier' : short.includes('_') ? 'identifier' : 'word';
  if (/[\p{L}\p{N}]/u.test(short)) return 'identifier';
  return 'punct';
}

/**
 * Sentences of a text. Quoted and back-quoted stretches become one token each, so that a name in quotes is never read as
 * a verb. `isSecret` recognizes credentials, whose text no output may repeat.
 */
export function sentencesOf(text: string, isSecret: (token: string) => boolean): Sentence[] {
  const sentences: Token[][] = [];
  let current: Token[] = [];
  const push = (kind: TokenKind, piece: string, at: number) => {
    current.push({ kind, text: piece, lower: piece.toLowerCase(), at });
  };
  const flush = () => {
    if (current.length > 0) sentences.push(current);
    current = [];
  };
  // Up to where no closing quote of a kind stands, so that unpaired ones are not looked for again and again.
  const bare = new Map<string, number>();
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? '';
    if (SPACE.test(char)) {
      if (char === '\n') flush();
      at += 1;
      continue;
    }
    const quoted = quotation(text, at, bare);
    if (quoted !== undefined) {
      push(char === '`' ? 'code' : isSecret(quoted) ? 'secret' : 'quoted', quoted, at);
      at += quoted.length + 2;
      continue;
    }
    PIECE.lastIndex = at + 1;
    PIECE.test(text);
    const end = PIECE.lastIndex;
    splitPiece(text.slice(at, end), at, push, flush, isSecret);
    at = end;
  }
  flush();
  return sentences;
}

/** The inside of a quotation that opens at `at`, or undefined. */
function quotation(text: string, at: number, bare: Map<string, number>): string | undefined {
  const close = QUOTES[text[at] ?? ''];
  if (close === undefined) return undefined;
  const limit = Math.min(text.length, at + MAX_QUOTED);
  for (let end = Math.max(at + 1, bare.get(close) ?? 0); end < limit; end += 1) {
    if (text[end] !== close) continue;
    if (end === at + 1) return undefined;
    // An apostrophe inside a word is no closing quote.
    if (close !== "'" || !/[\p{L}\p{N}]/u.test(text[end + 1] ?? ' ')) return text.slice(at + 1, end);
  }
  bare.set(close, Math.max(limit, bare.get(close) ?? 0));
  return undefined;
}

/** Tokens of a stretch without spaces: punctuation at both ends comes off. */
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
    const parts = kind === 'identifier' ? core.split(/([,/:;|()=&<>[\]{}]+)/, 9) : [];
    if (
      parts.length > 1 &&
      parts.length < 9 &&
      parts.every((part, at) => at % 2 === 1 || part === '' || WORD.test(part))
    ) {
      let at = offset + start;
      for (const part of parts) {
        if (part !== '') push(/^[,/:;|()=&<>[\]{}]/.test(part) ? 'punct' : kindOf(part, isSecret), part, at);
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

function isAbbreviation(piece: string): boolean {
  return /^(?:e\.g|i\.e|etc|vs|dr|mr|mrs|ms|no|approx|inc|\p{Lu})\.$/iu.test(piece.slice(0, 12));
}
