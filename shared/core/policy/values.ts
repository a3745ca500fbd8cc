// Parsers for the values that typed operators compare: times of day, RFC 3339 times, IP addresses and networks. No clock.
import { isIP } from 'node:net';

const HOURS = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;
/** RFC 3339 section 5.6, with the offset required. */
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const MINUTES_PER_DAY = 1_440;

/** Parses `08:00-18:00` into minutes since midnight; undefined unless it consists of two different times. */
export function parseHours(value: unknown): { readonly from: number; readonly to: number } | undefined {
  const match = typeof value === 'string' ? HOURS.exec(value) : null;
  if (match === null) return undefined;
  const [, fromHour, fromMinute, toHour, toMinute] = match.map(Number);
  if (fromHour === undefined || fromMinute === undefined || toHour === undefined || toMinute === undefined)
    return undefined;
  const from = fromHour * 60 + fromMinute;
  const to = toHour * 60 + toMinute;
  return from === to ? undefined : { from, to };
}

/** Milliseconds since 1970 of an RFC 3339 time, or undefined. A day that does not exist in its month is refused. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !RFC3339.test(value)) return undefined;
  const time = Date.parse(value);
  const day = Number(value.slice(8, 10));
  // Date.parse rolls 30 February over into March.
  const daysInMonth = new Date(Date.UTC(Number(value.slice(0, 4)), Number(value.slice(5, 7)), 0)).getUTCDate();
  return Number.isNaN(time) || day < 1 || day > daysInMonth ? undefined : time;
}

/** Minutes since midnight UTC, from a number of minutes or an RFC 3339 time; undefined for anything else. */
export function minutesOfDay(value: unknown): number | undefined {
  if (typeof value === 'number')
    return Number.isInteger(value) && value >= 0 && value < MINUTES_PER_DAY ? value : undefined;
  const time = timeOf(value);
  if (time === undefined) return undefined;
  const at = new Date(time);
  return at.getUTCHours() * 60 + at.getUTCMinutes();
}

interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

function parseV4(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseV6(text: string): bigint {
  let plain = text;
  const lastColon = text.lastIndexOf(':');
  const tail = text.slice(lastColon + 1);
  if (tail.includes('.')) {
    const v4 = parseV4(tail);
    plain = `${text.slice(0, lastColon + 1)}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`;
  }
  const [head = '', rest] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = rest === undefined || rest === '' ? [] : rest.split(':');
  const zeros: string[] = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].reduce((value, part) => (value << 16n) | BigInt(`0x${part}`), 0n);
}

/** An IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) is parsed as the IPv4 address, so that it can not bypass IPv4 networks. */
function parseAddress(text: string): Address | undefined {
  const kind = isIP(text);
  if (kind === 4) return { bits: 32, value: parseV4(text) };
  if (kind !== 6 || text.includes('%')) return undefined;
  const value = parseV6(text);
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffffffffn } : { bits: 128, value };
}

interface Range {
  readonly address: Address;
  readonly prefix: number;
}

/** Parses a network in CIDR notation (RFC 4632, RFC 4291 section 2.3); undefined when it is none. */
export function parseRange(text: string): Range | undefined {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const [, host = '', length = ''] = match;
  const address = parseAddress(host);
  if (address === undefined || (address.bits === 32 && isIP(host) === 6)) return undefined;
  const prefix = Number(length);
  return prefix <= address.bits ? { address, prefix } : undefined;
}

/** Formats an address of 32 or 128 bits. */
export function addressText(value: bigint, bits: 32 | 128): string {
  const width = bits === 32 ? 8n : 16n;
  const parts: bigint[] = [];
  for (let shift = BigInt(bits) - width; shift >= 0n; shift -= width)
    parts.push((value >> shift) & ((1n << width) - 1n));
  return bits === 32 ? parts.join('.') : parts.map((part) => part.toString(16)).join(':');
}

/** An address as it is recorded: lower case, an IPv4-mapped IPv6 address as IPv4; undefined when it is none, or has a zone. */
export function plainAddress(text: string): string | undefined {
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  return address.bits === 32 ? addressText(address.value, 32) : text.toLowerCase();
}

/** The network of a range in CIDR notation, and whether host bits were set in the written address. */
export function networkOf(
  text: string,
): { readonly network: string; readonly host: string; readonly hasHostBits: boolean } | undefined {
  const range = parseRange(text);
  if (range === undefined) return undefined;
  const { bits, value } = range.address;
  const size = BigInt(bits - range.prefix);
  const first = (value >> size) << size;
  const [host = ''] = text.split('/');
  // Keeps the author's spelling when it is already correct, because an IPv6 address has several spellings.
  const network = first === value ? text : `${addressText(first, bits)}/${range.prefix}`;
  return { network, host: `${host}/${bits}`, hasHostBits: first !== value };
}

/** Whether an address lies in a network; undefined when either of them is malformed. */
export function addressInRange(address: unknown, range: string): boolean | undefined {
  const host = typeof address === 'string' ? parseAddress(address) : undefined;
  const network = parseRange(range);
  if (host === undefined || network === undefined) return undefined;
  if (host.bits !== network.address.bits) return false;
  const shift = BigInt(network.address.bits - network.prefix);
  return host.value >> shift === network.address.value >> shift;
}
