// What a shell command itself does, by the lexicon and by what it is given: to files, by redirections, copies, and data that goes elsewhere.
import {
  destroys,
  fileWrite,
  type Fragment,
  fragmentOf,
  gravity,
  isDisk,
  isNowhere,
  isRemovable,
  isSecretName,
  isSystemPath,
  NOT_UNDERSTOOD,
  sentOutside,
  type Span,
  unknownCode,
} from './code.ts';
import { commandName } from './commands.ts';
import { isOutside } from './http.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Before, CommandLine } from './shell-code.ts';
import type { ShellCommand } from './shell-syntax.ts';
import { type ShellWord, textsOf } from './shell-words.ts';

/** Whether a command writes nothing, so that its output empties a file: `:`, `cat /dev/null`, `echo -n`. */
export function writesNothing(words: readonly string[]): boolean {
  const [name = '', ...args] = words;
  if (name === ':' || name === 'true' || name === '') return true;
  if (name === 'cat' || name === 'type') return args.length > 0 && args.every((arg) => isNowhere(arg));
  if (name === 'head' || name === 'tail') return /^-[cn] ?0\b|^--(?:bytes|lines)=0\b/.test(args.join(' '));
  return (name === 'echo' || name === 'printf') && args.every((arg) => arg === '' || arg === '-n');
}

/** Files that say who may do what. */
const GRANTS =
  /^\/etc\/(?:passwd|shadow|gshadow|group|sudoers|doas\.conf|pam\.d|ssh|security|polkit-1)\b|(?:^|\/)authorized_keys2?$|\/\.rhosts$/;
/** Files whose lines are run sooner or later, or which steer the kernel. */
const IS_RUN_LATER =
  /^\/etc\/(?:cron|profile|rc\.|init\.d|systemd|ld\.so|environment|bash|zsh)|^\/(?:var\/spool\/cron|proc|sys)\/|\/\.(?:bash|zsh|profile\b|config\/(?:systemd|autostart))|(?:^|\/)\.git\/hooks(?:\/|$)|\/\.ssh(?:\/(?:config|rc)?)?$|^\/(?:usr\/)?(?:local\/)?s?bin(?:\/|$)|\/\.?(?:local|cargo|go|npm)\/bin(?:\/|$)/;
/** A path within a container or on another machine. */
const ELSEWHERE = /^[\w.@-]{2,}:(?=\/)/;
const SOCKET = /^\/dev\/(?:tcp|udp)\/([\w.:-]{1,253})/;

const UNC_HOST = /^\\\\([\w.-]{1,253})\\/;

const SENT = { verb: 'send', action: 'send', effect: 'write', object: 'file', domain: 'files' } as const;

/** The values of the options that match, which are a part of the same word or the next one. */
export const valuesOf = (texts: readonly string[], option: RegExp): string[] =>
  texts.flatMap((text, at) => {
    const found = option.exec(text);
    return found === null ? [] : (found[1] ?? texts[at + 1] ?? '');
  });

/** What writing into a place does beside changing a file. */
export function writtenPlace(path: string, span: Span, lexicon: Lexicon): Fragment[] {
  const sent = fragmentOf(span, SENT);
  const host = SOCKET.exec(path)?.[1];
  if (host !== undefined) return isOutside(`ssh://${host}`, lexicon) ? [sentOutside(sent, '', true)] : [sent];
  if (isRemovable(path)) {
    const share = UNC_HOST.exec(path)?.[1];
    return share !== undefined && !isOutside(`ssh://${share}`, lexicon) ? [] : [sentOutside(sent, '', true)];
  }
  if (ELSEWHERE.test(path)) {
    const inside = path.replace(ELSEWHERE, '');
    return [...(isSystemPath(inside) ? [fileWrite(inside, span)] : []), ...writtenPlace(inside, span, lexicon)];
  }
  if (GRANTS.test(path)) {
    const what = { object: 'permission', domain: 'identity', traits: ['privileged'] } as const;
    return [fragmentOf(span, { verb: 'write', action: 'grant', effect: 'write', ...what })];
  }
  if (IS_RUN_LATER.test(path)) return [unknownCode(span)];
  return isDisk(path) ? [fileWrite(path, span)] : [];
}

/** Options for the folder into which something is copied or unpacked. */
const INTO = /^(?:-C|-d|-P|-t|--directory(?:-prefix)?|--target-directory|--one-top-level)(?:=(.*))?$/s;

