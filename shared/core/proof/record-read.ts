// Parses a record from its canonical bytes: its five members, and whether the bytes are canonical.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { canonicalize } from './canonical.ts';
import { quoted, strictHash, strictTime } from './encoding.ts';

/** The record in a leaf. */
export interface RecordView {
  /** The entity that the record concerns. */
  readonly agentId: string;
  readonly eventType: string;
  readonly occurredAt: string;
  readonly payload: {
    readonly body: unknown;
    readonly environment: string;
    readonly organisation: string;
    readonly proofId: string;
  };
  /** Event hash of the entity's previous record, lower-case hex; 64 zeros for the first. */
  readonly previousHash: string;
}

/** A request may nest 64 levels, and the record wraps its payload in two more. Deeper nesting is not a valid record. */
const MAX_DEPTH = 80;
/** How each record ends: `,"previousHash":"`, 64 digits, `"}`. */
const END = /,"previousHash":"[0-9a-f]{64}"}$/;
const END_BYTES = 83;
const MEMBERS = ['agentId', 'eventType', 'occurredAt', 'payload', 'previousHash'];
const PAYLOAD_MEMBERS = ['body', 'environment', 'organisation', 'proofId'];

/** Parses a record, or explains why it is none: the end of a sentence that begins "The record". */
export function readRecord(bytes: Uint8Array): ReadRecord {
  if (!isUtf8(bytes)) return { why: 'is not UTF-8' };
  return readRecordText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}

type ReadRecord = { readonly record: RecordView } | { readonly why: string };

/** The same of the text that the bytes are in UTF-8. */
export function readRecordText(text: string): ReadRecord {
  let value: unknown;
  try {
    // JSON.parse accepts any depth, duplicate members and unusual numbers; serializing again reveals the last two.
    value = JSON.parse(text);
    if (!isPlainlyCanonical(value, text)) {
      if (depthOf(text) > MAX_DEPTH) return { why: 'is nested too deeply' };
      if (canonicalize(value) !== text) return { why: 'is JSON, but not canonical (RFC 8785)' };
    }
  } catch (error) {
    if (depthOf(text) > MAX_DEPTH) return { why: 'is nested too deeply' };
    if (error instanceof SyntaxError) return { why: 'is not JSON' };
    if (error instanceof TypeError) return { why: 'is not canonical JSON (RFC 8785)' };
    throw error;
  }
  if (!hasMembers(value, MEMBERS)) return { why: `has not exactly the members ${MEMBERS.join(', ')}` };
  const { agentId, eventType, occurredAt, payload, previousHash } = value;
  if (typeof agentId !== 'string' || typeof eventType !== 'string') return { why: 'names no entity or event' };
  if (typeof occurredAt !== 'string' || strictTime(occurredAt) === undefined) return { why: 'has no valid time' };
  if (typeof previousHash !== 'string' || strictHash(previousHash) === undefined)
    return { why: 'has no previous hash' };
  if (!hasMembers(payload, PAYLOAD_MEMBERS))
    return { why: `has a payload without exactly the members ${PAYLOAD_MEMBERS.join(', ')}` };
  const { body, environment, organisation, proofId } = payload;
  if (typeof environment !== 'string' || typeof organisation !== 'string' || typeof proofId !== 'string')
    return { why: 'names no environment, organisation or proof' };
  return {
    record: {
      agentId,
      eventType,
      occurredAt,
      payload: { body, environment, organisation, proofId },
      previousHash,
    },
  };
}

/** SHA-256 of a record's bytes, lower-case hex, which the entity's next record refers to. */
export function eventHashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * SHA-256 of the record's canonical bytes without its previousHash, lower-case hex: the digest in a promise, which is issued before the
 * previous record is known. Undefined when the bytes do not end as a record does.
 */
export function recordDigestOf(bytes: Uint8Array): string | undefined {
  if (bytes.length <= END_BYTES) return undefined;
  const cut = bytes.length - END_BYTES;
  if (!END.test(Buffer.from(bytes.subarray(cut)).toString('latin1'))) return undefined;
  return createHash('sha256').update(bytes.subarray(0, cut)).update('}').digest('hex');
}

/**
 * Whether a record belongs to a log: `<host>/<organisation>/<environment>`, optionally followed by a number from 2 on, which counts how
 * often the log was started again.
 */
export function isOfLog({ payload }: RecordView, origin: string): boolean {
  const rest = origin.replace(/\/(?:[2-9]|[1-9]\d+)$/, '');
  const end = `/${payload.organisation}/${payload.environment}`;
  return rest.endsWith(end) && rest.length > end.length;
}

/** Describes the log that a record names, for a message. */
export function logOf({ payload }: RecordView): string {
  return quoted(`${payload.organisation}/${payload.environment}`);
}

function hasMembers(value: unknown, names: readonly string[]): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length === names.length && names.every((name) => Object.hasOwn(value, name));
}

/**
 * Whether a text, of which `value` was parsed, is canonical at first sight, as almost every record is. JSON.stringify shows it at a third
 * of the cost: it differs from RFC 8785 only in the order of members, and for lone surrogates, which it escapes (`\ud800`).
 */
function isPlainlyCanonical(value: unknown, text: string): boolean {
  return !text.includes('\\ud') && isOrdered(value, MAX_DEPTH) && JSON.stringify(value) === text;
}

/** Whether the members of each object are in the order of RFC 8785, by UTF-16 code units, down to a depth. */
function isOrdered(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((element) => isOrdered(element, depth - 1));
  // Any member of an object may be read. Pairs of names and values would cost three times as much.
  const members = value as Readonly<Record<string, unknown>>;
  let before: string | undefined;
  for (const name of Object.keys(members)) {
    if (before !== undefined && name <= before) return false;
    before = name;
    const member = members[name];
    if (typeof member === 'object' && !isOrdered(member, depth - 1)) return false;
  }
  return true;
}

/** Nesting depth of a JSON text. Needed in advance, because canonicalization recurses. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === 0x5c) i += 1;
      else if (c === 0x22) inString = false;
    } else if (c === 0x22) inString = true;
    else if (c === 0x7b || c === 0x5b) deepest = Math.max(deepest, (depth += 1));
    else if (c === 0x7d || c === 0x5d) depth -= 1;
  }
  return deepest;
}
