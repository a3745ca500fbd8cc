// The arguments that a command gives to the one that it runs: `xargs` and `parallel` what they read, `fd -x` what it finds.
import { firstOf } from '../first-of.ts';
import { type CommandLine, fedText } from './shell-code.ts';
import { type ShellWord, textsOf } from './shell-words.ts';

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
/** Several commands are run, each with some of the arguments. */
const SPLITS = /^(?:-[0rtxp]*[nLls]|--max-(?:args|lines|chars))/;
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

/** What the command of a line gives to the one whose words begin with `first`; undefined for one that gives nothing. */
export function argumentsGiven(line: CommandLine, code: readonly ShellWord[] = []): Given | undefined {
  const { command } = line.known.entry;
  const texts = textsOf(code);
  const hasPlaceholder = texts.some((text) => PLACEHOLDER.test(text));
  if (FINDS.test(command))
    return hasPlaceholder ? undefined : { texts: [], isAll: false, placeholder: undefined, most: 1 };
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
  return { texts: fed?.texts ?? [], isAll: fed?.isAll === true && !splits, placeholder, most };
}

const wordsIn = (text: string): string[] =>
  text
    .replaceAll(/["'\\]/g, '')
    .split(/\s+/)
    .filter(Boolean);

/** The command with arguments where its words have the placeholder. */
function replaced(code: readonly ShellWord[], placeholder: string, { texts, isAll }: Given): ShellWord[][] {
  const withText = (text: string, isDynamic = false) =>
    code.map((word) =>
      word.text.includes(placeholder)
        ? { ...word, text: word.text.replaceAll(placeholder, () => text), isDynamic: word.isDynamic || isDynamic }
        : word,
    );
  // It is one argument with its spaces, which a command may read as several.
  const withWords = (text: string) =>
    code.flatMap((word) => (word.text === placeholder ? wordsIn(text).map((one) => ({ ...word, text: one })) : word));
  const lines = new Set(texts.flatMap((text) => text.split('\n')).filter((text) => text.trim() !== ''));
  const { kept, isCut } = firstOf([...lines], MAX_LINES);
  const known = kept.flatMap((text) => (/\s/.test(text.trim()) ? [withText(text), withWords(text)] : [withText(text)]));
  if (isAll && !isCut) return known;
  // Braces are known to be a placeholder; a word may be taken for what it says.
  return [...known, /\w/.test(placeholder) ? withText(ANY_ARGUMENT, true) : [...code]];
}

/** The commands that are run: with the arguments that are known, and, where more may be given, with some that are not. */
export function withArguments(code: readonly ShellWord[], given: Given): ShellWord[][] {
  const { texts, isAll, placeholder, most } = given;
  if (placeholder !== undefined) return replaced(code, placeholder, given);
  const end = code.at(-1)?.end ?? 0;
  const wordOf = (text: string): ShellWord => ({
    text,
    at: end,
    end,
    isDynamic: text === ANY_ARGUMENT,
    isQuoted: false,
  });
  const lists = texts.map((text) =>
    firstOf(
      text
        .replaceAll(/["'\\]/g, '')
        .split(/\s+/)
        .filter(Boolean),
      MAX_ARGUMENTS,
    ),
  );
  const known = lists.map(({ kept }) => [...code, ...kept.map(wordOf)]);
  if (isAll && lists.every(({ isCut }) => !isCut)) return known;
  const any = Array.from({ length: Math.min(most, ANY_ARGUMENTS) }, () => wordOf(ANY_ARGUMENT));
  return [...known, [...code, ...any]];
}

/** Whether a command runs the lines that it reads: `parallel` without a command. */
export const runsLines = ({ known: { entry } }: CommandLine): boolean => entry.command === 'parallel';
