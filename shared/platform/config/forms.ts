// Readers of settings: each turns the text of an environment variable into a checked value, or throws the end of a sentence.
import net from 'node:net';
import path from 'node:path';
import { parseDuration } from '../../kernel/durations.ts';
import { quoted } from '../../core/proof/encoding.ts';
import { shortestKeepMs } from '../../core/proof/retention-record.ts';
import { serverAddresses } from '../../kernel/database-servers.ts';
import { RATE_LIMIT_TABLE } from '../../kernel/vocabulary.ts';

/** Absolute paths of the folders in which a process looks for files. */
export interface Places {
  /** The package. */
  readonly root: string;
  /** The base of relative paths. */
  readonly cwd: string;
  /** The base of default folders. */
  readonly home: string;
}

export function word<const W extends string>(...words: readonly W[]): (text: string) => W {
  return (text) => {
    const found = words.find((candidate) => candidate === text);
    if (found === undefined) throw new Error(`must be one of ${words.join(', ')}, not ${quoted(text)}`);
    return found;
  };
}

/** A switch, read as a boolean. */
export function onOff(text: string): boolean {
  return word('on', 'off')(text) === 'on';
}

/** A switch that is written as a digit. */
export function oneOrZero(text: string): boolean {
  return word('1', '0')(text) === '1';
}

/** A decimal integer from `min` to `max`. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new Error(`must be a whole number from ${min} to ${max}, not ${quoted(text)}`);
    return value;
  };
}

/** A number of processes, or `auto`: by the cores of the machine. */
export function processCount(most: number): (text: string) => number | 'auto' {
  return (text) => {
    if (text === 'auto') return text;
    const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > most)
      throw new Error(`must be auto or a number of processes from 1 to ${most}, not ${quoted(text)}`);
    return value;
  };
}

/** A decimal fraction from `min` to 1. */
export function shareFrom(min: number): (text: string) => number {
  return (text) => {
    const value = /^(?:0?\.\d{1,6}|0|1(?:\.0{1,6})?)$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= 1))
      throw new Error(`must be a share from ${min} to 1, such as 0.25, not ${quoted(text)}`);
    return value;
  };
}

/** A decimal fraction from 0 to 1. */
export const share = shareFrom(0);

/** A number of seconds, read as milliseconds. */
export function secondsAsMs(min: number, max: number): (text: string) => number {
  const read = integer(min, max);
  return (text) => read(text) * 1_000;
}

/** How long data is kept: a whole number and `m`, `h`, `d` or `w`, read as milliseconds. */
export function keepingMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new Error(`must be a duration such as 36h, 90d or 52w, not ${quoted(text)}`);
  // The database refuses to drop anything younger (migration 0044).
  if (ms < DAY_MS) throw new Error(`must be at least 1d, not ${quoted(text)}`);
  if (ms > 36_500 * DAY_MS)
    throw new Error(`must be at most 36500d, not ${quoted(text)}; leave it unset to keep data for ever`);
  return ms;
}

const DAY_MS = 86_400_000;

/** As keepingMs, of approvals. */
export function keepingApprovalsMs(text: string): number {
  const [ms, leastMs] = [keepingMs(text), shortestKeepMs('approvals')];
  if (ms < leastMs)
    throw new Error(
      `must be at least ${leastMs / DAY_MS}d, not ${quoted(text)}: an approval may be open for seven days, and is used at the end of them`,
    );
  return ms;
}

/** A path; relative ones start from the current folder. A space or line end around it would name another file or a new folder. */
export function filePath(text: string, places: Places): string {
  if (text !== text.trim()) throw new Error(`must not begin or end with white space: ${quoted(text)}`);
  return path.resolve(places.cwd, text);
}

/** As filePath, for data that an update of the package must not delete. */
export function folderToKeep(text: string, places: Places): string {
  const folder = filePath(text, places);
  if (folder.split(path.sep).includes('node_modules'))
    throw new Error(`must not be below node_modules, where npm deletes folders: ${folder}. Start in another folder`);
  return folder;
}

const UNESCAPED = 'must be an address; in a name or password write @ as %40, / as %2F, ? as %3F, # as %23 and % as %25';

/**
 * A connection string with one of these schemes, without white space around it. Errors do not repeat it, because it may hold a password.
 * Signs of a password that were not escaped are found: its end would be taken for the server.
 */
export function connectionString(...schemes: readonly string[]): (text: string) => string {
  const expected = schemes.map((scheme) => `${scheme}://`);
  return (given) => {
    const text = given.trim();
    if (!expected.some((start) => text.toLowerCase().startsWith(start)))
      throw new Error(`must be an address that begins with ${expected.join(' or ')}`);
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || url.pathname.includes('@') || url.hash.includes('@')) throw new Error(UNESCAPED);
    return text;
  };
}

/** The address of a PostgreSQL database; as in libpq with several servers, of which the one that accepts writes is used. */
export function databaseAddress(given: string): string {
  const text = given.trim();
  for (const address of serverAddresses(text)) {
    connectionString('postgres', 'postgresql')(address);
    const session = new URL(address).searchParams.get('target_session_attrs');
    if (session !== null && !WRITABLE_SESSIONS.includes(session))
      throw new Error(
        `must name a server that accepts writes: target_session_attrs can be ${WRITABLE_SESSIONS.join(', ')}`,
      );
  }
  return text;
}

const WRITABLE_SESSIONS = ['read-write', 'primary', 'any'];

