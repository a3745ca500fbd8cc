// Cursors and pages of lists.
import { expect } from 'chai';
import fc from 'fast-check';
import { decodeCursor, encodeCursor, pageOf } from '../../../ingress/routes/paging.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';

describe('pages of a list', () => {
  it('concatenated are the list, whatever the limit, and only the last one has no cursor', () => {
    fc.assert(
      fc.property(fc.nat({ max: 40 }), fc.integer({ min: 1, max: 12 }), (length, limit) => {
        const all = Array.from({ length }, (_, i) => length - i);
        const seen: number[] = [];
        let cursor: string | undefined;
        for (;;) {
          const before = Number(decodeCursor(cursor, /^\d+$/) ?? Number.POSITIVE_INFINITY);
          const rows = all.filter((n) => n < before).slice(0, limit + 1);
          const page = pageOf(rows, limit, (n) => n, String);
          seen.push(...page.items);
          expect(page.items.length).to.be.at.most(limit);
          if (page.nextCursor === null) break;
          expect(page.items).to.have.lengthOf(limit);
          cursor = page.nextCursor;
        }
        expect(seen).to.deep.equal(all);
      }),
    );
  });

  it('accept only issued cursors, in their exact spelling', () => {
    expect(decodeCursor(encodeCursor('42'), /^\d+$/)).to.equal('42');
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (text) => {
        try {
          const key = decodeCursor(text, /^\d{1,18}$/);
          expect(encodeCursor(key ?? '')).to.equal(text);
        } catch (error) {
          expect(error).to.be.instanceOf(ApiError).with.property('code', 'E2001');
        }
      }),
    );
    for (const text of [
      `${encodeCursor('42')}=`,
      ` ${encodeCursor('42')}`,
      encodeCursor('42;'),
      encodeCursor('4\u0000'),
    ])
      expect(() => decodeCursor(text, /^\d+$/), text).to.throw(ApiError);
  });
});
