// Strict decoders for proofs: every value has exactly one accepted encoding, so a changed character is always a changed value.
import { JsonError, parseJson } from '../../kernel/json.ts';
import { ProofError } from './failures.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Decodes standard base64 (RFC 4648 section 4, padded, unused bits zero); undefined when invalid. */
export function strictBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || !BASE64.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  // Buffer ignores non-zero unused bits; encoding again reveals them.
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** Decodes 64 lower-case hex digits into 32 bytes; undefined when invalid. */
export function strictHash(text: unknown): Buffer | undefined {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** A whole number below 2^53 in decimal without leading zeros, or undefined. */
export function strictDecimal(text: string): number | undefined {
  if (!/^(0|[1-9]\d{0,15})$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Milliseconds since 1970 of `YYYY-MM-DDTHH:mm:ss.sssZ`; undefined when there is no such time. */
export function strictTime(text: unknown): number | undefined {
  if (typeof text !== 'string' || !TIME.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || new Date(ms).toISOString() !== text ? undefined : ms;
}

/** Whether a value is a count or an index: a whole number, not negative, not minus zero, below 2^53. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0);
}

/** Whether a value is an object that has a member. */
export function has<Name extends string>(value: unknown, name: Name): value is Readonly<Record<Name, unknown>> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}

/**
 * Checks for a JSON object with exactly these members. @throws {ProofError} MALFORMED, which names the first unexpected or missing member
 */
export function exactMembers<Name extends string>(
  value: unknown,
  what: string,
  names: readonly Name[],
): Readonly<Record<Name, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ProofError('MALFORMED', `${what} is not a JSON object.`);
  for (const name of Object.keys(value))
    if (!(names as readonly string[]).includes(name))
      throw new ProofError('MALFORMED', `${what} has a member ${quoted(name)} that it may not have.`);
  for (const name of names)
    if (!Object.hasOwn(value, name)) throw new ProofError('MALFORMED', `${what} has no member "${name}".`);
  // The loop above has found each name as an own member.
  return value as Readonly<Record<Name, unknown>>;
}

/** Parses strict JSON of a bounded size. @throws {ProofError} MALFORMED */
export function parseBounded(text: string, what: string, maxBytes: number): unknown {
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes)
    throw new ProofError('MALFORMED', `${what} is larger than ${maxBytes} bytes.`);
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw new ProofError('MALFORMED', `${what} is not valid JSON: ${error.message}.`);
    throw error;
  }
}

/** Quotes and shortens an untrusted text for a message. */
export function quoted(text: string): string {
  return printable(JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text));
}

/** Replaces control and invisible characters, which a terminal would obey or hide, by their code points. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (c) => `\\u{${c.codePointAt(0)?.toString(16) ?? ''}}`);
}
