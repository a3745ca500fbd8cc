// The auditor's state of a log between two runs: its progress, the derived hashes, and its findings.
import {
  AUDIT_PROGRESS,
  type AuditProgressRow,
  begunSeal,
  isBegunSeal,
  isProgressSeal,
  progressSeal,
} from '../../platform/db/seals/audit-progress.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
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
  /** Raised by each run that changed it. */
  readonly runs: number;
  /** Raised by each change of `decisions.by`. */
  readonly versions: number;
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
  /** The newest version of the evaluation that verified them (audit-decisions.ts). */
  readonly by: string;
  /** Decisions before it may be of earlier versions of the evaluation. */
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
const LOCK = 'SELECT FROM audit WHERE log_id = $1 FOR UPDATE SKIP LOCKED';
// A state of an earlier version of the service, put back with its seal, would have the audit leave out the decisions since then. An absurd
// number that somebody inserted must not be continued.
const READ = `SELECT ${AUDIT_PROGRESS}, accepted,
      (SELECT coalesce(max(version), 0) FROM row_version WHERE table_name = 'audit' AND row_id = ARRAY[log_id::text] AND version < 1000000) AS newest
    FROM audit WHERE log_id = $1`;
const KEEP = `UPDATE audit SET runs = $2, versions = $3, audited_size = $4, state = $5, findings = $6, verified_by = $7, verified_from = $8,
      verified_size = $9, verify_next = $10, trust_next = $11, progress_seal = $12, ok = $13, audited_at = coalesce($14, audited_at, $15), accepted = $16
    WHERE log_id = $1`;
const RAISE =
  "INSERT INTO row_version (table_name, row_id, version) VALUES ('audit', ARRAY[$1::text], $2) ON CONFLICT DO NOTHING";
const HASH_BYTES = 32;
/** `next`, big-endian, before the hashes. */
const HEADER_BYTES = 8;

interface Row extends AuditProgressRow {
  readonly progress_seal: Buffer | null;
  readonly accepted: string;
  readonly newest: number;
}

/** The state that the service stored. */
function stateOf(row: Row): Omit<AuditState, 'accepted' | 'versions'> {
  const { state } = row;
  const count = Math.max(0, Math.floor((state.length - HEADER_BYTES) / HASH_BYTES));
  const at = (i: number): number => HEADER_BYTES + i * HASH_BYTES;
  return {
    runs: row.runs,
    auditedSize: row.audited_size,
    next: state.length < HEADER_BYTES ? 0 : Number(state.readBigUInt64BE()),
    hashes: Array.from({ length: count }, (_, i) => state.subarray(at(i), at(i + 1))),
    findings: JSON.parse(row.findings) as PlacedFinding[],
    decisions: {
      by: row.verified_by,
      from: row.verified_from,
      size: row.verified_size,
      next: row.verify_next,
      agentId: row.trust_next,
    },
  };
}

/** Nothing is audited, so all is audited anew, decisions of earlier versions included. */
const NOTHING: ReturnType<typeof stateOf> = {
  runs: 0,
  auditedSize: 0,
  next: 0,
  hashes: [],
  findings: [],
  decisions: { by: '', from: 0, size: 0, next: 0, agentId: '' },
};

/**
 * Reads the state and locks it for the transaction; undefined when another worker has the lock. A state that the service did not store, or
 * that is older than what this process remembers, counts for nothing.
 */
export async function takeState(
  sql: Sql,
  logId: number,
  remembered: AuditState | undefined,
): Promise<AuditState | undefined> {
  await sql.query(MAKE, [logId]);
  if ((await sql.query(LOCK, [logId])).length === 0) return undefined;
  const [row] = await sql.query<Row>(READ, [logId]);
  if (row === undefined) return undefined;
  const isNewest = isProgressSeal(sql.seals, row) && row.versions >= row.newest && row.runs >= (remembered?.runs ?? 0);
  return {
    ...(isNewest ? stateOf(row) : (remembered ?? NOTHING)),
    versions: Math.max(row.newest, isNewest ? row.versions : (remembered?.versions ?? 0)),
    accepted: readAccepted(sql, `log ${logId}`, row.accepted),
  };
}

