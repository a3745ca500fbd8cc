// Reads the tokens of SQL: words, strings, quoted names, signs. What dialects read in different ways is also read without any string or comment.
import { type Effort, newEffort } from './effort.ts';

export interface SqlToken {
  /** In lower case; a quoted name is without its quotes. */
  readonly lower: string;
  readonly text: string;
  readonly kind: 'word' | 'name' | 'string' | 'sign';
  readonly at: number;
  readonly end: number;
}

/**
 * `usual`: as most dialects do, with a backslash that keeps a quotation mark from closing. `bare`: nothing is a comment, and a string or a
 * name in quotes has no blanks, so that it hides no statement. `cypher`: with its comments.
 */
type Lexis = 'usual' | 'bare' | 'cypher';

/** What no dialect reads in another way; line breaks of JSON too. */
const BLANK = /(?:\s+|\\[nrt]|\*\/)+/y;
const WORD = /[@:]{0,2}[\p{L}_][\p{L}\p{N}_$]*/uy;
const SIGN = /\d[\w.]*|[<>!=|:]{1,2}|\\(?:[A-Za-z]+|[!.])|[\s\S]/uy;
const BARE_SIGN = /\d[\w.]*|[<>!=|:]{1,2}|[\s\S]/uy;
const BARE_STRING = /'[^\s'"`;\\()]*'/y;
const PLAIN_NAME = /\[[A-Za-z_][\w ]*\](?!\])|`(?:[\w.$*@:]|\\`)*`|"[\w.$]*"/y;
const LINE_COMMENT = { usual: /--(?=\s|$)[^\r\n]*/y, bare: /(?!)/y, cypher: /\/\/[^\r\n]*/y } as const;
/** A comment that MySQL runs is code. */
const COMMENT = /\/\*(?!!)(?:[^*]|\*(?!\/))*(?:\*\/|$)|\/\*!\d{0,6}/y;
const DOLLARS = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const END_OF_LINE = /[ \t]*\d*[ \t]*(?=[\r\n]|$)/y;

const matchAt = (pattern: RegExp, code: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(code);
};

/** Where dialects disagree about where a comment, a string or a name ends: escapes, `#`, `5--3`, `//`, comments that are nested or run, `q'[it's]'`. */
const DIFFERS =
  /\\(?=['"`\\\r\n])|#|\/\/|\r|\]\]|--(?!\s|$)|\/\*(?:M?!|(?:[^*]|\*(?!\/))*\/\*)|'''|"""|\bn?q'|\[[^\]]{0,200}?['"`;$#()\\/-]|`(?![\w .$*@:]*`)|\$[\w\u0080-\uffff]*\$/i;
/** Where a routine is defined whose body is a dollar quote in every dialect that has such definitions. */
const DEFINES =
  /\b(?:function|procedure)\b(?:(?!\b(?:select|do|update|delete|insert|replace|with|values|begin|return|if|case|while|repeat|loop|for|declare|open|handler)\b)[^;]){0,400}?\bas\s+\$|(?:^|;)\s*do\s+\$/i;

/** Characters of words of ASCII, by code. */
const OF_WORD = new Uint8Array(128);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789$') OF_WORD[char.charCodeAt(0)] = 1;
const startsWord = (code: number): boolean => OF_WORD[code] === 1 && (code > 0x39 || code === 0x5f);

/** The offset after the quotation mark that closes what begins at an offset; -1 where none does. A backslash keeps one from closing. */
function closedAt(code: string, from: number, quote: string): number {
  for (let at = code.indexOf(quote, from); at >= 0; ) {
    let slashes = at;
    while (slashes > from && code.charAt(slashes - 1) === '\\') slashes -= 1;
    if ((at - slashes) % 2 === 1 && quote !== '`') at = code.indexOf(quote, at + 1);
    else if (code.charAt(at + 1) === quote) at = code.indexOf(quote, at + 2);
    else return at + 1;
  }
  return -1;
}

let last: { readonly code: string; readonly ends: Map<number, number> } | undefined;

/** What `closedAt` told of quotation marks of a text, by their offsets. The last text is remembered, because it is read from each of its statements. */
function closedIn(code: string): Map<number, number> {
  if (last?.code !== code) last = { code, ends: new Map() };
  return last.ends;
}

/** Whether nothing but a number stands beside a word on its line. */
function isAloneOnLine(code: string, at: number, end: number): boolean {
  let from = at;
  while (code.charAt(from - 1) === ' ' || code.charAt(from - 1) === '\t') from -= 1;
  return (from === 0 || /[\r\n]/.test(code.charAt(from - 1))) && matchAt(END_OF_LINE, code, end) !== null;
}

/** Reads the tokens of one text. */
class SqlLexer {
  readonly #code: string;
  readonly #lexis: Lexis;
  readonly #effort: Effort;
  readonly #hasDollars: boolean;

  constructor(code: string, lexis: Lexis, effort: Effort) {
    this.#code = code;
    this.#lexis = lexis;
    this.#effort = effort;
    this.#hasDollars = lexis === 'usual' || (lexis === 'bare' && DEFINES.test(code));
  }

  /** The next token at or after an offset; undefined at the end. Comments are none, but those that are run count as code. */
  next(from: number): SqlToken | undefined {
    for (let at = from; at < this.#code.length && this.#effort.left > 0; ) {
      const end = this.#endOfBlank(at);
      if (end === at) {
        const token = this.#tokenAt(at);
        this.#effort.left -= token.end - at;
        return token;
      }
      this.#effort.left -= end - at;
      at = end;
    }
    return undefined;
  }

  #token(kind: SqlToken['kind'], at: number, end: number, within = 0): SqlToken {
    const text = this.#code.slice(at + within, end - within);
    return { lower: text.toLowerCase(), text, kind, at, end };
  }

  /** The end of the white space or of the comment at an offset. */
  #endOfBlank(at: number): number {
    const isBare = this.#lexis === 'bare';
    const found =
      matchAt(BLANK, this.#code, at) ??
      (isBare ? null : (matchAt(LINE_COMMENT[this.#lexis], this.#code, at) ?? matchAt(COMMENT, this.#code, at)));
    return at + (found?.[0].length ?? 0);
  }

  #tokenAt(at: number): SqlToken {
    const code = this.#code;
    const char = code.charAt(at);
    const wordEnd = this.#endOfWord(at);
    // `GO` on a line ends a batch of SQL Server, and `/` one of Oracle's client.
    const isEnd =
      char === '/' ? isAloneOnLine(code, at, at + 1) : wordEnd === at + 2 && /^go$/i.test(code.slice(at, wordEnd));
    if (isEnd && (char === '/' || isAloneOnLine(code, at, wordEnd)))
      return { lower: ';', text: ';', kind: 'sign', at, end: Math.max(wordEnd, at + 1) };
    if (wordEnd > 0) return this.#token('word', at, wordEnd);
    const name = matchAt(PLAIN_NAME, code, at);
    if (name) return this.#token('name', at, at + name[0].length, 1);
    const quoted = this.#quotedAt(at, char);
    if (quoted) return quoted;
    const word = matchAt(WORD, code, at);
    if (word) return this.#token('word', at, at + word[0].length);
    return this.#token(
      'sign',
      at,
      at + (matchAt(this.#lexis === 'bare' ? BARE_SIGN : SIGN, code, at)?.[0].length ?? 1),
    );
  }

  /** The end of a word of ASCII at an offset, for which the pattern is not needed; 0 when there is none. */
  #endOfWord(at: number): number {
    const code = this.#code;
    if (!startsWord(code.charCodeAt(at))) return 0;
    let end = at + 1;
    while (end < code.length && OF_WORD[code.charCodeAt(end)] === 1) end += 1;
    return end < code.length && code.charCodeAt(end) > 0x7f ? 0 : end;
  }

  /** A string, a name in quotes or a dollar quote at an offset; undefined where none begins, or nothing closes it. */
  #quotedAt(at: number, char: string): SqlToken | undefined {
    const code = this.#code;
    if (char === '$' && this.#hasDollars) {
      const tag = matchAt(DOLLARS, code, at)?.[0];
      const close = tag === undefined ? -1 : code.indexOf(tag, at + tag.length);
      return close < 0 ? undefined : this.#token('string', at, close + (tag?.length ?? 0));
    }
    if (this.#lexis === 'bare') {
      const string = matchAt(BARE_STRING, code, at);
      return string ? this.#token('string', at, at + string[0].length) : undefined;
    }
    if (char !== "'" && char !== '"' && char !== '`') return undefined;
    const ends = closedIn(code);
    const end = ends.get(at) ?? closedAt(code, at + 1, char);
    ends.set(at, end);
    // The text to its end was searched.
    if (end < 0) this.#effort.left -= code.length - at;
    if (end < 0) return undefined;
    return char === "'" ? this.#token('string', at, end) : this.#token('name', at, end, 1);
  }
}

/** Takes of the tokens of a text those that belong to its SQL. */
type Cut = (tokens: Iterable<SqlToken>) => readonly SqlToken[];

function* tokensOf(lexer: SqlLexer, from: number): Generator<SqlToken> {
  for (let token = lexer.next(from); token; token = lexer.next(token.end)) yield token;
}

/** The tokens of a span, as far as the effort lasts. */
export const tokensIn = (text: string, from: number, until: number, lexis: Lexis, effort: Effort): SqlToken[] => [
  ...tokensOf(new SqlLexer(text.slice(0, until), lexis, effort), from),
];

/** A text from `from` on as it is usually read and, where dialects differ, without strings and comments: what one of them hides, another one runs. */
export function lexingsOf(
  text: string,
  from: number,
  until: number,
  effort: Effort,
  cut: Cut = (all) => [...all],
): (readonly SqlToken[])[] {
  const code = until < text.length ? text.slice(0, until) : text;
  const kinds: readonly Lexis[] = DIFFERS.test(code.slice(from)) ? ['usual', 'bare'] : ['usual'];
  return kinds.map((lexis) => cut(tokensOf(new SqlLexer(code, lexis, effort), from)));
}

/** The first tokens from an offset on, by which SQL is recognized. */
export function firstTokens(text: string, from: number, most: number): SqlToken[] {
  const found: SqlToken[] = [];
  for (const token of tokensOf(new SqlLexer(text, 'usual', newEffort(text.length)), from))
    if (found.push(token) === most) break;
  return found;
}

/** Commands of clients that run what is before them. */
const RUNS_NOW = /^\\(?:g|gx)$/;

/** The statements of a list of tokens: split at semicolons. */
export function statementsOf(tokens: Iterable<SqlToken>): SqlToken[][] {
  const found: SqlToken[][] = [];
  let current: SqlToken[] = [];
  for (const token of tokens)
    if (token.kind === 'sign' && (token.lower === ';' || RUNS_NOW.test(token.lower))) {
      if (current.length > 0) found.push(current);
      current = [];
    } else current.push(token);
  if (current.length > 0) found.push(current);
  return found;
}
