// Tests with processes and stores that crash under load: accepted work is carried out exactly once, on both queue backends.
import { startTestRedis, type TestRedis, whyNoRedis } from '../support/redis.ts';
import { describeUnless } from '../support/skip.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { type Accepted, sendLoad } from './load.ts';
import { expectIntentsOnce, expectLogWhole, expectScoresOfSignals, untilCarriedOut } from './truth.ts';

const COUNT = 200;
const CONNECTIONS = 12;
const CARRIED_OUT_WITHIN_MS = 90_000;

/** A fault that happens once this share of the load has been accepted. */
interface Fault {
  readonly at: number;
  readonly happen: (fleet: Fleet, redis: TestRedis | undefined) => Promise<unknown> | undefined;
}

const WORKER_KILLS: readonly Fault[] = [
  { at: 0.1, happen: (fleet) => fleet.killWorker(0) },
  { at: 0.5, happen: (fleet) => Promise.all([fleet.killWorker(0), fleet.killWorker(1)]) },
];
const INGRESS_KILLS: readonly Fault[] = [
  { at: 0.25, happen: (fleet) => fleet.killIngress(0) },
  { at: 0.75, happen: (fleet) => fleet.killIngress(1) },
];
const CRASHES: readonly Fault[] = [
  { at: 0.15, happen: (fleet) => fleet.restartPostgres() },
  { at: 0.4, happen: (_fleet, redis) => redis?.stop?.().then(redis.start) },
  { at: 0.6, happen: (_fleet, redis) => redis?.empty() },
  { at: 0.75, happen: (fleet) => fleet.restartPostgres() },
  { at: 0.9, happen: (_fleet, redis) => redis?.empty() },
];

interface Backend {
  readonly startRedis?: () => Promise<TestRedis>;
  readonly ingress: number;
  readonly kills: readonly Fault[];
}

function scenarios({ startRedis, ingress, kills }: Backend): void {
  let redis: TestRedis | undefined;
  let fleet: Fleet;
  /** Accepted work of all scenarios so far: a later fault must not undo or repeat earlier work. */
  const accepted: Accepted = { intents: new Map(), signals: new Map(), proofs: new Map() };

  before(async function () {
    this.timeout(240_000);
    redis = await startRedis?.();
    fleet = await startFleet({ ingress, workers: 2, redis });
  });
  after(async () => {
    await fleet?.close();
    await redis?.close();
  });

  const scenario = (title: string, name: string, faults: readonly Fault[]): void => {
    it(title, async () => {
      const waiting = [...faults];
      const happening: (Promise<unknown> | undefined)[] = [];
      try {
        await sendLoad(accepted, {
          name,
          key: fleet.key,
          addresses: () => fleet.addresses(),
          count: COUNT,
          connections: CONNECTIONS,
          onProgress: (share) => {
            for (let next = waiting[0]; next !== undefined && share >= next.at; next = waiting[0]) {
              waiting.shift();
              happening.push(next.happen(fleet, redis));
            }
          },
        });
      } finally {
        await Promise.all(happening);
      }
      await untilCarriedOut(fleet.db, CARRIED_OUT_WITHIN_MS);
      await expectIntentsOnce(fleet.db, accepted);
      await expectScoresOfSignals(fleet.db, accepted);
      await expectLogWhole(fleet.db, accepted);
    }).timeout(240_000);
  };
  scenario('is carried out exactly once while processes are killed', 'killed', kills);
  scenario(
    'is carried out exactly once while stores crash, restart and lose the data that they may lose',
    'crashed',
    CRASHES,
  );
}

const bothKilled = [...WORKER_KILLS, ...INGRESS_KILLS].sort((a, b) => a.at - b.at);
describe('a load on the pipeline on PostgreSQL alone', () => scenarios({ ingress: 2, kills: bothKilled }));
describeUnless(whyNoRedis(), 'a load on the pipeline on PostgreSQL and Redis', () =>
  // Ingress never talks to the queues, so its crash is the same on both.
  scenarios({ startRedis: startTestRedis, ingress: 1, kills: WORKER_KILLS }),
);
