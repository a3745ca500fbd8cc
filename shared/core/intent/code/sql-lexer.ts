// Reads the tokens of SQL as one dialect does: comments, strings, quoted names, dollar quotes.
import type { Effort } from './effort.ts';
import type { AskedDialect } from './sql-dialects.ts';
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
const PLAIN_BRACKETS = /\[[A-Za-z_][\w ]*\](?!\])/y;
const EMPTY_BRACKETS = /\[[^\]['"`;$#()\\/-]*\](?!\])/y;
const PLAIN_TICKS = /`[\w .$*@:]*`/y;
/** What runs of a comment: `/*!50000 ... *\/`, `/*M!100000 ... *\/`. */
const RUN_COMMENT = /\/\*(M?)!\d{0,6}/y;
const END_OF_LINE = /[ \t]*\d*[ \t]*(?=[\r\n]|$)/y;
/** Brackets of `q'[...]'`; any other sign closes itself. */
const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}', '(': ')', '<': '>' };

const matchAt = (pattern: RegExp, code: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(code);
};

/** Characters of words of ASCII, by code. */
const OF_WORD = new Uint8Array(128);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789$') OF_WORD[char.charCodeAt(0)] = 1;
const isOfWord = (code: number): boolean => code > 0x7f || OF_WORD[code] === 1;
const startsWord = (code: number): boolean => OF_WORD[code] === 1 && (code > 0x39 || code === 0x5f);

/** The letters right before a string that say how to read it: the `e` of `e'...'`. */
function prefixOf(code: string, at: number): string {
  const prefix = /[A-Za-z]{0,2}$/.exec(code.slice(Math.max(0, at - 2), at))?.[0].toLowerCase() ?? '';
  return isOfWord(code.charCodeAt(at - prefix.length - 1)) ? '' : prefix;
}

/**
 * The offset after the quotation mark that closes what begins at an offset; -1 where none does. `keeps`: whether a backslash keeps one
 * from closing.
 */
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

/** Whether nothing but a number stands beside a word on its line. */
function isAloneOnLine(code: string, at: number, end: number): boolean {
  let from = at;
  while (code.charAt(from - 1) === ' ' || code.charAt(from - 1) === '\t') from -= 1;
  return (from === 0 || /[\r\n]/.test(code.charAt(from - 1))) && matchAt(END_OF_LINE, code, end) !== null;
}

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
export class SqlLexer {
  /** Where a quotation begins that nothing closes. */
  openAt: number | undefined;
  readonly #code: string;
  readonly #dialect: AskedDialect;
  readonly #effort: Effort;
  /** The string before is `E'...'`, which another one in the next line continues. */
  #wasEscaped = false;
  #isContinued = false;
  readonly #definition = new StoredDefinition();
  readonly #lastBracket: number;

  constructor(code: string, dialect: AskedDialect, effort: Effort) {
    this.#code = code;
    this.#dialect = dialect;
    this.#effort = effort;
    this.#lastBracket = code.lastIndexOf(']');
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
    if (two === '--') return this.#comments(at) ? this.#endOfLine(at) : at;
    if (two === '//') return this.#dialect.ask('slashesComment') ? this.#endOfLine(at) : at;
    if (char === '#') return this.#dialect.ask('hash') === 'comment' ? this.#endOfLine(at) : at;
    if (two === '/*') return this.#endOfComment(at);
    return at + (matchAt(BLANK, code, at)?.[0].length ?? 0);
  }

  /** Whether two dashes begin a comment. In MySQL, `5--3` is 8; in Cypher, `(a)--(b)` is a relationship. */
  #comments(at: number): boolean {
    const isBeforeBlank = at + 2 >= this.#code.length || this.#code.charCodeAt(at + 2) <= 0x20;
    return this.#dialect.ask('dashesComment') && (isBeforeBlank || !this.#dialect.ask('dashesNeedBlank'));
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
      ? closedAt(code, at + 2, `${CLOSING[opening] ?? opening}'`, () => false)
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
    if (matchAt(EMPTY_BRACKETS, code, at) || at > this.#lastBracket || !this.#dialect.ask('brackets'))
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
