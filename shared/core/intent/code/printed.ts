// What `echo` and `printf` print, as a shell does it: what the next command of a pipe reads.
import { commandName } from './commands.ts';
import { type ShellWord, textsOf, unescaped } from './shell-words.ts';

export interface Printed {
  /** One text, or two where shells differ: without options, `echo` reads escapes in some of them. */
  readonly texts: readonly string[];
  /** Whether these are all that may be printed. */
  readonly isAll: boolean;
  /** What shells print whose `echo` has no option `-e`: `-e a`, an option for a command that is given it. */
  readonly withOptions?: string;
}

/** `printf` repeats its format until no argument is left, so that it may print much more than its line has. */
const MAX_PRINTED = 10_000;
const ECHO_OPTION = /^-[neE]+$/;
/** Ends what is printed. */
const STOPS = /\\c/;
/** Conversions that are read, and pieces between them. */
const PIECES = /%[%sbdic]|(?:[^%\\]|\\[^%])+/g;
const OTHER_CONVERSION = /%(?![sbdic])/;

/** The options of `echo`, as letters, and what it prints. */
function echoed(words: readonly string[]): { readonly options: string; readonly text: string } {
  const first = words.findIndex((word) => !ECHO_OPTION.test(word));
  const until = first < 0 ? words.length : first;
  return { options: words.slice(0, until).join(''), text: words.slice(until).join(' ') };
}

/** Undefined for conversions that are not read, and for too much. */
function formatted([format = '', ...values]: readonly string[]): string | undefined {
  if (OTHER_CONVERSION.test(format.replaceAll('%%', ''))) return undefined;
  let printed = '';
  let used = 0;
  for (let before = -1; used > before && (before < 0 || used < values.length); ) {
    before = used;
    printed += format.replace(PIECES, (piece) => {
      if (piece === '%%') return '%';
      if (!piece.startsWith('%')) return unescaped(piece, 3);
      const value = values[used] ?? '';
      used += 1;
      if (piece === '%c') return value.slice(0, 1);
      return piece === '%b' ? unescaped(value) : value;
    });
    if (printed.length > MAX_PRINTED) return undefined;
  }
  return printed;
}

/** What a command prints; undefined for another command than these two. What is not known keeps its place: `$NAME`. */
export function printedBy(words: readonly ShellWord[]): Printed | undefined {
  const [name = '', ...texts] = textsOf(words);
  const command = commandName(name);
  if (command !== 'echo' && command !== 'printf') return undefined;
  const isAll = words.every(({ isDynamic }) => !isDynamic) && !texts.some((text) => STOPS.test(text));
  if (command === 'echo') {
    const { options, text } = echoed(texts);
    const read = unescaped(text);
    const printed = { texts: options.includes('e') || read === text ? [read] : [text, read], isAll };
    return /e/i.test(options) ? { ...printed, withOptions: texts.join(' ') } : printed;
  }
  const own = texts[0] === '--' ? texts.slice(1) : texts;
  // `printf -v name` sets a variable.
  const printed = own[0]?.startsWith('-') ? undefined : formatted(own);
  return printed === undefined ? { texts: [unescaped(own.join(' '))], isAll: false } : { texts: [printed], isAll };
}

/** What follows the text that one of these two prints: the end of a line, unless an option of `echo` leaves it out. */
export function endOf(words: readonly ShellWord[]): string {
  const [name = '', ...texts] = textsOf(words);
  return commandName(name) === 'echo' && !echoed(texts).options.includes('n') ? '\n' : '';
}
