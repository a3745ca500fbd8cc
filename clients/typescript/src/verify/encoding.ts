// Strict decoders: every value has exactly one accepted encoding, so a changed character is always a changed value.
import { parseJson } from '../json-text.ts';
import { VerificationError } from './failures.ts';

/** Bytes that WebCrypto takes. */
export type Bytes = Uint8Array<ArrayBuffer>;

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** The bytes of padded standard base64 whose unused bits are zero, or undefined. */
export function fromBase64(text: string): Bytes | undefined {
  // atob would also take white space and texts without padding.
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return toBase64(bytes) === text ? bytes : undefined;
}

export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export const isHashText = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

export function fromHex(text: string): Bytes {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function concat(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

export function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** A whole number below 2^53 in decimal without leading zeros, or undefined. */
export function fromDecimal(text: string): number | undefined {
  return /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

/** Whether a value is a whole number from 0 to 2^53-1, and not -0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && !Object.is(value, -0);
}

/** Whether a value is a time of the form `YYYY-MM-DDTHH:mm:ss.sssZ` that exists. */
export function isTime(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return false;
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString() === value;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function hasExactly(value: unknown, names: readonly string[]): value is Readonly<Record<string, unknown>> {
  return (
    isObject(value) && Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name))
  );
}

/** A text of unknown origin for a sentence: shortened, in quotes, invisible characters escaped. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

export function malformed(sentence: string): VerificationError {
  return new VerificationError('MALFORMED', sentence);
}

/** A request has at most 1 MB, and base64 adds a third. */
const MAX_BYTES = 2 * 1_048_576;

/** @throws {VerificationError} MALFORMED */
export function checkLength(text: string, what: string): void {
  if (text.length > MAX_BYTES || utf8(text).length > MAX_BYTES) throw malformed(`${what} has more than 2 MB.`);
}

/** Strict JSON of at most 2 MB. @throws {VerificationError} MALFORMED */
export function parseBounded(text: string, what: string): unknown {
  checkLength(text, what);
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw malformed(`${what} is not strict JSON: ${error.message}.`);
    throw error;
  }
}
