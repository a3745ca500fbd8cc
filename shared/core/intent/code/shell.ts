// Reads shell code for what it does, command by command: what each is fed, what it sets, and where its output goes.
import { fileWrite, type Fragment, fragmentOf, gravest, isNowhere, unknownCode } from './code.ts';
import { commandName } from './commands.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { leadsOutside } from './value-kinds.ts';
import { ruledDoing, settingsOfWords } from './settings.ts';
import { endOf, type Printed, printedBy } from './printed.ts';
import { type Before, decides, type Fed, mayDecide, readsFile, type Reading } from './shell-code.ts';
import { commandFragments } from './shell-command.ts';
import { replacesItsSource, writesNothing, writtenFiles, writtenIn } from './shell-files.ts';
import { parseInner, type ShellCode, type ShellCommand } from './shell-syntax.ts';
import { textsOf } from './shell-words.ts';

const MAX_DEPTH = 6;
/** What reading a command costs of the effort, in characters. */
const COMMAND_COST = 150;

const SETS_VARIABLES = /^(?:export|declare|typeset|readonly|env|set)$/;
const VARIABLE = /^[A-Za-z_]\w{0,63}=/;

/** What the variables do that a command is given or sets: `NODE_TLS_REJECT_UNAUTHORIZED=0 node app.js`. */
function variables({ command: { assignments, words, at, end }, lexicon }: Reading): Fragment[] {
  const sets = SETS_VARIABLES.test(words[0]?.text ?? '') ? words.filter(({ text }) => VARIABLE.test(text)) : [];
  // What is set for one command is meant for it.
  const isDeciding = words.length > 0 ? mayDecide : decides;
  // `env A=b x` is looked at where it runs `x`.
  const exports = words[0]?.text === 'env' ? [] : sets;
  const isUnclear =
    assignments.some(({ text }) => isDeciding(text, lexicon)) ||
    exports.some(({ text }) => decides(text, lexicon) || leadsOutside(text, lexicon));
  const unclear = isUnclear ? [unknownCode({ at, end })] : [];
  const doing = gravest(settingsOfWords(textsOf([...assignments, ...sets])).map((one) => ruledDoing(one, lexicon)));
  return doing ? [...unclear, fragmentOf({ at, end }, { verb: 'set', ...doing, object: 'setting' })] : unclear;
}

/** A file that `tee` or `sponge` empties, because nothing is written into it. */
function emptiedByTee({ command, before }: Reading): Fragment[] {
  const words = textsOf(command.words);
  if (!/^(?:tee|sponge)$/.test(commandName(words[0] ?? '')) || words.some((text) => /^(?:-a|--append)$/.test(text)))
    return [];
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

/** What commands print one after the other; undefined where one of them does something else, or may not be run. */
function printedByAll(commands: readonly ShellCommand[]): Printed | undefined {
  const texts = ['', ''];
  for (const { words, after, redirections, assignments } of commands) {
    const printed = redirections.length + assignments.length === 0 ? printedBy(words) : undefined;
    if (!printed?.isAll || !/^[(;\n]?$/.test(after)) return undefined;
    const end = endOf(words);
    // A shell reads escapes in all of them or in none.
    texts[0] += (printed.texts[0] ?? '') + end;
    texts[1] += (printed.texts.at(-1) ?? '') + end;
  }
  return commands.length > 0 ? { texts: [...new Set(texts)], isAll: true } : undefined;
}

/** What a command is fed by the one before it, or by the group that this one ends. */
function piped({ afterGroup }: ShellCommand, read: readonly (Before | undefined)[], all: readonly ShellCommand[]) {
  const last = read.at(-1);
  if (last === undefined || afterGroup === undefined) return last;
  return { ...last, isPart: true, printed: printedByAll(all.slice(afterGroup, read.length)) };
}

/** A command with what it is fed: by the one before it in a pipe, by its group, or, as the first of the code, by what all of the code is fed. */
function withInput(
  command: ShellCommand,
  read: readonly (Before | undefined)[],
  all: readonly ShellCommand[],
  outer: Fed | undefined,
): Fed {
  const isPiped = command.after === '|' || command.after === '|&';
  const fed = read.length === 0 && !command.input ? outer : undefined;
  return {
    command: fed?.command.input ? { ...command, input: fed.command.input } : command,
    before: isPiped
      ? piped(command, read, all)
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
  // Code within code that another shell reads is that shell's.
  const quoting = code.quoting === 'posix' ? undefined : code.quoting;
  const inner = (text: string, at: number, fed?: Fed): Fragment[] =>
    depth >= MAX_DEPTH
      ? [unknownCode({ at, end: at + text.length })]
      : shellFragments(parseInner(text, at, code.effort, quoting), lexicon, depth + 1, fed);
  let found: Fragment[] = [];
  const before: (Before | undefined)[] = [];
  const seen = new Map<string, Before>();
  let folder = '';
  for (const command of code.commands) {
    const fed = withInput(command, before, code.commands, outer);
    const key = bareWords(fed);
    const same = key === undefined ? undefined : seen.get(key);
    if (same !== undefined) {
      before.push(same);
      continue;
    }
    code.effort.left -= COMMAND_COST;
    const reading: Reading = { command: fed.command, before: fed.before, lexicon, inner, prefixes: 0 };
    const fragments = [
      ...commandFragments(fed.command.words, reading),
      ...variables(reading),
      ...emptiedByTee(reading),
    ];
    // What is run from a pipe says more than the commands that feed it.
    if (fragments.some(({ object }) => object === 'remote_code'))
      found = found.filter(({ effect }) => effect === 'destructive');
    const files = writtenFiles(fed.command, lexicon);
    found.push(...fragments, ...files);
    const [name, to = ''] = textsOf(command.words);
    if (name === 'cd' || name === 'pushd') folder = /^[~/$]/.test(to) || folder === '' ? to : `${folder}/${to}`;
    else if (folder !== '') found.push(...writtenIn(folder, [...fragments, ...files], command, lexicon));
    const read: Before = { command: fed.command, before: fed.before, fragments, isPart: false };
    before.push(read);
    if (key !== undefined) seen.set(key, read);
  }
  // What is hidden behind other quotes counts, but not what only reads.
  for (const other of code.others)
    found.push(...shellFragments(other, lexicon, depth, outer).filter(({ effect }) => effect !== 'read'));
  if (replacesItsSource(code.commands)) found.push(unknownCode({ at: code.commands[0]?.at ?? 0, end: code.end }));
  if (!code.isWhole) found.push(unknownCode({ at: code.commands[0]?.at ?? 0, end: code.end }));
  return distinct(found);
}
