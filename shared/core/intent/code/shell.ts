// Reads shell code for what it does, command by command: what each is fed, what it sets, and where its output goes.
import { fileWrite, type Fragment, fragmentOf, gravest, isNowhere, unknownCode } from './code.ts';
import { commandName } from './commands.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { ruledDoing, settingsOfWords } from './settings.ts';
import { type Before, DECIDES_WHAT_RUNS, type Fed, readsFile, type Reading } from './shell-code.ts';
import { commandFragments } from './shell-command.ts';
import { writesNothing, writtenFiles } from './shell-files.ts';
import { parseInner, type ShellCode, type ShellCommand } from './shell-syntax.ts';
import { textsOf } from './shell-words.ts';

const MAX_DEPTH = 6;
/** What reading a command costs of the effort, in characters. */
const COMMAND_COST = 150;

/** Commands that set variables. */
const SETS_VARIABLES = /^(?:export|declare|typeset|readonly|env|set)$/;
const VARIABLE = /^[A-Za-z_]\w{0,63}=/;

/** What the variables do that a command is given or sets: `NODE_TLS_REJECT_UNAUTHORIZED=0 node app.js`. */
function variables({ command: { assignments, words, at, end }, lexicon }: Reading): Fragment[] {
  const decides = assignments.some(({ text }) => DECIDES_WHAT_RUNS.test(text)) ? [unknownCode({ at, end })] : [];
  const sets = SETS_VARIABLES.test(words[0]?.text ?? '') ? words.filter(({ text }) => VARIABLE.test(text)) : [];
  const doing = gravest(settingsOfWords(textsOf([...assignments, ...sets])).map((one) => ruledDoing(one, lexicon)));
  return doing ? [...decides, fragmentOf({ at, end }, { verb: 'set', ...doing, object: 'setting' })] : decides;
}

/** A file that `tee` empties, because nothing is written into it. */
function emptiedByTee({ command, before }: Reading): Fragment[] {
  const words = textsOf(command.words);
  if (commandName(words[0] ?? '') !== 'tee' || words.some((text) => /^(?:-a|--append)$/.test(text))) return [];
  const isNothing = before
    ? writesNothing(textsOf(before.command.words))
    : command.redirections.some(({ operator, target }) => operator === '<' && isNowhere(target.text));
  return isNothing ? [fileWrite(words.at(-1) ?? '', command, true)] : [];
}

/** A command of which nothing is known writes what another one reads. */
export const unseenWriter = (command: ShellCommand): Before => ({
  command: { ...command, words: [], input: undefined },
  fragments: [],
  before: undefined,
  isPart: true,
});

/** What a command reads that is fed nothing itself: what its group is fed, or all of the code, which others may have read before. */
function fedToAll(command: ShellCommand, read: readonly (Before | undefined)[], outer: Fed | undefined) {
  if (command.input) return undefined;
  if (command.group === undefined) {
    if (outer?.before) return { ...outer.before, isPart: true };
    return outer && (outer.command.input || readsFile(outer.command)) ? unseenWriter(command) : undefined;
  }
  const writer = read[command.group.writer ?? -1];
  return writer ? { ...writer, isPart: true } : unseenWriter(command);
}

/** A command with what it is fed: by the one before it in a pipe, by its group, or, as the first of the code, by what all of the code is fed. */
function withInput(command: ShellCommand, read: readonly (Before | undefined)[], outer: Fed | undefined): Fed {
  const isPiped = command.after === '|' || command.after === '|&';
  const fed = read.length === 0 && !command.input ? outer : undefined;
  const last = read.at(-1);
  return {
    command: fed?.command.input ? { ...command, input: fed.command.input } : command,
    before: isPiped
      ? last && { ...last, isPart: last.isPart || command.afterGroup }
      : (fed?.before ?? fedToAll(command, read, fed?.command.input ? undefined : outer)),
  };
}

/** The words of a command that depends on nothing else, so that the same words again say nothing new. */
function bareWords({ command, before }: Fed): string | undefined {
  const { words, assignments, redirections, input } = command;
  const isBare = before === undefined && redirections.length + assignments.length === 0 && !input;
  return isBare ? textsOf(words).join('\0') : undefined;
}

/** Without repeated reads, which say nothing new. */
function distinct(fragments: readonly Fragment[]): Fragment[] {
  const seen = new Set<string>();
  return fragments.filter(({ action, effect, object, traits, extent, disguised }) => {
    const key = `${action} ${effect} ${object} ${traits.join()} ${extent} ${disguised}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** What shell code does, command by command. What is not understood is a fragment too. */
export function shellFragments(code: ShellCode, lexicon: Lexicon, depth = 0, outer?: Fed): Fragment[] {
  const inner = (text: string, at: number, fed?: Fed): Fragment[] =>
    depth >= MAX_DEPTH
      ? [unknownCode({ at, end: at + text.length })]
      : shellFragments(parseInner(text, at, code.effort), lexicon, depth + 1, fed);
  let found: Fragment[] = [];
  const before: (Before | undefined)[] = [];
  const seen = new Map<string, Before>();
  for (const command of code.commands) {
    const fed = withInput(command, before, outer);
    const key = bareWords(fed);
    const same = key === undefined ? undefined : seen.get(key);
    if (same !== undefined) {
      before.push(same);
      continue;
    }
    code.effort.left -= COMMAND_COST;
    const reading = { ...fed, lexicon, inner, prefixes: 0 };
    const fragments = [
      ...commandFragments(fed.command.words, reading),
      ...variables(reading),
      ...emptiedByTee(reading),
    ];
    // What is run from a pipe says more than the commands that feed it.
    if (fragments.some(({ object }) => object === 'remote_code'))
      found = found.filter(({ effect }) => effect === 'destructive');
    found.push(...fragments, ...writtenFiles(fed.command, lexicon));
    const read = { ...fed, fragments, isPart: false };
    before.push(read);
    if (key !== undefined) seen.set(key, read);
  }
  if (!code.isWhole) found.push(unknownCode({ at: code.commands[0]?.at ?? 0, end: code.end }));
  return distinct(found);
}
