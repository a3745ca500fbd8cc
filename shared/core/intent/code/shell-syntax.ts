// Splits shell code into its commands: quotes, escapes, separators, redirections, here-documents, substitutions. Bounded and linear.

export interface ShellWord {
  /** Without quotes and escapes. */
  readonly text: string;
  readonly at: number;
  readonly end: number;
  /** A part of it is known only when it runs: a variable, a substitution. */
  readonly isDynamic: boolean;
  /** Some of it was in quotes. */
  readonly isQuoted: boolean;
}

export interface Redirection {
  readonly operator: string;
  readonly target: ShellWord;
}

/** One command, also one within a substitution. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellWord[];
  /** The separator before it; empty for the first. */
  readonly after: string;
  readonly redirections: readonly Redirection[];
  /** The text of a here-document or here-string. */
  readonly input: { readonly text: string; readonly at: number } | undefined;
  readonly at: number;
  readonly end: number;
}

export interface ShellCode {
  /** In text order; those of a substitution come before the command that holds it. */
  readonly commands: readonly ShellCommand[];
  /** False: quotes are open, or the text goes on beyond the limits. */
  readonly isWhole: boolean;
  readonly end: number;
}

export interface ShellLimits {
  readonly from: number;
  readonly until: number;
  /** The words of a sentence may follow: ends with the sentence, or before a command that is none. */
  readonly continues?: (command: ShellCommand) => boolean;
}

const MAX_COMMANDS = 200;
const MAX_WORDS = 400;
/** In prose, more words without a separator are rather a sentence. */
const MAX_WORDS_IN_PROSE = 40;
const MAX_DEPTH = 8;
const MAX_VALUE = 200;

const SEPARATOR = /(?:&&|\|\||;;|\|&|[;|&\n()])/y;
const REDIRECTION = /(?:\d{1,3}|&)?(<<<|<<-?|<>|>>|>\||>&|<&|&>>?|[<>])/y;
const VARIABLE = /\$(?:\{(\w{1,64})\}|(\w{1,64}))/y;
const ASSIGNMENT = /^([A-Za-z_]\w{0,63})\+?=/;
const ENDS_WORD = new Set([' ', '\t', '\r', '\n', ';', '|', '&', '(', ')', '<', '>', '']);
/** Characters that are always plain parts of a word, by code; and those at which a separator or a redirection may begin. */
const PLAIN = new Uint8Array(128);
for (const c of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,%+@*?[]~^!#{}')
  PLAIN[c.charCodeAt(0)] = 1;
const OPERATES = new Set('&|;\n()<>0123456789'.split(''));
/** Words that begin or end a group of commands and are none. */
const KEYWORDS = new Set(['if', 'then', 'else', 'elif', 'fi', 'while', 'until', 'do', 'done', '!', '{', '}', 'begin']);
const ANSI_ESCAPE = /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|([0-7]{1,3})|(.))/gis;
/** Words with which a sentence goes on after a command. */
const CONTINUES = new Set('and then but so please or also to because before after until while which that'.split(' '));
const WORDS = /[a-z]\s{1,4}[\w~./-]*[a-z]/i;
const SENTENCE_END = /[^./][.!?,]$/;

const decodeAnsi = (text: string): string =>
  text.replace(ANSI_ESCAPE, (_, hex?: string, unicode?: string, octal?: string, other?: string) => {
    const code = hex ?? unicode;
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    return other === 'n' || other === 't' ? ' ' : (other ?? '');
  });

class Parser {
  readonly commands: ShellCommand[] = [];
  isWhole = true;
  at: number;
  private readonly text: string;
  private readonly until: number;
  private readonly continues: ShellLimits['continues'];
  private readonly depth: number;
  private readonly values: Map<string, string>;
  private words: ShellWord[] = [];
  private assignments: ShellWord[] = [];
  private redirections: Redirection[] = [];
  private input: ShellCommand['input'];
  private awaited: { readonly delimiter: string; readonly dashed: boolean } | undefined;
  private after = '';
  private isOver = false;

