// For tests: the workers' handlers over a service's database, called directly, so that a test controls which job runs and when.
import { readFileSync } from 'node:fs';
import { INTENTS_PER_BATCH, type IntentKey } from '../../shared/domain/decisions/intent-batch.ts';
import { type Deciding, startDeciding } from '../../shared/domain/decisions/deciding.ts';
import type { JobPayload } from '../../shared/kernel/jobs.ts';
import type { Owner } from '../../shared/kernel/owner.ts';
import { createChainHeads } from '../../shared/domain/ledger/chain-heads.ts';
import { createCheckpointer } from '../../shared/domain/ledger/checkpoints.ts';
import { createCheckpointKeeper } from '../../shared/domain/ledger/kept.ts';
import { loadPrivateKey } from '../../shared/core/proof/keys.ts';
import { DEFAULT_DAILY_CAP } from '../../shared/core/trust/beta.ts';
import type { Environment } from '../../shared/kernel/vocabulary.ts';
import { createSettledNotice } from '../../shared/platform/db/settled-notice.ts';
import { createIntentWorker, type IntentWorker, type IntentWorkerDeps } from '../../workers/intents.ts';
import { createDrains } from '../../workers/jobs/drains.ts';
import type { Pacing } from '../../workers/pacer.ts';
import { deadJobOf, evaluate as evaluateJob } from '../../workers/jobs/evaluate.ts';
import { createDeadJobRecorder } from '../../workers/dead-jobs.ts';
import pino from 'pino';
import { append as appendJob } from '../../workers/jobs/append.ts';
import { createGate } from './gate.ts';
import { checkpointsOf, testKeyFiles } from './keys.ts';
import { loadStored, type Service, type ServiceOptions, startService } from './service.ts';

export interface TestWorker {
  readonly deciding: Deciding;
  /** An intent worker with replaced dependencies, for tests in which one of them fails. */
  intentWorker(changes?: Partial<IntentWorkerDeps>): IntentWorker;
  /** @throws when there is no such intent */
  keyOf(intentId: string): Promise<IntentKey>;
  /** Decides this intent alone. @throws why it could not be decided */
  evaluate(intentId: string): Promise<void>;
  /** Runs the job that evaluates everything that waits and is due, and then sends the notices of its end. */
  evaluateAll(owner: Owner): Promise<void>;
  /** Runs the newest job of submitted intents in the outbox, such as that of an operator's retry. */
  runQueued(): Promise<void>;
  /** Appends all waiting records to every log and signs all log heads, as the worker's jobs do. */
  append(): Promise<void>;
  /** Appends without signing, which is the state between the two steps of the job. */
  appendUnsigned(): Promise<void>;
  close(): Promise<void>;
}

/** A service and a worker in this process, with their own database. */
export interface ServiceAndWorker {
  readonly service: Service;
  readonly worker: TestWorker;
  close(): Promise<void>;
}

export async function startServiceAndWorker(options: ServiceOptions = {}): Promise<ServiceAndWorker> {
  const service = await startService(options);
  const worker = await startTestWorker(service);
  return {
    service,
    worker,
    async close() {
      await worker.close();
      await service.close();
    },
  };
}

/** As without enforcement. */
const pace: Pacing = (work) => work(INTENTS_PER_BATCH);

const unused = (): never => {
  throw new Error('this part of the worker is not used');
};
const NO_WORKER: IntentWorker = { decideBatch: unused, decideOne: unused, endAsFailed: unused };

