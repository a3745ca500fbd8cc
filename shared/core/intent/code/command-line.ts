// Splits a command line into its commands, as a POSIX shell does: quotes, escapes, separators, redirections. Nothing is expanded.

export interface SimpleCommand {
  /** The words without their quotes; redirections are not among them. */
  readonly words: readonly string[];
  /** The separator before it; empty for the first. */
  readonly after: string;
  /** Files that the output goes to. */
  readonly writes: readonly string[];
}

export interface CommandLine {
  readonly commands: readonly SimpleCommand[];
  /** False: it has substitutions, here-documents or open quotes, so what runs is not all on the line. */
  readonly isPlain: boolean;
}

const SEPARATOR = /^(?:&&|\|\||;;|\|&|[;|&\n(){}])/;
const REDIRECTION = /^(?:\d*|&)(<<<?|<>|[<>]\(|>>|>\||>&|<&|[<>])/;
/** Substitutions of commands. */
const SUBSTITUTES = /`|\$\(|\$\{[^}]*[`$(]/;
const BARE_BRACE = /^[{}](?=[\s;]|$)/;

/** A cursor over the text; a word is collected piece by piece. */
class Splitter {
  readonly commands: SimpleCommand[] = [];
  isPlain = true;
  private readonly text: string;
  private at = 0;
  private words: string[] = [];
  private writes: string[] = [];
  private after = '';

  constructor(text: string) {
    this.text = text;
  }

  private endCommand(separator: string): void {
    if (this.words.length > 0 || this.writes.length > 0)
      this.commands.push({ words: this.words, after: this.after, writes: this.writes });
    this.words = [];
    this.writes = [];
    this.after = separator;
  }

  /** The word that begins here, without its quotes; undefined where none begins. */
  private word(): string | undefined {
    const start = this.at;
    let word = '';
    while (this.at < this.text.length) {
      const c = this.text.charAt(this.at);
      if (/\s/.test(c) || /[;|&()<>]/.test(c)) break;
      if (c === '\\') {
        word += this.text.charAt(this.at + 1);
        this.at += 2;
      } else if (c === "'" || c === '"') word += this.quoted(c);
      else {
        word += c;
        this.at += 1;
      }
    }
    return this.at === start ? undefined : word;
  }

  private quoted(quote: string): string {
    let inside = '';
    for (this.at += 1; this.at < this.text.length; this.at += 1) {
      const c = this.text.charAt(this.at);
      if (c === quote) {
        this.at += 1;
        if (quote === '"' && SUBSTITUTES.test(inside)) this.isPlain = false;
        return inside;
      }
      if (quote === '"' && c === '\\') {
        this.at += 1;
        inside += this.text.charAt(this.at);
      } else inside += c;
    }
    this.isPlain = false;
    return inside;
  }

  private skipSpace(): void {
    while (/[ \t\r]/.test(this.text.charAt(this.at))) this.at += 1;
    if (this.text.startsWith('\\\n', this.at)) {
      this.at += 2;
      this.skipSpace();
    }
  }

  private redirect([whole, operator = '']: RegExpExecArray): void {
    this.at += whole.length;
    if (operator.startsWith('<<') || operator.endsWith('(')) this.isPlain = false;
    this.skipSpace();
    const target = this.word();
    if (target === undefined) this.isPlain = false;
    // `2>&1` joins streams and writes no file.
    else if (operator.includes('>') && !(operator === '>&' && /^(?:\d+|-)$/.test(target))) this.writes.push(target);
  }

  run(): CommandLine {
    const { text } = this;
    for (this.skipSpace(); this.at < text.length; this.skipSpace()) {
      const rest = text.slice(this.at, this.at + 16);
      const redirection = REDIRECTION.exec(rest);
      const separator = SEPARATOR.exec(rest)?.[0];
      if (text.charAt(this.at) === '#') {
        const end = text.indexOf('\n', this.at);
        this.at = end === -1 ? text.length : end;
      } else if (redirection !== null) this.redirect(redirection);
      else if (separator !== undefined && (!/[{}]/.test(separator) || BARE_BRACE.test(rest))) {
        this.endCommand(separator);
        this.at += separator.length;
      } else {
        const from = this.at;
        const word = this.word();
        if (word === undefined) break;
        // Outside of quotes; those inside were looked at already.
        if (SUBSTITUTES.test(text.slice(from, this.at).replaceAll(/'[^']*'/g, '')) || word.endsWith('$'))
          this.isPlain = false;
        this.words.push(word);
      }
    }
    if (this.at < text.length) this.isPlain = false;
    this.endCommand('');
    return { commands: this.commands, isPlain: this.isPlain };
  }
}

/** Splits a command line. Linear in the length of the text. */
export function splitCommandLine(text: string): CommandLine {
  return new Splitter(text).run();
}
