// Splits SQL into tokens, as one dialect does: comments, strings, quoted names, dollar quotes.
import type { Effort } from './effort.ts';
import { AskedDialect, DIALECTS, type SqlDialect, USUAL } from './sql-dialects.ts';
import { wordSet } from '../text/word-set.ts';

export interface SqlToken {
  /** In lower case; a quoted name is without its quotes. */
  readonly lower: string;
  readonly text: string;
  readonly kind: 'word' | 'name' | 'string' | 'sign';
  readonly at: number;
  readonly end: number;
}

/** What no dialect reads in another way; line breaks of JSON too. */
const BLANK = /(?:\s+|\\[nrt]|\*\/)+/y;
const WORD = /[@:]{0,2}[\p{L}_][\p{L}\p{N}_$]*/uy;
const SIGN = /\d[\w.]*|[<>!=|:]{1,2}|\\(?:[A-Za-z]+|[!.])|[\s\S]/uy;
const NAME_OF_SIGNS = /#[\w$#]*/y;
const DOLLARS = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
/** Names in brackets and backticks that every dialect reads alike, and brackets that hold nothing on which dialects differ. */
const PLAIN_BRACKETS = /\[[A-Za-z_][\w ]*\]/y;
const EMPTY_BRACKETS = /\[[^\]'"`;$#()\\/-]*\]/y;
const PLAIN_TICKS = /`[\w .$*@:]*`/y;
/** What runs of a comment: `/*!50000 ... *\/`, `/*M!100000 ... *\/`. */
const RUN_COMMENT = /\/\*(M?)!\d{0,6}/y;
const CLOSING = new Map([...'[]{}()<>'].map((sign, at, all) => [sign, all[at + 1] ?? sign]));

const matchAt = (pattern: RegExp, code: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(code);
};

/** Characters of words of ASCII, by code. */
const OF_WORD = new Uint8Array(128);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789$') OF_WORD[char.charCodeAt(0)] = 1;
const isOfWord = (code: number): boolean => (code > 0x7f ? true : OF_WORD[code] === 1);
const startsWord = (code: number): boolean => OF_WORD[code] === 1 && (code > 0x39 || code === 0x5f);

/** The letters right before a string that say how to read it: the `e` of `e'...'`. */
function prefixOf(code: string, at: number): string {
  const prefix = /[A-Za-z]{0,2}$/.exec(code.slice(Math.max(0, at - 2), at))?.[0].toLowerCase() ?? '';
  return isOfWord(code.charCodeAt(at - prefix.length - 1)) ? '' : prefix;
}

/** The offset after the quotation mark that closes what begins at an offset; -1 where none does. `keeps`: whether a backslash keeps one from closing. */
function closedAt(code: string, from: number, quote: string, keeps: () => boolean): number {
  for (let at = code.indexOf(quote, from); at >= 0; ) {
    let slashes = at;
    while (slashes > from && code.charAt(slashes - 1) === '\\') slashes -= 1;
    if ((at - slashes) % 2 === 1 && keeps()) at = code.indexOf(quote, at + 1);
    else if (quote.length === 1 && code.charAt(at + 1) === quote) at = code.indexOf(quote, at + 2);
    else return at + quote.length;
  }
  return -1;
}

const isAloneOnLine = (code: string, at: number, end: number): boolean =>
  /(?:^|[\r\n])[ \t]*$/.test(code.slice(Math.max(0, at - MAX_INDENT), at)) &&
  /^[ \t]*\d{0,4}[ \t]*(?:[\r\n]|$)/.test(code.slice(end, end + MAX_INDENT));
const MAX_INDENT = 20;

/** Words with which the body of a routine begins where it is no string. */
const BODY = wordSet(
  'select do update delete insert replace with values begin return if case while repeat loop for declare open handler',
);

/** Follows the tokens of a definition, to know where its body is a dollar quote in every dialect: `CREATE FUNCTION f() RETURNS int AS $$`. */
class StoredDefinition {
  isNext = false;
  #state: 'head' | 'create' | 'routine' | 'do' | 'other' = 'head';

  follow({ lower, kind }: SqlToken): void {
    this.isNext = false;
    if (kind === 'sign' && lower === ';') this.#state = 'head';
    else if (this.#state === 'head') this.#state = lower === 'create' ? 'create' : lower === 'do' ? 'do' : 'other';
    else if (this.#state === 'create' && lower !== 'or' && lower !== 'replace')
      this.#state = lower === 'function' || lower === 'procedure' ? 'routine' : 'other';
    else if (this.#state === 'routine' && BODY.has(lower)) this.#state = 'other';
    this.isNext = this.#state === 'do' || (this.#state === 'routine' && lower === 'as');
  }
}

/** Reads the tokens of one text in one dialect. */
class Lexer {
  /** Where a quotation begins that nothing closes. */
  openAt: number | undefined;
  readonly #code: string;
  readonly #dialect: AskedDialect;
  readonly #effort: Effort;
  /** The string before is `E'...'`, which another one in the next line continues. */
  #wasEscaped = false;
  #isContinued = false;
  #definition = new StoredDefinition();

  constructor(code: string, dialect: AskedDialect, effort: Effort) {
    this.#code = code;
    this.#dialect = dialect;
    this.#effort = effort;
  }

  /** The next token at or after an offset; undefined at the end. Comments are none, but those that are run count as code. */
  next(from: number, skipped?: number[]): SqlToken | undefined {
    for (let at = from; at < this.#code.length && this.#effort.left > 0; ) {
      const end = this.#endOfBlank(at);
      if (end > at) {
        this.#effort.left -= end - at;
        skipped?.push(at);
        at = end;
        continue;
      }
      this.#isContinued = this.#wasEscaped && /[\r\n]/.test(this.#code.slice(from, at));
      const token = this.#tokenAt(at);
      this.#effort.left -= token.end - at;
      this.#wasEscaped = token.kind === 'string' && (this.#isContinued || prefixOf(this.#code, at) === 'e');
      this.#definition.follow(token);
      return token;
    }
    return undefined;
  }

  #token(kind: SqlToken['kind'], at: number, end: number, within = 0): SqlToken {
    const text = this.#code.slice(at + within, end - within);
    return { lower: text.toLowerCase(), text, kind, at, end };
  }

  #sign = (at: number): SqlToken => this.#token('sign', at, at + (matchAt(SIGN, this.#code, at)?.[0].length ?? 1));

  /** The end of the white space or of the comment at an offset. */
  #endOfBlank(at: number): number {
    const code = this.#code;
    const char = code.charAt(at);
    const two = code.slice(at, at + 2);
    if (two === '--') {
      // In MySQL, `5--3` is 8.
      const needsNone = at + 2 >= code.length || code.charCodeAt(at + 2) <= 0x20;
      return needsNone || !this.#dialect.ask('dashesNeedBlank') ? this.#endOfLine(at) : at;
    }
    if (two === '//') return this.#dialect.ask('slashesComment') ? this.#endOfLine(at) : at;
    if (char === '#') return this.#dialect.ask('hash') === 'comment' ? this.#endOfLine(at) : at;
    if (two === '/*') return this.#endOfComment(at);
    return at + (matchAt(BLANK, code, at)?.[0].length ?? 0);
  }

  #endOfLine(at: number): number {
    const code = this.#code;
    for (let from = at; ; ) {
      const next = code.indexOf('\n', from);
      const end = next < 0 ? code.length : next;
      const alone = code.slice(from, end).search(/\r(?!$)/);
      if (alone >= 0 && this.#dialect.ask('returnEndsLine')) return from + alone;
      if (next < 0 || code.charAt(end - 1) !== '\\' || !this.#dialect.ask('linesContinue')) return end;
      from = end + 1;
    }
  }

  #endOfComment(at: number): number {
    const code = this.#code;
    const run = matchAt(RUN_COMMENT, code, at);
    if (run) {
      const runs = this.#dialect.ask('runs');
      if (runs === 'mariadb' || (runs === 'mysql' && run[1] === '')) return at + run[0].length;
    }
    let depth = 1;
    for (let from = at + 2; ; ) {
      const close = code.indexOf('*/', from);
      if (close < 0) return code.length;
      const inner = code.slice(from, close + 1).indexOf('/*');
      if (inner >= 0 && this.#dialect.ask('commentsNest')) {
        depth += 1;
        from += inner + 2;
      } else {
        depth -= 1;
        from = close + 2;
        if (depth === 0) return from;
      }
    }
  }

  #tokenAt(at: number): SqlToken {
    const code = this.#code;
    const char = code.charAt(at);
    const wordEnd = this.#endOfWord(at);
    if (wordEnd > 0) {
      // `GO` on a line ends a batch of SQL Server.
      const isGo = wordEnd === at + 2 && /^go$/i.test(code.slice(at, wordEnd)) && isAloneOnLine(code, at, wordEnd);
      return isGo ? { lower: ';', text: ';', kind: 'sign', at, end: wordEnd } : this.#token('word', at, wordEnd);
    }
    if (char === "'") return this.#stringAt(at);
    if (char === '"') return this.#quotedAt(at, () => this.#dialect.ask('nameEscapes'));
    if (char === '`') {
      const plain = matchAt(PLAIN_TICKS, code, at);
      if (plain) return this.#token('name', at, at + plain[0].length, 1);
      return this.#dialect.ask('ticks') ? this.#quotedAt(at, () => this.#dialect.ask('tickEscapes')) : this.#sign(at);
    }
    if (char === '[') return this.#bracketsAt(at);
    if (char === '$') return this.#dollarsAt(at);
    if (char === '#' && this.#dialect.ask('hash') === 'name')
      return this.#token('word', at, at + (matchAt(NAME_OF_SIGNS, code, at)?.[0].length ?? 1));
    // Of Oracle's client
    if (char === '/' && isAloneOnLine(code, at, at + 1))
      return { lower: ';', text: ';', kind: 'sign', at, end: at + 1 };
    const word = matchAt(WORD, code, at);
    return word ? this.#token('word', at, at + word[0].length) : this.#sign(at);
  }

  /** The end of a word of ASCII at an offset, for which the pattern is not needed; 0 when there is none. */
  #endOfWord(at: number): number {
    const code = this.#code;
    if (!startsWord(code.charCodeAt(at))) return 0;
    let end = at + 1;
    while (end < code.length && OF_WORD[code.charCodeAt(end)] === 1) end += 1;
    if (code.charAt(end) === '#' && this.#dialect.ask('hash') === 'name')
      end += matchAt(NAME_OF_SIGNS, code, end)?.[0].length ?? 0;
    return end < code.length && code.charCodeAt(end) > 0x7f ? 0 : end;
  }

  /** A quotation that nothing closes; the text to its end was searched for that. */
  #open(at: number): SqlToken {
    this.openAt ??= at;
    this.#effort.left -= this.#code.length - at;
    return this.#token('sign', at, at + 1);
  }

  #quotedAt(at: number, keeps: () => boolean): SqlToken {
    const code = this.#code;
    const quote = code.charAt(at);
    if (quote === '"' && code.startsWith('"""', at) && this.#dialect.ask('triples')) return this.#tripleAt(at);
    const end = closedAt(code, at + 1, quote, keeps);
    return end < 0 ? this.#open(at) : this.#token('name', at, end, 1);
  }

  #tripleAt(at: number): SqlToken {
    const end = closedAt(this.#code, at + 3, this.#code.slice(at, at + 3), () => true);
    return end < 0 ? this.#open(at) : this.#token('string', at, end);
  }

  #stringAt(at: number): SqlToken {
    const code = this.#code;
    const prefix = prefixOf(code, at);
    const isOracle = (prefix === 'q' || prefix === 'nq') && this.#dialect.ask('quoting');
    if (!isOracle && code.startsWith("'''", at) && this.#dialect.ask('triples')) return this.#tripleAt(at);
    const opening = code.charAt(at + 1);
    const end = isOracle
      ? closedAt(code, at + 2, `${CLOSING.get(opening) ?? opening}'`, () => false)
      : closedAt(code, at + 1, "'", () => this.#keeps(prefix));
    return end < 0 ? this.#open(at) : this.#token('string', at, end);
  }

  #keeps(prefix: string): boolean {
    const escapes = this.#dialect.ask('escapes');
    if (escapes === 'E') return prefix === 'e' || this.#isContinued;
    return escapes === 'all' && !(/^(?:r|rb|br)$/.test(prefix) && this.#dialect.ask('raw'));
  }

  #bracketsAt(at: number): SqlToken {
    const code = this.#code;
    const plain = matchAt(PLAIN_BRACKETS, code, at);
    if (plain) return this.#token('name', at, at + plain[0].length, 1);
    if (matchAt(EMPTY_BRACKETS, code, at) || !code.includes(']', at) || !this.#dialect.ask('brackets'))
      return this.#sign(at);
    const end = closedAt(code, at + 1, ']', () => false);
    return end < 0 ? this.#open(at) : this.#token('name', at, end, 1);
  }

  #dollarsAt(at: number): SqlToken {
    const tag = matchAt(DOLLARS, this.#code, at)?.[0];
    if (tag === undefined) return this.#sign(at);
    const dollars = this.#definition.isNext ? 'tagged' : this.#dialect.ask('dollars');
    if (dollars === 'none' || (dollars === 'plain' && tag !== '$$')) return this.#sign(at);
    const close = this.#code.indexOf(tag, at + tag.length);
    return close < 0 ? this.#open(at) : this.#token('string', at, close + tag.length);
  }
}

/** The tokens of a text as some dialects read it. */
export interface Lexing {
  readonly tokens: readonly SqlToken[];
}

/** Takes of the tokens of a text those that belong to its SQL. */
type Cut = (tokens: Iterable<SqlToken>) => readonly SqlToken[];

function* tokensOf(lexer: Lexer, from: number): Generator<SqlToken> {
  for (let token = lexer.next(from); token; token = lexer.next(token.end)) yield token;
}

/** The tokens of a span as one dialect reads it, as far as the effort lasts. */
export const tokensIn = (
  text: string,
  from: number,
  until: number,
  dialect: SqlDialect,
  effort: Effort,
): SqlToken[] => [...tokensOf(new Lexer(text.slice(0, until), new AskedDialect(dialect), effort), from)];

/**
 * The ways in which dialects read a text from `from` on, each once, as far as the effort lasts. A dialect in which a quotation is never
 * closed doesn't run the statement that is open, unless that is so in all of them.
 */
export function lexingsOf(
  text: string,
  from: number,
  until: number,
  effort: Effort,
  cut: Cut = (all) => [...all],
): Lexing[] {
  const code = until < text.length ? text.slice(0, until) : text;
  const found: { asked: AskedDialect; tokens: readonly SqlToken[]; openAt: number | undefined }[] = [];
  for (const dialect of DIALECTS) {
    if (effort.left <= 0 || found.some(({ asked }) => asked.answersFor(dialect))) continue;
    const asked = new AskedDialect(dialect);
    const lexer = new Lexer(code, asked, effort);
    const tokens = cut(tokensOf(lexer, from));
    found.push({ asked, tokens, openAt: lexer.openAt });
  }
  const closed = found.filter(({ openAt }) => openAt === undefined);
  if (closed.length === 0) return found;
  const isRun = (openAt: number) => (token: SqlToken) => token.at < openAt;
  const open = found.flatMap(({ tokens, openAt }) =>
    openAt === undefined ? [] : [{ tokens: tokens.filter(isRun(openAt)) }],
  );
  return [...closed, ...open];
}

/** The tokens of one text that were read before, by the offsets from which they were looked for. */
export type SeenTokens = Map<number, SqlToken | undefined>;

/** The first `most` tokens from `from` on, by which SQL is recognized. Many words of a text may begin SQL, so that each token is read once. */
export function firstTokens(text: string, from: number, most: number, effort: Effort, seen: SeenTokens): SqlToken[] {
  const found: SqlToken[] = [];
  const lexer = new Lexer(text, new AskedDialect(USUAL), effort);
  for (let at = from; found.length < most; ) {
    let token = seen.get(at);
    if (token === undefined && !seen.has(at)) {
      const skipped: number[] = [at];
      token = lexer.next(at, skipped);
      for (const offset of skipped) seen.set(offset, token);
    }
    if (token === undefined) break;
    found.push(token);
    at = token.end;
  }
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
