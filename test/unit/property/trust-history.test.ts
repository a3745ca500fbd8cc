// An agent's trust records in pages: the same as all of them at once, in memory that does not grow with their number.
import { expect } from 'chai';
import fc from 'fast-check';
import { dayOf, scoreOn } from '../../../shared/core/trust/beta.ts';
import { createTrustHistory, pagesOf, type ReadTrustPage } from '../../../shared/core/verification/trust-history.ts';
import { trustReader } from '../../../shared/core/verification/trust-reader.ts';
import { type DecisionTime, type Fold, foldOf } from '../../../shared/core/verification/trust.ts';
import { isLongBefore } from '../../../shared/core/verification/moment.ts';
import { signalIds } from '../../../shared/core/verification/signal-ids.ts';
import { edited } from './decision-edit.ts';
import { AGENT, arbitrarySignal, DAY_MS, type Folded, foldAll, OWNER, START_MS } from './decision-world-log.ts';

const owner = { ...OWNER, agentId: AGENT };

const arbitraryFolds = fc.record({
  signals: fc.array(fc.array(arbitrarySignal, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 30 }),
  dailyCap: fc.constantFrom(500, 10_000),
});

/** The answers that need no pages: from all folds and signals in memory. */
function allAtOnce(folds: readonly Fold[], decision: DecisionTime) {
  const { signals } = decision;
  const index = folds.findIndex(({ firstN, lastN }) => firstN <= signals && signals <= lastN);
  const known = folds.findLast((fold) => signals < fold.lastN && isLongBefore(fold, decision));
  const span = (fold: Fold | undefined) => fold && [fold.firstN, fold.lastN];
  return {
    used: span(folds[index]),
    next: index < 0 ? undefined : span(folds[index + 1]),
    omitted: span(known),
  };
}

const recordsOf = (states: readonly Folded[]) => states.at(-1)?.records ?? [];

