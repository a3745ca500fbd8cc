// Code that a shell command runs: of which language it is, and what it is fed from a pipe, a here-document, a file.
import { type Fragment, fragmentOf, type Span, unknownCode } from './code.ts';
import { commandName, type KnownCommand, restAt } from './commands.ts';
import { firstOf } from '../first-of.ts';
import { singular } from '../lexicon/inflection.ts';
import type { CodeOnLine, Lexicon } from '../lexicon/types.ts';
import { isActing } from './names.ts';
import { type Printed, printedBy } from './printed.ts';
import type { ShellCommand } from './shell-syntax.ts';
import { programFragments } from './short-programs.ts';
import type { ShellWord } from './shell-words.ts';
import { clientFragments } from './sql.ts';

/** Languages of programs, not of commands and queries. */
export const isProgramming = (
  language: CodeOnLine['language'] | undefined,
): language is Exclude<CodeOnLine['language'], 'command' | 'shell' | 'sql'> =>
  language === 'python' || language === 'javascript' || language === 'script';

/** A command whose output the next one reads. */
export interface Before {
  readonly command: ShellCommand;
  readonly fragments: readonly Fragment[];
  readonly before: Before | undefined;
  /** The next command may be fed more than that: both are in a group, or this one ends a group. */
  readonly isPart: boolean;
  /** All that the group prints which this one ends. */
  readonly printed?: Printed | undefined;
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

/** Code of a language that a command runs. */
export function codeFragments(
  language: CodeOnLine['language'],
  text: string,
  span: Span,
  reading: Reading,
  fed?: Fed,
): Fragment[] {
  if (language === 'sql') return clientFragments(text, span, reading.lexicon);
  if (isProgramming(language))
    return programFragments(
      text,
      { span, language: language === 'script' ? 'other' : language },
      reading.lexicon,
      (line) => reading.inner(line, span.at),
    );
  return reading.inner(text, span.at, fed);
}

/** What a command reads, if that is on its line. */
export function fedText({ command, before }: Fed): Printed | undefined {
  if (command.input) return { texts: [command.input.text], isAll: true };
  if (before === undefined) return undefined;
  if (before.printed) return before.printed;
  const printed = printedBy(before.command.words);
  return printed && { ...printed, isAll: printed.isAll && !before.isPart };
}

/** A pager that only prints, and options of node that run nothing. */
const PLAIN_VALUE =
  /^(?:\w*PAGER=(?:cat)?|NODE_OPTIONS=(?:\s*--(?:max-old-space-size=\d+|no-warnings|enable-source-maps|experimental-vm-modules|trace-[a-z]+))*\s*|PYTHONPATH=(?:\.|src|lib)?|GIT_(?:TERMINAL_PROMPT|OPTIONAL_LOCKS)=[01])$/;

/** Whether a variable that a program is given may decide what it does: which programs run, what is loaded, whom it talks to. */
export function mayDecide(assignment: string, lexicon: Lexicon): boolean {
  const { plainVariables, decidingVariables, protections, exposures, wetOptions } = lexicon.codeWords;
  const name = (/^\w+/.exec(assignment)?.[0] ?? '').toLowerCase();
  if (PLAIN_VALUE.test(assignment) || plainVariables.has(name)) return false;
  // `MY_FLAG=1` names no program, no file and no host, and says of nothing that it is to be done or left out.
  const acts = (part: string) =>
    isActing(part, lexicon) || [protections, exposures, wetOptions].some((words) => words.has(part));
  const isPlain = SWITCHED_ON.test(assignment) || namesNothing(assignment, lexicon);
  return !isPlain || decidingVariables.has(name) || name.split('_').some(acts);
}

const PLAIN_WORD = /^([a-z]\w{0,63})=([a-z][a-z0-9]{0,31})$/i;
/** What switches something off, such as a dry run. */
const SWITCHED_OFF = /^(?:no|off|false|none|null|nil|never|disabled?)$/i;

/**
 * Whether a variable and its value, one word, are none that anybody knows: `FOO=bar make test`. Names that end like those of deciding variables
 * choose a program, a file or a host, and known words a place, a thing or what is done.
 */
function namesNothing(assignment: string, lexicon: Lexicon): boolean {
  const [, name = '', value = ''] = PLAIN_WORD.exec(assignment.toLowerCase()) ?? [];
  if (value === '' || SWITCHED_OFF.test(value)) return false;
  const { commands, codeWords, domainOfNoun, places, plurals, words } = lexicon;
  const isKnown = (part: string) =>
    commands.has(part) ||
    places.get(part) !== undefined ||
    domainOfNoun.has(singular(part, plurals)) ||
    words.of(part).isListed;
  const endsAsDeciding = [...codeWords.decidingVariables.names].some((one) => {
    const end = one.slice(one.lastIndexOf('_') + 1);
    return name === end || name.endsWith(`_${end}`) || (end.length > 3 && name.endsWith(end));
  });
  return !endsAsDeciding && ![...name.split('_'), value].some(isKnown);
}
const SWITCHED_ON = /^(?!(?:no|skip|force|allow|yes|assume|ignore|git|ld|node|python)_)\w+=(?:1|true|yes|on)$/i;

/** Names of variables that programs heed are in capitals, but for a few. */
const HEEDED = /[A-Z]|_proxy=|^npm_/;

/** The same for a variable that code sets for all that follows: what it calls its own variables is its business. */
export const decides = (assignment: string, lexicon: Lexicon): boolean =>
  HEEDED.test(assignment.slice(0, assignment.indexOf('=') + 1)) &&
  lexicon.codeWords.decidingVariables.has((/^\w+/.exec(assignment)?.[0] ?? '').toLowerCase()) &&
  mayDecide(assignment, lexicon);

const VARIABLE = /^[A-Za-z_]\w{0,63}=/;

/** Whether such a variable is set for the command that this one runs: `env LD_PRELOAD=x ls`. */
export const decidesWhatRuns = ({ known: { entry, valued }, texts, lexicon }: CommandLine): boolean => {
  if (entry.runs?.language !== 'command') return false;
  const at = restAt(entry.runs, texts, entry.command, valued);
  return texts
    .slice(1, at < 0 ? undefined : at)
    .some(
      (text, before) => VARIABLE.test(text) && (valued.has(texts[before] ?? '') ? decides : mayDecide)(text, lexicon),
    );
};

/** An option of an interpreter for a file, or for where files are looked for, which it runs before its code. */
const LOADS_FIRST = /^(?:-[rI]|--(?:require|import|preload|loader|experimental-loader)(?:=|$))(.*)$/s;

/** Whether an interpreter runs a file before its code, whatever that is: `ruby -r ./setup`. A name alone is a library. */
export const loadsFirst = ({ known: { entry }, texts }: CommandLine): boolean =>
  isProgramming(entry.runs?.language) &&
  texts.some((text, at) => {
    const value = LOADS_FIRST.exec(text)?.[1];
    const isCode = entry.runs?.options?.includes(text) === true;
    return value !== undefined && !isCode && /[./\\$]/.test(value || (texts[at + 1] ?? ''));
  });

/** Substitutions of a shell, which a here-document may have. */
const FILLED = /`|\$[({\w]/;

const MAX_FED = 20;

/** Commands that a client is fed, one a line: `echo FLUSHALL | redis-cli`. */
export function fedCommands(line: CommandLine): Fragment[] {
  const { known, command, before, inner } = line;
  const [name = ''] = line.texts;
  if (!known.entry.readsCommands) return [];
  const unseen = unknownCode({ at: command.at, end: command.end });
  const fed = fedText(line);
  if (fed === undefined) return before !== undefined || readsFile(command) ? [unseen] : [];
  const lines = new Set(fed.texts.flatMap((text) => text.split(/\n|\\n/)).filter((one) => one.trim() !== ''));
  const { kept, isCut } = firstOf([...lines], MAX_FED);
  const read = kept.flatMap((one) => inner(`${name} ${one}`, command.at));
  return isCut || !fed.isAll ? [...read, unseen] : read;
}

/** The commands of a pipe, the last one first. */
function chainOf(last: Before): Before[] {
  const chain: Before[] = [];
  for (let one: Before | undefined = last; one && chain.length < 20; one = one.before) chain.push(one);
  return chain;
}

/** Whether something in a pipe is asked from a host. */
const isFetched = (chain: readonly Before[]): boolean =>
  chain.some(({ fragments }) => fragments.some((fragment) => fragment.language === 'http'));

/** Changes of files that come from a host, so that nobody sees them: `curl URL | patch -p1`. */
export function patchedFromOutside({ known: { entry, doing }, before, span }: CommandLine): Fragment[] {
  const isPatch = /^(?:patch|git (?:apply|am))$/.test(entry.command) && doing.effect !== 'read';
  return isPatch && before !== undefined && isFetched(chainOf(before)) ? [unknownCode(span)] : [];
}

const isDecoding = ({ command: { words } }: Before): boolean =>
  /^(?:base64|base32|xxd|openssl|gunzip|zcat)$/.test(commandName(words[0]?.text ?? '')) &&
  /^(?:-d|--decode|-D|-r|enc)$/.test(words[1]?.text ?? '');

/** Whether an interpreter runs a file, whatever it is fed: `sh deploy.sh`, but not `sh -s a` and `python - a`. */
function runsItsFile(line: CommandLine, language: CodeOnLine['language']): boolean {
  const { known, texts, command, before } = line;
  const { entry, arguments: given } = known;
  if (language === 'sql') return false;
  if (before === undefined && command.input === undefined) return given.some((arg) => arg !== '-');
  const [first] = given.slice(entry.runs?.skip ?? 0);
  if (first === undefined || first === '-' || texts.includes('-s')) return false;
  // The argument of a client is a database.
  return entry.domain !== 'db' || /\.\w{1,4}$/.test(first);
}

/** What an interpreter runs that has no code on its line: a pipe, a here-document, a file. */
export function fedCode(line: CommandLine, language: CodeOnLine['language']): Fragment[] {
  const { command, before } = line;
  const { at, end, input } = command;
  const span = { at, end };
  const unseen = runsItsFile(line, language) || (input === undefined && readsFile(command)) ? [unknownCode(span)] : [];
  // The shell may put anything into what it feeds.
  const isFilled = isProgramming(language) && language !== 'script' && FILLED.test(input?.text ?? '');
  if (input)
    return [
      ...(isFilled ? [unknownCode(span)] : []),
      ...unseen,
      ...codeFragments(language, input.text, { at: input.at, end: input.at + input.text.length }, line),
    ];
  if (before === undefined) return unseen;
  const chain = chainOf(before);
  const fetched = isFetched(chain);
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
  const fed = fedText(line);
  const read = fed?.texts.flatMap((text) => codeFragments(language, text, span, line)) ?? [];
  return fed?.isAll ? [...unseen, ...read] : [...read, unknownCode(span)];
}
