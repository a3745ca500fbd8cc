// What the overview shows the operator of the installation: processes, queues, outbox, dead jobs, latency and the policy set.
import type { Database } from '../../../shared/platform/db/database.ts';
import type { ActivePolicySet } from '../../../shared/domain/policy-sets/active-set.ts';
import { readProcesses } from '../../../shared/platform/process/heartbeat.ts';
import { type QueueReading, readBacklog, readQueues } from '../../../shared/domain/installation/backlog.ts';
import { logProblems } from '../../../shared/domain/ledger/log-states.ts';
import { countDeadJobs } from '../../../shared/platform/queues/dead-jobs.ts';
import type { QueueState, SystemState } from '../client/wire.ts';
import { MAX_WAITING } from '../logs.ts';
import type { QueueReader } from '../queue-reader.ts';
import type { LatencyWatch } from './latency.ts';

/** Sentences about logs that the page has room for. */
const MAX_LOG_PROBLEMS = 10;

const OUTBOX = `SELECT count(*)::int AS waiting FROM (SELECT FROM outbox LIMIT ${MAX_WAITING}) waiting`;

export interface SystemDeps {
  readonly db: Database;
  readonly queues: Pick<QueueReader, 'counts'>;
  readonly policies: Pick<ActivePolicySet, 'status' | 'current'>;
  readonly latency: Pick<LatencyWatch, 'read'>;
}

/** Null while the queues' store is away: the page shows that, and the rest of it does not depend on the store. */
function queueStates(queues: readonly QueueReading[]): QueueState[] | null {
  const states = queues.flatMap(({ queue, oldestSeconds = 0, jobs }) => {
    if (jobs === undefined) return [];
    const { waiting, active, delayed, failed } = jobs;
    return [{ queue, waiting, active, delayed, failed, oldestWaitingSeconds: oldestSeconds }];
  });
  return states.length === queues.length ? states : null;
}

/** @throws {ApiError} E6002 when PostgreSQL is away */
export async function readSystem({ db, queues, policies, latency }: SystemDeps): Promise<SystemState> {
  const [processes, backlog, [outbox], dead, latencies, wrong] = await Promise.all([
    readProcesses(db),
    readBacklog(db).then(async (ages) => ({ ...ages, queues: await readQueues(queues, ages.queues) })),
    db.query<{ waiting: number }>(OUTBOX, []),
    countDeadJobs(db),
    latency.read(),
    logProblems(db),
  ]);
  const { activeDigest, readAt, readOk, findings, loadError } = policies.status();
  return {
    processes: processes.map((process) => ({ ...process, startedAt: process.startedAt.toISOString() })),
    workersAlive: processes.filter(({ role, alive }) => role === 'workers' && alive).length,
    queues: queueStates(backlog.queues),
    outbox: { waiting: outbox?.waiting ?? 0, oldestSeconds: backlog.outbox },
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
