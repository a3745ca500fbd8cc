// Code on the line of a shell command: in its options, or in the words after them.
import type { Fragment } from './code.ts';
import { restAt } from './commands.ts';
import { isLongOption } from './options.ts';
import type { CodeOnLine } from '../lexicon/types.ts';
import { codeFragments, type CommandLine } from './shell-code.ts';
import type { ShellWord } from './shell-words.ts';

/** The piece of code in an option: its value (`--eval=x`, `-cx`), or undefined for the next word; false: it is none of the options. */
function valueIn(text: string, options: readonly string[]): string | undefined | false {
  for (const one of options) {
    if (text === one) return undefined;
    const letter = /^-[a-z]$/i.test(one) ? one.charAt(1) : undefined;
    if (letter === undefined) {
      if (!one.startsWith('--') ? false : isLongOption(text, one)) {
        const at = text.indexOf('=');
        return at < 0 ? undefined : text.slice(at + 1);
      }
      continue;
    }
    // A cluster that ends with it, or has its value right after it: `-tc`, `-tAcDROP TABLE x`.
    const [, after] = new RegExp(`^-[a-zA-Z0-9]{0,7}?${letter}(.*)$`, 's').exec(text) ?? [];
    if (after === '') return undefined;
    if (after !== undefined && /[^a-zA-Z0-9]/.test(after) && !/^[.=/,:]/.test(after)) return after;
  }
  return false;
}

/** The pieces of code on a command's line: its options may be repeated, as in `find -exec a \; -exec b \;`. */
export function codesOnLine(runs: CodeOnLine, { words, texts, known: { entry, valued } }: CommandLine): ShellWord[][] {
  const found = runs.options === undefined ? [] : codesInOptions(runs, words);
  if (runs.options !== undefined && (runs.skip === undefined || found.length > 0)) return found;
  const at = restAt(runs, texts, entry.command, valued);
  const rest = at < 0 ? [] : words.slice(at);
  // Each argument is a statement of its own.
  if (runs.language === 'sql' && /^\.|\s/.test(rest[0]?.text ?? '')) return rest.map((word) => [word]);
  return rest.length > 0 ? [rest] : [];
}

function codesInOptions(runs: CodeOnLine, words: readonly ShellWord[]): ShellWord[][] {
  const found: ShellWord[][] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    const value = word === undefined ? false : valueIn(word.text, runs.options ?? []);
    if (word === undefined || value === false) continue;
    if (value !== undefined) {
      found.push([{ ...word, text: value }]);
      continue;
    }
    const end = words.findIndex(({ text }, index) => index > at && (text === ';' || text === '+'));
    const until = runs.language !== 'command' ? at + 2 : end < 0 ? words.length : end;
    found.push(words.slice(at + 1, until));
    at = until - 1;
    // What follows the code of a shell are its arguments: `sh -c CODE NAME -c`.
    if (runs.language === 'shell') break;
  }
  return found.filter((code) => code.length > 0);
}

const CODE_OPTION =
  /^--?(sql|ddl|query|statement|query-string|command|commands|cmd|script|scripts|startup-script)(?:=|$)/i;
const CHANGES_DATA =
  /^\s*(?:drop|delete|truncate|alter|update|insert|merge|grant|revoke|create|replace|do|call|exec)\b\s/i;

/** Code in an option of a tool of which nothing else is known: `--sql "DROP TABLE x"`, `--command "rm -rf x"`. */
export function codeInOptions(line: CommandLine): Fragment[] {
  const { known, words } = line;
  if (known.entry.runs !== undefined) return [];
  return words.flatMap((word, at) => {
    const name = CODE_OPTION.exec(word.text)?.[1];
    const code = word.text.includes('=')
      ? { ...word, text: word.text.slice(word.text.indexOf('=') + 1) }
      : words[at + 1];
    if (name === undefined || code === undefined || !/\s/.test(code.text)) return [];
    const isSql = CHANGES_DATA.test(code.text);
    if (!isSql && !/^(?:c|s[ct])/i.test(name)) return [];
    return codeFragments(isSql ? 'sql' : 'shell', code.text, code, line).filter(({ effect }) => effect !== 'read');
  });
}
