// What the overview shows the operator of the installation: processes, queues, outbox, audit, policy set and database.
import type { Database } from '../../../shared/platform/db/database.ts';
import type { ActivePolicySet } from '../../../shared/domain/policy-sets/active-set.ts';
import { readProcesses } from '../../../shared/platform/process/heartbeat.ts';
import {
  countWaitingIntents,
  type QueueReading,
  readBacklog,
  readQueues,
} from '../../../shared/domain/installation/backlog.ts';
import { readAuditLag } from '../../../shared/domain/ledger/audit-lag.ts';
import { logProblems } from '../../../shared/domain/ledger/log-states.ts';
import type { QueueState, SystemState } from '../client/wire/overview.ts';
import { MAX_WAITING } from '../logs.ts';
import type { QueueReader } from '../queue-reader.ts';
import { memoize } from './memo.ts';

/** Sentences about logs that the page has room for. */
const MAX_LOG_PROBLEMS = 10;

const OUTBOX = `SELECT count(*)::int AS waiting FROM (SELECT FROM outbox LIMIT ${MAX_WAITING}) waiting`;

const SIZE = 'SELECT pg_database_size(current_database())::float8 AS bytes';
/** Reading the size costs a look at every file of the database. */
const SIZE_TTL_MS = 30_000;

export interface SystemDeps {
  readonly db: Database;
  readonly queues: Pick<QueueReader, 'counts'>;
  readonly policies: Pick<ActivePolicySet, 'status' | 'installation'>;
  readonly monotonicMs: () => number;
}

/** Null while the queues' store is away: the page shows that, and the rest of it does not depend on the store. */
function queueStates(queues: readonly QueueReading[], waitingIntents: number): QueueState[] | null {
  const states = queues.flatMap(({ queue, oldestSeconds = 0, jobs }) => {
    if (jobs === undefined) return [];
    const { active, delayed, failed, isPaused } = jobs;
    // One job wakes a worker for any number of intents.
    const waiting = queue === 'intents' ? waitingIntents : jobs.waiting;
    return [{ queue, waiting, active, delayed, failed, isPaused, oldestWaitingSeconds: oldestSeconds }];
  });
  return states.length === queues.length ? states : null;
}

/** The reader throws {ApiError} E6002 when PostgreSQL is away. */
export function createSystemReader({ db, queues, policies, monotonicMs }: SystemDeps): () => Promise<SystemState> {
  const sizeOf = memoize<null, number>({
    keyOf: () => '',
    ttlMs: SIZE_TTL_MS,
    costly: true,
    monotonicMs,
    load: async () => (await db.query<{ bytes: number }>(SIZE, []))[0]?.bytes ?? 0,
  });
  return async () => {
    const [processes, backlog, waitingIntents, [outbox], wrong, lags, databaseBytes] = await Promise.all([
      readProcesses(db),
      readBacklog(db).then(async (ages) => ({ ...ages, queues: await readQueues(queues, ages.queues) })),
      countWaitingIntents(db),
      db.query<{ waiting: number }>(OUTBOX, []),
      logProblems(db),
      readAuditLag(db),
      sizeOf(null),
    ]);
    const { activeDigest, readAt, readOk, findings, loadError } = policies.status();
    return {
      processes: processes.map((process) => ({ ...process, startedAt: process.startedAt.toISOString() })),
      workersAlive: processes.filter(({ role, alive }) => role === 'workers' && alive).length,
      queues: queueStates(backlog.queues, waitingIntents),
      outbox: { waiting: outbox?.waiting ?? 0, oldestSeconds: backlog.outbox },
      logProblems: wrong.slice(0, MAX_LOG_PROBLEMS),
      auditLag: {
        leaves: lags.reduce((sum, { leaves }) => sum + leaves, 0),
        oldestSeconds: Math.max(0, ...lags.map(({ oldestSeconds }) => oldestSeconds)),
      },
      databaseBytes,
      policies: {
        digest: activeDigest ?? null,
        activatedAt: activeDigest === undefined ? null : policies.installation().activatedAt.toISOString(),
        lastReadAt: readAt?.toISOString() ?? null,
        lastReadOk: readOk,
        findings: findings.length,
        loadError: loadError ?? null,
      },
    };
  };
}
