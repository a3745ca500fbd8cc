// Records jobs that are given up: one row each, a loud line in the log, and what else their kind asks for.
import type { Database, Statement } from '../shared/platform/db/database.ts';
import { ADVISORY_LOCKS } from '../shared/platform/db/locks.ts';
import type { QueueName } from '../shared/kernel/jobs.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import type { DeadHooks } from '../shared/platform/queues/queues.ts';
import type { DeadJob } from '../shared/platform/queues/types.ts';

export interface DeadJobRecorderDeps<Q extends QueueName> {
  readonly db: Database;
  readonly logger: Logger;
  /** What else is to be done, by job name. */
  readonly hooks?: DeadHooks<Q> | undefined;
}

const ERROR_MAX = 2_000;

const LOCK: Statement = { name: 'dead-job-lock', text: `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.deadJobs})` };
// The same work may fail again while nobody has decided about it: that is the row there is, with its latest failure.
const REPEAT: Statement = {
  name: 'dead-job-repeat',
  text: `UPDATE dead_job SET error = $4, failed_at = now(), run = $5
    WHERE queue = $1 AND name = $2 AND payload = $3 AND state = 'dead' AND run IS DISTINCT FROM $5 RETURNING dead_job_id`,
};
// A failure that was decided about may be reported again by a process that looks for failures that nobody recorded.
const RECORD: Statement = {
  name: 'dead-job-record',
  text: `INSERT INTO dead_job (organisation_id, environment, queue, name, payload, error, failed_at, run)
    SELECT $1, $2, $3, $4, $5, $6, now(), $7 WHERE NOT EXISTS (
      SELECT FROM dead_job WHERE queue = $3 AND name = $4 AND payload = $5 AND (state = 'dead' OR run = $7)
    ) RETURNING dead_job_id`,
};

const WAITS: Statement = {
  name: 'dead-job-waits',
  text: "SELECT FROM dead_job WHERE queue = $1 AND name = $2 AND payload = $3 AND state = 'dead'",
};

/** For `onDead` of a queue: records the job, once however often it is called, and then calls the hook of its name. */
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
        `a job was given up and waits for a decision: ${text}`,
      );
    const hook = (hooks as Record<string, ((payload: never, error: Error) => Promise<void>) | undefined>)[name];
    // A report that comes after somebody decided must not undo what the decision led to.
    if (!waits) return;
    // The payload was typed with the name when the job was added.
    await hook?.(payload as never, error);
  };
}

/** What the job was for, without why it was queued: two jobs for the same work are one row. */
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

/** What an error says, short and without what an address or a key would give away. */
export function errorText(error: Error): string {
  const text = `${error.name}: ${error.message}`
    .replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1[hidden]@')
    .replaceAll(
      /\b((?:password|secret|token|pepper|api[_-]?key|authorization)["']?\s*[:=]\s*["']?)[^\s"',;]+/gi,
      '$1[hidden]',
    )
    .replaceAll(/\bcst_[a-z]+_[0-9A-Za-z_]+/g, '[hidden]')
    // PostgreSQL text can't hold it.
    .replaceAll('\u0000', '');
  return text.length <= ERROR_MAX ? text : `${text.slice(0, ERROR_MAX - 1)}…`;
}
