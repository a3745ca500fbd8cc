// Recognizes shell commands and the effects of their arguments.
import type { Extent, Trait } from '../../../kernel/vocabulary.ts';
import type { OpenFragment, Piece } from './code.ts';
import { actOfUrl, isUrl, lastPathName, METHODS } from './http.ts';
import { effectOfAction } from '../lexicon/lexicon.ts';
import type { CommandEntry, Lexicon } from '../lexicon/types.ts';
import { wordSet } from '../text/word-set.ts';

const SHELLS = wordSet(
  'sh bash zsh dash ksh python python3 perl ruby node php iex powershell source eval exec xargs invoke-expression',
);
/** Commands that are not English words, so their name alone is sufficient evidence. */
const UNMISTAKABLE = wordSet(
  'rm sudo chmod chown mkfs kubectl wget curl rmdir usermod useradd userdel dropdb killall pkill scp rsync ' +
    'systemctl iptables visudo wipefs flushall flushdb remove-item netcat ncat vssadmin diskpart',
);
/** Operating system files. */
const SYSTEM_PATH = /^\/(?:etc|boot|usr|bin|root|dev|var\/lib)\b/;
const IS_FLAG_OR_FILE = /^(?:-{1,2}[a-z]|\/|~|\.\/|\*|\$|https?:\/\/|(?:if|of)=)/i;

/** The shell command that begins at `pieces[at]`, or undefined. `opens`: whether a command may begin here. */
export function shellAt(
  pieces: readonly Piece[],
  at: number,
  opens: boolean,
  lexicon: Lexicon,
): OpenFragment | undefined {
  const head = pieces[at];
  if (!head) return undefined;
  const name = commandName(head.lower);
  // The command that it runs is found as the next piece.
  if (name === 'sudo' || name === 'doas') return undefined;
  const base = lexicon.commands.get(name) ?? commandBeforeDot(name, lexicon);
  const next = pieces[at + 1];
  const sub = next && lexicon.commandGroups.has(name) ? lexicon.commands.get(`${name} ${next.lower}`) : undefined;
  const entry: CommandEntry | undefined = sub ?? base;
  if (!entry || (!sub && !base)) return undefined;
  const isPiped = pieces[at - 1]?.text === '|';
  if (!opens && !sub && !isPiped && !UNMISTAKABLE.has(name)) return undefined;
  const args = argumentsOf(pieces, at + 1, isPiped ? MAX_ARGUMENTS : MAX_TELLING);
  const flagged = args.slice(0, MAX_TELLING).some(({ text }) => IS_FLAG_OR_FILE.test(text));
  // After a pipe every word is a command.
  const piped = isPiped && args.some((arg) => !/^[a-z]*$/i.test(arg.text));
  const evident =
    piped ||
    sub !== undefined ||
    (UNMISTAKABLE.has(name) && (args.length > 0 || pieces.length === 1)) ||
    (opens &&
      flagged &&
      !/^(?:make|find|top|less|more|history|id|service|format|go|head|tail|type|tree|node)$/.test(name)) ||
    (opens && flagged && args[0]?.text.startsWith('-') === true) ||
    (opens && SHELLS.has(name) && args[0]?.lower === '-c');
  if (!evident || (!opens && sub === undefined && !UNMISTAKABLE.has(name))) return undefined;
  return refineCommand(entry, name, head, argumentsOf(pieces, at + 1, MAX_ARGUMENTS), pieces, at, lexicon);
}

/**
 * The command at `pieces[at]` where a command surely begins, so that its name is evidence enough. `isWhole`: the name says what it does;
 * false for a command that is not known, whose subcommand is not known, or that runs code from elsewhere.
 */
export function commandAt(
  pieces: readonly Piece[],
  at: number,
  lexicon: Lexicon,
): { readonly fragment: OpenFragment | undefined; readonly isWhole: boolean } {
  const head = pieces[at];
  const name = commandName(head?.lower ?? '');
  const base = lexicon.commands.get(name) ?? commandBeforeDot(name, lexicon);
  const isGroup = lexicon.commandGroups.has(name);
  const sub = isGroup ? lexicon.commands.get(`${name} ${pieces[at + 1]?.lower}`) : undefined;
  const entry = sub ?? base;
  if (head === undefined || entry === undefined) return { fragment: undefined, isWhole: false };
  const fragment = refineCommand(entry, name, head, argumentsOf(pieces, at + 1, MAX_ARGUMENTS), pieces, at, lexicon);
  // `make`, `npx` and interpreters execute what is not on the line.
  const runsOthers = sub === undefined && entry.action === 'execute' && entry.effect !== 'destructive';
  return { fragment, isWhole: (sub !== undefined || !isGroup) && !runsOthers && !SHELLS.has(name) };
}

