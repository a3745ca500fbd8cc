// Splits SQL into tokens: comments, strings, quoted names, dollar quotes.
import type { Effort } from './effort.ts';

export interface SqlToken {
  /** In lower case; a quoted name is without its quotes. */
  readonly lower: string;
  readonly text: string;
  readonly kind: 'word' | 'name' | 'string' | 'sign';
  readonly at: number;
  readonly end: number;
}

const TOKEN =
  /(\s+|--[^\n]*|#[^\n]*|\/\*(?!!)[\s\S]*?(?:\*\/|$)|\/\*!\d{0,6}|\*\/)|("(?:[^"]|"")*"|`[^`]*`|\[[A-Za-z_][\w ]*\])|('(?:[^'\\]|''|\\.)*'|\$(\w{0,20})\$[\s\S]*?\$\4\$)|([@:]{0,2}[\p{L}_][\p{L}\p{N}_$#]*)|(\d[\w.]*|[<>!=|:]{1,2}|[\s\S])/uy;

/** Characters of words of ASCII, by code. */
const OF_WORD = new Uint8Array(128);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789$#') OF_WORD[char.charCodeAt(0)] = 1;
const startsWord = (code: number): boolean => OF_WORD[code] === 1 && (code > 0x39 || code === 0x5f);

/** The end of a word of ASCII at an offset, for which the pattern is not needed; 0 when there is none. */
function endOfWord(code: string, at: number): number {
  if (!startsWord(code.charCodeAt(at))) return 0;
  let end = at + 1;
  while (end < code.length && OF_WORD[code.charCodeAt(end)] === 1) end += 1;
  return end < code.length && code.charCodeAt(end) > 0x7f ? 0 : end;
}

/** The next token at or after an offset; undefined at the end. Comments are none, but those that MySQL runs (`/*! ... *\/`) count as code. */
function nextToken(code: string, from: number, effort: Effort, skipped?: number[]): SqlToken | undefined {
  for (let at = from; at < code.length && effort.left > 0; ) {
    const wordEnd = endOfWord(code, at);
    if (wordEnd > 0) {
      effort.left -= wordEnd - at;
      const text = code.slice(at, wordEnd);
      return { lower: text.toLowerCase(), text, kind: 'word', at, end: wordEnd };
    }
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(code);
    if (!match) return undefined;
    const [whole, blank, name, string, , word] = match;
    const end = at + whole.length;
    effort.left -= whole.length;
    // The text to its end was searched for the end of a string.
    if (whole === "'" || whole === '$') effort.left -= code.length - at;
    if (blank === undefined) {
      const text = name === undefined ? whole : whole.slice(1, -1);
      const kind = name !== undefined ? 'name' : string !== undefined ? 'string' : word !== undefined ? 'word' : 'sign';
      return { lower: text.toLowerCase(), text, kind, at, end };
    }
    skipped?.push(at);
    at = end;
  }
  return undefined;
}

/** The tokens from `from` on, as far as the effort lasts. */
export function* sqlTokens(text: string, from: number, until: number, effort: Effort): Generator<SqlToken> {
  const code = until < text.length ? text.slice(0, until) : text;
  for (let token = nextToken(code, from, effort); token; token = nextToken(code, token.end, effort)) yield token;
}

/** The tokens of one text that were read before, by the offsets from which they were looked for. */
export type SeenTokens = Map<number, SqlToken | undefined>;

/** The first `most` tokens from `from` on. Many words of a text may begin SQL, so that each token is read once. */
export function firstTokens(text: string, from: number, most: number, effort: Effort, seen: SeenTokens): SqlToken[] {
  const found: SqlToken[] = [];
  for (let at = from; found.length < most; ) {
    let token = seen.get(at);
    if (token === undefined && !seen.has(at)) {
      const skipped: number[] = [at];
      token = nextToken(text, at, effort, skipped);
      for (const offset of skipped) seen.set(offset, token);
    }
    if (token === undefined) break;
    found.push(token);
    at = token.end;
  }
  return found;
}

/** The statements of a list of tokens: split at semicolons outside of parentheses. */
export function statementsOf(tokens: Iterable<SqlToken>): SqlToken[][] {
  const found: SqlToken[][] = [];
  let current: SqlToken[] = [];
  for (const token of tokens)
    if (token.kind === 'sign' && token.lower === ';') {
      if (current.length > 0) found.push(current);
      current = [];
    } else current.push(token);
  if (current.length > 0) found.push(current);
  return found;
}
