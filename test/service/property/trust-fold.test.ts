// The fold over Postgres: signals in any order and any number of workers give the same scores, and numbers without gaps.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Database } from '../../../shared/platform/db/database.ts';
import { foldBatch } from '../../../shared/domain/trust/fold.ts';
import { createSignalStore, type SignalRow } from '../../../shared/domain/trust/signals.ts';
import { loadTrust, loadTrustAt } from '../../../shared/domain/trust/state.ts';
import {
  dayOf,
  type EvidenceBucket,
  evidenceOf,
  SIGNAL_TYPES,
  type SignalType,
  scoreOn,
} from '../../../shared/core/trust/beta.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { bootstrap } from '../../support/service.ts';
import { runSql } from '../../support/sql.ts';

const NOW = Date.parse('2026-03-10T12:00:00.000Z');
const DAY_MS = 86_400_000;
const CAP = 1_500;
const RUNS = { numRuns: 25 };

interface Signal {
  readonly agent: number;
  readonly type: SignalType;
  readonly weight: number;
  readonly daysAgo: number;
  readonly key: string;
}

const signalOf = (types: readonly SignalType[] = SIGNAL_TYPES): fc.Arbitrary<Signal> =>
  fc.record({
    agent: fc.nat(3),
    type: fc.constantFrom(...types),
    weight: fc.integer({ min: 1, max: 1_000 }),
    daysAgo: fc.nat(29),
    key: fc.constantFrom('key-a', 'key-b', 'key-c'),
  });

/** The formula, computed directly from all signals: one bucket per day and key. */
function expected(signals: readonly Signal[], nowMs = NOW): { score: number; uncertainty: number } {
  const buckets = new Map<string, EvidenceBucket>();
  for (const { type, weight, daysAgo, key } of signals) {
    const id = `${daysAgo} ${key}`;
    const { positive, negative } = evidenceOf(type, weight);
    const known = buckets.get(id);
    buckets.set(id, {
      day: dayOf(NOW) - daysAgo,
      positive: (known?.positive ?? 0) + positive,
      negative: (known?.negative ?? 0) + negative,
    });
  }
  return scoreOn(dayOf(nowMs), buckets.values(), CAP);
}

