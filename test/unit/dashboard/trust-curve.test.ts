// The points of the chart of an agent's trust.
import { expect } from 'chai';
import { thinned } from '../../../ingress/dashboard/trust-curve.ts';

const change = (seconds: number, score: number, violation = 0) => ({
  folded_at: new Date(seconds * 1_000),
  score,
  success: 1,
  failure: 0,
  violation,
});

describe('the curve of trust', () => {
  it('has each change when they are few, oldest first', () => {
    const points = thinned([change(30, 300), change(20, 100), change(10, 250)], 10);
    expect(points.map(({ score, level }) => [score, level])).to.deep.equal([
      [250, 1],
      [100, 0],
      [300, 1],
    ]);
    expect(thinned([], 10)).to.deep.equal([]);
  });

  it('has at most the given number of points, ends with the newest change, and loses no signal', () => {
    const changes = Array.from({ length: 1_000 }, (_, n) => change(5_000 - n, n % 1_000, n % 10 === 0 ? 1 : 0));
    const points = thinned(changes, 50);
    expect(points.length).to.equal(50);
    expect(points.at(-1)).to.deep.include({ at: new Date(5_000_000).toISOString(), score: 0 });
    const sum = (kind: 'success' | 'violation'): number => points.reduce((all, { signals }) => all + signals[kind], 0);
    expect([sum('success'), sum('violation')]).to.deep.equal([1_000, 100]);
  });
});
