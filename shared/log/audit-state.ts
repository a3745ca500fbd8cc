// What the auditor remembers of a log between two runs: how far it is, what it derived, and what it found.
import type { Sql, Statement } from '../db/database.ts';
import type { Finding } from '../proof/audit-findings.ts';

/** Where a difference was found: in subtree n, above the subtrees, or at the head. It lasts until that place is right again. */
export type Place = `subtree ${number}` | 'upper' | 'head';
export type PlacedFinding = Finding & { readonly place: Place };

export interface AuditState {
  /** Leaves that were derived at least once. */
  readonly auditedSize: number;
  /** The complete subtree whose turn to be audited again is next. */
  readonly next: number;
  /** 32 bytes for each complete subtree, as the other implementation derived them. */
  readonly hashes: readonly Buffer[];
  readonly findings: readonly PlacedFinding[];
}

// SKIP LOCKED: a second audit of the same log would only do the same.
const MAKE: Statement = { name: 'audit-make', text: 'INSERT INTO audit (log_id) VALUES ($1) ON CONFLICT DO NOTHING' };
const TAKE: Statement = {
  name: 'audit-take',
  text: 'SELECT audited_size::text AS audited_size, state, findings FROM audit WHERE log_id = $1 FOR UPDATE SKIP LOCKED',
};
const KEEP: Statement = {
  name: 'audit-keep',
  text: 'UPDATE audit SET audited_size = $2, state = $3, ok = $4, findings = $5, audited_at = $6 WHERE log_id = $1',
};
const HASH_BYTES = 32;
/** The place whose turn is next stands before the hashes, big-endian. */
const HEADER_BYTES = 8;

/** Takes the state for the rest of the transaction; undefined when another worker has it. */
export async function takeState(sql: Sql, logId: number): Promise<AuditState | undefined> {
  await sql.query(MAKE, [logId]);
  const [row] = await sql.query<{ audited_size: string; state: Buffer; findings: string }>(TAKE, [logId]);
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
  };
}

export async function keepState(sql: Sql, logId: number, state: AuditState, nowMs: number): Promise<void> {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeBigUInt64BE(BigInt(state.next));
  await sql.query(KEEP, [
    logId,
    state.auditedSize,
    Buffer.concat([header, ...state.hashes]),
    state.findings.length === 0,
    JSON.stringify(state.findings),
    new Date(nowMs),
  ]);
}
