// Code that a shell command runs: of which language it is, and what it is fed from a pipe, a here-document, a file.
import { programFragments } from './calls.ts';
import { type Fragment, fragmentOf, readsOnly, type Span, unknownCode } from './code.ts';
import { commandName, type KnownCommand } from './commands.ts';
import type { CodeOnLine, Lexicon } from '../lexicon/types.ts';
import type { ShellCommand } from './shell-syntax.ts';
import { type ShellWord, textsOf } from './shell-words.ts';
import { sqlFragments } from './sql.ts';

/** A command whose output the next one reads. */
export interface Before {
  readonly command: ShellCommand;
  readonly fragments: readonly Fragment[];
  readonly before: Before | undefined;
}

/** What a command reads: a here-document, a file, or the output of another command. */
export interface Fed {
  readonly command: ShellCommand;
  readonly before: Before | undefined;
}

/** A command that is read, with all that its reading depends on. */
export interface Reading extends Fed {
  readonly lexicon: Lexicon;
  /** How many commands run this one in turn: 1 for `rm` in `sudo rm`. */
  readonly prefixes: number;
  /** Reads a command line that is part of another one, whose first command may be fed what that one is. */
  readonly inner: (text: string, at: number, fed?: Fed) => Fragment[];
}

/** A line that begins with a command of the lexicon: all of the command, or what another one runs. */
export interface CommandLine extends Reading {
  readonly known: KnownCommand;
  /** By the names that the lexicon has for them. */
  readonly words: readonly ShellWord[];
  /** Those of the words. */
  readonly texts: readonly string[];
  readonly span: Span;
}

export const readsFile = ({ redirections }: ShellCommand): boolean =>
  redirections.some(({ operator }) => operator === '<');

/** Commands of SQL clients' own that only show something, unlike `\copy` and `\!`. */
const CLIENT_READS =
  /^\s*(?:\\[dlh?z]|\.(?:schema|tables|indexes|indices|databases|dbinfo|fullschema|help|show|stats|version)\b(?!.*[|>]))/;

/** Code of a language that a command runs. */
export function codeFragments(
  language: CodeOnLine['language'],
  text: string,
  span: Span,
  reading: Reading,
  fed?: Fed,
): Fragment[] {
  if (language === 'sql' && /^\s*[\\.]/.test(text))
    return [CLIENT_READS.test(text) ? readsOnly(span, { domain: 'db' }) : unknownCode(span, { isWhole: true })];
  if (language === 'sql')
    return sqlFragments(text, { at: 0, end: text.length }, reading.lexicon).map((fragment) =>
      fragmentOf(span, fragment),
    );
  if (language === 'script')
    return programFragments(text, span, reading.lexicon, (line) => reading.inner(line, span.at));
  return reading.inner(text, span.at, fed);
}

const MAX_FED = 20;

/** Commands that a client is fed, one a line: `echo FLUSHALL | redis-cli`. */
export function fedCommands({ known, texts: [name = ''], command, before, inner }: CommandLine): Fragment[] {
  if (!known.entry.readsCommands) return [];
  const text = command.input?.text ?? printed(before);
  if (text === undefined)
    return before !== undefined || readsFile(command) ? [unknownCode({ at: command.at, end: command.end })] : [];
  const lines = text.split(/\n|\\n/).filter((line) => line.trim() !== '');
  return lines.slice(0, MAX_FED).flatMap((line) => inner(`${name} ${line}`, command.at));
}

/** What a command prints, if that is on its line. */
function printed(before: Before | undefined): string | undefined {
  const words = before?.command.words ?? [];
  const isKnown =
    /^(?:echo|printf)$/.test(commandName(words[0]?.text ?? '')) && words.every(({ isDynamic }) => !isDynamic);
  return isKnown
    ? textsOf(words.slice(1))
        .filter((word) => !/^-[neE]+$/.test(word))
        .join(' ')
    : undefined;
}

/** The commands of a pipe, the last one first. */
function chainOf(last: Before): Before[] {
  const chain: Before[] = [];
  for (let one: Before | undefined = last; one && chain.length < 20; one = one.before) chain.push(one);
  return chain;
}

const isDecoding = ({ command: { words } }: Before): boolean =>
  /^(?:base64|base32|xxd|openssl|gunzip|zcat)$/.test(commandName(words[0]?.text ?? '')) &&
  /^(?:-d|--decode|-D|-r|enc)$/.test(words[1]?.text ?? '');

/** What an interpreter runs that has no code on its line: a pipe, a here-document, a file. */
export function fedCode(line: CommandLine, language: CodeOnLine['language']): Fragment[] {
  const { command, before, known } = line;
  const { at, end, input } = command;
  const span = { at, end };
  if (input) return codeFragments(language, input.text, { at: input.at, end: input.at + input.text.length }, line);
  if (language === 'sql' && readsFile(command)) return [unknownCode(span)];
  if (before === undefined)
    return known.arguments.some((arg) => arg !== '-') && language !== 'sql' ? [unknownCode(span)] : [];
  const chain = chainOf(before);
  const fetched = chain.some(({ fragments }) => fragments.some((fragment) => fragment.language === 'http'));
  const decoded = chain.some(isDecoding);
  if (fetched || decoded) {
    const source = chain.at(-1)?.command.words.find(({ text }) => text !== 'sudo');
    return [
      fragmentOf(span, {
        verb: commandName(source?.text ?? '') || 'run',
        action: 'execute',
        effect: 'destructive',
        traits: ['external', 'irreversible'],
        object: 'remote_code',
        disguised: decoded,
      }),
    ];
  }
  const text = printed(before);
  return text === undefined ? [unknownCode(span)] : codeFragments(language, text, span, line);
}
