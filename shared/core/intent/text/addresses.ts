// Hosts and IP addresses as text: one spelling for each, so that comparing spellings compares hosts.
import { isIP } from 'node:net';

export interface Address {
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
export function parseAddress(text: string): Address | undefined {
  const kind = isIP(text);
  if (kind === 4) return { bits: 32, value: parseV4(text) };
  if (kind !== 6 || text.includes('%')) return undefined;
  const value = parseV6(text);
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffffffffn } : { bits: 128, value };
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

// Prefixes with their lengths, below which an IPv6 address names an IPv4 host: IPv4-compatible addresses (RFC 4291 section 2.5.5.1),
// translation (RFC 6052, RFC 8215) and 6to4 (RFC 3056).
const TRANSLATED = (['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16'] as const).map((range) => {
  const [address = '', prefix] = range.split('/');
  const shift = 128n - BigInt(prefix ?? 128);
  return { shift, network: parseV6(address) >> shift };
});

/**
 * Whether an IPv6 address stands for an IPv4 host in some networks and for nothing in others, so that which host it names is unknown. Not
 * IPv4-mapped addresses, which always do, nor `::` and `::1`.
 */
export function isTranslated({ bits, value }: Address): boolean {
  return bits === 128 && value > 1n && TRANSLATED.some(({ shift, network }) => value >> shift === network);
}

const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * The one spelling of a host without port: small letters, Punycode, no dot at its end, IPv4 in four decimal numbers, IPv6 in brackets.
 * Undefined for anything that is no host, and for an IPv6 address that only some networks translate to an IPv4 host.
 */
export function plainHost(text: string): string | undefined {
  if (text === '' || (/[/@?#%\\\s:]/.test(text) && !text.startsWith('['))) return undefined;
  if (!URL.canParse(`http://${text}/`)) return undefined;
  const host = new URL(`http://${text}/`).hostname.replace(/\.$/, '');
  const inBrackets = /^\[(.+)\]$/.exec(host)?.[1];
  if (inBrackets === undefined) return NAME.test(host) ? host : undefined;
  const address = parseAddress(inBrackets);
  if (address === undefined || isTranslated(address)) return undefined;
  return address.bits === 32 ? addressText(address.value, 32) : host;
}
