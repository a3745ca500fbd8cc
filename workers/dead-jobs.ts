// Records dead jobs: one row and one error line for each, and the dead-job handler of its definition.
import type { Database } from '../shared/platform/db/database.ts';
import { ADVISORY_LOCKS } from '../shared/platform/db/locks.ts';
import type { QueueName } from '../shared/kernel/jobs.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import type { DeadHooks } from '../shared/platform/queues/queues.ts';
import type { DeadJob } from '../shared/platform/queues/types.ts';

export interface DeadJobRecorderDeps<Q extends QueueName> {
  readonly db: Database;
  readonly logger: Logger;
  /** Called for a dead job, by job name. */
  readonly hooks?: DeadHooks<Q> | undefined;
}

const ERROR_MAX = 2_000;

const LOCK = `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.deadJobs})`;
// The same work may fail again before an operator resolves its row. The row then shows the latest failure.
const REPEAT = `UPDATE dead_job SET error = $4, failed_at = now(), run = $5
    WHERE queue = $1 AND name = $2 AND payload = $3 AND state = 'dead' AND run IS DISTINCT FROM $5 RETURNING dead_job_id`;
// A process that searches for unrecorded failures may report one again that an operator has resolved.
const RECORD = `INSERT INTO dead_job (organisation_id, environment, queue, name, payload, error, failed_at, run)
    SELECT $1, $2, $3, $4, $5, $6, now(), $7 WHERE NOT EXISTS (
      SELECT FROM dead_job WHERE queue = $3 AND name = $4 AND payload = $5 AND (state = 'dead' OR run = $7)
    ) RETURNING dead_job_id`;

const WAITS = "SELECT FROM dead_job WHERE queue = $1 AND name = $2 AND payload = $3 AND state = 'dead'";

/** For `onDead` of a queue. Records the job (idempotent), then calls the hook of its name. */
export function createDeadJobRecorder<Q extends QueueName>({
  db,
  logger,
  hooks = {},
}: DeadJobRecorderDeps<Q>): (job: DeadJob) => Promise<void> {
  return async ({ queue, name, payload, error, run }) => {
    const { organisationId, environment } = tenantOf(payload);
    const text = errorText(error);
    const stored = JSON.stringify(workOf(payload));
    const { row, waits } = await db.transaction(async (sql) => {
      await sql.query(LOCK, []);
      await sql.query(REPEAT, [queue, name, stored, text, run]);
      const values = [organisationId, environment, queue, name, stored, text, run];
      const [recorded] = await sql.query<{ dead_job_id: string }>(RECORD, values);
      const open = await sql.query(WAITS, [queue, name, stored]);
      return { row: recorded, waits: open.length > 0 };
    });
    if (row !== undefined)
      logger.error(
        { deadJobId: row.dead_job_id, queue, job: name, organisationId, environment },
        `a job is dead and waits for a decision: ${text}`,
      );
    const hook = (hooks as Record<string, ((payload: never, error: Error) => Promise<void>) | undefined>)[name];
    // A late report must not undo the effect of an operator's decision.
    if (!waits) return;
    // The payload was typed with the name when the job was added.
    await hook?.(payload as never, error);
  };
}

/** The payload without the reason it was queued, so that two jobs for the same work share a row. */
function workOf(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null) return payload;
  const { swept: _, retryOf: __, ...work } = payload as { swept?: unknown; retryOf?: unknown };
  return work;
}

function tenantOf(payload: unknown): { organisationId: string | null; environment: string | null } {
  const { organisationId, environment } = (payload ?? {}) as { organisationId?: unknown; environment?: unknown };
  return {
    organisationId: typeof organisationId === 'string' ? organisationId : null,
    environment: typeof environment === 'string' ? environment : null,
  };
}

/** The text of an error: shortened, without secrets from addresses and keys. */
export function errorText(error: Error): string {
  const text = `${error.name}: ${error.message}`
    // Not the whole scheme: a search from each of its letters would take quadratic time.
    .replaceAll(/([a-z0-9+.-]:\/\/)[^\s/@]*@/gi, '$1[hidden]@')
    .replaceAll(
      /((?:password|secret|token|pepper|api[_-]?key|authorization)["']?\s*[:=]\s*["']?(?:(?:bearer|basic)\s+)?)[^\s"',;]+/gi,
      '$1[hidden]',
    )
    .replaceAll(/\bcst_[a-z]+_[0-9A-Za-z_]+/g, '[hidden]')
    // PostgreSQL text cannot hold NUL.
    .replaceAll('\u0000', '');
  return text.length <= ERROR_MAX ? text : `${text.slice(0, ERROR_MAX - 1)}…`;
}
