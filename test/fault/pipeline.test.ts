// Whatever is killed or restarted during load: what was accepted is carried out, exactly once, on both queue backends.
import { startTestRedis, type TestRedis, whyNoRedis } from '../support/redis.ts';
import { describeUnless } from '../support/skip.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { sendLoad } from './load.ts';
import { expectIntentsOnce, expectLogWhole, expectScoresOfSignals, untilCarriedOut } from './truth.ts';

const COUNT = 300;
const CONNECTIONS = 12;
const CARRIED_OUT_WITHIN_MS = 90_000;

/** A fault that happens once this share of the load has been accepted. */
interface Fault {
  readonly at: number;
  readonly happen: (fleet: Fleet, redis: TestRedis | undefined) => Promise<void>;
}

const KILLS: readonly Fault[] = [
  { at: 0.1, happen: (fleet) => fleet.killWorker(0) },
  { at: 0.25, happen: (fleet) => fleet.killIngress(0) },
  { at: 0.4, happen: (fleet) => Promise.all([fleet.killWorker(1), fleet.killWorker(2)]).then(() => undefined) },
  { at: 0.6, happen: (fleet) => fleet.killIngress(1) },
  { at: 0.8, happen: (fleet) => fleet.killWorker(0) },
];
const POSTGRES: readonly Fault[] = [
  { at: 0.2, happen: (fleet) => fleet.restartPostgres() },
  { at: 0.6, happen: (fleet) => fleet.restartPostgres() },
];
const REDIS: readonly Fault[] = [
  {
    at: 0.15,
    happen: async (_fleet, redis) => {
      await redis?.stop?.();
      await redis?.start?.();
    },
  },
  { at: 0.35, happen: async (_fleet, redis) => redis?.empty() },
  { at: 0.7, happen: async (_fleet, redis) => redis?.empty() },
];

function scenarios(startRedis: (() => Promise<TestRedis>) | undefined): void {
  const scenario = (name: string, faults: readonly Fault[]): void => {
    it(name, async () => {
      const redis = await startRedis?.();
      const fleet = await startFleet({ ingress: 2, workers: 3, redis });
      const happening: Promise<void>[] = [];
      try {
        const waiting = [...faults];
        const accepted = await sendLoad({
          key: fleet.key,
          addresses: () => fleet.addresses(),
          count: COUNT,
          connections: CONNECTIONS,
          onProgress: (share) => {
            while (waiting[0] !== undefined && share >= waiting[0].at) {
              const fault = waiting.shift();
              if (fault !== undefined) happening.push(fault.happen(fleet, redis));
            }
          },
        });
        await Promise.all(happening);
        await untilCarriedOut(fleet.db, CARRIED_OUT_WITHIN_MS);
        await expectIntentsOnce(fleet.db, accepted);
        await expectScoresOfSignals(fleet.db, accepted);
        await expectLogWhole(fleet.db, accepted);
      } finally {
        await Promise.allSettled(happening);
        await fleet.close();
        await redis?.close();
      }
    }).timeout(240_000);
  };

  scenario('two ingress and three worker processes carry out what was accepted, exactly once', []);
  scenario('so they do when ingress and workers are killed during the load', KILLS);
  scenario('so they do when PostgreSQL crashes and comes back during the load', POSTGRES);
  if (startRedis !== undefined) {
    scenario('so they do when Redis crashes, comes back and is emptied during the load', REDIS);
  }
}

describe('the pipeline on PostgreSQL alone', () => scenarios(undefined));
describeUnless(whyNoRedis(), 'the pipeline on PostgreSQL and Redis', () => scenarios(startTestRedis));
