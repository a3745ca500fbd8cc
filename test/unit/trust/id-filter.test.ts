// The filter of many ids: it has every id that was added, and few others, whatever the ids look like.
import { expect } from 'chai';
import { createIdFilter } from '../../../shared/domain/trust/id-filter.ts';
import { newId } from '../../../shared/kernel/ids.ts';

const MANY = 50_000;

describe('a filter of ids', () => {
  for (const [what, idOf] of [
    ['numbered', (n: number) => `signal-${n}`],
    ["the service's own", () => newId('sig', 1_700_000_000_000)],
    ['of one character more each', (n: number) => 'x'.repeat(n % 200) + Math.floor(n / 200)],
  ] as const)
    it(`has all that were added, and mistakes less than one of a hundred: ${what}`, () => {
      const ids = Array.from({ length: 2 * MANY }, (_, n) => idOf(n));
      const filter = createIdFilter(MANY, 7);
      for (const id of ids.slice(0, MANY)) filter.add(id);
      expect(ids.slice(0, MANY).every(filter.mayHave)).to.equal(true);
      expect(ids.slice(MANY).filter(filter.mayHave).length).to.be.below(MANY / 100);
    });

  it('mistakes others with another seed', () => {
    const ids = Array.from({ length: 2 * MANY }, (_, n) => `signal-${n}`);
    const mistakes = [1, 2].map((seed) => {
      const filter = createIdFilter(MANY, seed);
      for (const id of ids.slice(0, MANY)) filter.add(id);
      return new Set(ids.slice(MANY).filter(filter.mayHave));
    });
    const [first, second] = mistakes;
    expect(first?.size).to.be.above(20);
    expect([...(first ?? [])].filter((id) => second?.has(id)).length).to.be.below(5);
  });
});
