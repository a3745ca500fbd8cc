// The arguments that a command gives to the one that it runs: `xargs` and `parallel` what they read, `fd -x` what it finds.
import { firstOf } from '../first-of.ts';
import { isLongOption } from './options.ts';
import { type CommandLine, fedText } from './shell-code.ts';
import { type ShellWord, textsOf, unescaped } from './shell-words.ts';

/** The place of an argument of which nothing is known. */
export const ANY_ARGUMENT = '$ARGUMENT';
/** What any command needs to do something else than without arguments: `ssh HOST rm x`. */
const ANY_ARGUMENTS = 3;
const MAX_ARGUMENTS = 100;
const MAX_LINES = 20;

const READS = /^(?:xargs|parallel)$/;
const FINDS = /^fd(?:find)?$/;
/** Arguments that are on the line, which are read as its words. */
const ON_LINE = /^:::/;
const FROM_FILE = /^(?:-[0rtxp]*a|--arg-file)/;
/** Several commands are run, each with some of the arguments, or an argument ends them. */
const SPLITS = /^(?:-[0rtxp]*[nLlsEe]|--max-(?:args|lines|chars)|--eof)/;
const PLACEHOLDER = /\{[^{}\s]*\}/;
const REPLACES = /^-[0rtxp]*I(.*)$/s;
const REPLACES_BRACES = /^(?:-[0rtxp]*i|--replace=?)(.*)$/s;

interface Given {
  /** What there is to run the command with; each is a text of which the words are arguments. */
  readonly texts: readonly string[];
  readonly isAll: boolean;
  /** What stands for an argument in the words of the command. Undefined: they follow it. */
  readonly placeholder: string | undefined;
  /** At most this number of arguments are given at once. */
  readonly most: number;
  /** Between two arguments. Undefined: white space, or the end of a line where there is a placeholder; quotes and backslashes are read. */
  readonly separator: string | undefined;
  /** The options name a separator that is not understood. */
  readonly isUnclear: boolean;
}

function placeholderOf(options: readonly string[]): string | undefined {
  for (const [at, option] of options.entries()) {
    const named = REPLACES.exec(option)?.[1];
    if (named !== undefined) return named || options[at + 1];
    const braces = REPLACES_BRACES.exec(option)?.[1];
    if (braces !== undefined) return braces || '{}';
  }
  return undefined;
}

/** Options of one letter with a value: what follows in the same word is no option. */
const VALUED = /[aEILnPsjSCNJReil]/;

/** The value of the option for a separator in one word, and NUL for the option that says so; undefined for another word. */
function separatorIn(option: string, next: string): string | undefined {
  if (isLongOption(option, '--null')) return '\0';
  if (isLongOption(option, '--delimiter')) return option.includes('=') ? option.slice(option.indexOf('=') + 1) : next;
  if (!/^-[^-]/.test(option)) return undefined;
  let separator: string | undefined;
  for (let at = 1; at < option.length && !VALUED.test(option.charAt(at)); at += 1) {
    if (option.charAt(at) === 'd') return option.slice(at + 1) || next;
    if (option.charAt(at) === '0') separator = '\0';
  }
  return separator;
}

/** What stands between the arguments by the last option that says so. */
function separatorOf(options: readonly string[]): Pick<Given, 'separator' | 'isUnclear'> {
  const named = options.flatMap((option, at) => separatorIn(option, options[at + 1] ?? '') ?? []).at(-1);
  if (named === undefined) return { separator: undefined, isUnclear: false };
  const separator = unescaped(named);
  return separator.length === 1 ? { separator, isUnclear: false } : { separator: undefined, isUnclear: true };
}

/** What the command of a line gives to the one whose words begin with `first`; undefined for one that gives nothing. */
export function argumentsGiven(line: CommandLine, code: readonly ShellWord[] = []): Given | undefined {
  const { command } = line.known.entry;
  const texts = textsOf(code);
  const hasPlaceholder = texts.some((text) => PLACEHOLDER.test(text));
  if (FINDS.test(command))
    return hasPlaceholder
      ? undefined
      : { texts: [], isAll: false, placeholder: undefined, most: 1, separator: undefined, isUnclear: false };
  if (!READS.test(command) || texts.some((text) => ON_LINE.test(text))) return undefined;
  const first = code[0] === undefined ? -1 : line.words.indexOf(code[0]);
  const options = line.texts.slice(1, Math.max(first, 1));
  const own = placeholderOf(options);
  const placeholder = own ?? (command === 'parallel' && hasPlaceholder ? '{}' : undefined);
  const fed = options.some((option) => FROM_FILE.test(option)) ? undefined : fedText(line);
  const splits = placeholder === undefined && (command === 'parallel' || options.some((option) => SPLITS.test(option)));
  const most = options.some((option, at) => option === '-n1' || (option === '-n' && options[at + 1] === '1'))
    ? 1
    : Infinity;
  const separated = separatorOf(options);
  const isAll = fed?.isAll === true && !splits && !separated.isUnclear;
  const given = [...(fed?.texts ?? []), ...(fed?.withOptions === undefined ? [] : [fed.withOptions])];
  return { texts: given, isAll, placeholder, most, ...separated };
}

