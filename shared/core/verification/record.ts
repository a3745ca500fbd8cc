// Parses records for verification: a decision's body with exactly its members, and whether bytes are those in the log.
import { createHash } from 'node:crypto';
import { isCount, strictHash, strictTime } from '../proof/encoding.ts';
import { hashLeaf } from '../proof/merkle.ts';
import { readRecord, type RecordView } from '../proof/record-read.ts';
import { VERDICTS, type Verdict } from '../../kernel/vocabulary.ts';
import type { LoggedRecord } from './failures.ts';

/** The body of a `custos.decision` record (writeDecision). Members that are only compared stay `unknown`. */
export interface DecisionBody {
  readonly agent_id: string;
  readonly allowed: boolean;
  /** Of an ESCALATE; absent in decisions older than approvals. */
  readonly approval?: { readonly approval_id: string; readonly expires_at: string };
  readonly decision_id: string;
  readonly evaluated_at: string;
  readonly expires_at: string;
  readonly factsDigest: string;
  readonly intent: unknown;
  readonly key_id: string;
  readonly obligations: readonly unknown[];
  readonly policy_set: { readonly digest: string };
  readonly reasons: readonly BodyReason[];
  /** Absent in decisions older than this member. */
  readonly request_id?: string;
  /** Of a tool call. */
  readonly tool?: unknown;
  readonly trust: BodyTrust;
  readonly verdict: Verdict;
}

export interface BodyReason {
  readonly policy: string;
  readonly rule: string;
  readonly effect: string;
  readonly code: string;
  readonly message: string;
}

export interface BodyTrust {
  readonly as_of: { readonly day: string; readonly signals: number };
  readonly claimed_level: number | null;
  readonly effective_level: number;
  readonly recorded_level: number;
  /** The recorded score. */
  readonly score: number;
  readonly uncertainty: number;
}

export interface DecisionRecord {
  readonly record: RecordView;
  readonly body: DecisionBody;
}

const BODY = [
  'agent_id',
  'allowed',
  'decision_id',
  'evaluated_at',
  'expires_at',
  'factsDigest',
  'intent',
  'key_id',
  'obligations',
  'policy_set',
  'reasons',
  'trust',
  'verdict',
] as const;
const OPTIONAL = ['approval', 'request_id', 'tool'] as const;
const TRUST = ['as_of', 'claimed_level', 'effective_level', 'recorded_level', 'score', 'uncertainty'] as const;
const REASON = ['policy', 'rule', 'effect', 'code', 'message'] as const;

/** Parses a decision, or explains why there is none: the end of a sentence that begins "The record". */
export function readDecisionRecord(bytes: Uint8Array): DecisionRecord | { readonly why: string } {
  const read = readRecord(bytes);
  if ('why' in read) return read;
  const { record } = read;
  if (record.eventType !== 'custos.decision') return { why: 'is not one of a decision' };
  const { body } = record.payload;
  return isBody(body) ? { record, body } : { why: 'has not exactly the members of a decision' };
}

/** Whether a value has exactly the members of a decision. */
export function isBody(value: unknown): value is DecisionBody {
  const optional = OPTIONAL.filter((name) => Object.hasOwn(Object(value), name));
  if (!hasExactly<(typeof BODY)[number] | (typeof OPTIONAL)[number]>(value, [...BODY, ...optional])) return false;
  if (optional.includes('approval') && !isApproval(value.approval)) return false;
  if (optional.includes('request_id') && typeof value.request_id !== 'string') return false;
  const texts = [value.agent_id, value.decision_id, value.key_id, value.factsDigest];
  return (
    texts.every((text) => typeof text === 'string') &&
    typeof value.allowed === 'boolean' &&
    strictTime(value.evaluated_at) !== undefined &&
    strictTime(value.expires_at) !== undefined &&
    strictHash(value.factsDigest) !== undefined &&
    Array.isArray(value.obligations) &&
    hasExactly(value.policy_set, ['digest']) &&
    strictHash(value.policy_set.digest) !== undefined &&
    Array.isArray(value.reasons) &&
    value.reasons.length > 0 &&
    value.reasons.every(isReason) &&
    isTrust(value.trust) &&
    (VERDICTS as readonly unknown[]).includes(value.verdict)
  );
}

function isApproval(value: unknown): boolean {
  return (
    hasExactly(value, ['approval_id', 'expires_at']) &&
    typeof value.approval_id === 'string' &&
    strictTime(value.expires_at) !== undefined
  );
}

function isReason(value: unknown): boolean {
  return hasExactly(value, REASON) && REASON.every((name) => typeof value[name] === 'string');
}

function isTrust(value: unknown): boolean {
  if (!hasExactly(value, TRUST) || !hasExactly(value.as_of, ['day', 'signals'])) return false;
  const levels = [value.effective_level, value.recorded_level, value.claimed_level ?? 0];
  return (
    isDay(value.as_of.day) &&
    isCount(value.as_of.signals) &&
    levels.every(isCount) &&
    isCount(value.score) &&
    typeof value.uncertainty === 'number'
  );
}

/** A day as YYYY-MM-DD. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && strictTime(`${value}T00:00:00.000Z`) !== undefined;
}

/** Whether a value is an object with these own members and no others. */
export function hasExactly<Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Readonly<Record<Name, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name));
}

/** Whether a record is the one in its leaf. Without a leaf there is nothing to contradict it. */
export function isAsLogged({ bytes, leaf }: LoggedRecord): boolean {
  if (leaf === undefined) return true;
  if (Buffer.from(hashLeaf(bytes)).toString('hex') !== leaf.leafHash) return false;
  return createHash('sha256').update(bytes).digest('hex') === leaf.eventHash;
}
