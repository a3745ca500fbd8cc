// Columns of many rows as one text: they never shift.
import { expect } from 'chai';
import fc from 'fast-check';
import { textColumn } from '../../../shared/db/columns.ts';

describe('a column as one text', () => {
  it('comes apart into exactly the values it was made of', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (values) => {
        const json = values.map((value) => JSON.stringify(value));
        expect(textColumn(json).split('\n')).to.deep.equal(json);
      }),
    );
  });
  it('refuses a value with a line feed rather than shift the rows behind it', () => {
    expect(() => textColumn(['a', 'b\nc', 'd'])).to.throw('line feed');
  });
});