/** What goes into a folder of which nobody sees what is replaced there: all of the system, its files, or files that are run later. */
function unpacked({ texts, span, lexicon }: CommandLine): Fragment[] {
  const isGrave = (folder: string) =>
    folder === '/' || isSystemPath(folder) || writtenPlace(`${folder}/`, span, lexicon).length > 0;
  return valuesOf(texts, INTO).some(isGrave) ? [unknownCode(span)] : [];
}

/** The files that a command which changes files is given: the last one for a copy. */
export function givenPlaces(line: CommandLine): Fragment[] {
  const { known, span, lexicon } = line;
  const { entry, doing, arguments: args } = known;
  if (doing.effect === 'read') return [];
  if (entry.command === 'git clone') return args.slice(-1).flatMap((path) => writtenPlace(path, span, lexicon));
  if (entry.domain !== 'files')
    return args.slice(-1).flatMap((path) => (isRemovable(path) ? writtenPlace(path, span, lexicon) : []));
  const isCopy = entry.sends || entry.command === 'ln';
  const paths = isCopy ? args.slice(-1) : args.map((arg) => arg.replace(/^of=/, ''));
  return [...paths.flatMap((path) => writtenPlace(path, span, lexicon)), ...unpacked(line)];
}

/** What a command writes in the folder that code has gone to before: `cd /etc/cron.d && wget URL`. */
export function writtenIn(folder: string, fragments: readonly Fragment[], span: Span, lexicon: Lexicon): Fragment[] {
  if (fragments.every(({ effect }) => effect === 'read')) return [];
  return writtenPlace(`${folder.replace(/\/$/, '')}/x`, span, lexicon);
}

export function writtenFiles({ redirections, words }: ShellCommand, lexicon: Lexicon): Fragment[] {
  if (redirections.length === 0) return [];
  const isNothing =
    redirections.some(({ operator, target }) => operator === '<' && isNowhere(target.text)) ||
    writesNothing(textsOf(words));
  return redirections.flatMap(({ operator, target }) => {
    if (operator === '<>') return writtenPlace(target.text, { at: target.at, end: target.end }, lexicon);
    if (!operator.includes('>') || isNowhere(target.text)) return [];
    const isEmptied = !operator.includes('>>') && isNothing;
    const span = { at: target.at, end: target.end };
    return [fileWrite(target.text, span, isEmptied), ...writtenPlace(target.text, span, lexicon)];
  });
}

/** Whether a file is replaced by what a program makes of it, of which nobody sees what is left: `jq .a f > t && mv t f`, `grep x f | tee f`. */
export function replacesItsSource(commands: readonly ShellCommand[]): boolean {
  const sources = new Map<string, ReadonlySet<string>>();
  let read = new Set<string>();
  return commands.some(({ words, after, redirections }) => {
    const [name = '', ...args] = textsOf(words);
    if (!/^\|&?$/.test(after)) read = new Set();
    if (/^(?:mv|cp)$/.test(name) && sources.get(args.at(-2) ?? '')?.has(args.at(-1) ?? '')) return true;
    const files = (of: RegExp) =>
      redirections.flatMap(({ operator, target }) => (of.test(operator) ? target.text : []));
    const written = [...files(/^\d?>\|?$/), ...(name === 'tee' ? args : [])];
    for (const file of [...files(/^<$/), ...(/^(?:tee|echo|printf)$/.test(name) ? [] : args)]) read.add(file);
    for (const file of written) sources.set(file, read);
    return written.some((file) => read.has(file) && !isNowhere(file));
  });
}

/** A repository of backups on another host: `s3:x.example/b`, `sftp:eva@x.example:/b`, `x.example:b::archive`. */
const REPOSITORY =
  /^(?:(?:s3|sftp|rest|b2|swift|ssh):)?(?:(?:https?|ssh):\/\/)?(?:[\w.-]{1,64}@)?((?:[\w-]{1,63}\.){1,8}[a-z]{2,24})(?::|\/|$)/i;

/** A backup that is kept outside: `restic -r s3:x.example/b backup /srv`. */
export function backedUpOutside({ known: { entry, doing }, texts, span, lexicon }: CommandLine): Fragment[] {
  if (!/^(?:restic|borg)/.test(entry.command) || doing.effect === 'read') return [];
  const isAway = texts.some((text) => {
    const host = REPOSITORY.exec(text.slice(0, 500).replace(/^--repo=/, ''))?.[1];
    return host !== undefined && /[:@]/.test(text) && isOutside(`ssh://${host}`, lexicon);
  });
  return isAway ? [sentOutside(fragmentOf(span, { ...SENT, verb: 'back up' }), '', true)] : [];
}

