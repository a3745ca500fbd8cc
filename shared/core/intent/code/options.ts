// The options of command lines: which words are options, and what those mean that mean the same in many commands.
import type { CommandEntry, Lexicon } from '../lexicon/types.ts';

export const isOption = (word: string): boolean => word.length > 1 && (word.startsWith('-') || /^\/[a-z]$/i.test(word));

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

/** Whether an option is among the words: itself, with a value (`--force=true`), or in a cluster (`-rf` has `-f`). */
export function hasOption(words: readonly string[], option: string): boolean {
  const letter = /^-[a-zA-Z]$/.test(option) ? option.charAt(1) : undefined;
  const [, stem] = /^(.+)\*$/.exec(option) ?? [];
  const prefix = stem ?? (/[=/:]$/.test(option) ? option : `${option}=`);
  return words.some(
    (word, at) =>
      word === option ||
      (at > 0 && word.startsWith(prefix) && (stem === undefined || word !== stem)) ||
      (letter !== undefined && word.includes(letter) && /^-[a-zA-Z]{2,6}$/.test(word)),
  );
}

const NOT_DRY = /^(?:none|false|no|0|off)$/i;

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

function saysDry(words: readonly string[], isDry: (option: string) => boolean): boolean {
  let dry = false;
  for (const [at, word] of words.entries()) {
    const [name = '', value = words[at + 1] ?? ''] = word.split(/[=:]/, 2);
    if (isDry(name)) dry = !NOT_DRY.test(value.replace(/^\$/, ''));
    else if (name.startsWith('--no-') && isDry(name.replace('--no-', '--'))) dry = false;
    else if (/^-[a-zA-Z]{2,6}$/.test(word) && [...word.slice(1)].some((letter) => isDry(`-${letter}`))) dry = true;
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

/** Whether a word is an option by which any command runs another: `tar --to-command=sh`. */
export function runsOthers(word: string, { codeWords }: Lexicon): boolean {
  const [, name = ''] = /^--?([a-z][a-z0-9-]*)/.exec(word) ?? [];
  return codeWords.runningOptions.has(name);
}

/** Whether a command that reads writes a file by an option: `git log --output=/etc/passwd`. */
export const writesByOption = (words: readonly string[], { codeWords }: Lexicon): boolean =>
  words.some((_, at) => {
    const { name, value } = optionAt(words, at);
    return at > 0 && codeWords.writingOptions.has(name) && FILE.test(value);
  });
