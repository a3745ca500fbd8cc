// Dead jobs as rows: an operator lists them and retries or discards each of them once.
import type { Owner } from '../../kernel/owner.ts';
import type { Sql } from '../db/database.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { requeueSql } from './outbox.ts';

export type DeadJobState = 'dead' | 'retried' | 'discarded';

/** A row of dead_job. */
export interface DeadJobRecord {
  readonly deadJobId: string;
  readonly organisationId: string | null;
  readonly environment: Environment | null;
  readonly queue: string;
  readonly name: string;
  readonly payload: unknown;
  readonly error: string;
  readonly failedAt: Date;
  readonly state: DeadJobState;
  readonly resolvedAt: Date | null;
  readonly resolvedBy: string | null;
  readonly reason: string | null;
}

export interface DeadJobFilter {
  /** Default: `dead`, the jobs that wait for an operator's decision. */
  readonly state?: DeadJobState;
  /** Only jobs of this tenant. */
  readonly owner?: Owner | undefined;
  readonly queue?: string | undefined;
  /** The name of the job. */
  readonly name?: string | undefined;
  /** Only errors that contain this text. */
  readonly error?: string | undefined;
  /** Keyset pagination: the last id of the previous page. */
  readonly before?: string | undefined;
  /** Default: 100. */
  readonly limit?: number;
}

const COLUMNS = `dead_job_id AS "deadJobId", organisation_id AS "organisationId", environment, queue, name, payload, error, failed_at AS "failedAt", state,
    resolved_at AS "resolvedAt", resolved_by AS "resolvedBy", reason`;
const OF = '($1::text IS NULL OR organisation_id = $1 AND environment = $2)';
const LIST = `SELECT ${COLUMNS} FROM dead_job WHERE ${OF} AND state = $3 AND ($4::bigint IS NULL OR dead_job_id < $4)
    AND ($6::text IS NULL OR queue = $6) AND ($7::text IS NULL OR name = $7) AND ($8::text IS NULL OR position($8 IN error) > 0)
    ORDER BY dead_job_id DESC LIMIT $5`;
/** Characters of the first line of an error. */
const FIRST_LINE = 200;
const KINDS = `SELECT queue, name, left(split_part(error, E'\n', 1), ${FIRST_LINE}) AS error, count(*)::int AS count
    FROM dead_job WHERE ${OF} AND state = 'dead' GROUP BY 1, 2, 3 ORDER BY count DESC, queue, name, error LIMIT $3`;
const READ = `SELECT ${COLUMNS} FROM dead_job WHERE ${OF} AND dead_job_id = $3`;
// One statement, so that the job is queued if and only if the state of its row changes.
const RETRY = `WITH job AS (
      UPDATE dead_job SET state = 'retried', resolved_at = now(), resolved_by = $4, reason = $5
      WHERE ${OF} AND dead_job_id = $3 AND state = 'dead' RETURNING *
    ), back AS (
      ${requeueSql('job')}
    )
    SELECT ${COLUMNS} FROM job`;
const DISCARD = `UPDATE dead_job SET state = 'discarded', resolved_at = now(), resolved_by = $4, reason = $5
    WHERE ${OF} AND dead_job_id = $3 AND state = 'dead' RETURNING ${COLUMNS}`;
const OPEN = `SELECT queue, count(*)::int AS jobs FROM dead_job WHERE ${OF} AND state = 'dead' GROUP BY queue`;

type Row = DeadJobRecord & { readonly payload: string };

const fromRow = (row: Row): DeadJobRecord => ({ ...row, payload: JSON.parse(row.payload) });

const place = (owner: Owner | undefined): [string | null, string | null] => [
  owner?.organisationId ?? null,
  owner?.environment ?? null,
];

/** Newest first. */
export async function listDeadJobs(db: Sql, filter: DeadJobFilter = {}): Promise<DeadJobRecord[]> {
  const { state = 'dead', owner, queue = null, name = null, error = null, before = null, limit = 100 } = filter;
  return (await db.query<Row>(LIST, [...place(owner), state, before, limit, queue, name, error])).map(fromRow);
}

/** Jobs that wait for a decision, with the same work and the same first line of their error. */
export interface DeadJobKind extends Pick<DeadJobRecord, 'queue' | 'name' | 'error'> {
  readonly count: number;
}

/** The most frequent kinds. Reads all waiting jobs: about 100 ms for 100,000. */
export function countDeadJobKinds(db: Sql, owner: Owner | undefined, limit: number): Promise<DeadJobKind[]> {
  return db.query<DeadJobKind>(KINDS, [...place(owner), limit]);
}

/** One job in any state. @param owner when given, only a job of this tenant */
export async function readDeadJob(db: Sql, id: string, owner?: Owner): Promise<DeadJobRecord | undefined> {
  const [row] = await db.query<Row>(READ, [...place(owner), id]);
  return row && fromRow(row);
}

/**
 * Queues a dead job again. Undefined when no job with this id waits for a decision.
 * @param by the operator, such as a key id
 * @param owner when given, only a job of this tenant
 */
export async function retryDeadJob(
  db: Sql,
  id: string,
  by: string,
  { owner, reason }: { readonly owner?: Owner | undefined; readonly reason?: string | undefined } = {},
): Promise<DeadJobRecord | undefined> {
  const [row] = await db.query<Row>(RETRY, [...place(owner), id, by, reason ?? null]);
  return row && fromRow(row);
}

/** Closes a dead job without running it. Undefined when no job with this id waits for a decision. */
export async function discardDeadJob(
  db: Sql,
  id: string,
  by: string,
  reason: string,
  owner?: Owner,
): Promise<DeadJobRecord | undefined> {
  const [row] = await db.query<Row>(DISCARD, [...place(owner), id, by, reason]);
  return row && fromRow(row);
}

/** Number of jobs that wait for a decision, by queue; queues without any are absent. @param owner when given, only jobs of this tenant */
export async function countDeadJobs(db: Pick<Sql, 'query'>, owner?: Owner): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ queue: string; jobs: number }>(OPEN, place(owner));
  return new Map(rows.map(({ queue, jobs }) => [queue, jobs]));
}
