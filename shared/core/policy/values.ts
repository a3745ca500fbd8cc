// Parsers for the values that typed operators compare: times of day, RFC 3339 times, IP addresses and networks. No clock.
import { isIP } from 'node:net';
import { type Address, addressText, isTranslated, parseAddress } from '../intent/text/addresses.ts';

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

/**
 * Whether an address lies in a network; undefined when either of them is malformed, and for an IPv4 network when it is unknown which IPv4
 * host the address stands for.
 */
export function addressInRange(address: unknown, range: string): boolean | undefined {
  const host = typeof address === 'string' ? parseAddress(address) : undefined;
  const network = parseRange(range);
  if (host === undefined || network === undefined) return undefined;
  if (host.bits !== network.address.bits) return isTranslated(host) ? undefined : false;
  const shift = BigInt(network.address.bits - network.prefix);
  return host.value >> shift === network.address.value >> shift;
}