/** `mkfs.ext4` counts as `mkfs`. */
function commandBeforeDot(name: string, lexicon: Lexicon): CommandEntry | undefined {
  const dot = name.indexOf('.');
  return dot < 0 ? undefined : lexicon.commands.get(name.slice(0, dot));
}

/** The number of arguments of a command that are read, and the number that serve as evidence of a command. */
const MAX_ARGUMENTS = 40;
const MAX_TELLING = 6;

const ENDS_COMMAND = new Set(['|', ';', '&&', '`', '||']);
const ENCLOSES = new Set(['(', ')', "'", '"']);

/** Arguments up to the end of the command, which is a separator or the maximum number. */
function argumentsOf(pieces: readonly Piece[], from: number, most: number): Piece[] {
  const args: Piece[] = [];
  for (let at = from; at < Math.min(pieces.length, from + most); at += 1) {
    const piece = pieces[at];
    if (!piece) break;
    if (ENDS_COMMAND.has(piece.text)) break;
    if (!ENCLOSES.has(piece.text)) args.push(piece);
  }
  return args;
}

function refineCommand(
  entry: CommandEntry,
  name: string,
  head: Piece,
  args: readonly Piece[],
  pieces: readonly Piece[],
  at: number,
  lexicon: Lexicon,
): OpenFragment | undefined {
  let { action, effect } = entry;
  const traits = new Set<Trait>(entry.traits);
  let object = entry.object ?? 'command';
  const flags: string[] = [];
  let extent: Extent = entry.object === 'database' && effect === 'destructive' ? 'all' : 'one';
  for (const { text, lower } of args) {
    if (text.startsWith('-')) flags.push(text);
    if (text.includes('*') || text === '/' || lower === '--all') extent = 'all';
  }
  const fetches = name === 'curl' || name === 'wget' || name === 'http' || name === 'invoke-webrequest';
  if (flags.some((flag) => /^-[a-z]*r/i.test(flag) || flag === '--recursive') && effect === 'destructive')
    extent = 'all';
  if (name === 'git' && entry.command === 'git push' && flags.some((flag) => /^(?:-f|--force)/.test(flag))) {
    effect = 'destructive';
    traits.add('irreversible');
  }
  if (entry.command === 'git reset' && !flags.includes('--hard')) [action, effect] = ['update', 'write'];
  if (/^(?:aws|gcloud|az|heroku)$/.test(name)) {
    const verb = args
      .slice(0, 4)
      .map((arg) => /^(delete|terminate|remove|rm|rb|destroy)/.exec(arg.lower))
      .find(Boolean);
    const reads = args.slice(0, 4).some((arg) => /^(?:describe|list|get|ls|show)/.test(arg.lower));
    if (verb) [action, effect] = ['delete', 'destructive'];
    else if (reads) [action, effect] = ['read', 'read'];
  }
  // A reading command may write through its arguments: into the file itself, or into the target of its output.
  if (action === 'read' && !fetches && writesFile(name, args)) [action, effect] = ['update', 'write'];
  if (fetches) {
    const at = args.findIndex((arg) => arg.text === '-X' || arg.lower === '--request');
    const glued = flags
      .map((flag) => /^(?:-X|--(?:request|method)=)([A-Z]+)/.exec(flag)?.[1])
      .find((method) => method !== undefined);
    const method = METHODS.get(glued ?? args[at + 1]?.text.toUpperCase() ?? '');
    const sends = flags.some((flag) => /^(?:-d|-F|-T|--data|--form|--upload|--post|--body|--json)/.test(flag));
    const url = args.find((arg) => isUrl(arg.text))?.text;
    if (at >= 0 || glued !== undefined) action = method ?? 'execute';
    else if (sends) action = 'send';
    effect = effectOfAction(action);
    if (url !== undefined) object = lastPathName(url);
    const act = url !== undefined && action !== 'delete' ? actOfUrl(url, lexicon) : undefined;
    if (act) ({ action, effect } = act.entry);
    if (act) object = act.object;
    if (action !== 'read') traits.add('external');
  }
  // The target of a pipe decides: a download or decoded text that is executed.
  const piped = leadsIntoShell(pieces, at);
  const line = piped ? pieces.slice(at, at + MAX_LINE) : [];
  const decodes =
    line.some((piece) => /^base64$|^frombase64string$/.test(piece.lower)) &&
    line.some((piece) => /^(?:-d|--decode|-D)$/.test(piece.text));
  if (piped && (fetches || decodes || name === 'echo')) {
    return {
      verb: name,
      action: 'execute',
      effect: 'destructive',
      traits: ['external', 'irreversible'],
      object: 'remote_code',
      domain: 'infra',
      extent: 'one',
      at: head.at,
      language: 'shell',
      disguised: decodes,
    };
  }
  if (SYSTEM_PATH.test(args.find((arg) => arg.text.startsWith('/'))?.text ?? '') && effect !== 'read')
    traits.add('privileged');
  if (pieces[at - 1]?.lower === 'sudo') traits.add('privileged');
  return {
    verb: name,
    action,
    effect,
    traits: [...traits],
    object,
    domain: entry.domain ?? 'infra',
    extent,
    at: head.at,
    language: 'shell',
    disguised: decodes && piped,
  };
}

