// Splits shell code into its commands: separators, redirections, here-documents, substitutions. Bounded and linear.
import { type Effort, newEffort, occursFrom, type Sought, sought } from './effort.ts';
import { type Quoting, type ShellWord, WordReader } from './shell-words.ts';

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
  /**
   * What is piped into it comes from a group of commands, of which the one before is the last: the place of the first one in the list of
   * commands, Infinity where it is not known. Undefined: no group.
   */
  readonly afterGroup: number | undefined;
  /**
   * It is in a group that something is piped into: the place of the command that writes it in the list of commands, or undefined for a
   * file, a text or a process.
   */
  readonly group: { readonly writer: number | undefined } | undefined;
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
  /** What is left for code within this code. */
  readonly effort: Effort;
  readonly quoting: Quoting;
  /** The same code as other shells read its quotes, where it may be theirs. */
  readonly others: readonly ShellCode[];
}

export interface ShellLimits {
  readonly from: number;
  readonly until: number;
  readonly effort?: Effort;
  /** The words of a sentence may follow: ends with the sentence, or before a command that is none. */
  readonly prose?: Prose | undefined;
  /** Absent: that of POSIX shells, and beside it those of Windows where something tells of them. */
  readonly quoting?: Quoting;
}

/** How a sentence around code goes on. */
export interface Prose {
  /** Whether the code goes on with this command, after a separator. */
  readonly goesOnWith: (command: ShellCommand) => boolean;
  /** Whether the sentence goes on with this word. */
  readonly continues: (word: string) => boolean;
}

const MAX_COMMANDS = 200;
const MAX_WORDS = 400;
/** In prose, more words without a separator are rather a sentence. */
const MAX_WORDS_IN_PROSE = 40;
const MAX_DEPTH = 8;
const MAX_VALUE = 200;
/** Commands that put what they read into the variables that they are given. */
const FILLS = /^(?:read|mapfile|readarray)$/;
const NAME = /^[A-Za-z_]\w{0,63}$/;

const SEPARATOR = /(?:&&|\|\||;;|\|&|[;|&\n()])/y;
const REDIRECTION = /(?:\d{1,3}|&)?(<<<|<<-?|<>|>>|>\||>&|<&|&>>?|[<>])/y;
const ASSIGNMENT = /^([A-Za-z_]\w{0,63})\+?=/;
const OPERATES = new Set('&|;\n()<>0123456789'.split(''));
/** What only PowerShell has: names of commands such as `Get-Item`, and the thing that is piped. */
const POWERSHELL = /\b[A-Z][a-z]+-[A-Z][A-Za-z]+\b|\$_(?:\.|\b)/;
const VALUE =
  /^(?:\$[\w:.]+|\.[A-Za-z]\w*|\d[\d.]*(?:[KMGT]B)?|[-+*/%]|-i?(?:gt|lt|eq|ne|ge|le|and|or|not|match|like|notlike|notmatch|contains|in|is)|in)$/i;
