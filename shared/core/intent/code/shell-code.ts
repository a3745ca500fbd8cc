// Code that a shell command runs: on its line, from a pipe, from a here-document.
import { programFragments } from './calls.ts';
import { type Fragment, fragmentOf, readsOnly, type Span, unknownCode } from './code.ts';
import { commandName, type KnownCommand, restAt } from './commands.ts';
import { isLongOption } from './options.ts';
import type { CodeOnLine, Lexicon } from '../lexicon/types.ts';
import type { ShellCommand } from './shell-syntax.ts';
import { type ShellWord, textsOf } from './shell-words.ts';
import { sqlFragments } from './sql.ts';

/** How code within code is read. */
export interface Reading {
  readonly lexicon: Lexicon;
  /** Reads a command line that is part of another one, whose first command may be fed what that one is. */
  readonly inner: (text: string, at: number, fed?: Fed) => Fragment[];
}

/** What a command reads: a here-document, a file, or the output of another command. */
export interface Fed {
  readonly command: ShellCommand;
  readonly before: Before | undefined;
}

/** A command whose output the next one reads. */
export interface Before {
  readonly command: ShellCommand;
  readonly fragments: readonly Fragment[];
  readonly before: Before | undefined;
}

/** Code of a language that a command runs. */
export function codeFragments(
  language: CodeOnLine['language'],
  text: string,
  span: Span,
  reading: Reading,
  fed?: Fed,
): Fragment[] {
  if (language === 'sql') {
    // Clients have commands of their own, such as `\copy` and `\!`.
    if (/^\s*[\\.]/.test(text))
      return [
        /^\s*(?:\\[dlh?z]|\.(?:schema|tables|indexes|indices|databases|dbinfo|fullschema|help|show|stats|version)\b(?!.*[|>]))/.test(
          text,
        )
          ? readsOnly(span, { domain: 'db' })
          : unknownCode(span, { isWhole: true }),
      ];
    return sqlFragments(text, { at: 0, end: text.length }, reading.lexicon).map((fragment) =>
      fragmentOf(span, fragment),
    );
  }
  if (language === 'script')
    return programFragments(text, span, reading.lexicon, (line) => reading.inner(line, span.at));
  return reading.inner(text, span.at, fed);
}

/** Commands that a client is fed, one a line: `echo FLUSHALL | redis-cli`. */
export function fedCommands({ text: name }: ShellWord, { command, before }: Fed, reading: Reading): Fragment[] {
  const span = { at: command.at, end: command.end };
  const text = command.input?.text ?? (before === undefined ? undefined : printed(before.command));
  if (text === undefined)
    return before !== undefined || command.redirections.some(({ operator }) => operator === '<')
      ? [unknownCode(span)]
      : [];
  const lines = text.split(/\n|\\n/).filter((line) => line.trim() !== '');
  return lines.slice(0, MAX_FED).flatMap((line) => reading.inner(`${name} ${line}`, span.at));
}

const MAX_FED = 20;

/** What a command prints, if that is on its line. */
function printed({ words }: ShellCommand): string | undefined {
  const isKnown =
    /^(?:echo|printf)$/.test(commandName(words[0]?.text ?? '')) && words.every(({ isDynamic }) => !isDynamic);
  return isKnown
    ? textsOf(words.slice(1))
        .filter((word) => !/^-[neE]+$/.test(word))
        .join(' ')
    : undefined;
}

/** Where the code of an interpreter comes from, if not from its line: a pipe, a here-document, a file. */
export function fedCode(
  command: ShellCommand,
  args: readonly string[],
  before: Before | undefined,
  language: CodeOnLine['language'],
  reading: Reading,
): Fragment[] {
  const span = { at: command.at, end: command.end };
  if (command.input)
    return codeFragments(
      language,
      command.input.text,
      { at: command.input.at, end: command.input.at + command.input.text.length },
      reading,
    );
  if (language === 'sql' && command.redirections.some(({ operator }) => operator === '<')) return [unknownCode(span)];
  if (before === undefined) return args.some((arg) => arg !== '-') && language !== 'sql' ? [unknownCode(span)] : [];
  const chain: Before[] = [];
  for (let one: Before | undefined = before; one && chain.length < 20; one = one.before) chain.push(one);
  const names = chain.map(({ command: { words } }) =>
    commandName(words.find(({ text }) => !/^sudo$/.test(text))?.text ?? ''),
  );
  const fetched = chain.some(({ fragments }) => fragments.some((fragment) => fragment.language === 'http'));
  const decoded = chain.some(
    ({ command: { words } }) =>
      /^(?:base64|base32|xxd|openssl|gunzip|zcat)$/.test(commandName(words[0]?.text ?? '')) &&
      /^(?:-d|--decode|-D|-r|enc)$/.test(words[1]?.text ?? ''),
  );
  if (fetched || decoded)
    return [
      fragmentOf(span, {
        verb: names.at(-1) || 'run',
        action: 'execute',
        effect: 'destructive',
        traits: ['external', 'irreversible'],
        object: 'remote_code',
        disguised: decoded,
      }),
    ];
  const [first] = chain;
  const text = first === undefined ? undefined : printed(first.command);
  if (text === undefined) return [unknownCode(span)];
  return codeFragments(language, text, span, reading);
}

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
export function codesOnLine(
  runs: CodeOnLine,
  words: readonly ShellWord[],
  { entry, valued }: KnownCommand,
): ShellWord[][] {
  const found = runs.options === undefined ? [] : codesInOptions(runs, words);
  if (runs.options !== undefined && (runs.skip === undefined || found.length > 0)) return found;
  const at = restAt(runs, textsOf(words), entry.command, valued);
  const rest = at < 0 ? [] : words.slice(at);
  // Each argument is a statement of its own.
  if (runs.language === 'sql' && /^\.|\s/.test(rest[0]?.text ?? '')) return rest.map((word) => [word]);
  return rest.length > 0 ? [rest] : [];
}

/** Whether the last word is an option whose code is missing. */
export const endsWithCodeOption = ({ options = [] }: CodeOnLine, words: readonly ShellWord[]): boolean =>
  words.length > 1 && valueIn(words.at(-1)?.text ?? '', options) === undefined;

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
