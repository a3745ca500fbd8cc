// Reads one word of shell code: quotes, escapes, expansions.
import { pairs } from '../text/text.ts';
import type { Effort } from './effort.ts';

export interface ShellWord {
  /** Without quotes and escapes. */
  readonly text: string;
  readonly at: number;
  readonly end: number;
  /** A part of it is known only when it runs: a variable, a substitution. */
  readonly isDynamic: boolean;
  /** A part of it is what a command prints, or a variable that holds this. */
  readonly holdsData: boolean;
  readonly isQuoted: boolean;
}

/** What quotes and escapes mean: in POSIX shells a backslash escapes, in cmd a caret, in PowerShell a backtick; in cmd an apostrophe is plain. */
export type Quoting = 'posix' | 'cmd' | 'powershell';

/** The character that escapes the next one. */
const ESCAPES: Readonly<Record<Quoting, string>> = { posix: '\\', cmd: '^', powershell: '`' };

export const textsOf = (words: readonly ShellWord[]): string[] => words.map(({ text }) => text);

const VARIABLE = /\$(?:\{(\w{1,64}|[@*])\}|(\w{1,64}|[@*]))/y;
const ENDS_WORD = new Set([' ', '\t', '\r', '\n', ';', '|', '&', '(', ')', '<', '>', '']);
/** Of `$'...'`, `echo -e` and `printf`. */
const ESCAPE = /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|(0?[0-7]{1,3})|([abeEfnrtv\\'"?]))/g;
const CONTROLS = new Map(pairs('abeEfnrtv', '\u0007\b\u001B\u001B\f\n\r\t\v'));
const LAST_CODE_POINT = 0x10_ff_ff;
/** What a backslash escapes in double quotes: `"\copy"` keeps it. */
const ESCAPED = new Set(['"', '\\', '$', '`', '\n']);
/** The address of a share: `\\host\folder`. */
const SHARE = /\\\\[\w.-]{1,253}\\[^\s;|&<>()"'`]{0,1000}/y;
const WORDS = /[a-z]\s{1,4}[\w~./-]*[a-z]/i;
/** Commands of which the output tells nothing about the data of anybody, with plain arguments: `$(date +%F)`. */
const TELLS_NOTHING =
  /\$\((?:date(?!.{0,200}\s(?:-[a-zA-Z]*f|--file))|uname|arch|nproc|seq|uuidgen|lsb_release|git (?:rev-parse|describe))\b[^$`|;&<>()@\n]{0,200}\)/g;

/** Characters that are always plain parts of a word, by code; and those at which a separator or a redirection may begin. */
const PLAIN = new Uint8Array(128);
for (const c of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,%+@*?[]~^!#{}')
  PLAIN[c.charCodeAt(0)] = 1;

/**
 * A text with its escapes replaced by what they stand for. An escape that no shell has keeps its backslash.
 * @param mostDigits of an octal number: four for `echo` and `%b`, which write a zero before it; three in `$'...'` and formats
 */
export const unescaped = (text: string, mostDigits: 3 | 4 = 4): string =>
  text.replace(ESCAPE, (_, hex?: string, short?: string, long?: string, octal?: string, other = '') => {
    const digits = hex ?? short ?? long;
    if (digits !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(digits, 16), LAST_CODE_POINT));
    if (octal === undefined) return CONTROLS.get(other) ?? other;
    return String.fromCodePoint(Number.parseInt(octal.slice(0, mostDigits), 8)) + octal.slice(mostDigits);
  });

/** A place in shell code from which words are read. */
export abstract class WordReader {
  at: number;
  isWhole = true;
  protected readonly text: string;
  protected readonly until: number;
  /** Whether a sentence surrounds the code, in which a quotation mark may be an apostrophe. */
  private readonly inProse: boolean;
  /** Variables that are set by the code itself. Undefined: what a command prints. */
  protected readonly values: Map<string, string | undefined>;
  protected readonly quoting: Quoting;
  private readonly escape: string;
  /** Whether the word that is read holds the output of a command. */
  private seesData = false;
  protected readonly effort: Effort;
  /** From where on no quotation mark of a kind closes. */
  private readonly open = new Map<string, number>();

  constructor(
    text: string,
    place: { from: number; until: number; inProse: boolean; effort: Effort; quoting: Quoting },
    values: Map<string, string | undefined>,
  ) {
    this.text = text;
    this.at = place.from;
    this.until = place.until;
    this.inProse = place.inProse;
    this.values = values;
    this.effort = place.effort;
    this.quoting = place.quoting;
    this.escape = ESCAPES[place.quoting];
  }

  /** Reads the commands of a substitution, and continues after its end. */
  protected abstract nested(until: number): void;

  protected peek(offset = 0): string {
    return this.at + offset < this.until ? this.text.charAt(this.at + offset) : '';
  }

  /** The offset of the next mark, or of the end where there is none. */
  protected next(mark: string, from = this.at): number {
    const end = this.text.indexOf(mark, from);
    return end === -1 ? this.until : Math.min(end, this.until);
  }

  protected match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    return found && this.at + found[0].length <= this.until ? found : undefined;
  }

  /** The offset of the parenthesis that closes the one before `from`. */
  protected closing(from: number): number {
    let open = 1;
    for (let at = from; at < this.until; at += 1) {
      const c = this.text.charAt(at);
      if (c === this.escape) at += 1;
      else if (c === '(') open += 1;
      else if (c === ')') {
        open -= 1;
        if (open === 0) return at;
      }
    }
    this.effort.left -= this.until - from;
    this.isWhole = false;
    return this.until;
  }

  /** An expansion that begins at `$` or a backtick: its text if it is known. */
  protected expansion(): string | undefined {
    if (this.peek() === '`') {
      this.seesData = true;
      this.at += 1;
      this.nested(this.next('`'));
      return undefined;
    }
    if (this.peek(1) === '(') {
      const from = this.at;
      const end = this.closing(from + 2);
      // A group of commands in a substitution begins alike.
      const isArithmetic =
        this.peek(2) === '(' && this.closing(from + 3) === end - 1 && !WORDS.test(this.text.slice(from, end));
      this.at += 2;
      if (isArithmetic) {
        this.substitutions(end);
        this.at = end + 1;
        return undefined;
      }
      this.nested(end);
      this.seesData ||= this.text.slice(from, this.at).replace(TELLS_NOTHING, '') !== '';
      return undefined;
    }
    const variable = this.match(VARIABLE);
    if (variable) {
      this.at += variable[0].length;
      const name = variable[1] ?? variable[2] ?? '';
      this.seesData ||= this.values.has(name) && this.values.get(name) === undefined;
      return name === 'IFS' ? ' ' : this.values.get(name);
    }
    if (this.peek(1) === '{') {
      const end = this.next('}');
      const code = this.text.slice(this.at, end);
      // `${x@P}` runs what the variable holds.
      if (end === this.until || /[`(]|@[A-Z]$/.test(code)) this.isWhole = false;
      if (this.values.has(/\w+/.exec(code)?.[0] ?? '')) this.seesData = true;
      this.at = Math.min(this.until, end + 1);
      return undefined;
    }
    this.at += /[\w?@*#!$-]/.test(this.peek(1)) ? 2 : 1;
    return undefined;
  }

  /** Reads the commands of the substitutions in a text that is no command itself. */
  protected substitutions(until: number): void {
    while (this.at < until) {
      const c = this.peek();
      if (c === '\\') this.at += 2;
      else if (c === '`' || (c === '$' && /[({]/.test(this.peek(1)))) this.expansion();
      else this.at += 1;
    }
  }

  /** Whether an expansion begins here: cmd has none, and a backtick escapes in PowerShell. */
  private expands(): boolean {
    const c = this.peek();
    return this.quoting !== 'cmd' && (c === '$' || (c === '`' && this.quoting === 'posix'));
  }

  /** The text in quotes from here; undefined, and nothing is read, where the quote is not closed in prose. */
  private quoted(quote: string, hasEscapes: boolean): { text: string; isDynamic: boolean } | undefined {
    const start = this.at;
    if (this.inProse && start >= (this.open.get(quote) ?? Infinity)) return undefined;
    const close = this.text.indexOf(quote, start + 1);
    if (this.inProse && (close < 0 || close >= this.until)) {
      this.open.set(quote, start);
      return undefined;
    }
    let text = '';
    let isDynamic = false;
    this.at += 1;
    while (this.at < this.until) {
      const c = this.peek();
      // PowerShell writes a quotation mark within quotes twice.
      if (c === quote && this.quoting === 'powershell' && this.peek(1) === quote) {
        text += quote;
        this.at += 2;
      } else if (c === quote) {
        this.at += 1;
        return { text, isDynamic };
      } else if (quote === '"' && this.expands() && (c === '`' || /[\w({@*]/.test(this.peek(1)))) {
        const from = this.at;
        const known = this.expansion();
        text += known ?? this.text.slice(from, this.at);
        isDynamic ||= known === undefined;
      } else if (hasEscapes && c === '\\') {
        text += c + this.peek(1);
        this.at = Math.min(this.until, this.at + 2);
      } else {
        const isEscape = this.quoting === 'posix' ? ESCAPED.has(this.peek(1)) : this.quoting === 'powershell';
        if (quote === '"' && c === this.escape && isEscape) this.at += 1;
        text += this.peek();
        this.at += 1;
      }
    }
    if (this.inProse) {
      this.effort.left -= this.at - start;
      this.at = start;
      return undefined;
    }
    this.isWhole = false;
    return { text, isDynamic };
  }

  /** The word that begins here; undefined where none begins. */
  protected word(): ShellWord | undefined {
    const start = this.at;
    let text = '';
    let isDynamic = false;
    let isQuoted = false;
    this.seesData = false;
    const isPosix = this.quoting === 'posix';
    const isCmd = this.quoting === 'cmd';
    while (!ENDS_WORD.has(this.peek()) || (isCmd && this.peek() === ';')) {
      const c = this.peek();
      const isDollar = isPosix && c === '$' && (this.peek(1) === "'" || this.peek(1) === '"');
      const quote = isDollar ? this.peek(1) : c;
      if (quote === '"' || (quote === "'" && !isCmd)) {
        if (isDollar) this.at += 1;
        const hasEscapes = isDollar && quote === "'";
        const inside = this.quoted(quote, hasEscapes);
        isQuoted ||= inside !== undefined;
        isDynamic ||= inside?.isDynamic ?? false;
        if (inside === undefined) {
          text += quote;
          this.at += 1;
        } else text += hasEscapes ? unescaped(inside.text, 3) : inside.text;
      } else if (c === '\\' && this.at === start && this.match(SHARE)) {
        text = this.match(SHARE)?.[0] ?? '';
        this.at += text.length;
      } else if (c === this.escape) {
        if (this.peek(1) !== '\n') text += this.peek(1);
        this.at = Math.min(this.until, this.at + 2);
      } else if (this.expands()) {
        const from = this.at;
        const known = this.expansion();
        text += known ?? this.text.slice(from, this.at);
        isDynamic ||= known === undefined;
      } else {
        const from = this.at;
        this.at += 1;
        while (this.at < this.until && PLAIN[this.text.charCodeAt(this.at)] === 1 && !(isCmd && this.peek() === '^'))
          this.at += 1;
        text += this.text.slice(from, this.at);
      }
    }
    return this.at === start
      ? undefined
      : { text, at: start, end: this.at, isDynamic, holdsData: this.seesData, isQuoted };
  }

  protected skipBlanks(): void {
    for (;;) {
      const c = this.peek();
      if (c === this.escape && this.peek(1) === '\n') this.at += 2;
      else if (c === ' ' || c === '\t' || c === '\r') this.at += 1;
      else return;
    }
  }
}
