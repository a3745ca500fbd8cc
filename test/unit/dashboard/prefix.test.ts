// The range of an index with exactly the ids that begin with a text.
import { expect } from 'chai';
import fc from 'fast-check';
import { endOfPrefix } from '../../../shared/kernel/prefix.ts';

/** The order of UTF-8 bytes, the collation "C" of Postgres. */
const before = (a: string, b: string): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 6 });
/** Texts near the gaps in the numbering of code points, and short ones that often share a prefix. */
const edgy = fc.string({
  unit: fc.constantFrom(
    'a',
    'b',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '\u{10000}',
    '\u{10fffe}',
    '\u{10ffff}',
    '%',
    '_',
    '\\',
  ),
  minLength: 1,
  maxLength: 4,
});

describe('the end of a prefix', () => {
  it('bounds the range of exactly the texts that begin with it', () => {
    fc.assert(
      fc.property(fc.oneof(text, edgy), fc.oneof(text, edgy), fc.boolean(), (prefix, other, joined) => {
        const id = joined ? prefix + other : other;
        const isInside = !before(id, prefix) && before(id, endOfPrefix(prefix));
        expect(isInside).to.equal(id.startsWith(prefix));
      }),
      { numRuns: 2_000 },
    );
  });
});
