// The ranges in which the auditor reads the rows of leaves: they have every id, and an id that does not belong there makes none of them long.
import { expect } from 'chai';
import fc from 'fast-check';
import { idRanges } from '../../../shared/domain/ledger/audit-sources.ts';
import { newId } from '../../../shared/kernel/ids.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SECOND_MS = 1_024;

describe('the ranges of ids', () => {
  it('have every id, and end within a second of their beginning', () => {
    const id = fc.integer({ min: 1, max: DAY_MS }).map((ms) => newId('dec', ms));
    const changed = fc.constantFrom('', 'dec', 'dec_1', 'dec_ZZ', 'DEC_01K9ZZZZZZZZZZZZZZZZZZZZZZ', '\u{1f600}');
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 9, arbitrary: id }, changed), { maxLength: 50 }), (ids) => {
        const ranges = idRanges(ids);
        for (const one of ids) expect(ranges.some(({ first, last }) => first <= one && one <= last)).to.equal(true);
        for (const { first, last } of ranges)
          if (first !== last) expect(first.slice(0, 12)).to.equal(last.slice(0, 12));
      }),
    );
  });

  it('are one for a busy second, and one more for an id of another time or of no time', () => {
    const startMs = SECOND_MS * 1_700_000_000;
    const busy = Array.from({ length: 1_000 }, (_, i) => newId('dec', startMs + i));
    expect(idRanges(busy)).to.have.lengthOf(1);
    expect(idRanges([...busy, newId('dec', startMs - HOUR_MS), 'dec_0'])).to.have.lengthOf(3);
  });
});
