// "Did you mean": what is near enough to be meant, and what is not.
import { expect } from 'chai';
import { didYouMean, editDistance, nearestName } from '../../shared/kernel/near.ts';

describe('the nearest name', () => {
  for (const [name, known, meant] of [
    ['levle', ['score', 'level'], 'level'],
    ['Trust-Level', ['trustlevel', 'score'], 'trustlevel'],
    ['enforcement', ['intake', 'enforce'], 'enforce'],
    ['lesThan', ['lessThan', 'lessThanInclusive'], 'lessThan'],
    ['x', ['y', 'z'], undefined],
    ['db', ['id', 'at'], undefined],
    ['', ['a'], undefined],
    ['horse', ['level', 'score'], undefined],
    ['a'.repeat(10_000), ['a'.repeat(9_999)], undefined],
  ] as const)
    it(`of ${JSON.stringify(name.slice(0, 20))} is ${meant ?? 'none'}`, () => {
      expect(nearestName(name, known)).to.equal(meant);
    });

  it('is asked for in a question, or not at all', () => {
    expect(didYouMean('levle', ['level'])).to.equal('; did you mean "level"?');
    expect(didYouMean('horse', ['level'])).to.equal('');
  });

  it('is told by a distance that counts a swap of neighbours as one', () => {
    expect([
      editDistance('abc', 'acb'),
      editDistance('abc', 'abc'),
      editDistance('', 'abc'),
      editDistance('kitten', 'sitting'),
    ]).to.deep.equal([1, 0, 3, 3]);
  });
});
