// The numbers of the dashboard: quantiles of a histogram, and answers shared by concurrent callers.
import { expect } from 'chai';
import { quantile } from '../../ingress/dashboard/overview/latency.ts';
import { memoize } from '../../ingress/dashboard/overview/memo.ts';

describe('a quantile of a histogram', () => {
  const counts = new Map([
    [0.01, 50],
    [0.1, 90],
    [1, 100],
    [Number.POSITIVE_INFINITY, 100],
  ]);
  it('is interpolated within its bucket', () => {
    expect(quantile(counts, 0.25)).to.be.closeTo(0.005, 1e-9);
    expect(quantile(counts, 0.7)).to.be.closeTo(0.055, 1e-9);
    expect(quantile(counts, 0.99)).to.be.closeTo(0.91, 1e-9);
  });
  it('is at most the last bound', () => {
    const beyond = new Map([
      [1, 1],
      [Number.POSITIVE_INFINITY, 100],
    ]);
    expect(quantile(beyond, 0.5)).to.equal(1);
  });
  it('uses the first bucket that is not empty', () => {
    const late = new Map([
      [0.01, 0],
      [0.1, 0],
      [1, 4],
      [Number.POSITIVE_INFINITY, 4],
    ]);
    expect(quantile(late, 0.5)).to.be.closeTo(0.55, 1e-9);
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
