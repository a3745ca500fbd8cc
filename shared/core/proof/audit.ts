// The auditor's comparisons: rows with their records, and checkpoints with their notes and roots. Pure.
import { hash as digest } from 'node:crypto';
import { joinCodes } from './reason-codes.ts';
import type { Finding, FindingKind } from './audit-findings.ts';
import { LEAF_PREFIX } from './audit-tree.ts';
import { readCheckpoint } from './checkpoint.ts';
import { quoted } from './encoding.ts';
import { ProofError } from './failures.ts';
import type { TrustedKey } from './keys.ts';
import { isOfLog, logOf, readRecord, readRecordText, type RecordView } from './record-read.ts';

/** The columns of a decision that repeat members of its record. */
export interface RepeatedColumns {
  readonly decisionId: string;
  readonly agentId: string;
  readonly keyId: string;
  readonly verdict: string;
  /** RFC 3339. */
  readonly evaluatedAt: string;
  /** Null in rows that have it only in the record. */
  readonly policyDigest: string | null;
  /** Null where the record has none. */
  readonly requestId: string | null;
  /** Null where the record has no tool call. */
  readonly toolServer: string | null;
  readonly toolName: string | null;
}

interface DecisionColumns extends RepeatedColumns {
  /** Reason codes; null for ALLOW. */
  readonly reasons: string | null;
  /** A text when all bytes are ASCII. */
  readonly facts: string | Buffer | null;
  readonly factsSalt: Buffer | null;
  /** Whether retention erased the facts of decisions as old as this one. */
  readonly mayLackFacts: boolean;
}

/** A leaf's row, the source row of its record, and the previous leaf in its chain. */
export interface AuditedRow {
  readonly index: number;
  readonly proofId: string;
  readonly entityId: string;
  readonly event: string;
  readonly occurredAt: string;
  readonly chainIndex: number;
  /** Lower-case hex, like `eventHash`. */
  readonly previousHash: string;
  readonly eventHash: string;
  readonly leafHash: Buffer;
  /** Canonical record without its previousHash, a text when all its bytes are ASCII, with its columns; undefined when the row is missing. */
  readonly source:
    | {
        readonly proofId: string;
        readonly entityId: string;
        readonly event: string;
        readonly occurredAt: string;
        readonly record: string | Buffer;
      }
    | undefined;
  /** Whether the source row is missing because retention dropped it, as a record in the log states. */
  readonly isDropped: boolean;
  /** Whether its record states that retention dropped more than it did. */
  readonly isUnfounded: boolean;
  readonly decision: DecisionColumns | undefined;
  /** The previous leaf in the chain. `index` is -1 for a leaf of an earlier generation of the log. */
  readonly previous: { readonly index: number; readonly eventHash: string } | undefined;
}

const ZERO_HASH = '0'.repeat(64);

// One call for each hash: an incremental hash costs twice the time for inputs this short.
const sha256 = (bytes: Uint8Array): string => digest('sha256', bytes, 'hex');

/** Where bytes to be hashed are put together; longer ones get memory of their own. */
const place = Buffer.allocUnsafeSlow(32_768);

/** Bytes before a text, or bytes; valid until the next call. */
function joined(before: Uint8Array, after: string | Buffer): Buffer {
  const past = before.length + after.length;
  if (past > place.length)
    return Buffer.concat([before, typeof after === 'string' ? Buffer.from(after, 'latin1') : after]);
  place.set(before);
  if (typeof after === 'string') place.write(after, before.length, 'latin1');
  else place.set(after, before.length);
  return place.subarray(0, past);
}

function sealed(record: string | Buffer, previousHash: string): string | Buffer {
  const end = `,"previousHash":"${previousHash}"}`;
  return typeof record === 'string' ? record + end : Buffer.concat([record, Buffer.from(end)]);
}

/** The hash of a leaf, and of the bytes of its record. */
function hashesOf(bytes: string | Buffer): { readonly leafHash: Buffer; readonly eventHash: string } {
  const leaf = joined(LEAF_PREFIX, bytes);
  return { leafHash: digest('sha256', leaf, 'buffer'), eventHash: sha256(leaf.subarray(LEAF_PREFIX.length)) };
}

/** All checks that need a single row. `hash` is the leaf hash derived from the source row, or the stored one of a dropped row. */
export function auditRow(row: AuditedRow, origin: string | null): { findings: Finding[]; hash: Buffer | undefined } {
  const findings: Finding[] = [];
  const find: Find = (kind, what) => {
    const sentence = `Leaf ${row.index} (proof ${quoted(row.proofId)}): ${what}`;
    findings.push({ kind, leafIndex: row.index, proofId: row.proofId, sentence });
  };
  const { source, previous } = row;
  const stated = row.previousHash;
  const expected = row.chainIndex === 0 ? ZERO_HASH : previous?.eventHash;
  if (expected === undefined) find('chain-broken', `record ${row.chainIndex - 1} of its entity's chain is missing.`);
  else if (previous !== undefined && previous.index >= row.index)
    find('chain-broken', `the record before it in its chain stands after it, at leaf ${previous.index}.`);
  if (source === undefined && row.isDropped) {
    // What remains of it: its place in its chain, and its hash, which the subtree above and every later checkpoint cover.
    if (expected !== undefined && expected !== stated)
      find('chain-broken', 'its previous hash is not the event hash of the record before it in its chain.');
    return { findings, hash: row.leafHash };
  }
  if (source === undefined) {
    find('source-missing', 'the decision or record that it is about does not exist.');
    return { findings, hash: undefined };
  }
  if (row.isUnfounded)
    find('retention-unfounded', 'its record states that retention dropped what the settings kept: it was forged.');
  const bytes = sealed(source.record, stated);
  const { leafHash: hash, eventHash } = hashesOf(bytes);
  const isLeaf = hash.equals(row.leafHash);
  const isEvent = eventHash === row.eventHash;
  const isLinked = expected === undefined || expected === stated;
  if (!isLeaf && !isEvent) {
    // If the hashes match the chain, only this column was altered.
    const isPrevious =
      !isLinked && expected !== undefined && hashesOf(sealed(source.record, expected)).leafHash.equals(row.leafHash);
    if (isPrevious) find('previous-hash-altered', 'its previous hash is not the one that was hashed.');
    else find('record-altered', 'the bytes of its record are not those that were hashed.');
  } else {
    if (!isLeaf) find('leaf-hash-altered', 'its leaf hash is not the hash of its record.');
    if (!isEvent) find('event-hash-altered', 'its event hash is not the hash of its record.');
    if (!isLinked)
      find('chain-broken', 'its previous hash is not the event hash of the record before it in its chain.');
  }
  const read = typeof bytes === 'string' ? readRecordText(bytes) : readRecord(bytes);
  if ('why' in read) find('record-not-canonical', `its record ${read.why}.`);
  else auditColumns(row, read.record, origin, find);
  return { findings, hash };
}

