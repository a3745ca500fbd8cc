// Suggestions of a known name for an unknown one.
import { expect } from 'chai';
import { didYouMean, nearestName } from '../../shared/kernel/near.ts';

describe('the nearest name', () => {
  for (const [name, known, meant] of [
    ['levle', ['score', 'level'], 'level'],
    ['Trust-Level', ['trustlevel', 'score'], 'trustlevel'],
    ['tiem', ['name', 'time'], 'time'],
    ['actoin', ['object', 'action'], 'action'],
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

  it('is suggested as a question, and nothing is suggested when no name is near', () => {
    expect(didYouMean('levle', ['level'])).to.equal('; did you mean "level"?');
    expect(didYouMean('horse', ['level'])).to.equal('');
  });
});