const BODY_FILE = /^(?:-F|--body-file|--notes-file)(?:=(.*))?$/s;
/** Files that somebody wrote to be published there, or the output of another command, which is read by itself. */
const WRITTEN_TEXT = /\.(?:md|markdown|txt|rst)$|^-$/i;

/** A file that becomes a text which others read: `gh pr comment 1 -F .env`. */
export function fileOfBody({ known: { entry }, texts, span }: CommandLine): Fragment[] {
  if (!/^gh\b/.test(entry.command)) return [];
  const files = valuesOf(texts, BODY_FILE);
  const hidden = files.filter((file) => !WRITTEN_TEXT.test(file) || isSecretName(file));
  return hidden.length > 0 ? [sentOutside(fragmentOf(span, SENT), hidden.join(' '), true)] : [];
}

const REMOTE =
  /^(?:[\w.-]{1,64}@)?([\w.-]{2,253}|\[[\da-f:]+\]):(?!\\)|^(?:s3|gs|gcs|azure|abfss?|ftp|sftp|rsync|https?):\/\/|^[\w.-]{1,64}@[\w.-]{1,253}$|^\/(?:media|Volumes)\/|\/usb\b|^\\\\[\w.-]+\\/i;

/** Data that another command or a file hands over, at the first address: outside it is sending. */
export function fedTo({ known, command, before, lexicon }: CommandLine, own: Fragment): Fragment[] {
  const { redirections, input } = command;
  const { fed, runs } = known.entry;
  const isOutput = before !== undefined && !/^(?:echo|printf|yes|true)$/.test(before.command.words[0]?.text ?? '');
  const isFed =
    isOutput ||
    (input !== undefined && runs === undefined) ||
    redirections.some(({ operator, target }) => operator === '<' && !isNowhere(target.text));
  if (fed === undefined || !isFed) return [];
  const fragment = { ...own, ...fed };
  const address = known.arguments.find((arg) => /[.:@]/.test(arg)) ?? known.arguments[0] ?? '';
  const host = /^(?:[\w.-]{1,64}@)?([\w.-]{2,253})(?::\d{1,5})?$/.exec(address)?.[1];
  if (host !== undefined && !isOutside(`ssh://${host}`, lexicon)) return [];
  return [sentOutside({ ...fragment, object: 'file', domain: 'files' }, '', true)];
}