const HEADS_BLOCK = /^(?:foreach|if|elseif|while)$/i;
/** Words that begin or end a group of commands and are none. */
const KEYWORDS = new Set(['if', 'then', 'else', 'elif', 'fi', 'while', 'until', 'do', 'done', '!', '{', '}', 'begin']);
/** Of these, what opens a group that may be fed as a whole, and what closes it. */
const OPENS_GROUP = new Set(['if', 'while', 'until', '{']);
const CLOSES_GROUP = new Set(['fi', 'done', '}']);
const isPipe = (separator: string): boolean => separator === '|' || separator === '|&';
/** After the end of a group whose beginning was left out. */
const GOES_ON = /\)(?:\s{0,8}(?:\||&&|;|>)|\.[A-Za-z])/y;
/** What follows the name of a function that is defined with its commands in braces. */
const FUNCTION_HEAD = /\(\s{0,8}\)\s{0,20}\{(?=\s)/y;
const FUNCTION_WORD = /(?:[ \t]{1,8})([A-Za-z_]\w{0,63})(?:\s{0,8}\(\s{0,8}\))?\s{1,20}\{(?=\s)/y;
const ENDS_DEFINITION = /[ \t\r]{0,20}(?:;(?!;)|\n|$)/y;
/** Commands that change the arguments of the function that runs them. */
const CHANGES_ARGUMENTS = /^(?:shift|set|getopts)$/;
/** Arguments that have a name of their own: `$1`. */
const MAX_NUMBERED = 9;
/** Arguments of a method that run nothing themselves. */
const PLAIN_ARGUMENTS = /^[^`({&|]*$/;
const SENTENCE_END = /[^./][.!?,]$/;

/** Functions that the code defines, for all that follows. */
interface Functions {
  /** Where the commands of each are in the text. */
  readonly bodies: Map<string, { readonly from: number; readonly until: number }>;
  /** Those whose commands are read now. */
  readonly called: readonly string[];
}

class Parser extends WordReader {
  readonly commands: ShellCommand[] = [];
  private readonly prose: Prose | undefined;
  private readonly depth: number;
  private words: ShellWord[] = [];
  private assignments: ShellWord[] = [];
  private redirections: Redirection[] = [];
  private input: ShellCommand['input'];
  private awaited: { readonly delimiter: string; readonly dashed: boolean; readonly isPlain: boolean } | undefined;
  private after = '';
  private isOver = false;
  private afterGroup: number | undefined;
  /** The groups around this place: where each begins in the list of commands, and what it is fed. */
  private readonly groups: { readonly from: number; readonly fed: ShellCommand['group'] }[] = [];
  private lastGroup = Infinity;
  /** Parentheses that are not closed yet. */
  private parentheses = 0;
  private readonly functions: Functions;
  /** The function whose commands are defined here. */
  private defining: { readonly name: string; readonly from: number } | undefined;

  constructor(
    text: string,
    { from, until, prose, effort = newEffort(until - from), quoting = 'posix' }: ShellLimits,
    depth: number,
    values: Map<string, string | undefined>,
    fed?: ShellCommand['group'],
    functions: Functions = { bodies: new Map(), called: [] },
  ) {
    super(text, { from, until, inProse: prose !== undefined, effort, quoting }, values);
    this.prose = prose;
    this.depth = depth;
    this.functions = functions;
    if (fed) this.groups.push({ from: 0, fed });
  }

  private openGroup(): void {
    const fed = isPipe(this.after) ? { writer: this.commands.length - 1 } : this.groups.at(-1)?.fed;
    this.groups.push({ from: this.commands.length, fed });
  }

  private closeGroup(): void {
    this.lastGroup = this.groups.pop()?.from ?? Infinity;
  }

  /** A redirection that no command has is one of the group before it. */
  private feedGroup(): void {
    if (this.words.length > 0) return;
    for (let at = this.lastGroup; at < this.commands.length; at += 1) {
      const command = this.commands[at];
      if (command) this.commands[at] = { ...command, group: { writer: undefined } };
    }
    this.lastGroup = Infinity;
  }

  /** Reads the commands of a substitution, and continues after its end. */
  protected override nested(until: number, fed?: ShellCommand['group']): void {
    if (this.depth >= MAX_DEPTH) this.isWhole = false;
    else {
      const limits = { from: this.at, until, effort: this.effort, quoting: this.quoting };
      const inner = new Parser(this.text, limits, this.depth + 1, this.values, fed);
      inner.run();
      this.adopt(inner);
    }
    this.at = Math.min(this.until, until + 1);
  }

  /** Takes over the commands of a part of the code that was read by itself. */
  private adopt({ commands, isWhole }: Parser): void {
    const before = this.commands.length;
    const moved = (place: number | undefined) => (place === undefined ? undefined : place + before);
    for (const { group, afterGroup, ...command } of commands)
      this.commands.push({
        ...command,
        group: group && { writer: moved(group.writer) },
        afterGroup: moved(afterGroup),
      });
    this.isWhole &&= isWhole;
  }

  /**
   * Begins to read the commands of a function. They count as run, whether it is called or not; a call is read as its commands with the
   * arguments in their places. A name that is one only sometimes, or only in a part of the code, is not understood.
   */
  private define(name: string, head: string): void {
    const isForAll =
      this.depth === 0 && this.groups.length === 0 && this.parentheses === 0 && /^[;\n]?$/.test(this.after);
    if (isForAll && this.defining === undefined) this.defining = { name, from: this.at + head.length };
    else this.isWhole = false;
    this.at += head.length;
    this.words = [];
    this.openGroup();
  }

  /** Whether the word before a parenthesis is the name of a function that is defined here: `f() { ls; }`. */
  private definesFunction(): boolean {
    const [name, second] = this.words;
    const isName = name !== undefined && second === undefined && NAME.test(name.text) && !name.isQuoted;
    const head = isName && this.quoting === 'posix' ? this.match(FUNCTION_HEAD) : undefined;
    if (name === undefined || head === undefined || this.assignments.length + this.redirections.length > 0)
      return false;
    this.define(name.text, head[0]);
    return true;
  }

  /** Ends the definition of a function at its closing brace. */
  private defined(until: number): void {
    if (this.defining === undefined || this.groups.length > 0) return;
    const { name, from } = this.defining;
    this.defining = undefined;
    // Otherwise it is defined in a process of its own, or what follows changes what it does.
    if (this.match(ENDS_DEFINITION) || this.at >= this.until) this.functions.bodies.set(name, { from, until });
    else this.isWhole = false;
  }

  /** Reads the commands that a call of a function runs, with its arguments in their places; false where they are not known. */
  private call(separator: string): boolean {
    const [head, ...args] = this.words;
    const name = head?.text ?? '';
    const body = this.functions.bodies.get(name);
    const isPlain =
      this.assignments.length + this.redirections.length === 0 &&
      this.input === undefined &&
      !isPipe(this.after) &&
      !isPipe(separator) &&
      this.groups.every(({ fed }) => fed === undefined);
    const isRepeated = this.functions.called.includes(name) || this.depth >= MAX_DEPTH;
    if (body === undefined || !isPlain || isRepeated || args.some(({ text }) => text.length > MAX_VALUE)) return false;
    const values = new Map(this.values);
    const known = args.some(({ isDynamic }) => isDynamic) ? undefined : args.map(({ text }) => text);
    for (let at = 1; at <= MAX_NUMBERED; at += 1) values.delete(String(at));
    for (const [at, arg] of args.entries()) if (!arg.isDynamic) values.set(String(at + 1), arg.text);
    for (const all of ['@', '*']) values.set(all, known?.join(' '));
    const called = { ...this.functions, called: [...this.functions.called, name] };
    const limits = { ...body, effort: this.effort, quoting: this.quoting };
    const inner = new Parser(this.text, limits, this.depth + 1, values, undefined, called);
    inner.run();
    this.adopt(inner);
    return true;
  }

  /** Leaves out what no command is in PowerShell: `$old =`, `$_.Length -gt 10MB`, `foreach`. */
  private withoutValues(separator: string): void {
    const [first, second] = this.words;
    // `& $tool` runs what a variable holds, and a parenthesis after a value is a call.
    if (first === undefined || this.after === '&' || !(VALUE.test(first.text) || HEADS_BLOCK.test(first.text))) return;
    const { about } = this.effort;
    if (about.powerShell?.text !== this.text) about.powerShell = { text: this.text, is: POWERSHELL.test(this.text) };
    if (!about.powerShell.is) return;
    if (/^\$[\w:]+$/.test(first.text) && /^[+-]?=$/.test(second?.text ?? '')) this.words = this.words.slice(2);
    const isBlock = separator === '(' && this.words.length === 1 && HEADS_BLOCK.test(first.text);
    const isValue = ({ text, isQuoted }: ShellWord, at: number) =>
      isQuoted ? at > 0 || first !== this.words[0] : VALUE.test(text);
    if (isBlock || (separator !== '(' && this.words.every(isValue))) this.words = [];
  }

  private endCommand(separator: string): void {
    const first = this.words[0] ?? this.assignments[0] ?? this.redirections[0]?.target;
    const last = this.words.at(-1) ?? this.assignments.at(-1);
    if (first) {
      const command: ShellCommand = {
        words: this.words,
        assignments: this.assignments,
        after: this.after,
        redirections: this.redirections,
        afterGroup: this.afterGroup,
        group: this.groups.at(-1)?.fed,
        input: this.input,
        at: first.at,
        end: Math.max(last?.end ?? 0, this.redirections.at(-1)?.target.end ?? 0),
      };
      if (this.commands.length > 0 && this.prose?.goesOnWith(command) === false) {
        this.isOver = true;
        return;
      }
      const isCall = this.functions.bodies.has(first.text) && this.words[0] === first;
      if (!isCall || !this.call(separator)) {
        this.commands.push(command);
        this.isWhole &&= !isCall;
      }
      if (first.text === 'unset' || (this.functions.called.length > 0 && CHANGES_ARGUMENTS.test(first.text)))
        this.isWhole = this.isWhole && this.functions.bodies.size === 0;
      if (this.words.length === 0) this.remember();
      if (FILLS.test(first.text))
        for (const { text } of this.words.slice(1)) if (NAME.test(text)) this.values.set(text, undefined);
      if (this.commands.length >= MAX_COMMANDS) [this.isWhole, this.isOver] = [false, true];
    }
    if (separator === '(') this.openGroup();
    const ended = this.lastGroup;
    this.lastGroup = Infinity;
    if (separator === ')') this.closeGroup();
    // A pipe goes on to the next line, and into a group.
    const goesOn = !first && isPipe(this.after) && (separator === '\n' || separator === '(');
    if (!goesOn) {
      this.afterGroup = !first && isPipe(separator) ? ended : undefined;
      this.after = separator;
    }
    this.words = [];
    this.assignments = [];
    this.redirections = [];
    this.input = undefined;
  }

  /** Variables that are set by the code itself. */
  private remember(): void {
    for (const { text, isDynamic, holdsData } of this.assignments) {
      const name = ASSIGNMENT.exec(text)?.[1];
      const value = text.slice(text.indexOf('=') + 1);
      if (name === undefined) continue;
      if (holdsData || value.length > MAX_VALUE) this.values.set(name, undefined);
      else if (isDynamic) this.values.delete(name);
      else this.values.set(name, value);
    }
  }

  private redirect([whole, operator = '']: RegExpExecArray): void {
    this.at += whole.length;
    if (this.peek() === '(' && (operator === '<' || operator === '>')) {
      const end = this.closing(this.at + 1);
      const start = this.at;
      this.at += 1;
      this.nested(end, operator === '>' ? { writer: undefined } : undefined);
      this.words.push({ text: '', at: start, end: this.at, isDynamic: true, holdsData: true, isQuoted: false });
      return;
    }
    this.skipBlanks();
    if (operator.startsWith('<')) this.feedGroup();
    const target = this.word();
    if (target === undefined) this.isWhole = false;
    else if (operator === '<<<') this.input = { text: target.text, at: target.at };
    else if (operator.startsWith('<<'))
      this.awaited = { delimiter: target.text, dashed: operator === '<<-', isPlain: target.isQuoted };
    // `2>&1` joins streams and writes no file.
    else if (!(/[<>]&$/.test(operator) && /^(?:\d+|-)$/.test(target.text)))
      this.redirections.push({ operator, target });
  }

  /** Reads the lines of a here-document after the line that announces it. */
  private hereDocument(): void {
    if (this.awaited === undefined) return;
    const { delimiter, dashed, isPlain } = this.awaited;
    const start = this.at;
    let line = start;
    for (; line < this.until; line = this.next('\n', line) + 1) {
      const content = this.text.slice(line, this.next('\n', line));
      if ((dashed ? content.trim() : content.trimEnd()) === delimiter) break;
    }
    this.input = { text: this.text.slice(start, Math.min(line, this.until)), at: start };
    // It may run commands before it is one, unless its delimiter is in quotes.
    if (!isPlain) this.substitutions(Math.min(line, this.until));
    this.at = this.next('\n', line);
    this.awaited = undefined;
  }

  /** Adds a word; false at the end of a sentence. */
  private add(word: ShellWord): boolean {
    const inProse = this.prose !== undefined;
    if (this.prose && this.words.length > 0 && !word.isQuoted && this.prose.continues(word.text)) return false;
    const isEnd = inProse && !word.isQuoted && SENTENCE_END.test(word.text);
    const own = isEnd ? { ...word, text: word.text.slice(0, -1), end: word.end - 1 } : word;
    // A word with quotes, an escape or a variable is never a keyword: `\{` is a command.
    const isBare = !own.isQuoted && this.text.startsWith(own.text, own.at);
    if (this.words.length === 0) {
      if (KEYWORDS.has(own.text) && isBare) {
        if (OPENS_GROUP.has(own.text)) this.openGroup();
        if (CLOSES_GROUP.has(own.text)) this.closeGroup();
        if (own.text === '}') this.defined(own.at);
        return true;
      }
      if (own.text === 'for' && isBare) this.openGroup();
      if (isBare && (own.text === 'for' || own.text === 'case' || own.text === 'function')) {
        const definition = own.text === 'function' && this.quoting === 'posix' ? this.match(FUNCTION_WORD) : undefined;
        if (definition) this.define(definition[1] ?? '', definition[0]);
        else if (own.text !== 'for') this.isWhole = false;
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

  /** Whether the word before a parenthesis is a method of what another one holds: `(Get-Item x).Delete()`. */
  private isMethod(): boolean {
    const [word, second] = this.words;
    return (
      word !== undefined && second === undefined && /^\.\w+$/.test(word.text) && this.text.charAt(word.at - 1) === ')'
    );
  }

  /** Continues after the arguments of a method. */
  private skipArguments(): void {
    const end = this.closing(this.at);
    if (!PLAIN_ARGUMENTS.test(this.text.slice(this.at, end))) this.isWhole = false;
    this.at = Math.min(this.until, end + 1);
  }

  /** `for x in a b`: the words are data; substitutions within them were read. */
  private skipLoopHead(): void {
    let name: string | undefined;
    for (;;) {
      this.skipBlanks();
      const word = this.word();
      if (word === undefined) return;
      if (word.holdsData && name !== undefined) this.values.set(name, undefined);
      name ??= word.text;
    }
  }

  run(): ShellCode {
    let last = this.at;
    for (this.skipBlanks(); this.at < this.until && !this.isOver; this.skipBlanks()) {
      const before = this.at;
      if (this.effort.left <= 0) {
        this.isWhole = false;
        break;
      }
      if (this.quoting === 'powershell' && this.peek() === '<' && this.peek(1) === '#') {
        this.at = Math.min(this.until, this.next('#>') + 2);
        continue;
      }
      if (this.peek() === '#' && this.quoting !== 'cmd') {
        this.at = this.next('\n');
        continue;
      }
      const operates = OPERATES.has(this.peek()) && !(this.quoting === 'cmd' && this.peek() === ';');
      const redirection = operates ? this.match(REDIRECTION) : undefined;
      const separator = redirection || !operates ? undefined : this.match(SEPARATOR)?.[0];
      if (redirection) this.redirect(redirection);
      else if (separator !== undefined) {
        // A parenthesis right after a word is a call or a function, and a lone closing one ends a remark.
        this.withoutValues(separator);
        if (separator === '(' && this.definesFunction()) {
          last = this.at;
          this.effort.left -= this.at - before;
          continue;
        }
        const isMethod = separator === '(' && this.isMethod();
        if (separator === '(' && this.words.length > 0 && !isMethod) this.isWhole = false;
        if (separator === ')' && this.prose !== undefined && this.parentheses === 0 && !this.match(GOES_ON)) break;
        if (separator === '(' && !isMethod) this.parentheses += 1;
        if (separator === ')' && this.parentheses > 0) this.parentheses -= 1;
        this.at += separator.length;
        if (isMethod) this.skipArguments();
        if (separator === '\n' && this.awaited !== undefined) this.hereDocument();
        this.endCommand(isMethod ? ')' : separator);
      } else {
        const word = this.word();
        if (word === undefined || !this.add(word)) break;
      }
      last = this.at;
      this.effort.left -= this.at - before;
      if (this.at === before) break;
    }
    if (this.defining) this.isWhole = false;
    if (!this.isOver) {
      this.withoutValues('');
      this.endCommand('');
    }
    const end = this.commands.at(-1)?.end ?? 0;
    return {
      commands: this.commands,
      isWhole: this.isWhole,
      end: this.isOver ? end : Math.max(last, end),
      effort: this.effort,
      quoting: this.quoting,
      others: [],
    };
  }
}

/** What is quoted or escaped in one shell and not in another. */
const QUOTES = /[\\'"`^]|<#/;
/** What only code for Windows has: drives, switches such as `/s`, commands of cmd, and those of PowerShell. */
const CMD =
  /(?:^|[\s"'=(])[A-Za-z]:\\|\s\/[a-zA-Z](?:\s|$)|(?:^|[&|(\n])\s{0,8}@?(?:dir|del|erase|rd|ren|type|copy|xcopy|robocopy|move|taskkill|schtasks|attrib|icacls|reg)\s/i;
const POWERSHELL_TOO =
  /(?:^|[\s"'=(])[A-Za-z]:\\|\$env:|(?:^|[;&|(\n])\s{0,8}(?:gci|gc|ri|gps|iex|irm|iwr|sls|spps|del|dir|type)\s/i;

const [HAS_QUOTES, OF_CMD, OF_POWERSHELL, OF_POWERSHELL_TOO] = [
  sought(QUOTES),
  sought(CMD),
  sought(POWERSHELL),
  sought(POWERSHELL_TOO),
] as const;

/** The shells of Windows whose quotes a text may have. */
function quotingsBeside(text: string, { from, until }: ShellLimits, { about }: Effort): readonly Quoting[] {
  const own = until < text.length ? text.slice(from, until) : text;
  const start = until < text.length ? 0 : from;
  const has = (pattern: Sought) => occursFrom(pattern, own, start, about);
  if (!has(HAS_QUOTES)) return [];
  const isPowerShell = has(OF_POWERSHELL) || has(OF_POWERSHELL_TOO);
  return [...(has(OF_CMD) ? (['cmd'] as const) : []), ...(isPowerShell ? (['powershell'] as const) : [])];
}

/** Splits the shell code from `from` to `until`. Nested substitutions and open quotes are read repeatedly, within the effort. */
export function parseShell(text: string, limits: ShellLimits): ShellCode {
  const code = new Parser(text, limits, 0, new Map()).run();
  if (limits.quoting !== undefined) return code;
  const others = quotingsBeside(text, limits, code.effort).map((quoting) =>
    new Parser(text, { ...limits, quoting, effort: code.effort }, 0, new Map()).run(),
  );
  return others.length === 0 ? code : { ...code, others, end: Math.max(code.end, ...others.map(({ end }) => end)) };
}

/** The commands of a piece of code that is all of `text`, with offsets from `at`. */
export function parseInner(text: string, at: number, effort: Effort, quoting?: Quoting): ShellCode {
  const limits = { from: 0, until: text.length, effort };
  return movedBy(at, parseShell(text, quoting === undefined ? limits : { ...limits, quoting }));
}

function movedBy(at: number, { commands, others, end, ...code }: ShellCode): ShellCode {
  const moved = (word: ShellWord): ShellWord => ({ ...word, at: word.at + at, end: word.end + at });
  return {
    ...code,
    commands: commands.map((command) => ({
      ...command,
      words: command.words.map(moved),
      at: command.at + at,
      end: command.end + at,
    })),
    others: others.map((other) => movedBy(at, other)),
    end: end + at,
  };
}
