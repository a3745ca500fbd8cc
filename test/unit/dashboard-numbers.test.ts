// The numbers of the dashboard: quantiles of a histogram, and answers shared by concurrent callers.
import { expect } from 'chai';
import { quantileMs } from '../../ingress/dashboard/overview/request-times.ts';
import { REQUEST_BOUNDS_SECONDS } from '../../shared/platform/observe/metrics.ts';
import { memoize } from '../../ingress/dashboard/overview/memo.ts';

describe('a quantile of a histogram', () => {
  /** Requests by upper bound of their bucket in seconds; 11 stands for the bucket without a bound. */
  const counts = (of: Readonly<Record<number, number>>): number[] =>
    [...REQUEST_BOUNDS_SECONDS, 11].map((bound) => of[bound] ?? 0);
  for (const [name, of, part, expected] of [
    ['is interpolated within its bucket', { 0.01: 50, 0.02: 40, 1: 10 }, 0.25, 7.5],
    ['is interpolated within a later bucket', { 0.01: 50, 0.02: 40, 1: 10 }, 0.7, 15],
    ['is interpolated behind empty buckets', { 0.01: 50, 0.02: 40, 1: 10 }, 0.99, 950],
    ['is at most the last bound', { 1: 1, 11: 99 }, 0.5, 10_000],
    ['uses the first bucket that is not empty', { 1: 4 }, 0.5, 750],
    ['is null without requests', {}, 0.5, null],
  ] as const)
    it(name, () => {
      const quantile = quantileMs(counts(of), part);
      if (expected === null) expect(quantile).to.equal(null);
      else expect(quantile).to.be.closeTo(expected, 1e-6);
    });
});

describe('shared answers', () => {
  const setup = (costly: boolean) => {
    const state = { nowMs: 0, loads: 0, fail: false, tookMs: 100 };
    const ask = memoize<string, number>({
      keyOf: (key) => key,
      ttlMs: 1_000,
      monotonicMs: () => state.nowMs,
      costly,
      load: async () => {
        state.nowMs += state.tookMs;
        if (state.fail) throw new Error('away');
        state.loads += 1;
        return state.loads;
      },
    });
    return { state, ask };
  };
  it('are computed once for concurrent callers of one key', async () => {
    const { ask } = setup(false);
    expect(await Promise.all([ask('a'), ask('a'), ask('b'), ask('a')])).to.deep.equal([1, 1, 2, 1]);
  });
  it('are cached for their time; errors are not cached', async () => {
    const { state, ask } = setup(false);
    expect(await ask('a')).to.equal(1);
    state.nowMs = 999;
    expect(await ask('a')).to.equal(1);
    state.nowMs = 1_000;
    state.fail = true;
    let error: unknown;
    await ask('a').catch((each: unknown) => (error = each));
    expect(String(error)).to.contain('away');
    state.fail = false;
    expect(await ask('a')).to.equal(2);
  });
  it('that are slow are cached for longer, and the old one is returned while the new one is computed', async () => {
    const { state, ask } = setup(true);
    expect(await ask('a')).to.equal(1);
    state.nowMs = 1_999;
    expect(await ask('a')).to.equal(1);
    state.nowMs = 2_000;
    expect(await ask('a')).to.equal(1);
    await Promise.resolve();
    expect(state.loads).to.equal(2);
    expect(await ask('a')).to.equal(2);
  });
  it('that are slow give the error once the old one has expired', async () => {
    const { state, ask } = setup(true);
    await ask('a');
    state.nowMs = 5_000;
    state.fail = true;
    expect(await ask('a')).to.equal(1);
    // By then the computation of the new answer has failed.
    await new Promise((resolve) => setImmediate(resolve));
    let error: unknown;
    await ask('a').catch((each: unknown) => (error = each));
    expect(String(error)).to.contain('away');
  });
});
