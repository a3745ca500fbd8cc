// Identifiers: those of the service (a prefix and a ULID, sorted by time), and the rules for those that callers choose.
import { randomFillSync } from 'node:crypto';

/** Crockford base32 as in the ULID specification: text and number have the same order. */
const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';

export type IdPrefix = 'org' | 'agt' | 'dec' | 'int' | 'apr' | 'prf' | 'sig' | 'req' | 'rpl' | 'whk' | 'act';

/** Most characters (code points) of an identifier that a caller chooses. */
export const CALLER_ID_MAX = 256;
/** A JSON Schema pattern: not `.` or `..`, not one of the service's own (`custos:...`), no control characters. */
export const CALLER_ID_PATTERN = '^(?!\\.{1,2}$)(?!custos:)[^\\u0000-\\u001f\\u007f-\\u009f]*$';
const CALLER_ID = new RegExp(CALLER_ID_PATTERN, 'u');

/** Whether a caller may use this text as an identifier. */
export function isCallerId(text: string): boolean {
  return text !== '' && [...text].length <= CALLER_ID_MAX && CALLER_ID.test(text);
}

/** The values of X-Request-Id that are taken over from a caller; for any other one the service makes an id of its own. */
export const REQUEST_ID_PATTERN = '^[A-Za-z0-9._:-]{1,128}$';

/** Two characters for each number of 10 bits. */
const PAIRS = Array.from({ length: 1_024 }, (_, bits) => BASE32.charAt(bits >> 5) + BASE32.charAt(bits & 31));
const pairOf = (bits: number): string => PAIRS[bits & 1_023] as string;

const pool = Buffer.alloc(10 * 256);
let poolAt = pool.length;
const byteAt = (offset: number): number => pool[poolAt + offset] as number;

/** 10 characters in the order of the milliseconds. */
function timeText(ms: number): string {
  const high = Math.floor(ms / 0x10_0000);
  const low = ms % 0x10_0000;
  return pairOf(high >> 20) + pairOf(high >> 10) + pairOf(high) + pairOf(low >> 10) + pairOf(low);
}

/** The lowest id that `newId` can make at this time. It bounds a range scan over ids by time. */
export function lowestId(prefix: IdPrefix, ms: number): string {
  return `${prefix}_${timeText(ms)}${'0'.repeat(16)}`;
}

/** The time in an id of the service, milliseconds since 1970. */
export function idTimeMs(id: string): number {
  return [...id.slice(4, 14)].reduce((ms, character) => ms * 32 + BASE32.indexOf(character), 0);
}

/** The id of a decision's proof: the same ULID, so that neither is stored beside the other. */
export const proofIdOfDecision = (decisionId: string): string => `prf${decisionId.slice(3)}`;

/** The id of the decision that a proof is of. Only for the proof of a decision. */
export const decisionIdOfProof = (proofId: string): string => `dec${proofId.slice(3)}`;

/** The id of the approval that a decision opens: the same ULID, so that it tells which one opened it. Those of earlier versions do not. */
export const approvalIdOfDecision = (decisionId: string): string => `apr${decisionId.slice(3)}`;

/**
 * A new id such as `dec_01jq3k...`: prefix, 10 characters of milliseconds since 1970, 16 of randomness.
 * Ids sort by time to the millisecond. With 80 random bits in each millisecond, collisions are negligible.
 */
export function newId(prefix: IdPrefix, nowMs: number): string {
  if (poolAt === pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  let random = '';
  // 5 bytes are four pairs.
  for (const end = poolAt + 10; poolAt < end; poolAt += 5)
    random +=
      pairOf((byteAt(0) << 2) | (byteAt(1) >> 6)) +
      pairOf(((byteAt(1) & 0x3f) << 4) | (byteAt(2) >> 4)) +
      pairOf(((byteAt(2) & 0x0f) << 6) | (byteAt(3) >> 2)) +
      pairOf(((byteAt(3) & 0x03) << 8) | byteAt(4));
  return `${prefix}_${timeText(nowMs)}${random}`;
}
