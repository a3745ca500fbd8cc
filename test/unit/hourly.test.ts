// The count of what an organisation asks for in an hour.
import { expect } from 'chai';
import { createHourlyCounts } from '../../ingress/hourly.ts';

describe('the count of the last hour', () => {
  it('is bounded for each organisation, frees what is an hour old, and does not count what is above', () => {
    let nowMs = 1_000_000;
    const counts = createHourlyCounts(2, () => nowMs);
    const take = (id: string): boolean => counts.take(id);
    expect([take('a'), take('a'), take('a'), take('b')]).to.deep.equal([true, true, false, true]);
    nowMs += 3_599_999;
    expect(take('a')).to.equal(false);
    nowMs += 1;
    expect([take('a'), take('a'), take('a')]).to.deep.equal([true, true, false]);
  });
});
