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
      return [/^\s*\\[dlh?z]/.test(text) ? readsOnly(span, { domain: 'db' }) : unknownCode(span)];
    return sqlFragments(text, { at: 0, end: text.length }, reading.lexicon).map((fragment) => ({
      ...fragment,
      ...span,
    }));
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

/** The code on a command's line. Undefined: there is none. */
export function codeOnLine(
  runs: CodeOnLine,
  words: readonly ShellWord[],
  entry: CommandEntry,
): ShellWord[] | undefined {
  if (runs.options === undefined) {
    // The subcommands come before the code too.
    const most = (runs.skip ?? 0) + entry.command.split(' ').length - 1;
    let at = 1;
    for (let skipped = 0; at < words.length; at += 1) {
      const text = words[at]?.text ?? '';
      if (text === '--') {
        // What comes before it does not count: `kubectl exec POD -- CMD`.
        at += 1;
        break;
      }
      if (entry.valued.has(text)) at += 1;
      else if (/^-./.test(text) || (runs.language === 'command' && /^[A-Za-z_]\w*=/.test(text) && skipped === 0))
        continue;
      else if (skipped >= most) break;
      else skipped += 1;
    }
    return at < words.length ? words.slice(at) : undefined;
  }
  for (const [at, { text }] of words.entries()) {
    const option = runs.options.find(
      (one) =>
        text === one ||
        (one.startsWith('--') && text.startsWith(`${one}=`)) ||
        (text.endsWith(one.charAt(1)) && /^-[a-z]$/i.test(one) && /^-[a-zA-Z]{1,5}$/.test(text)),
    );
    if (at === 0 || option === undefined) continue;
    const word = words[at];
    if (word && text.startsWith(`${option}=`)) return [{ ...word, text: text.slice(option.length + 1) }];
    const rest = words.slice(at + 1);
    const end = rest.findIndex((one) => one.text === ';' || one.text === '+');
    return runs.language === 'command' ? rest.slice(0, end < 0 ? undefined : end) : rest.slice(0, 1);
  }
  return undefined;
}