/** The host of an address without a scheme: `eva@x.example:5000/img`. */
const HOST = /^(?:[\w.+-]{1,64}@)?((?:[\w-]{1,63}\.){1,8}[a-z]{2,24})(?::\d{1,5})?(?:$|[/?#])/i;

const HOST_OF_DATA = /[)`}\w]\.(?:[a-z0-9-]{1,63}\.){0,6}[a-z]{2,24}\.?$/i;

/** Whether a word is an address outside of the organisation; of a command that asks hosts, also one without a scheme. */
function leadsOutside(text: string, { known: { entry }, lexicon }: CommandLine): boolean {
  const place = text.slice(0, 500).replace(/^--?[\w-]{1,40}=/, '');
  const host = entry.asks ? HOST.exec(place)?.[1] : undefined;
  if (host !== undefined && isOutside(`ssh://${host}`, lexicon)) return true;
  return place.includes('://') && isOutside(place, lexicon);
}

/** Data that goes to a host in its name, or beside it: `dig $(hostname).example.net`, `git ls-remote https://x.example/$(cat f)`. */
const asksWithData = (line: CommandLine): boolean => {
  const { known, words } = line;
  const isInHost = ({ text, isDynamic }: ShellWord) => isDynamic && HOST_OF_DATA.test(text.slice(-200));
  if (known.entry.asks && words.some(isInHost)) return true;
  return words.some(({ holdsData }) => holdsData) && words.some(({ text }, at) => at > 0 && leadsOutside(text, line));
};

/** Whether all addresses that a command sends to are within the organisation: `mail ops@localhost`. */
function staysInside({ known, lexicon }: CommandLine): boolean {
  const hosts = known.arguments.flatMap((arg) => /^[\w.+-]{1,64}@([\w.-]{1,253})$/.exec(arg)?.[1] ?? []);
  return hosts.length > 0 && hosts.every((host) => !isOutside(`ssh://${host}`, lexicon));
}

/** A place that a variable holds, so that nobody sees where it is: `$DEST`, `$HOST:/in`, `sftp://$HOST/in`. */
const IN_VARIABLE = /^(?:[a-z][\w+.-]{0,20}:\/\/)?(?:[\w.+-]{1,64}@)?\$(?!\{?(?:HOME|PWD|OLDPWD|TMPDIR)\b)[\w{]/;

/** Commands that copy whole folders. */
const MUCH = /^(?:rclone|aws s3 sync|gsutil rsync)/;

/** Copying to a last address: outside it is sending. */
function copied({ known, texts, lexicon }: CommandLine, fragment: Fragment): Fragment {
  // A place begins with its host.
  const places = known.arguments.map((text) => text.slice(0, 500));
  const target = places.at(-1) ?? '';
  const host = /^(?:(?:[\w.-]{1,64}@)?([\w.-]{2,253})(?::|$)|\\\\([\w.-]{2,253})\\)/
    .exec(target)
    ?.slice(1)
    .find(Boolean);
  const isUnseen =
    fragment.action === 'send' && IN_VARIABLE.test(target) && !places.slice(0, -1).some((place) => REMOTE.test(place));
  const isRemote = isUnseen || REMOTE.test(target);
  const inside = target.includes('://')
    ? !isOutside(target, lexicon)
    : host !== undefined && !isOutside(`ssh://${host}`, lexicon);
  if (fragment.effect === 'destructive' || fragment.action === 'read') return fragment;
  const isMuch =
    MUCH.test(known.entry.command) ||
    texts.some((word) => /^-[a-zA-Z]{0,5}[ra]|^--(?:recursive|archive)|\*/.test(word));
  if (isRemote && !inside) {
    const what = fragment.domain === 'infra' ? { ...fragment, object: 'file', domain: 'files' } : fragment;
    return sentOutside(what, places.slice(0, -1).join(' '), isMuch);
  }
  const traits = fragment.traits.filter((trait) => trait !== 'external');
  if (isNowhere(target)) return destroys(fragment, { verb: fragment.verb, object: 'file', domain: 'files' });
  return fragment.action === 'send' && places.length > 0 ? { ...fragment, action: 'create', traits } : fragment;
}

const CREDENTIALS = {
  action: 'execute',
  effect: 'write',
  traits: ['privileged'],
  object: 'credential',
  domain: 'secrets',
} as const;

const isEnvironment = (before: Before | undefined): boolean =>
  /^(?:env|printenv|set|export|declare)$/.test(textsOf(before?.command.words ?? []).join(' '));

/** What a command does by the lexicon, wherever it sends something. */
export function plainFragment({ known, texts, span, before }: CommandLine): Fragment {
  const { entry, doing, isKnown } = known;
  const args = texts.slice(1);
  const isAll =
    args.some((arg) => arg.includes('*') || arg === '/' || arg === '--all' || arg === '-A') ||
    (doing.effect === 'destructive' && args.some((arg) => /^-[a-z]*r/i.test(arg) || arg === '--recursive'));
  const ofSystem = doing.effect !== 'read' && args.some(isSystemPath);
  const plain = fragmentOf(span, {
    verb: commandName(texts[0] ?? ''),
    action: isKnown ? doing.action : 'unknown',
    effect: isKnown || doing.effect === 'destructive' ? doing.effect : 'write',
    traits: [...doing.traits, ...(ofSystem ? (['privileged'] as const) : [])],
    object: entry.object ?? 'resource',
    domain: entry.domain,
    extent: isAll || (entry.object === 'database' && doing.effect === 'destructive') ? 'all' : 'one',
  });
  return isEnvironment(before) && isSecretName(args.join(' ')) ? { ...plain, ...CREDENTIALS } : plain;
}

/** The same with where it sends something: inside the organisation, or outside what another command writes. */
export function ownFragment(plain: Fragment, line: CommandLine): Fragment {
  const { known, before } = line;
  const { action, traits } = plain;
  const inside = action === 'send' && staysInside(line);
  const isFed = before !== undefined && action === 'send' && traits.includes('external') && !inside;
  if (isFed) return sentOutside(plain, '', true);
  if (gravity(plain) < gravity(NOT_UNDERSTOOD) && asksWithData(line))
    return sentOutside({ ...plain, object: 'file', domain: 'files' }, '', true);
  const own = inside ? { ...plain, traits: traits.filter((trait) => trait !== 'external') } : plain;
  return known.entry.sends ? copied(line, own) : own;
}
