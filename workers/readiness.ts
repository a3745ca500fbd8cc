// Whether a worker process can work now, for its /ready.
import type { Database } from '../shared/platform/db/database.ts';
import { ensureWritable, whyNotWritable } from '../shared/platform/db/writable.ts';
import { logProblems } from '../shared/domain/ledger/log-states.ts';
import { within } from '../shared/platform/queues/backend.ts';
import { evictionProblem } from '../shared/platform/queues/queues.ts';
import type { Impaired, Readiness } from './health.ts';

export interface WorkersReadinessDeps {
  readonly db: Database;
  readonly redisUrl: string | undefined;
  /** The problem of this machine's clock; undefined: none. */
  readonly clockProblem: () => string | undefined;
  /** Why the policy set in force could not be loaded; undefined: it was. */
  readonly policyProblem: () => string | undefined;
}

/** In sum less than the deadline of the page (health.ts), so that a database that does not answer is reported as such. */
const DATABASE_TIMEOUT_MS = 1_000;
const LOGS_TIMEOUT_MS = 700;
const REDIS_TIMEOUT_MS = 1_500;

async function redisProblem(redisUrl: string): Promise<Impaired[]> {
  const detail = await within(evictionProblem(redisUrl), REDIS_TIMEOUT_MS, 'the check of Redis').catch(
    () => 'Redis does not answer; accepted work waits in the outbox',
  );
  return detail === undefined ? [] : [{ part: 'queue', detail }];
}

/** The state of the logs is in the database: while it can't be read, it is unknown. */
export async function readWorkersReadiness({
  db,
  redisUrl,
  clockProblem,
  policyProblem,
}: WorkersReadinessDeps): Promise<Readiness> {
  const queue = redisUrl === undefined ? [] : redisProblem(redisUrl);
  try {
    await within(ensureWritable(db), DATABASE_TIMEOUT_MS, 'the check of the database');
  } catch (error) {
    return { ready: false, reason: whyNotWritable(error), unknown: ['logs'] };
  }
  const logs = await within(logProblems(db), LOGS_TIMEOUT_MS, 'the check of the logs').catch(() => undefined);
  const clock = clockProblem();
  const policies = policyProblem();
  const degraded: Impaired[] = [
    ...(logs ?? []).map((detail): Impaired => ({ part: 'logs', detail })),
    ...(clock === undefined ? [] : [{ part: 'clock' as const, detail: clock }]),
    ...(policies === undefined ? [] : [{ part: 'policies' as const, detail: policies }]),
    ...(await queue),
  ];
  return {
    ready: true,
    ...(degraded.length > 0 && { degraded }),
    ...(logs === undefined && { unknown: ['logs'] }),
  };
}
