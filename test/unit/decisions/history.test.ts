// History windows: the counts of the buckets equal a recount of all decisions.
import { expect } from 'chai';
import fc from 'fast-check';
import { createHistory, HISTORY_MAX } from '../../../shared/domain/agents/history.ts';
import { VERDICTS, type Verdict } from '../../../shared/kernel/vocabulary.ts';

const WINDOWS = { last_60s: [60, 1_000], last_1h: [60, 60_000], last_24h: [96, 900_000] } as const;
const START_MS = Date.UTC(2026, 0, 1);

interface Decided {
  readonly atMs: number;
  readonly verdict: Verdict;
  readonly count: number;
}

/** A window consists of a number of whole buckets up to the current one; a decision counts while its bucket is one of them. */
function recount(decided: readonly Decided[], nowMs: number): object {
  const entries = Object.entries(WINDOWS).map(([name, [buckets, bucketMs]]) => {
    const oldest = Math.floor(nowMs / bucketMs) - buckets;
    const counts = VERDICTS.map((verdict) => {
      const inside = decided.filter((one) => one.verdict === verdict && Math.floor(one.atMs / bucketMs) > oldest);
      return [verdict, inside.reduce((sum, one) => sum + one.count, 0)];
    });
    return [name, Object.fromEntries(counts)];
  });
  return Object.fromEntries(entries);
}

const decision = (spanMs: number): fc.Arbitrary<Decided> =>
  fc.record({
    atMs: fc.integer({ min: 0, max: spanMs }).map((ms) => START_MS + ms),
    verdict: fc.constantFrom(...VERDICTS),
    count: fc.integer({ min: 1, max: 5 }),
  });

describe('the history of an agent', () => {
  for (const [span, spanMs] of [
    ['two minutes', 120_000],
    ['two hours', 7_200_000],
    ['two days', 172_800_000],
  ] as const)
    it(`over ${span} equals a recount, in whatever order decisions are added and queried`, () => {
      fc.assert(
        fc.property(
          fc.array(fc.tuple(decision(spanMs), fc.option(fc.integer({ min: 0, max: spanMs / 4 }), { nil: undefined })), {
            maxLength: 60,
          }),
          (steps) => {
            const history = createHistory();
            const added: Decided[] = [];
            // Time never goes backwards, so a decision that left a window never returns.
            let nowMs = START_MS;
            for (const [one, passMs] of steps) {
              history.add(one.atMs, one.verdict, one.count);
              added.push(one);
              if (passMs === undefined) continue;
              nowMs += passMs;
              expect(history.counts(nowMs)).to.deep.equal(recount(added, nowMs));
            }
            expect(history.counts(nowMs + spanMs)).to.deep.equal(recount(added, nowMs + spanMs));
          },
        ),
        { numRuns: 200 },
      );
    });

  it('is empty at first, and again after all decisions have left the windows', () => {
    const history = createHistory();
    const none = { ALLOW: 0, DENY: 0, ESCALATE: 0, DEGRADE: 0 };
    expect(history.counts(START_MS)).to.deep.equal({ last_60s: none, last_1h: none, last_24h: none });
    history.add(START_MS, 'DENY', 7);
    expect(history.counts(START_MS).last_60s.DENY).to.equal(7);
    expect(history.counts(START_MS + 86_400_000)).to.deep.equal({ last_60s: none, last_1h: none, last_24h: none });
  });

  it('stops counting at the documented maximum, in every window', () => {
    const history = createHistory();
    history.add(START_MS, 'ALLOW', HISTORY_MAX + 1);
    for (const window of Object.values(history.counts(START_MS))) expect(window.ALLOW).to.equal(HISTORY_MAX);
  });
});
