// Code that a shell command runs: on its line, from a pipe, from a here-document.
import { programFragments } from './calls.ts';
import { type Fragment, fragmentOf, readsOnly, type Span, unknownCode } from './code.ts';
import { commandName } from './commands.ts';
import type { CodeOnLine, CommandEntry, Lexicon } from '../lexicon/types.ts';
import type { ShellCommand } from './shell-syntax.ts';
import { type ShellWord, textsOf } from './shell-words.ts';
import { sqlFragments } from './sql.ts';

/** How code within code is read. */
export interface Reading {
  readonly lexicon: Lexicon;
  /** Reads a command line that is part of another one. */
  readonly inner: (text: string, at: number) => Fragment[];
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
): Fragment[] {
  if (language === 'sql') {
    // Clients have commands of their own, such as `\copy` and `\!`.
    if (/^\s*[\\.]/.test(text))
      return [
        /^\s*(?:\\[dlh?z]|\.(?:schema|tables|indexes|indices|databases|dbinfo|fullschema|help|show|stats|version)\b(?!.*[|>]))/.test(
          text,
        )
          ? readsOnly(span, { domain: 'db' })
          : unknownCode(span),
      ];
    return sqlFragments(text, { at: 0, end: text.length }, reading.lexicon).map((fragment) =>
      fragmentOf(span, fragment),
    );
  }
  if (language === 'script')
    return programFragments(text, span, reading.lexicon, (line) => reading.inner(line, span.at));
  return reading.inner(text, span.at);
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
  const literal =
    /^(?:echo|printf)$/.test(names[0] ?? '') &&
    first !== undefined &&
    first.command.words.every(({ isDynamic }) => !isDynamic);
  if (!literal || first === undefined) return [unknownCode(span)];
  const text = textsOf(first.command.words.slice(1))
    .filter((word) => !/^-[neE]+$/.test(word))
    .join(' ');
  return codeFragments(language, text, span, reading);
}

/** The words after the options and the arguments of a command that runs the rest of its line: `kubectl exec POD -- CMD`. */
function restOfLine(runs: CodeOnLine, words: readonly ShellWord[], entry: CommandEntry): ShellWord[] {
  // The subcommands come before the code too.
  const most = (runs.skip ?? 0) + entry.command.split(' ').length - 1;
  let at = 1;
  for (let skipped = 0; at < words.length; at += 1) {
    const text = words[at]?.text ?? '';
    if (text === '--') return words.slice(at + 1);
    if (entry.valued.has(text)) at += 1;
    else if (/^-./.test(text) || (runs.language === 'command' && /^[A-Za-z_]\w*=/.test(text) && skipped === 0))
      continue;
    else if (skipped >= most) break;
    else skipped += 1;
  }
  return words.slice(at);
}

/** Whether a word is one of the options, has its value (`--eval=x`), or is a cluster that ends with it (`-tc`). */
const optionIn = (text: string, options: readonly string[]): string | undefined =>
  options.find(
    (one) =>
      text === one ||
      (one.startsWith('--') && text.startsWith(`${one}=`)) ||
      (text.endsWith(one.charAt(1)) && /^-[a-z]$/i.test(one) && /^-[a-zA-Z]{1,5}$/.test(text)),
  );

/** The pieces of code on a command's line: its options may be repeated, as in `find -exec a \; -exec b \;`. */
export function codesOnLine(runs: CodeOnLine, words: readonly ShellWord[], entry: CommandEntry): ShellWord[][] {
  if (runs.options === undefined) return [restOfLine(runs, words, entry)].filter((rest) => rest.length > 0);
  const found: ShellWord[][] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    const option = word && optionIn(word.text, runs.options);
    if (word === undefined || option === undefined) continue;
    if (word.text.startsWith(`${option}=`)) {
      found.push([{ ...word, text: word.text.slice(option.length + 1) }]);
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
