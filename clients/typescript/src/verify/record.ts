// Records: the canonical JSON (RFC 8785) in the leaves of the log.
import { canonicalText } from '../json.ts';
import { depthOf } from '../json-text.ts';
import { hasExactly, isHashText, isTime, quoted } from './encoding.ts';

/** The record of one event. */
export interface LogRecord {
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
  /** SHA-256 of the entity's previous record, lower-case hex; 64 zeros for the first. */
  readonly previousHash: string;
}

/** A request may nest 64 levels, and the record wraps it in two more. */
const MAX_DEPTH = 80;

/** The value of canonical JSON; otherwise the end of a sentence that begins "The record". */
function readCanonical(bytes: Uint8Array): { readonly value: unknown } | { readonly why: string } {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    return { why: 'is not JSON in UTF-8' };
  }
  if (depthOf(text) > MAX_DEPTH) return { why: 'is nested too deeply' };
  try {
    // JSON.parse accepts duplicate members and other spellings of a value; writing it again reveals them.
    return canonicalText(value) === text ? { value } : { why: 'is not canonical (RFC 8785)' };
  } catch (error) {
    if (error instanceof TypeError) return { why: 'is not canonical (RFC 8785)' };
    throw error;
  }
}

/** `why` is the end of a sentence that begins "The record". */
export function readRecord(bytes: Uint8Array): { readonly record: LogRecord } | { readonly why: string } {
  const read = readCanonical(bytes);
  if ('why' in read) return read;
  const { value } = read;
  if (
    !hasExactly(value, ['agentId', 'eventType', 'occurredAt', 'payload', 'previousHash']) ||
    !hasExactly(value['payload'], ['body', 'environment', 'organisation', 'proofId'])
  )
    return { why: 'has not exactly the members of a record' };
  const { agentId, eventType, occurredAt, payload, previousHash } = value;
  const { environment, organisation, proofId } = payload;
  const texts = [agentId, eventType, environment, organisation, proofId];
  if (!texts.every((text) => typeof text === 'string') || !isTime(occurredAt) || !isHashText(previousHash))
    return { why: 'has a member of the wrong kind' };
  // All members have been checked.
  return { record: value as unknown as LogRecord };
}

/** Whether a record belongs to a log: `<host>/<organisation>/<environment>`, and a number from 2 on when the log was started again. */
export function isOfLog({ payload }: LogRecord, origin: string): boolean {
  const place = origin.replace(/\/(?:[2-9]|[1-9]\d+)$/, '');
  const end = `/${payload.organisation}/${payload.environment}`;
  return place.endsWith(end) && place.length > end.length;
}

export function logOf({ payload }: LogRecord): string {
  return quoted(`${payload.organisation}/${payload.environment}`);
}