/** The number of pieces of a command line that are read. */
export const MAX_LINE = 60;

function baseName(piece: Piece | undefined): string {
  const lower = piece?.lower ?? '';
  return lower.includes('/') ? lower.slice(lower.lastIndexOf('/') + 1) : lower;
}

/** Whether the piece at `at` is a pipe into a shell or interpreter, which executes its input: `| sudo bash`. */
export function isPipeIntoShell(pieces: readonly Piece[], at: number): boolean {
  if (pieces[at]?.text !== '|') return false;
  return SHELLS.has(baseName(pieces[baseName(pieces[at + 1]) === 'sudo' ? at + 2 : at + 1]));
}

/** Whether the output of a command line is executed. */
function leadsIntoShell(pieces: readonly Piece[], at: number): boolean {
  for (let index = at; index < Math.min(pieces.length, at + MAX_LINE); index += 1)
    if (isPipeIntoShell(pieces, index)) return true;
  return false;
}

/** Whether the arguments of a command make it change files: `sed -i`, or output redirected to a target other than /dev/null. */
function writesFile(name: string, args: readonly Piece[]): boolean {
  if (/^(?:g?sed|perl|ruby|yq|sort)$/.test(name)) {
    const inPlace = name === 'sort' ? /^-o|^--output/ : /^-[a-z]*i|^--in-?place/i;
    if (args.some((arg) => inPlace.test(arg.text))) return true;
  }
  return args.some((arg, index) => {
    // `2>&1` and `>&2` join streams, and `2>` redirects messages only: none of them writes a file of data.
    const target = arg.text.includes('>') ? /^(?:1|&)?>{1,2}(?![&>])\|?(.*)$/s.exec(arg.text)?.[1] : undefined;
    if (target === undefined) return false;
    const file = target === '' ? (args[index + 1]?.text ?? '') : target;
    return file !== '' && file !== '/dev/null';
  });
}

/** Writing into a file. */
export const fileWrite = (target: string, at: number): OpenFragment => ({
  verb: 'write',
  action: 'update',
  effect: 'write',
  traits: SYSTEM_PATH.test(target) ? ['privileged'] : [],
  object: 'file',
  domain: 'files',
  extent: 'one',
  at,
  language: 'shell',
  disguised: false,
});

/** Output of any command redirected into a file: `print "hi" > /etc/motd`. Only a path distinguishes it from a comparison. */
export function redirectAt(pieces: readonly Piece[], at: number): OpenFragment | undefined {
  const piece = pieces[at];
  if (!piece || at === 0) return undefined;
  const glued = piece.text.includes('>') ? /^(?:1|&)?>{1,2}\|?(.*)$/s.exec(piece.text)?.[1] : undefined;
  if (glued === undefined) return undefined;
  let target = glued;
  if (target === '') {
    const next = pieces[at + 1];
    target = /^["']$/.test(next?.text ?? '') ? (pieces[at + 2]?.text ?? '') : (next?.text ?? '');
  }
  if (!/^(?:~|\.{1,2})?\/[\w.~-]/.test(target) || target === '/dev/null') return undefined;
  return fileWrite(target, piece.at);
}

/** `/usr/bin/rm`, `$(rm` and `rm.exe` all count as `rm`. */
export function commandName(lower: string): string {
  if (lower.length > 200) return '';
  let name = lower.includes('/') ? lower.slice(lower.lastIndexOf('/') + 1) : lower;
  if (name.endsWith('.exe')) name = name.slice(0, -4);
  return name.startsWith('$') ? name.replace(/^\$+/, '') : name;
}