  constructor(text: string, limits: ShellLimits, depth: number, values: Map<string, string>) {
    this.text = text;
    this.at = limits.from;
    this.until = limits.until;
    this.continues = limits.continues;
    this.depth = depth;
    this.values = values;
  }

  private peek(offset = 0): string {
    return this.at + offset < this.until ? this.text.charAt(this.at + offset) : '';
  }

  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    return found && this.at + found[0].length <= this.until ? found : undefined;
  }

  /** Reads the commands of a substitution, and continues after its end. */
  private nested(until: number): void {
    if (this.depth >= MAX_DEPTH) this.isWhole = false;
    else {
      const inner = new Parser(this.text, { from: this.at, until }, this.depth + 1, this.values);
      inner.run();
      this.commands.push(...inner.commands);
      this.isWhole &&= inner.isWhole;
    }
    this.at = Math.min(this.until, until + 1);
  }

  /** The offset of the parenthesis that closes the one before `from`. */
  private closing(from: number): number {
    let open = 1;
    for (let at = from; at < this.until; at += 1) {
      const c = this.text.charAt(at);
      if (c === '\\') at += 1;
      else if (c === '(') open += 1;
      else if (c === ')') {
        open -= 1;
        if (open === 0) return at;
      }
    }
    this.isWhole = false;
    return this.until;
  }

  /** An expansion that begins at `$` or a backtick: its text if it is known. */
  private expansion(): string | undefined {
    if (this.peek() === '`') {
      const end = this.text.indexOf('`', this.at + 1);
      this.at += 1;
      this.nested(end === -1 || end > this.until ? this.until : end);
      return undefined;
    }
    if (this.peek(1) === '(') {
      const end = this.closing(this.at + 2);
      // A group of commands in a substitution begins alike.
      const isArithmetic = this.peek(2) === '(' && !WORDS.test(this.text.slice(this.at, end));
      this.at += 2;
      if (isArithmetic) this.at = end + 1;
      else this.nested(end);
      return undefined;
    }
    const variable = this.match(VARIABLE);
    if (variable) {
      this.at += variable[0].length;
      const name = variable[1] ?? variable[2] ?? '';
      return name === 'IFS' ? ' ' : this.values.get(name);
    }
    if (this.peek(1) === '{') {
      const end = this.text.indexOf('}', this.at);
      const code = this.text.slice(this.at, end);
      if (end === -1 || end > this.until || /[`(]/.test(code)) this.isWhole = false;
      this.at = end === -1 || end > this.until ? this.until : end + 1;
      return undefined;
    }
    this.at += /[\w?@*#!$-]/.test(this.peek(1)) ? 2 : 1;
    return undefined;
  }

  /** The text in quotes from here; undefined, and nothing is read, where the quote is not closed in prose. */
  private quoted(quote: string): { text: string; isDynamic: boolean } | undefined {
    const start = this.at;
    let text = '';
    let isDynamic = false;
    this.at += 1;
    while (this.at < this.until) {
      const c = this.peek();
      if (c === quote) {
        this.at += 1;
        return { text, isDynamic };
      }
      if (quote === '"' && (c === '$' || c === '`') && (c === '`' || /[\w({@*]/.test(this.peek(1)))) {
        const from = this.at;
        const known = this.expansion();
        text += known ?? this.text.slice(from, this.at);
        isDynamic ||= known === undefined;
      } else {
        if (quote === '"' && c === '\\') this.at += 1;
        text += this.peek();
        this.at += 1;
      }
    }
    if (this.continues !== undefined) {
      this.at = start;
      return undefined;
    }
    this.isWhole = false;
    return { text, isDynamic };
  }

  /** The word that begins here; undefined where none begins. */
  private word(): ShellWord | undefined {
    const start = this.at;
    let text = '';
    let isDynamic = false;
    let isQuoted = false;
    while (!ENDS_WORD.has(this.peek())) {
      const c = this.peek();
      const quote = c === '$' && (this.peek(1) === "'" || this.peek(1) === '"') ? this.peek(1) : c;
      if (quote === "'" || quote === '"') {
        if (c === '$') this.at += 1;
        const inside = this.quoted(quote);
        isQuoted ||= inside !== undefined;
        isDynamic ||= inside?.isDynamic ?? false;
        if (inside === undefined) {
          text += quote;
          this.at += 1;
        } else text += c === '$' && quote === "'" ? decodeAnsi(inside.text) : inside.text;
      } else if (c === '\\') {
        if (this.peek(1) !== '\n') text += this.peek(1);
        this.at = Math.min(this.until, this.at + 2);
      } else if (c === '`' || c === '$') {
        const from = this.at;
        const known = this.expansion();
        text += known ?? this.text.slice(from, this.at);
        isDynamic ||= known === undefined;
      } else {
        const from = this.at;
        this.at += 1;
        while (this.at < this.until && PLAIN[this.text.charCodeAt(this.at)] === 1) this.at += 1;
        text += this.text.slice(from, this.at);
      }
    }
    return this.at === start ? undefined : { text, at: start, end: this.at, isDynamic, isQuoted };
  }

  /** Ends the command. */
  private endCommand(separator: string): void {
    const first = this.words[0] ?? this.assignments[0] ?? this.redirections[0]?.target;
    const last = this.words.at(-1) ?? this.assignments.at(-1);
    if (first) {
      const command: ShellCommand = {
        words: this.words,
        assignments: this.assignments,
        after: this.after,
        redirections: this.redirections,
        input: this.input,
        at: first.at,
        end: Math.max(last?.end ?? 0, this.redirections.at(-1)?.target.end ?? 0),
      };
      if (this.commands.length > 0 && this.continues?.(command) === false) {
        this.isOver = true;
        return;
      }
      this.commands.push(command);
      if (this.words.length === 0) this.remember();
      if (this.commands.length >= MAX_COMMANDS) [this.isWhole, this.isOver] = [false, true];
    }
    this.words = [];
    this.assignments = [];
    this.redirections = [];
    this.input = undefined;
    this.after = separator;
  }

  /** Variables that are set by the code itself. */
  private remember(): void {
    for (const { text, isDynamic } of this.assignments) {
      const name = ASSIGNMENT.exec(text)?.[1];
      const value = text.slice(text.indexOf('=') + 1);
      if (name === undefined) continue;
      if (isDynamic || value.length > MAX_VALUE) this.values.delete(name);
      else this.values.set(name, value);
    }
  }

  private redirect([whole, operator = '']: RegExpExecArray): void {
    this.at += whole.length;
    if (this.peek() === '(' && (operator === '<' || operator === '>')) {
      const end = this.closing(this.at + 1);
      const start = this.at;
      this.at += 1;
      this.nested(end);
      this.words.push({ text: '', at: start, end: this.at, isDynamic: true, isQuoted: false });
      return;
    }
    this.skipBlanks();
    const target = this.word();
    if (target === undefined) this.isWhole = false;
    else if (operator === '<<<') this.input = { text: target.text, at: target.at };
    else if (operator.startsWith('<<')) this.awaited = { delimiter: target.text, dashed: operator === '<<-' };
    // `2>&1` joins streams and writes no file.
    else if (!(/[<>]&$/.test(operator) && /^(?:\d+|-)$/.test(target.text)))
      this.redirections.push({ operator, target });
  }

  /** Reads the lines of a here-document after the line that announces it. */
  private hereDocument(): void {
    if (this.awaited === undefined) return;
    const { delimiter, dashed } = this.awaited;
    const start = this.at;
    let line = start;
    while (line < this.until) {
      const end = this.text.indexOf('\n', line);
      const next = end === -1 || end > this.until ? this.until : end;
      const content = this.text.slice(line, next);
      if ((dashed ? content.trim() : content.trimEnd()) === delimiter) break;
      line = next + 1;
    }
    this.input = { text: this.text.slice(start, Math.min(line, this.until)), at: start };
    const end = this.text.indexOf('\n', line);
    this.at = end === -1 || end > this.until ? this.until : end;
    this.awaited = undefined;
  }

  private skipBlanks(): void {
    for (;;) {
      const c = this.peek();
      if (c === '\\' && this.peek(1) === '\n') this.at += 2;
      else if (c === ' ' || c === '\t' || c === '\r') this.at += 1;
      else return;
    }
  }

  /** Adds a word; false at the end of a sentence. */
  private add(word: ShellWord): boolean {
    const inProse = this.continues !== undefined;
    if (inProse && this.words.length > 0 && !word.isQuoted && CONTINUES.has(word.text)) return false;
    const isEnd = inProse && !word.isQuoted && SENTENCE_END.test(word.text);
    const own = isEnd ? { ...word, text: word.text.slice(0, -1), end: word.end - 1 } : word;
    if (this.words.length === 0) {
      if (KEYWORDS.has(own.text) && !own.isQuoted) return true;
      if (own.text === 'for' || own.text === 'case' || own.text === 'function') {
        if (own.text !== 'for') this.isWhole = false;
        else this.skipLoopHead();
        return true;
      }
      if (own.text.includes('=') && ASSIGNMENT.test(this.text.slice(own.at, own.at + 66))) {
        this.assignments.push(own);
        return !isEnd;
      }
    }
    this.words.push(own);
    if (this.words.length >= (inProse ? MAX_WORDS_IN_PROSE : MAX_WORDS)) {
      this.isWhole = false;
      return false;
    }
    return !isEnd;
  }

  /** `for x in a b`: the words are data; substitutions within them were read. */
  private skipLoopHead(): void {
    for (;;) {
      this.skipBlanks();
      if (this.word() === undefined) return;
    }
  }

  run(): ShellCode {
    let last = this.at;
    for (this.skipBlanks(); this.at < this.until && !this.isOver; this.skipBlanks()) {
      const before = this.at;
      if (this.peek() === '#') {
        const end = this.text.indexOf('\n', this.at);
        this.at = end === -1 || end > this.until ? this.until : end;
        continue;
      }
      const operates = OPERATES.has(this.peek());
      const redirection = operates ? this.match(REDIRECTION) : undefined;
      const separator = redirection || !operates ? undefined : this.match(SEPARATOR)?.[0];
      if (redirection) this.redirect(redirection);
      else if (separator !== undefined) {
        // A parenthesis right after a word is a call or a function, and a lone closing one ends a remark.
        if (separator === '(' && this.words.length > 0) this.isWhole = false;
        if (separator === ')' && this.continues !== undefined) break;
        this.at += separator.length;
        if (separator === '\n' && this.awaited !== undefined) this.hereDocument();
        this.endCommand(separator);
      } else {
        const word = this.word();
        if (word === undefined || !this.add(word)) break;
      }
      last = this.at;
      if (this.at === before) break;
    }
    if (!this.isOver) this.endCommand('');
    const end = this.commands.at(-1)?.end ?? 0;
    return { commands: this.commands, isWhole: this.isWhole, end: this.isOver ? end : Math.max(last, end) };
  }
}

/** Splits the shell code from `from` to `until`. Linear in its length, but for nested substitutions, whose depth is bounded. */
export const parseShell = (text: string, limits: ShellLimits): ShellCode =>
  new Parser(text, limits, 0, new Map()).run();

/** The commands of a piece of code that is all of `text`, with offsets from `at`. */
export function parseInner(text: string, at: number): ShellCode {
  const { commands, isWhole, end } = parseShell(text, { from: 0, until: text.length });
  const moved = (word: ShellWord): ShellWord => ({ ...word, at: word.at + at, end: word.end + at });
  return {
    commands: commands.map((command) => ({
      ...command,
      words: command.words.map(moved),
      at: command.at + at,
      end: command.end + at,
    })),
    isWhole,
    end: end + at,
  };
}
