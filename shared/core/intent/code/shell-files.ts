// What shell commands do to files: redirections, copies, and data that goes to another machine.
import {
  destroys,
  fileWrite,
  type Fragment,
  fragmentOf,
  isDisk,
  isNowhere,
  isSystemPath,
  sentOutside,
  type Span,
  unknownCode,
} from './code.ts';
import { isOutside } from './http.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { CommandLine } from './shell-code.ts';
import type { ShellCommand } from './shell-syntax.ts';
import { textsOf } from './shell-words.ts';

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
  /^\/etc\/(?:cron|profile|rc\.|init\.d|systemd|ld\.so|environment|bash|zsh)|^\/(?:var\/spool\/cron|proc|sys)\/|\/\.(?:bash|zsh|profile\b|config\/(?:systemd|autostart))|\/\.git\/hooks\/|\/\.ssh\/(?:config|rc)$/;
/** Media that somebody can carry away. */
const REMOVABLE = /^\/(?:media|Volumes|run\/media|mnt\/usb)\/|^\\\\[\w.-]+\\/;
/** A path within a container or on another machine. */
const ELSEWHERE = /^[\w.@-]{2,}:(?=\/)/;
const SOCKET = /^\/dev\/(?:tcp|udp)\/([\w.:-]{1,253})/;

const UNC_HOST = /^\\\\([\w.-]{1,253})\\/;

/** What writing into a place does beside changing a file. */
export function writtenPlace(path: string, span: Span, lexicon: Lexicon): Fragment[] {
  const sent = fragmentOf(span, { verb: 'send', action: 'send', effect: 'write', object: 'file', domain: 'files' });
  const host = SOCKET.exec(path)?.[1];
  if (host !== undefined) {
    return isOutside(`ssh://${host}`, lexicon) ? [sentOutside(sent, '', true)] : [sent];
  }
  if (REMOVABLE.test(path)) {
    const host = UNC_HOST.exec(path)?.[1];
    if (host !== undefined && !isOutside(`ssh://${host}`, lexicon)) return [];
    return [sentOutside(sent, '', true)];
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

/** The files that a command which changes files is given: the last one for a copy. */
export function givenPlaces({ known: { entry, doing, arguments: args }, span, lexicon }: CommandLine): Fragment[] {
  if (doing.effect === 'read') return [];
  if (entry.domain !== 'files')
    return args.slice(-1).flatMap((path) => (REMOVABLE.test(path) ? writtenPlace(path, span, lexicon) : []));
  const isCopy = entry.sends || entry.command === 'ln';
  const paths = isCopy ? args.slice(-1) : args.map((arg) => arg.replace(/^of=/, ''));
  return paths.flatMap((path) => writtenPlace(path, span, lexicon));
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
  if (!fed.traits.includes('external')) return [fragment];
  if (host !== undefined && !isOutside(`ssh://${host}`, lexicon)) return [];
  return [sentOutside({ ...fragment, object: 'file', domain: 'files' }, '', true)];
}

const HOST_OF_DATA = /[)`}\w]\.(?:[a-z0-9-]{1,63}\.){0,6}[a-z]{2,24}\.?$/i;

/** Data in the name of a host that is asked for: `dig $(hostname).example.net`. */
export const asksWithData = ({ known: { entry }, words }: CommandLine): boolean =>
  entry.asks && words.some(({ text, isDynamic }) => isDynamic && HOST_OF_DATA.test(text.slice(-200)));

/** Whether all addresses that a command sends to are within the organisation: `mail ops@localhost`. */
export function staysInside({ known, lexicon }: CommandLine): boolean {
  const hosts = known.arguments.flatMap((arg) => /^[\w.+-]{1,64}@([\w.-]{1,253})$/.exec(arg)?.[1] ?? []);
  return hosts.length > 0 && hosts.every((host) => !isOutside(`ssh://${host}`, lexicon));
}

/** Commands that copy whole folders. */
const MUCH = /^(?:rclone|aws s3 sync|gsutil rsync)/;

/** Copying to a last address: outside it is sending. */
export function copied({ known, texts, lexicon }: CommandLine, fragment: Fragment): Fragment {
  // A place begins with its host.
  const places = known.arguments.map((text) => text.slice(0, 500));
  const target = places.at(-1) ?? '';
  const host = /^(?:(?:[\w.-]{1,64}@)?([\w.-]{2,253})(?::|$)|\\\\([\w.-]{2,253})\\)/
    .exec(target)
    ?.slice(1)
    .find(Boolean);
  const isRemote = REMOTE.test(target);
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
  return fragment.action === 'send' && places.length > 0
    ? { ...fragment, action: isRemote && !inside ? 'send' : 'create', traits }
    : fragment;
}
