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

const KILLS: readonly Fault[] = [
  { at: 0.1, happen: (fleet) => fleet.killWorker(0) },
  { at: 0.25, happen: (fleet) => fleet.killIngress(0) },
  { at: 0.5, happen: (fleet) => Promise.all([fleet.killWorker(0), fleet.killWorker(1)]) },
  { at: 0.75, happen: (fleet) => fleet.killIngress(1) },
];
const CRASHES: readonly Fault[] = [
  { at: 0.15, happen: (fleet) => fleet.restartPostgres() },
  { at: 0.4, happen: (_fleet, redis) => redis?.stop?.().then(redis.start) },
  { at: 0.6, happen: (_fleet, redis) => redis?.empty() },
  { at: 0.75, happen: (fleet) => fleet.restartPostgres() },
  { at: 0.9, happen: (_fleet, redis) => redis?.empty() },
];

function scenarios(startRedis: () => Promise<TestRedis | undefined>): void {
  let redis: TestRedis | undefined;
  let fleet: Fleet;
  /** Accepted work of all scenarios so far: a later fault must not undo or repeat earlier work. */
  const accepted: Accepted = { intents: new Map(), signals: new Map(), proofs: new Map() };

  before(async function () {
    this.timeout(240_000);
    redis = await startRedis();
    fleet = await startFleet({ ingress: 2, workers: 2, redis });
  });
  after(async function () {
    this.timeout(120_000);
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
  scenario('is carried out exactly once while ingress and workers are killed', 'killed', KILLS);
  scenario(
    'is carried out exactly once while stores crash, restart and lose the data that they may lose',
    'crashed',
    CRASHES,
  );
}

describe('a load on the pipeline on PostgreSQL alone', () => scenarios(async () => undefined));
describeUnless(whyNoRedis(), 'a load on the pipeline on PostgreSQL and Redis', () => scenarios(startTestRedis));
