// Parses the record in a receipt: canonical JSON (RFC 8785) of exactly five members.
import type { RecordView } from '#shared/core/proof/record-read.js';
import { fromHashHex } from './bytes.ts';

/** The limit of `custos verify`. */
const MAX_DEPTH = 80;
const MEMBERS = ['agentId', 'eventType', 'occurredAt', 'payload', 'previousHash'];
const PAYLOAD_MEMBERS = ['body', 'environment', 'organisation', 'proofId'];
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** RFC 8785: members in the order of their UTF-16 code units, no white space, numbers and strings as ECMAScript writes them. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${canonical(name)}:${canonical(member)}`).join(',')}}`;
  }
  // JSON.stringify writes a lone surrogate as an escape; RFC 8785 does not allow it.
  if (typeof value === 'string' && /\p{Cs}/u.test(value)) throw new TypeError('a lone surrogate');
  return JSON.stringify(value);
}

/** The nesting depth of brackets outside of strings. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, (depth += 1));
    else if (token === ']' || token === '}') depth -= 1;
  }
  return deepest;
}

function hasMembers(value: unknown, names: readonly string[]): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const own = Object.keys(value).sort();
  return own.length === names.length && own.every((name, i) => name === names[i]);
}

function isTime(text: unknown): boolean {
  if (typeof text !== 'string' || !TIME.test(text)) return false;
  const at = new Date(text);
  return !Number.isNaN(at.getTime()) && at.toISOString() === text;
}

/** Parses a record. `why` completes a sentence that begins "The record". */
export function readRecord(bytes: Uint8Array): { readonly record: RecordView } | { readonly why: string } {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { why: 'is not UTF-8' };
  }
  if (depthOf(text) > MAX_DEPTH) return { why: 'is nested too deeply' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { why: 'is not JSON' };
  }
  try {
    if (canonical(value) !== text) return { why: 'is JSON, but not canonical (RFC 8785)' };
  } catch {
    return { why: 'is not canonical JSON (RFC 8785)' };
  }
  if (!hasMembers(value, MEMBERS)) return { why: `has not exactly the members ${MEMBERS.join(', ')}` };
  const { agentId, eventType, occurredAt, payload, previousHash } = value;
  if (typeof agentId !== 'string' || typeof eventType !== 'string') return { why: 'names no entity or event' };
  if (typeof occurredAt !== 'string' || !isTime(occurredAt)) return { why: 'has no valid time' };
  if (typeof previousHash !== 'string' || fromHashHex(previousHash) === undefined)
    return { why: 'has no previous hash' };
  if (!hasMembers(payload, PAYLOAD_MEMBERS))
    return { why: `has a payload without exactly the members ${PAYLOAD_MEMBERS.join(', ')}` };
  const { body, environment, organisation, proofId } = payload;
  if (typeof environment !== 'string' || typeof organisation !== 'string' || typeof proofId !== 'string')
    return { why: 'names no environment, organisation or proof' };
  return {
    record: { agentId, eventType, occurredAt, payload: { body, environment, organisation, proofId }, previousHash },
  };
}

/** Whether a record belongs to a log with the origin `<host>/<organisation>/<environment>`, or with a number after it (a fork). */
export function isOfLog({ payload }: RecordView, origin: string): boolean {
  const parts = origin.split('/');
  const last = parts.at(-1) ?? '';
  if (/^(?:[2-9]|[1-9]\d+)$/.test(last)) parts.pop();
  const end = `/${payload.organisation}/${payload.environment}`;
  const place = parts.join('/');
  return place.endsWith(end) && place.length > end.length;
}
