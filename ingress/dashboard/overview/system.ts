// What the overview shows the operator of the installation: processes, queues, outbox, dead jobs, latency and the policy set.
import type { Database } from '../../../shared/platform/db/database.ts';
import type { ActivePolicySet } from '../../../shared/domain/policy-sets/active-set.ts';
import { readProcesses } from '../../../shared/platform/process/heartbeat.ts';
import { QUEUE_NAMES } from '../../../shared/kernel/jobs.ts';
import { logProblems } from '../../../shared/domain/ledger/log-states.ts';
import { countDeadJobs } from '../../../shared/platform/queues/dead-jobs.ts';
import type { QueueState, SystemState } from '../client/wire.ts';
import { MAX_WAITING } from '../logs.ts';
import type { QueueReader } from '../queue-reader.ts';
import type { LatencyWatch } from './latency.ts';

/** Sentences about logs that the page has room for. */
const MAX_LOG_PROBLEMS = 10;

const OUTBOX = `SELECT (SELECT count(*)::int FROM (SELECT FROM outbox LIMIT ${MAX_WAITING}) waiting) AS waiting,
      greatest(0, coalesce((SELECT extract(epoch FROM now() - created_at)::float8 FROM outbox ORDER BY seq LIMIT 1), 0)) AS "oldestSeconds"`;

export interface SystemDeps {
  readonly db: Database;
  readonly queues: Pick<QueueReader, 'counts'>;
  readonly policies: Pick<ActivePolicySet, 'status' | 'current'>;
  readonly latency: Pick<LatencyWatch, 'read'>;
}

async function readQueues(queues: SystemDeps['queues']): Promise<QueueState[] | null> {
  try {
    return await Promise.all(
      QUEUE_NAMES.map(async (queue) => {
        const { waiting, active, delayed, failed, oldestWaitingMs } = await queues.counts(queue);
        return { queue, waiting, active, delayed, failed, oldestWaitingSeconds: oldestWaitingMs / 1_000 };
      }),
    );
  } catch {
    // The page shows that the store is away; the rest of it does not depend on the store.
    return null;
  }
}

/** @throws {ApiError} E6002 when PostgreSQL is away */
export async function readSystem({ db, queues, policies, latency }: SystemDeps): Promise<SystemState> {
  const [processes, queueStates, [outbox], dead, latencies, wrong] = await Promise.all([
    readProcesses(db),
    readQueues(queues),
    db.query<SystemState['outbox']>(OUTBOX, []),
    countDeadJobs(db),
    latency.read(),
    logProblems(db),
  ]);
  const { activeDigest, readAt, readOk, findings, loadError } = policies.status();
  return {
    processes: processes.map((process) => ({ ...process, startedAt: process.startedAt.toISOString() })),
    workersAlive: processes.filter(({ role, alive }) => role === 'workers' && alive).length,
    queues: queueStates,
    outbox: outbox ?? { waiting: 0, oldestSeconds: 0 },
    deadJobs: [...dead.values()].reduce((sum, count) => sum + count, 0),
    logProblems: wrong.slice(0, MAX_LOG_PROBLEMS),
    latency: latencies,
    policies: {
      digest: activeDigest ?? null,
      activatedAt: activeDigest === undefined ? null : policies.current().activatedAt.toISOString(),
      lastReadAt: readAt?.toISOString() ?? null,
      lastReadOk: readOk,
      findings: findings.length,
      loadError: loadError ?? null,
    },
  };
}
