// Sets of word kinds as bits of three numbers.
import { expect } from 'chai';
import {
  hasKind,
  joinKinds,
  kindBit,
  MAX_KINDS,
  meet,
  NO_KINDS,
} from '../../../shared/core/intent/lexicon/kind-bits.ts';

const all = Array.from({ length: MAX_KINDS }, (_, at) => at);

describe('sets of word kinds', () => {
  it('keep every kind apart from every other', () => {
    for (const at of all)
      expect(
        all.filter((other) => hasKind(kindBit(at), other) || meet(kindBit(at), kindBit(other))),
        String(at),
      ).to.deep.equal([at]);
  });

  it('hold all kinds together', () => {
    const joined = all.map(kindBit).reduce(joinKinds, NO_KINDS);
    expect(all.every((at) => hasKind(joined, at))).to.equal(true);
  });
});