/**
 * @param isTurn false: the log keeps its place among those that wait for their turn, unless this is its first audit
 * @returns the state as it is stored
 */
export async function keepState(
  sql: Sql,
  logId: number,
  { before, after }: { readonly before: AuditState; readonly after: AuditState },
  { nowMs, isTurn }: { readonly nowMs: number; readonly isTurn: boolean },
): Promise<AuditState> {
  const { findings, decisions } = after;
  const isNewVersion = decisions.by !== before.decisions.by;
  const state: AuditState = {
    ...after,
    runs: before.runs + 1,
    versions: before.versions + (isNewVersion ? 1 : 0),
    // An accepted finding that has disappeared is not accepted when it returns.
    accepted: after.accepted.filter((one) => findings.some(({ sentence }) => sentence === one)),
  };
  if (isNewVersion) await sql.query(RAISE, [logId, state.versions]);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeBigUInt64BE(BigInt(state.next));
  const row: AuditProgressRow = {
    log_id: logId,
    runs: state.runs,
    versions: state.versions,
    audited_size: state.auditedSize,
    state: Buffer.concat([header, ...state.hashes]),
    findings: JSON.stringify(findings),
    verified_by: decisions.by,
    verified_from: decisions.from,
    verified_size: decisions.size,
    verify_next: decisions.next,
    trust_next: decisions.agentId,
  };
  await sql.query(KEEP, [
    logId,
    row.runs,
    row.versions,
    row.audited_size,
    row.state,
    row.findings,
    row.verified_by,
    row.verified_from,
    row.verified_size,
    row.verify_next,
    row.trust_next,
    progressSeal(sql.seals, row),
    openFindings(findings, state.accepted).length === 0,
    isTurn ? new Date(nowMs) : null,
    new Date(nowMs),
    writeAccepted(sql, `log ${logId}`, state.accepted),
  ]);
  return state;
}

// A process that dies during this audit is replaced, and would die again. The rest of its work is not to stop with it.
const HOLD_BEGUN = 'SELECT evidence_begun_at, begun_seal FROM audit WHERE log_id = $1 FOR UPDATE';
const BEGIN_EVIDENCE = 'UPDATE audit SET evidence_begun_at = $2, begun_seal = $3 WHERE log_id = $1';
const END_EVIDENCE =
  'UPDATE audit SET evidence_begun_at = NULL, begun_seal = NULL WHERE log_id = $1 AND evidence_begun_at = $2::timestamptz';
const RUNS_AT_MOST_MS = 300_000;

/**
 * Notes that the audit of decisions and trust begins.
 * @param endedMs when the last one began that this process ended. An earlier time was put back: by another hand, because this process
 *   deleted it. One of another worker, put back, delays the audit by five minutes
 * @param now begins although an earlier one has not ended
 * @returns false: another one began less than five minutes ago and runs, or its process died
 */
export function beginEvidence(
  db: Database,
  logId: number,
  {
    nowMs,
    endedMs = -Infinity,
    now,
  }: { readonly nowMs: number; readonly endedMs?: number | undefined; readonly now: boolean },
): Promise<boolean> {
  return db.transaction(async (sql) => {
    const [row] = await sql.query<{ evidence_begun_at: Date | null; begun_seal: Buffer | null }>(HOLD_BEGUN, [logId]);
    const begunMs = row?.evidence_begun_at?.getTime() ?? -Infinity;
    const isRunning =
      begunMs > endedMs &&
      Math.abs(nowMs - begunMs) <= RUNS_AT_MOST_MS &&
      isBegunSeal(sql.seals, logId, { begunMs, seal: row?.begun_seal ?? Buffer.alloc(0) });
    if (isRunning && !now) return false;
    // The database stores milliseconds.
    const begunAt = new Date(nowMs);
    await sql.query(BEGIN_EVIDENCE, [logId, begunAt, begunSeal(sql.seals, logId, begunAt.getTime())]);
    return true;
  });
}

/** @param nowMs as at its beginning */
export async function endEvidence(sql: Sql, logId: number, nowMs: number): Promise<void> {
  await sql.query(END_EVIDENCE, [logId, new Date(nowMs)]);
}
