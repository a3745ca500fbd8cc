// What the auditor remembers of a log between two runs: how far it is, what it derived, and what it found.
import type { Sql, Statement } from '../../platform/db/database.ts';
import type { Finding } from '../../core/proof/audit-findings.ts';
import { readAccepted, writeAccepted } from './audit-accepted.ts';

/** A place in the log itself: subtree n, above the subtrees, or at the head. */
export type LogPlace = `subtree ${number}` | 'upper' | 'head';
/** Where a difference was found; it lasts until that place is right again. Beside the log: rows that must say what it says. */
export type Place = LogPlace | 'authority' | `decision ${string}` | `trust ${string}`;
export type PlacedFinding = Finding & { readonly place: Place };

export interface AuditState {
  /** Leaves that were derived at least once. */
  readonly auditedSize: number;
  /** The complete subtree whose turn to be audited again is next. */
  readonly next: number;
  /** 32 bytes for each complete subtree, as the other implementation derived them. */
  readonly hashes: readonly Buffer[];
  readonly findings: readonly PlacedFinding[];
  /** Sentences of findings that an operator has accepted: they stop no signing. */
  readonly accepted: readonly string[];
  /** Decisions that are verified, and whose turn is next. */
  readonly decisions: DecisionTurns;
}

/** By index of their leaves. */
export interface DecisionTurns {
  /** The version of the service that verified them. */
  readonly by: string;
  /** Those before were made by another version, or were not verified by this one. */
  readonly from: number;
  /** Those before are verified. */
  readonly size: number;
  /** Whose turn to be verified again is next. */
  readonly next: number;
  /** The agent whose turn to have its trust compared is next. */
  readonly agentId: string;
}

/** Findings that nobody has accepted. */
export function openFindings<T extends Finding>(findings: readonly T[], accepted: readonly string[]): T[] {
  return findings.filter(({ sentence }) => !accepted.includes(sentence));
}

// SKIP LOCKED: a second audit of the same log would only do the same.
const MAKE: Statement = { name: 'audit-make', text: 'INSERT INTO audit (log_id) VALUES ($1) ON CONFLICT DO NOTHING' };
const TAKE: Statement = {
  name: 'audit-take',
  text: `SELECT audited_size::text AS audited_size, state, findings, accepted, verified_by, verified_from::float8 AS verified_from,
      verified_size::float8 AS verified_size, verify_next::float8 AS verify_next, trust_next FROM audit WHERE log_id = $1 FOR UPDATE SKIP LOCKED`,
};
const KEEP: Statement = {
  name: 'audit-keep',
  text: `UPDATE audit SET audited_size = $2, state = $3, ok = $4, findings = $5, audited_at = $6, accepted = $7,
      verified_by = $8, verified_from = $9, verified_size = $10, verify_next = $11, trust_next = $12 WHERE log_id = $1`,
};
const HASH_BYTES = 32;
/** The place whose turn is next stands before the hashes, big-endian. */
const HEADER_BYTES = 8;

/** Takes the state for the rest of the transaction; undefined when another worker has it. */
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
    // Written below, and by nothing else.
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

export async function keepState(sql: Sql, logId: number, state: AuditState, nowMs: number): Promise<void> {
  const { findings, decisions } = state;
  // What was accepted and is right again counts anew when it comes back.
  const accepted = state.accepted.filter((one) => findings.some(({ sentence }) => sentence === one));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeBigUInt64BE(BigInt(state.next));
  await sql.query(KEEP, [
    logId,
    state.auditedSize,
    Buffer.concat([header, ...state.hashes]),
    openFindings(findings, accepted).length === 0,
    JSON.stringify(findings),
    new Date(nowMs),
    writeAccepted(sql, `log ${logId}`, accepted),
    decisions.by,
    decisions.from,
    decisions.size,
    decisions.next,
    decisions.agentId,
  ]);
}
