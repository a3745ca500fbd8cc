// The options of command lines: which words are options, and what those mean that mean the same in many commands.
import type { CommandEntry, Lexicon } from '../lexicon/types.ts';

export const eitherOf = (a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> =>
  a === b || b.size === 0 ? a : new Set([...a, ...b]);

export const isOption = (word: string): boolean => word.length > 1 && (word.startsWith('-') || /^\/[a-z]$/i.test(word));

/** Options that a word follows that may be their value, as nothing is known of them: `--log-level info`. */
export function mayHaveValues(words: readonly string[], valued: ReadonlySet<string>): string[] {
  const isUnknown = (word: string) => word !== '--' && isOption(word) && !word.includes('=') && !valued.has(word);
  return words.slice(1, -1).filter((word, at) => isUnknown(word) && !isOption(words[at + 2] ?? '-'));
}

/** The arguments of a command line without its options and their values. Words after `--` are arguments. */
export function argumentsOf(words: readonly string[], valued: ReadonlySet<string>): string[] {
  const found: string[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') return [...found, ...words.slice(at + 1)];
    if (!isOption(word)) found.push(word);
    else if (valued.has(word)) at += 1;
  }
  return found;
}

const CLUSTER = /^-([a-zA-Z0-9]{2,8})$/;

/** The letters of a cluster of options: `-xvf`. What follows one with a value is its value: `-rcsv` of ruby has no `-c`. */
function lettersOf(word: string, valued: ReadonlySet<string>): string {
  const [, letters = ''] = CLUSTER.exec(word) ?? [];
  for (let at = 0; at < letters.length; at += 1)
    if (valued.has(`-${letters.charAt(at)}`)) return letters.slice(0, at + 1);
  return letters;
}

/** The letters that a long option must have at least to be an abbreviation: `--del` of `--delete`. */
const MIN_ABBREVIATION = '--abc'.length;

/** Whether a long option is written as, or short for, another: `--forc`, `--del=x`. Most parsers of options accept both. */
export function isLongOption(word: string, option: string): boolean {
  if (!option.startsWith('--') || !word.startsWith('--')) return false;
  const end = word.indexOf('=');
  const name = end < 0 ? word : word.slice(0, end);
  return name === option || (name.length >= MIN_ABBREVIATION && option.startsWith(name) && !option.includes('='));
}

/** Whether an option is among the words: itself, with a value (`--force=true`), short (`--forc`), or in a cluster (`-rf` has `-f`). */
export function hasOption(words: readonly string[], option: string): boolean {
  const letter = /^-[a-zA-Z0-9]$/.test(option) ? option.charAt(1) : undefined;
  const [, stem] = /^(.+)\*$/.exec(option) ?? [];
  const prefix = stem ?? (/[=/:]$/.test(option) ? option : `${option}=`);
  // Names of settings are written in any case: `-o proxycommand=x`.
  const folds = stem !== undefined && /[a-z]{4}/i.test(stem);
  const begins = (word: string) =>
    folds ? word.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase() : word.startsWith(prefix);
  return words.some(
    (word, at) =>
      word === option ||
      (at > 0 && begins(word) && (stem === undefined || word !== stem)) ||
      isLongOption(word, option) ||
      (letter !== undefined && (CLUSTER.exec(word)?.[1] ?? '').includes(letter)),
  );
}

const NOT_DRY = /^(?:none|false|no|0|off|f|n)$/i;
/** The values with which an option for a dry run is one: `--dry-run=client`. Of another one nothing is known. */
const DRY = /^(?:true|t|1|yes|y|on|all|client|server|print|plan|preview|check|\$true)$/i;

/** Whether the last option about it says that this is a dry run. */
export function isDryRun(words: readonly string[], base: CommandEntry, entry: CommandEntry): boolean {
  if (base.dryRun.size + entry.dryRun.size === 0) return false;
  // Options after a script are its own.
  const over = words.findIndex(
    (word, at) => at > 0 && (word === '--' || (base.runs !== undefined && entry === base && !isOption(word))),
  );
  // It may be the value of another option.
  const isValue = (before: string) => base.valued.has(before) || entry.valued.has(before);
  const own = over < 0 ? words : words.slice(0, over);
  return saysDry(
    own.filter((_, at) => !isValue(own[at - 1] ?? '')),
    (option) => base.dryRun.has(option) || entry.dryRun.has(option),
    eitherOf(base.valued, entry.valued),
  );
}

/** Whether a program that nobody can see is told to change nothing: `python purge.py --dry-run`. */
export function isTrial(words: readonly string[], { codeWords }: Lexicon): boolean {
  const isDry = (option: string) => option.startsWith('--') && codeWords.dryOptions.has(option.slice(2).toLowerCase());
  // `--plan premium` may mean something else.
  const isPlain = (word: string, at: number) =>
    !word.startsWith('--') || /dry/i.test(word) || !(word.includes('=') || /^[^-]/.test(words[at + 1] ?? '-'));
  const isWet = (word: string) => codeWords.wetOptions.has(/^--?([a-z][\w-]*)/i.exec(word)?.[1]?.toLowerCase() ?? '');
  return saysDry(words.filter(isPlain), isDry) && !words.some(isWet);
}

function saysDry(
  words: readonly string[],
  isDry: (option: string) => boolean,
  valued: ReadonlySet<string> = new Set(),
): boolean {
  let dry = false;
  for (const [at, word] of words.entries()) {
    const [name = '', value] = word.split(/[=:]/, 2);
    if (isDry(name))
      dry = value === undefined ? !NOT_DRY.test((words[at + 1] ?? '').replace(/^\$/, '')) : DRY.test(value);
    else if (name.startsWith('--no-') && isDry(name.replace('--no-', '--'))) dry = false;
    else if ([...lettersOf(word, valued)].some((letter) => isDry(`-${letter}`))) dry = true;
  }
  return dry;
}

/** Whether a long option destroys something beside what the command changes: `--purge`, `--delete-backup-data true`. */
export const hasDestroyingOption = (words: readonly string[], { codeWords }: Lexicon): boolean =>
  words.some((word, at) => {
    const [, first = '', value = words[at + 1] ?? ''] = /^--([a-z]+)[a-z-]*(?:=(.*))?$/.exec(word) ?? [];
    return codeWords.destroyingOptions.has(first) && !NOT_DRY.test(value);
  });

/** The name and the value of a long option: `--output=FILE`, `--output FILE`. */
function optionAt(words: readonly string[], at: number): { readonly name: string; readonly value: string } {
  const [, name = '', value] = /^--([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(words[at] ?? '') ?? [];
  return { name, value: value ?? words[at + 1] ?? '' };
}

/** A file, and not a format such as `json` or `jsonpath={.items}`. */
const FILE = /^(?!jsonpath|go-template|template|custom-columns)[^={]*[./]/;

/** Whether a word is an option by which any command runs another: `tar --to-command=sh`, `--to-comm=sh`. */
export function runsOthers(word: string, { codeWords }: Lexicon): boolean {
  const [, name = ''] = /^--?([a-z][a-z0-9-]*)/.exec(word) ?? [];
  if (codeWords.runningOptions.has(name)) return true;
  const words = name.split('-').length;
  // An abbreviation ends within the last word; `--compress` is another option than `--compress-program`.
  return (
    words > 1 &&
    [...codeWords.runningOptions.names].some(
      (option) =>
        option.startsWith(name) && option.split('-').length === words && isLongOption(`--${name}`, `--${option}`),
    )
  );
}

/** Whether a command that reads writes a file by an option: `git log --output=/etc/passwd`. */
export const writesByOption = (words: readonly string[], { codeWords }: Lexicon): boolean =>
  words.some((_, at) => {
    const { name, value } = optionAt(words, at);
    return at > 0 && codeWords.writingOptions.has(name) && FILE.test(value);
  });