/** The address of the service as clients see it; plain http only for this machine. */
export function publicAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  const isBare = url?.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (!isSafe || !isBare || /[/?#]$/.test(text))
    throw new Error(
      'must be an https:// address without query and without a slash at its end (http:// only for localhost)',
    );
  return text;
}

/** An address to which secrets are sent; plain http only for this machine. */
export function secretAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!isSafe || url.username !== '' || url.password !== '' || url.hash !== '')
    throw new Error('must be an https:// address without user name and password (http:// only for localhost)');
  return url.href;
}

export function modelName(text: string): string {
  if (!/^[\x21-\x7e]{1,200}$/.test(text)) throw new Error('must be the name of a model, without spaces');
  return text;
}

/** A token for an Authorization header. Errors do not repeat it. */
export function bearerToken(text: string): string {
  if (!/^[\x21-\x7e]{1,4096}$/.test(text)) throw new Error('must be an API key of printable characters without spaces');
  return text;
}

/** A secret of at least 32 characters: fewer can be guessed. */
export function longSecret(text: string): string {
  if (text.trim().length < 32 || text.length > 512)
    throw new Error(`must have 32 to 512 characters; this makes one: openssl rand -base64 32`);
  return text;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

export function hostName(text: string): string {
  if (!HOST_NAME.test(text))
    throw new Error(`must be a host name in small letters, such as custos.example.com, not ${quoted(text)}`);
  return text;
}

interface RateLimitEntry {
  readonly tier: number;
  readonly perSecond: number;
  readonly perMinute: number;
}

/** The argument of Express's `trust proxy`: the number of proxies in front, or their addresses. */
type TrustProxy = number | readonly string[];

export function readHost(text: string): string {
  return net.isIP(text) !== 0 ? text : hostName(text);
}

/** Checks the shape only; the checksum is checked where keys are made. Errors do not repeat the secret. */
export function readBootstrapKey(text: string): string {
  if (!/^cst_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/.test(text))
    throw new Error('must be a whole admin key that begins with cst_live_; "custos keys generate" prints one');
  return text;
}

const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal'];

export function readTrustProxy(text: string): TrustProxy {
  // `true` would trust every X-Forwarded-For, so that callers could choose the address to which limits apply.
  if (/^\d+$/.test(text)) return integer(1, 16)(text);
  const addresses = text.split(',').map((part) => part.trim());
  for (const address of addresses) {
    const [ip = '', bits, ...rest] = address.split('/');
    const max = net.isIPv6(ip) ? 128 : 32;
    if (net.isIP(ip) !== 0 && /^0+$/.test(bits ?? '')) throw new Error(`must not trust every address: ${quoted(text)}`);
    const sized = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= max);
    if (!PROXY_NAMES.includes(address) && (net.isIP(ip) === 0 || !sized || rest.length > 0))
      throw new Error(
        `must be the number of proxies in front (1 to 16), or their addresses (10.0.0.0/8, ${PROXY_NAMES.join(', ')}) separated by commas, not ${quoted(text)}`,
      );
  }
  return addresses;
}

export function readRateLimits(text: string): readonly RateLimitEntry[] {
  const table = new Map<number, RateLimitEntry>(RATE_LIMIT_TABLE.map((entry) => [entry.tier, entry]));
  const given = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^([0-7])=(\d{1,7})\/(\d{1,9})$/.exec(part.trim());
    const [tier, perSecond, perMinute] = (match?.slice(1) ?? []).map(Number);
    if (tier === undefined || !perSecond || !perMinute)
      throw new Error(`must be a list such as 3=40/600,4=100/1200 (tier=perSecond/perMinute), not ${quoted(text)}`);
    if (given.has(tier)) throw new Error(`must name each tier once, not tier ${tier} twice`);
    given.add(tier);
    table.set(tier, { tier, perSecond, perMinute });
  }
  return [...table.values()];
}

/** A range of IP addresses. */
export interface AddressRange {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

const ALL_ADDRESSES = '0.0.0.0/0,::/0';

/** Ranges in CIDR notation or single addresses, separated by commas; `on`: all, `off`: none. */
export function readAddressRanges(text: string): readonly AddressRange[] {
  if (text === 'off') return [];
  return (text === 'on' ? ALL_ADDRESSES : text).split(',').map((part) => {
    const [address = '', prefixText, ...more] = part.trim().split('/');
    const version = net.isIP(address);
    const most = version === 4 ? 32 : 128;
    const prefix = prefixText === undefined ? most : /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : Number.NaN;
    if (version === 0 || more.length > 0 || !(prefix <= most))
      throw new Error(`must be on, off, or addresses such as 10.0.0.0/8,127.0.0.1, not ${quoted(text)}`);
    return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
  });
}

/** Keys that are named by their ids or by their tags. */
export interface KeysAndTags {
  readonly keys: readonly string[];
  readonly tags: readonly string[];
}

/** A list such as `tag:security,key:3fK9x2Qa`. */
export function readKeysAndTags(text: string): KeysAndTags {
  const parts = text.split(',').map((part) => /^(tag|key):(.+)$/.exec(part.trim()));
  const named = (kind: string): string[] => parts.flatMap((part) => (part?.[1] === kind && part[2]) || []);
  const [keys, tags] = [named('key'), named('tag')];
  if (parts.includes(null) || keys.some((key) => !/^[0-9A-Za-z]{8}$/.test(key)))
    throw new Error(`must be tags and ids of keys, such as tag:security,key:3fK9x2Qa, not ${quoted(text)}`);
  return { keys, tags };
}