/** Starts the parts of a worker process in this process, with separate caches. */
export async function startTestWorker(service: Service): Promise<TestWorker> {
  const { db, databaseUrl, nowMs } = service;
  const deciding = await startDeciding({
    hasSecondReader: false,
    db,
    databaseUrl,
    clock: { nowMs, monotonicMs: () => performance.now() },
    onError: () => undefined,
    trustDailyCap: DEFAULT_DAILY_CAP,
    loadSet: loadStored,
  });
  await deciding.policies.ready();
  const checkpointer = createCheckpointer({
    db,
    key: loadPrivateKey(readFileSync(testKeyFiles().CUSTOS_SIGNING_KEY_FILE, 'utf8')),
    keeper: createCheckpointKeeper(checkpointsOf(databaseUrl)),
    nowMs,
    onHalt: (origin, reason) => {
      throw new Error(`the log ${origin} was halted: ${reason}`);
    },
    onReplaced: () => {
      throw new Error('the logs have another key');
    },
  });
  const announce = createSettledNotice({
    db,
    onError: (error) => {
      throw error;
    },
  });
  const chainHeads = createChainHeads();
  const drains = createDrains({ stayMs: 0 });
  const appendAll = async (signer: typeof checkpointer): Promise<void> => {
    const append = appendJob.handler({
      db,
      nowMs,
      logHost: 'custos.local',
      chainHeads,
      checkpointer: signer,
      announce,
      drains,
    });
    const logs = await service.rows<{ organisation_id: string; environment: Environment }>(
      'SELECT organisation_id, environment FROM log_inbox UNION SELECT organisation_id, environment FROM log',
    );
    for (const log of logs) await append({ v: 1, organisationId: log.organisation_id, environment: log.environment });
  };
  let made: IntentWorker | undefined;
  /** One for all calls, because each limits its own use of connections. */
  const ownWorker = (): IntentWorker => (made ??= worker.intentWorker());
  const worker: TestWorker = {
    deciding,
    intentWorker(changes = {}) {
      const onDead = evaluateJob.onDead?.({ db, announce, drains, pace, intentWorker: { ...NO_WORKER, endAsFailed } });
      if (onDead === undefined) throw new Error('a dead intent is not ended');
      const hooks = { evaluate: onDead };
      const recordDead = createDeadJobRecorder<'intents'>({ db, logger: pino({ level: 'silent' }), hooks });
      const own = createIntentWorker({
        ...deciding,
        db,
        nowMs,
        approvalTtlMs: 3_600_000,
        batchesAtOnce: 2,
        onGivenUp: (intent) => recordDead(deadJobOf(intent)),
        onError: () => undefined,
        ...changes,
      });
      async function endAsFailed(intent: IntentKey): Promise<void> {
        await own.endAsFailed(intent);
      }
      return own;
    },
    async keyOf(intentId) {
      const [key] = await service.rows<IntentKey>(
        'SELECT organisation_id AS "organisationId", environment, intent_id AS "intentId" FROM intent WHERE intent_id = $1',
        [intentId],
      );
      if (key === undefined) throw new Error(`there is no intent ${intentId}`);
      return key;
    },
    async evaluate(intentId) {
      await ownWorker().decideOne(await worker.keyOf(intentId));
      announce();
    },
    evaluateAll: (owner) =>
      evaluateJob.handler({ db, announce, drains, pace, intentWorker: ownWorker() })({ v: 1, ...owner }),
    async runQueued() {
      const [row] = await service.rows<{ payload: string }>(
        "SELECT payload FROM outbox WHERE queue = 'intents' ORDER BY seq DESC LIMIT 1",
      );
      if (row === undefined) throw new Error('no job was queued');
      const payload = JSON.parse(row.payload) as JobPayload<'intents', 'evaluate'>;
      await evaluateJob.handler({ db, announce, drains, pace, intentWorker: ownWorker() })(payload);
    },
    append: () => appendAll(checkpointer),
    appendUnsigned: () => appendAll({ publish: async () => undefined }),
    close: () => deciding.close(),
  };
  return worker;
}

/** An intent worker whose transaction fails after the decision is inserted. */
export function failingIntentWorker({ deciding: { decisions }, intentWorker }: TestWorker): IntentWorker {
  return intentWorker({
    decisions: {
      ...decisions,
      async insert(sql, rows) {
        await decisions.insert(sql, rows);
        throw new Error('the disk is full');
      },
    },
  });
}

export interface HeldIntentWorker extends IntentWorker {
  /** Settles when the worker is held. */
  readonly held: Promise<void>;
  release(): void;
}

/** An intent worker that pauses before or after it computes the answer, until it is released. */
export function heldIntentWorker(
  { deciding: { decider }, intentWorker }: TestWorker,
  when: 'before' | 'after',
): HeldIntentWorker {
  const reached = createGate();
  const released = createGate();
  const pause = (): Promise<void> => {
    reached.open();
    return released.opened;
  };
  const held = intentWorker({
    decider: {
      ...decider,
      async answer(question) {
        if (when === 'before') await pause();
        const answer = await decider.answer(question);
        if (when === 'after') await pause();
        return answer;
      },
    },
  });
  return { ...held, held: reached.opened, release: released.open };
}