type Find = (kind: FindingKind, what: string) => void;

function auditColumns(row: AuditedRow, record: RecordView, origin: string | null, find: Find): void {
  if (origin !== null && !isOfLog(record, origin)) find('wrong-log', `its record is of ${logOf(record)}.`);
  const compare = (column: string, stored: unknown, recorded: unknown): void => {
    if (stored !== recorded) find('column-altered', `${column} is not what the record says.`);
  };
  compare('leaf.proof_id', row.proofId, record.payload.proofId);
  compare('leaf.entity_id', row.entityId, record.agentId);
  compare('leaf.event', row.event, record.eventType);
  compare('leaf.occurred_at', row.occurredAt, record.occurredAt);
  const { source, decision } = row;
  if (source !== undefined) {
    compare('source.proof_id', source.proofId, record.payload.proofId);
    compare('source.entity_id', source.entityId, record.agentId);
    compare('source.event', source.event, record.eventType);
    compare('source.occurred_at', source.occurredAt, record.occurredAt);
  }
  if (decision === undefined) return;
  const body = objectOf(record.payload.body);
  const tool = objectOf(body['tool']);
  compare('decision.decision_id', decision.decisionId, body['decision_id']);
  compare('decision.agent_id', decision.agentId, body['agent_id']);
  compare('decision.key_id', decision.keyId, body['key_id']);
  compare('decision.verdict', decision.verdict, body['verdict']);
  compare('decision.evaluated_at', decision.evaluatedAt, body['evaluated_at']);
  if (decision.policyDigest !== null)
    compare('decision.policy_digest', decision.policyDigest, objectOf(body['policy_set'])['digest']);
  compare('decision.request_id', decision.requestId, body['request_id'] ?? null);
  compare('decision.tool_server', decision.toolServer, tool['server'] ?? null);
  compare('decision.tool_name', decision.toolName, tool['name'] ?? null);
  compare('decision.reasons', decision.reasons, codesOf(body));
  const { facts, factsSalt } = decision;
  if (facts === null || factsSalt === null) {
    if (!decision.mayLackFacts) find('facts-missing', 'its facts are missing, and retention did not erase them.');
  } else if (sha256(joined(factsSalt, facts)) !== body['factsDigest'])
    find('facts-altered', 'the facts beside its record are not those that its factsDigest names.');
}

/** The reason codes that the column repeats; the record is read as any JSON. */
function codesOf(body: Readonly<Record<string, unknown>>): string | null {
  const { verdict, reasons } = body;
  if (verdict === 'ALLOW' || !Array.isArray(reasons) || reasons.length === 0) return null;
  return joinCodes(reasons.map((reason) => String(objectOf(reason)['code'])));
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  // Every member of an object that is not an array may be read.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** A checkpoint as it is stored. */
export interface StoredCheckpoint {
  readonly size: number;
  readonly root: Buffer;
  readonly note: string;
}

/**
 * Compares a checkpoint's columns with its note, the note's signatures with the keys of the log, and its root with the independently
 * computed one. @param root undefined when it can not be computed because leaves are missing (which is already reported)
 */
export function auditCheckpoint(
  checkpoint: StoredCheckpoint,
  keys: readonly TrustedKey[],
  origin: string | null,
  root: Buffer | undefined,
  what = 'The checkpoint',
): Finding[] {
  const findings: Finding[] = [];
  const name = `${what} of size ${checkpoint.size}`;
  const find = (kind: FindingKind, sentence: string): void => {
    findings.push({ kind, leafIndex: checkpoint.size - 1, proofId: null, sentence });
  };
  try {
    const head = readCheckpoint(checkpoint.note, keys);
    if (head.size !== checkpoint.size || !head.root.equals(checkpoint.root))
      find('checkpoint-altered', `${name} has a note of size ${head.size}, or with another root.`);
    else if (origin !== null && head.origin !== origin)
      find('checkpoint-altered', `${name} is of the log ${quoted(head.origin)}.`);
    else if (root !== undefined && !head.root.equals(root))
      find(
        'root-mismatch',
        `${name} is signed, and the first ${head.size} leaves do not lead to its root: leaves before it were changed.`,
      );
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    find('checkpoint-signature', `${name} is not as it was signed: ${error.message}`);
  }
  return findings;
}