describe('the fold over Postgres', () => {
  let database: TestDatabase;
  let db: Database;
  let organisationId: string;
  let runs = 0;
  before(async () => {
    database = await createTestDatabase();
    const onError = (): void => undefined;
    db = await openTestDatabase(database.url, { poolSize: 6, queryTimeoutMs: 20_000, onError });
    organisationId = (await bootstrap(db)).operatorId;
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  const query = <Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> =>
    runSql(db, text, values);
  const agentId = (run: number, agent: number): string => `run ${run} agent ${agent}`;
  const key = (run: number, agent: number) => ({
    organisationId,
    environment: 'live' as const,
    agentId: agentId(run, agent),
  });
  const rowOf = (run: number, { agent, type, weight, daysAgo, key: keyId }: Signal, index: number): SignalRow => ({
    organisationId,
    environment: 'live',
    signalId: `run ${run} signal ${index}`,
    agentId: agentId(run, agent),
    keyId,
    type,
    weight,
    occurredAt: new Date(NOW - daysAgo * DAY_MS).toISOString(),
    receivedAt: new Date(NOW + 1).toISOString(),
    source: undefined,
    evidence: undefined,
  });
  /** Runs several workers at once, each until nothing is left for it. */
  const fold = async (workers: number, maxSignals: number, nowMs = NOW): Promise<void> => {
    const work = async (): Promise<void> => {
      while ((await foldBatch({ db, nowMs: () => nowMs, dailyCap: CAP, maxSignals, maxAgents: 2 })).signals > 0);
    };
    await Promise.all(Array.from({ length: workers }, work));
  };
  const store = () => createSignalStore({ db });

  it('gives one score and gap-free numbers for any order, repetition, split and number of workers', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(signalOf(), { minLength: 1, maxLength: 40 }),
        fc.array(fc.tuple(fc.nat(1_000_000), fc.nat(1_000_000)), { maxLength: 30 }),
        fc.infiniteStream(fc.nat()),
        fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 12 }),
        async (signals, repeats, random, sizes, workers, maxSignals) => {
          const run = (runs += 1);
          const rows = signals.map((s, i) => rowOf(run, s, i));
          const sent = [...rows, ...repeats.map(([a]) => rows[a % rows.length] as SignalRow)]
            .map((row) => ({ row, at: random.next().value as number }))
            .sort((a, b) => a.at - b.at)
            .map(({ row }) => row);
          const signalStore = store();
          const accepting: Promise<void>[] = [];
          for (let at = 0, i = 0; at < sent.length; i += 1) {
            const size = sizes[i % sizes.length] ?? 1;
            accepting.push(signalStore.accept(sent.slice(at, at + size), () => ''));
            at += size;
            // Some signals are folded while others are still being accepted.
            if (i % 3 === 2) accepting.push(fold(1, maxSignals));
          }
          await Promise.all(accepting);
          await fold(workers, maxSignals);

          for (const agent of new Set(signals.map((s) => s.agent))) {
            const own = signals.filter((s) => s.agent === agent);
            const folds = await query<{
              first_n: string;
              last_n: string;
              signals: string;
              score: number;
              uncertainty: string;
            }>(
              'SELECT first_n, last_n, signals, score, uncertainty FROM trust_fold WHERE agent_id = $1 ORDER BY last_n',
              [agentId(run, agent)],
            );
            const numbered = folds.flatMap((f) => JSON.parse(f.signals) as { n: number; signalId: string }[]);
            expect(numbered.map((s) => s.n)).to.deep.equal(own.map((_, i) => i + 1));
            expect(new Set(numbered.map((s) => s.signalId)).size).to.equal(own.length);
            const last = folds.at(-1);
            expect({ score: last?.score, uncertainty: Number(last?.uncertainty) }).to.deep.equal(expected(own));
            const [trust] = await loadTrust(db, [key(run, agent)], NOW, CAP);
            expect(trust?.signals).to.equal(own.length);
            expect(trust?.on(dayOf(NOW))).to.deep.equal(expected(own));
            expect(trust?.lastSignalAtMs).to.equal(NOW - Math.min(...own.map((s) => s.daysAgo)) * DAY_MS);
          }
        },
      ),
      RUNS,
    ));

  it('is never raised by a violation or a failure, and never lowered by a success', () =>
    fc.assert(
      fc.asyncProperty(fc.array(signalOf(), { maxLength: 15 }), signalOf(), async (signals, extra) => {
        const run = (runs += 1);
        const scoreNow = async (): Promise<number> => {
          await fold(1, 5_000);
          const [trust] = await loadTrust(db, [key(run, extra.agent)], NOW, CAP);
          return trust?.on(dayOf(NOW)).score ?? Number.NaN;
        };
        if (signals.length > 0)
          await store().accept(
            signals.map((s, i) => rowOf(run, s, i)),
            () => '',
          );
        const before = await scoreNow();
        await store().accept([rowOf(run, extra, signals.length)], () => '');
        const change = (await scoreNow()) - before;
        if (extra.type === 'success') expect(change).to.be.at.least(0);
        else expect(change).to.be.at.most(0);
      }),
      RUNS,
    ));

  it('drifts to the base rate while no signals arrive, and never past it', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(signalOf(), { minLength: 1, maxLength: 15 }),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 10 }),
        async (signals, pauses) => {
          const run = (runs += 1);
          await store().accept(
            signals.map((s, i) => ({
              ...rowOf(run, s, i),
              agentId: agentId(run, 0),
              occurredAt: new Date(NOW).toISOString(),
            })),
            () => '',
          );
          await fold(2, 5_000);
          const [trust] = await loadTrust(db, [key(run, 0)], NOW, CAP);
          let [day, score] = [dayOf(NOW), trust?.on(dayOf(NOW)).score ?? 0];
          for (const pause of pauses) {
            day += pause;
            const later = trust?.on(day).score ?? 0;
            if (score >= 250) expect(later).to.be.within(250, score);
            else expect(later).to.be.within(score, 250);
            score = later;
          }
        },
      ),
      RUNS,
    ));

  it('is recomputed for any past time from the signals that were folded by then', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(signalOf(), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 7 }),
        async (steps) => {
          const run = (runs += 1);
          const moments: { atMs: number; own: Signal[] }[] = [{ atMs: NOW - 1, own: [] }];
          const sent: Signal[] = [];
          for (const [i, step] of steps.entries()) {
            const atMs = NOW + i * DAY_MS * 2;
            await store().accept(
              step.map((s, j) => rowOf(run, { ...s, agent: 0 }, sent.length + j)),
              () => '',
            );
            sent.push(...step);
            await fold(1, 3, atMs);
            moments.push({ atMs, own: [...sent] }, { atMs: atMs + DAY_MS, own: [...sent] });
          }
          for (const { atMs, own } of moments) {
            const trust = await loadTrustAt(db, key(run, 0), atMs, CAP);
            expect(trust.signals).to.equal(own.length);
            expect(trust.on(dayOf(atMs))).to.deep.equal(expected(own, atMs));
            const last = own.length === 0 ? null : NOW - Math.min(...own.map((s) => s.daysAgo)) * DAY_MS;
            expect(trust.lastSignalAtMs).to.equal(last);
          }
        },
      ),
      RUNS,
    ));
});