describe('trust records in pages', () => {
  it('give the answers of all records at once for every decision, whatever is kept of them', () =>
    fc.assert(
      fc.asyncProperty(
        arbitraryFolds,
        fc.record({
          segmentSignals: fc.integer({ min: 1, max: 20 }),
          segmentBytes: fc.integer({ min: 1, max: 5_000 }),
        }),
        fc.array(fc.tuple(fc.double({ min: 0, max: 1.05, noNaN: true }), fc.integer({ min: -2, max: 33 })), {
          maxLength: 12,
        }),
        fc.nat(40),
        fc.array(fc.constantFrom(0, 0, 0, 3, -3, 40), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (given, limits, decisions, inLog, stepDays, arePlaced) => {
          const states = foldAll(given);
          // In the order of their leaves, with the times of a clock that is set between them.
          const records = recordsOf(states).map((record, index) => ({
            ...edited(record, (whole) => {
              const stepMs = (stepDays[index % stepDays.length] ?? 0) * DAY_MS;
              whole.occurredAt = new Date(Date.parse(whole.occurredAt) + stepMs).toISOString();
            }),
            place: arePlaced ? { log: 1, index: 2 * index } : undefined,
          }));
          const folds = records.flatMap((record) => foldOf(record, owner) ?? []);
          // The last records wait in the inbox.
          const readPage: ReadTrustPage = async (after, limit) =>
            (await pagesOf(records)({ ...after, chain: after.chain + after.waiting }, limit)).map(
              ({ logged, place }) => {
                const waiting = Math.max(0, place.chain + 1 - inLog);
                return { logged, place: { ...place, chain: place.chain - waiting, waiting } };
              },
            );
          const history = createTrustHistory({
            owner,
            readPage,
            pause: async () => undefined,
            reader: trustReader(owner, limits),
          });
          await history.read();
          await history.read();
          expect(history.problems.filter(({ code }) => code !== 'TRUST_RECORD_ALTERED')).to.deep.equal([]);
          const all = folds.flatMap(({ signals }) => signals);
          expect(history.signals).to.equal(all.length);
          for (const [share, days] of decisions) {
            const signals = Math.floor(share * all.length);
            const place = days % 2 === 0 ? { log: 1, index: 2 * days + 1 } : undefined;
            const decision = { signals, atMs: START_MS + days * DAY_MS, place };
            const { used, next, omitted, score } = await history.at(decision);
            const span = (fold: typeof used) => fold && [fold.firstN, fold.lastN];
            const answer = { used: span(used), next: span(next), omitted: span(omitted) };
            expect(answer).to.deep.equal(allAtOnce(folds, decision));
            if (signals > all.length) continue;
            const sums = new Map<string, { day: number; positive: number; negative: number }>();
            for (const { day, key, type, weight } of all.slice(0, signals)) {
              const sum = sums.get(`${day} ${key}`) ?? { day, positive: 0, negative: 0 };
              const bad = type === 'success' ? 0 : type === 'failure' ? weight : 10 * weight;
              const positive = sum.positive + (type === 'success' ? weight : 0);
              sums.set(`${day} ${key}`, { day, positive, negative: sum.negative + bad });
            }
            for (const day of [dayOf(decision.atMs), dayOf(START_MS) + 60])
              expect(score(day, given.dailyCap)).to.deep.equal(scoreOn(day, sums.values(), given.dailyCap));
          }
        },
      ),
      { numRuns: 150 },
    ));

  it('are read at most 100 at once, with pauses, and then only those that a decision needs', async () => {
    const signal = { type: 'success' as const, weight: 1_000, daysAgo: 1, keyId: 'AAAAAAAA' };
    const records = recordsOf(
      foldAll({
        signals: Array.from({ length: 400 }, () => Array.from({ length: 20 }, () => signal)),
        dailyCap: 10_000,
      }),
    );
    const pages: number[] = [];
    let pauses = 0;
    const readPage: ReadTrustPage = async (after, limit) => {
      const page = await pagesOf(records)(after, limit);
      pages.push(page.length);
      return page;
    };
    const history = createTrustHistory({ owner, readPage, pause: async () => (pauses += 1) });
    await history.read();
    expect(pages).to.deep.equal([100, 100, 100, 100, 0]);
    expect(pauses, 'one for each 1,000 signals').to.equal(8);
    pages.length = 0;
    await history.read();
    expect(pages, 'nothing is new').to.deep.equal([0]);
    for (const signals of [7_990, 8_000]) await history.at({ signals, atMs: START_MS + 399 * DAY_MS });
    pages.length = 0;
    await history.at({ signals: 7_995, atMs: START_MS + 399 * DAY_MS });
    expect(pages, 'from the fold of the decision before: what it used, and what it omitted').to.deep.equal([1, 1]);
  });

  it('keep no more memory for ten times as many records of the same days', async () => {
    const signal = { type: 'success' as const, weight: 1_000, daysAgo: 0, keyId: 'AAAAAAAA' };
    const [few, many] = await Promise.all(
      [200, 2_000].map(async (count) => {
        const reader = trustReader(owner, { segmentSignals: 1, segmentBytes: 20_000 });
        const [state] = foldAll({ signals: [[signal]], dailyCap: 10_000 }).slice(-1);
        const [logged] = state?.records ?? [];
        if (logged === undefined) throw new Error('no record');
        for (let chain = 0; chain < count; chain += 1) reader.add({ logged, place: { log: 1, chain, waiting: 0 } });
        return reader;
      }),
    );
    expect(many?.bytes).to.be.at.most((few?.bytes ?? 0) * 2);
    expect(many?.segments.length).to.be.below(50);
    // The record came again and again.
    expect(many?.problems.map(({ code }) => code)).to.deep.equal(['TRUST_SIGNALS_MISSING']);
  });
});

describe('the ids of signals', () => {
  it('are known for as many signals as two tables hold, in bounded memory', () => {
    const ids = signalIds(1_000);
    for (let i = 0; i < 10_000; i += 1) expect(ids.add(`signal ${i}`), `${i}`).to.equal(true);
    for (let i = 9_000; i < 10_000; i += 1) expect(ids.add(`signal ${i}`), `${i}`).to.equal(false);
    expect(ids.add('signal 0'), 'forgotten').to.equal(true);
    expect(ids.bytes).to.be.at.most(2 * 2_048 * 8);
  });

  it('are known to a fork, which does not change them', () => {
    const ids = signalIds();
    ids.add('a');
    const fork = ids.fork();
    expect([fork.add('a'), fork.add('b'), fork.add('b'), ids.add('b')]).to.deep.equal([false, true, false, true]);
  });
});
