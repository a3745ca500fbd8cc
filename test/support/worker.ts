// For tests: the handlers of the workers, called by hand over a service's database, so that a test says what runs and when.
import { createIntentStore, type IntentStore } from '../../shared/decide/intent-store.ts';
import { type Deciding, startDeciding } from '../../shared/decide/deciding.ts';
import type { JobPayload } from '../../shared/jobs.ts';
import { appendWaiting } from '../../shared/log/append.ts';
import { DEFAULT_DAILY_CAP } from '../../shared/trust/beta.ts';
import type { Environment } from '../../shared/vocabulary.ts';
import { createIntentWorker, type IntentWorker, type IntentWorkerDeps } from '../../workers/intents.ts';
import type { Service } from './service.ts';

type EvaluatePayload = JobPayload<'intents', 'evaluate'>;

export interface TestWorker {
  readonly deciding: Deciding;
  readonly intents: IntentStore;
  /** A worker with other parts, to see what it does when one of them fails. */
  intentWorker(changes?: Partial<IntentWorkerDeps>): IntentWorker;
  /** The jobs that the outbox holds for an intent, in order; with their trace contexts. */
  jobsOf(intentId: string): Promise<EvaluatePayload[]>;
  /** Evaluates an intent as its first job says. */
  evaluate(intentId: string): Promise<void>;
  /** Appends all that waits for every log, as often as there are jobs for it. */
  append(): Promise<void>;
  close(): Promise<void>;
}

/** A worker process's parts in this process, with their own caches. */
export async function startTestWorker(service: Service): Promise<TestWorker> {
  const { db, databaseUrl, nowMs } = service;
  const deciding = await startDeciding({
    db,
    databaseUrl,
    clock: { nowMs, monotonicMs: () => performance.now() },
    onError: () => undefined,
    trustDailyCap: DEFAULT_DAILY_CAP,
  });
  await deciding.policies.ready();
  const intents = createIntentStore({ db });
  const worker: TestWorker = {
    deciding,
    intents,
    intentWorker: (changes = {}) => createIntentWorker({ ...deciding, db, nowMs, intents, ...changes }),
    async jobsOf(intentId) {
      const rows = await service.rows<{ payload: string }>(
        "SELECT payload FROM outbox WHERE queue = 'intents' AND name = 'evaluate' ORDER BY seq",
      );
      const jobs = rows.map((row) => JSON.parse(row.payload) as EvaluatePayload);
      return jobs.filter((job) => job.intentId === intentId);
    },
    async evaluate(intentId) {
      const [job] = await worker.jobsOf(intentId);
      if (job === undefined) throw new Error(`no job was queued for ${intentId}`);
      await worker.intentWorker().handlers.evaluate(job);
    },
    async append() {
      const logs = await service.rows<{ organisation_id: string; environment: Environment }>(
        'SELECT DISTINCT organisation_id, environment FROM log_inbox',
      );
      for (const log of logs)
        await appendWaiting({ db, nowMs, logHost: 'custos.local' }, log.organisation_id, log.environment);
    },
    close: () => deciding.close(),
  };
  return worker;
}
