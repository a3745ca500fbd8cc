// The auditor's state of a log between two runs: its progress, the derived hashes, and its findings.
import type { Sql } from '../../platform/db/database.ts';
import type { Finding } from '../../core/proof/audit-findings.ts';
import { readAccepted, writeAccepted } from './audit-accepted.ts';

/** A place in the log itself: subtree n, above the subtrees, or at the head. */
export type LogPlace = `subtree ${number}` | 'upper' | 'head';
/** The place of a finding, which stays until an audit of the place finds it right. Places outside the log are rows that must agree with it. */
export type Place =
  | LogPlace
  | 'authority'
  | `decision ${string}`
  | `trust ${string}`
  | `signals ${string}`
  | `unlogged ${string}`
  | `intent ${string}`;
export type PlacedFinding = Finding & { readonly place: Place };

export interface AuditState {
  /** Leaves that were derived at least once. */
  readonly auditedSize: number;
  /** The next complete subtree to audit again. */
  readonly next: number;
  /** The root of each complete subtree, as the second implementation derived it. */
  readonly hashes: readonly Buffer[];
  readonly findings: readonly PlacedFinding[];
  /** Sentences of findings that an operator has accepted. They do not stop signing. */
  readonly accepted: readonly string[];
  /** Progress of the audit of decisions and trust. */
  readonly decisions: DecisionTurns;
}

/** Positions are indexes of leaves. */
export interface DecisionTurns {
  /** The version of the service that verified them. */
  readonly by: string;
  /** Decisions before it are not verified: another version made them. */
  readonly from: number;
  /** Decisions before it are verified. */
  readonly size: number;
  /** The next decision to verify again. */
  readonly next: number;
  /** The last agent whose trust was compared; '' at the start of a cycle. */
  readonly agentId: string;
}

/** Findings that no operator has accepted. */
export function openFindings<T extends Finding>(findings: readonly T[], accepted: readonly string[]): T[] {
  return findings.filter(({ sentence }) => !accepted.includes(sentence));
}

// SKIP LOCKED, because a concurrent audit of the same log would do the same work.
const MAKE = 'INSERT INTO audit (log_id) VALUES ($1) ON CONFLICT DO NOTHING';
const TAKE = `SELECT audited_size::text AS audited_size, state, findings, accepted, verified_by, verified_from::float8 AS verified_from,
      verified_size::float8 AS verified_size, verify_next::float8 AS verify_next, trust_next FROM audit WHERE log_id = $1 FOR UPDATE SKIP LOCKED`;
const KEEP = `UPDATE audit SET audited_size = $2, state = $3, ok = $4, findings = $5, audited_at = coalesce($6, audited_at, $13), accepted = $7,
      verified_by = $8, verified_from = $9, verified_size = $10, verify_next = $11, trust_next = $12 WHERE log_id = $1`;
const HASH_BYTES = 32;
/** `next`, big-endian, before the hashes. */
const HEADER_BYTES = 8;

/** Reads the state and locks it for the transaction; undefined when another worker has the lock. */
export async function takeState(sql: Sql, logId: number): Promise<AuditState | undefined> {
  await sql.query(MAKE, [logId]);
  const [row] = await sql.query<{
    audited_size: string;
    state: Buffer;
    findings: string;
    accepted: string;
    verified_by: string;
    verified_from: number;
    verified_size: number;
    verify_next: number;
    trust_next: string;
  }>(TAKE, [logId]);
  if (row === undefined) return undefined;
  const { state } = row;
  const count = Math.max(0, Math.floor((state.length - HEADER_BYTES) / HASH_BYTES));
  const at = (i: number): number => HEADER_BYTES + i * HASH_BYTES;
  return {
    auditedSize: Number(row.audited_size),
    next: state.length < HEADER_BYTES ? 0 : Number(state.readBigUInt64BE()),
    hashes: Array.from({ length: count }, (_, i) => state.subarray(at(i), at(i + 1))),
    // Written by keepState alone.
    findings: JSON.parse(row.findings) as PlacedFinding[],
    accepted: readAccepted(sql, `log ${logId}`, row.accepted),
    decisions: {
      by: row.verified_by,
      from: row.verified_from,
      size: row.verified_size,
      next: row.verify_next,
      agentId: row.trust_next,
    },
  };
}

/** @param isTurn false: the log keeps its place among those that wait for their turn, unless this is its first audit */
export async function keepState(
  sql: Sql,
  logId: number,
  state: AuditState,
  { nowMs, isTurn }: { readonly nowMs: number; readonly isTurn: boolean },
): Promise<void> {
  const { findings, decisions } = state;
  // An accepted finding that has disappeared is not accepted when it returns.
  const accepted = state.accepted.filter((one) => findings.some(({ sentence }) => sentence === one));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeBigUInt64BE(BigInt(state.next));
  await sql.query(KEEP, [
    logId,
    state.auditedSize,
    Buffer.concat([header, ...state.hashes]),
    openFindings(findings, accepted).length === 0,
    JSON.stringify(findings),
    isTurn ? new Date(nowMs) : null,
    writeAccepted(sql, `log ${logId}`, accepted),
    decisions.by,
    decisions.from,
    decisions.size,
    decisions.next,
    decisions.agentId,
    new Date(nowMs),
  ]);
}

// A process that dies during this audit is replaced, and would die again. The rest of its work is not to stop with it.
const BEGIN_EVIDENCE = `UPDATE audit SET evidence_begun_at = $2::timestamptz WHERE log_id = $1
    AND (evidence_begun_at IS NULL OR $3 OR abs(extract(epoch FROM $2::timestamptz - evidence_begun_at)) > 300) RETURNING log_id`;
const END_EVIDENCE =
  'UPDATE audit SET evidence_begun_at = NULL WHERE log_id = $1 AND evidence_begun_at = $2::timestamptz';

/**
 * Notes that the audit of decisions and trust begins.
 * @param now begins although an earlier one has not ended
 * @returns false: another one began less than five minutes ago and runs, or its process died
 */
export async function beginEvidence(
  sql: Sql,
  logId: number,
  { nowMs, now }: { readonly nowMs: number; readonly now: boolean },
): Promise<boolean> {
  return (await sql.query(BEGIN_EVIDENCE, [logId, new Date(nowMs), now])).length > 0;
}

/** @param nowMs as at its beginning */
export async function endEvidence(sql: Sql, logId: number, nowMs: number): Promise<void> {
  await sql.query(END_EVIDENCE, [logId, new Date(nowMs)]);
}
