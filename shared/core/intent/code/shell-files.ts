// What shell commands do to files: redirections, copies, and data that goes to another machine.
import { destroys, fileWrite, type Fragment, isNowhere, sentOutside } from './code.ts';
import type { KnownCommand } from './commands.ts';
import { isOutside } from './http.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { ShellCommand } from './shell-syntax.ts';
import { type ShellWord, textsOf } from './shell-words.ts';

/** Whether a command writes nothing, so that its output empties a file: `:`, `cat /dev/null`, `echo -n`. */
export function writesNothing(words: readonly string[]): boolean {
  const [name = '', ...args] = words;
  if (name === ':' || name === 'true' || name === '') return true;
  if (name === 'cat') return args.length > 0 && args.every((arg) => isNowhere(arg));
  return (name === 'echo' || name === 'printf') && args.every((arg) => arg === '' || arg === '-n') && args.length > 0;
}

export function writtenFiles(command: ShellCommand): Fragment[] {
  return command.redirections.flatMap(({ operator, target }) => {
    if (!operator.includes('>') || isNowhere(target.text) || operator === '<>') return [];
    const isEmptied = !operator.includes('>>') && writesNothing(textsOf(command.words));
    return [fileWrite(target.text, { at: target.at, end: target.end }, isEmptied)];
  });
}

const REMOTE =
  /^(?:[\w.-]{1,64}@)?([\w.-]{2,253}|\[[\da-f:]+\]):(?!\\)|^(?:s3|gs|gcs|azure|abfss?|ftp|sftp|rsync|https?):\/\/|^[\w.-]{1,64}@[\w.-]{1,253}$|^\/(?:media|Volumes)\/|\/usb\b/i;

/** Data that another command or a file hands over, at the first address: outside it is sending. */
export function fedTo(
  known: KnownCommand,
  { redirections }: ShellCommand,
  before: ShellCommand | undefined,
  own: Fragment,
  lexicon: Lexicon,
): Fragment[] {
  const { fed } = known.entry;
  const isOutput = before !== undefined && !/^(?:echo|printf|yes|true)$/.test(before.words[0]?.text ?? '');
  const isFed = isOutput || redirections.some(({ operator, target }) => operator === '<' && !isNowhere(target.text));
  if (fed === undefined || !isFed) return [];
  const fragment = { ...own, ...fed };
  const host = /^(?:[\w.-]{1,64}@)?([\w.-]{2,253})$/.exec(known.arguments[0] ?? '')?.[1];
  if (!fed.traits.includes('external')) return [fragment];
  if (host !== undefined && !isOutside(`ssh://${host}`, lexicon)) return [];
  return [sentOutside({ ...fragment, object: 'file', domain: 'files' }, '', true)];
}

const HOST_OF_DATA = /[)`}\w]\.(?:[a-z0-9-]{1,63}\.){0,6}[a-z]{2,24}\.?$/i;

/** Data in the name of a host that is asked for: `dig $(hostname).example.net`. */
export const asksWithData = ({ entry }: KnownCommand, words: readonly ShellWord[]): boolean =>
  entry.asks && words.some(({ text, isDynamic }) => isDynamic && HOST_OF_DATA.test(text.slice(-200)));

/** Whether all addresses that a command sends to are within the organisation: `mail ops@localhost`. */
export function staysInside({ arguments: args }: KnownCommand, lexicon: Lexicon): boolean {
  const hosts = args.flatMap((arg) => /^[\w.+-]{1,64}@([\w.-]{1,253})$/.exec(arg)?.[1] ?? []);
  return hosts.length > 0 && hosts.every((host) => !isOutside(`ssh://${host}`, lexicon));
}

/** Commands that copy whole folders. */
const MUCH = /^(?:rclone|aws s3 sync|gsutil rsync)/;

/** Copying to a last address: outside it is sending. */
export function copied(known: KnownCommand, words: readonly string[], fragment: Fragment, lexicon: Lexicon): Fragment {
  const places = known.arguments.filter((text) => text.length < 500);
  const target = places.at(-1) ?? '';
  const host = /^(?:[\w.-]{1,64}@)?([\w.-]{2,253})(?::|$)/.exec(target)?.[1];
  const isRemote = REMOTE.test(target);
  const inside = target.includes('://')
    ? !isOutside(target, lexicon)
    : host !== undefined && !isOutside(`ssh://${host}`, lexicon);
  if (fragment.effect === 'destructive' || fragment.action === 'read') return fragment;
  const isMuch =
    MUCH.test(known.entry.command) ||
    words.some((word) => /^-[a-zA-Z]{0,5}[ra]|^--(?:recursive|archive)|\*/.test(word));
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
