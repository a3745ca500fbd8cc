// Changes how long an organisation and environment keeps a kind of data, with a record in its log.
import type { Owner } from '../../kernel/owner.ts';
import type { Sql } from '../../platform/db/database.ts';
import { ADVISORY_LOCKS } from '../../platform/db/locks.ts';
import { writeServiceRecord } from '../ledger/service-record.ts';
import { AS_INSTALLATION, readTimesOf, type RetentionKind, writeOwnTime } from '../retention/times.ts';

const LOCK = `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.partitions})`;

export interface TimeChange {
  readonly kind: RetentionKind;
  /** A duration that is long enough, FOREVER or AS_INSTALLATION. */
  readonly keep: string;
  readonly author: string;
}

/** Sets how long a kind is kept, with its record, in the caller's transaction. @returns what it was until now */
export async function setOwnTime(sql: Sql, owner: Owner, change: TimeChange, nowMs: number): Promise<string> {
  // The job `retain` holds it while it decides what to delete.
  await sql.query(LOCK, []);
  const { kind, keep, author } = change;
  const known = (await readTimesOf(sql, owner)).get(kind);
  const previous = known?.keep ?? AS_INSTALLATION;
  if (previous === keep && known?.isForged !== true) return previous;
  const dropped_before = known === undefined || known.droppedBefore === '' ? null : known.droppedBefore;
  await writeOwnTime(sql, owner, kind, known, { keep, author, changed_at: new Date(nowMs), dropped_before });
  await writeServiceRecord(sql, { ...owner, event: 'custos.retention_time', body: { ...change, previous } }, nowMs);
  return previous;
}