const withoutQuotes = (text: string): string => text.replaceAll(/["'\\]/g, '');
const wordsIn = (text: string): string[] => withoutQuotes(text).split(/\s+/).filter(Boolean);

/** The command with arguments where its words have the placeholder. */
function replaced(code: readonly ShellWord[], placeholder: string, { texts, isAll, separator }: Given): ShellWord[][] {
  const withText = (text: string, isDynamic = false) =>
    code.map((word) =>
      word.text.includes(placeholder)
        ? {
            ...word,
            text: word.text.replaceAll(placeholder, () => text),
            isDynamic: word.isDynamic || isDynamic,
            holdsData: word.holdsData || isDynamic,
          }
        : word,
    );
  // It is one argument with its spaces, which a command may read as several.
  const withWords = (text: string) =>
    code.flatMap((word) => (word.text === placeholder ? wordsIn(text).map((one) => ({ ...word, text: one })) : word));
  const given = texts.flatMap((text) => text.split(separator ?? '\n')).filter((text) => text.trim() !== '');
  const lines = new Set(separator === undefined ? given.flatMap((text) => [text, withoutQuotes(text)]) : given);
  const { kept, isCut } = firstOf([...lines], MAX_LINES);
  const known = kept.flatMap((text) => (/\s/.test(text.trim()) ? [withText(text), withWords(text)] : [withText(text)]));
  if (isAll && !isCut) return known;
  return [...known, withText(ANY_ARGUMENT, true)];
}

/** The commands that are run: with the arguments that are known, and, where more may be given, with some that are not. */
export function withArguments(code: readonly ShellWord[], given: Given): ShellWord[][] {
  const { texts, isAll, placeholder, most, separator } = given;
  if (placeholder !== undefined) return replaced(code, placeholder, given);
  const end = code.at(-1)?.end ?? 0;
  const wordOf = (text: string): ShellWord => ({
    text,
    at: end,
    end,
    isDynamic: text === ANY_ARGUMENT,
    holdsData: text === ANY_ARGUMENT,
    isQuoted: false,
  });
  const lists = texts.map((text) =>
    firstOf(separator === undefined ? wordsIn(text) : text.split(separator).filter(Boolean), MAX_ARGUMENTS),
  );
  const known = lists.map(({ kept }) => [...code, ...kept.map(wordOf)]);
  if (isAll && lists.every(({ isCut }) => !isCut)) return known;
  const any = Array.from({ length: Math.min(most, ANY_ARGUMENTS) }, () => wordOf(ANY_ARGUMENT));
  return [...known, [...code, ...any]];
}

/** A part of a word that stands for what `find` or `fd` finds. */
const FOUND = /\{(?:\.|\/{1,2}|\/\.)?\}/g;

/** A command that `find` or `fd` runs, with what is found within its words: unknown, unlike a word that is nothing else and a path. */
export const withFound = (code: ShellWord[], { known: { entry } }: CommandLine): ShellWord[] =>
  entry.command !== 'find' && !FINDS.test(entry.command)
    ? code
    : code.map((word) => {
        const text = word.text.replaceAll(FOUND, () => ANY_ARGUMENT);
        return text === word.text || text === ANY_ARGUMENT ? word : { ...word, text, isDynamic: true };
      });

/** Options of `find` that take any argument for a name. */
const TAKES_NAME = /^-i?(?:name|path)$/;
/** A program of `sed` in the word of its option, which is no operand. */
const GLUED_PROGRAM = /^(?:-[nrEsuz]*e|--expression=)[^$]/;

/** Whether arguments that are not known decide what a command does that only reads: the program of an editor of streams, what `find` does. */
export function isDecidedElsewhere({ known: { entry, arguments: args }, texts }: CommandLine): boolean {
  if (entry.command === 'find')
    return texts.some((text, at) => text.startsWith(ANY_ARGUMENT) && !TAKES_NAME.test(texts[at - 1] ?? ''));
  const isEditor = /(?:awk|sed)$/.test(entry.command) && !texts.some((text) => GLUED_PROGRAM.test(text));
  return isEditor && args[0]?.includes(ANY_ARGUMENT) === true;
}

/** Whether a command runs the lines that it reads: `parallel` without a command. */
export const runsLines = ({ known: { entry } }: CommandLine): boolean => entry.command === 'parallel';
