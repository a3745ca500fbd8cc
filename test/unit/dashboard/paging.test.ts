// The page of a list in the address: after a reload, when shared, and going back.
import { expect } from 'chai';
import fc from 'fast-check';
import {
  listPlace,
  type ListPlace,
  nextPage,
  pageBefore,
  withListPlace,
} from '../../../ingress/dashboard/client/paging.ts';

const FIRST = listPlace(new URLSearchParams('verdict=DENY'), null);
/** A place as it comes back from the address and the history, which is JSON or nothing. */
function again(place: ListPlace, query: string, withHistory: boolean): ListPlace {
  const given = Object.entries(withListPlace(new URLSearchParams(query), place));
  const parameters = new URLSearchParams(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
  return listPlace(parameters, withHistory ? (JSON.parse(JSON.stringify({ trail: place.trail })) as unknown) : null);
}

describe('the page of a list in the address', () => {
  it('is the same after a reload, and its filters are', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { maxLength: 8 }), (cursors) => {
        const place = cursors.reduce(nextPage, FIRST);
        expect(again(place, 'verdict=DENY&cursor=old', true)).to.deep.equal(place);
        expect(withListPlace(new URLSearchParams('verdict=DENY'), place)['verdict']).to.equal('DENY');
      }),
    );
  });

  it('goes back page by page to the first one', () => {
    let place: ListPlace | undefined = ['a', 'b', 'c'].reduce(nextPage, FIRST);
    const pages: (readonly [number, string | undefined])[] = [];
    for (; place !== undefined; place = pageBefore(place)) pages.push([place.page, place.cursor]);
    expect(pages).to.deep.equal([
      [4, 'c'],
      [3, 'b'],
      [2, 'a'],
      [1, undefined],
    ]);
  });

  it('keeps its number when opened by its address, and goes back to the first page', () => {
    const place = again(['a', 'b', 'c'].reduce(nextPage, FIRST), '', false);
    expect(place).to.deep.equal({ cursor: 'c', page: 4, trail: undefined });
    expect(pageBefore(place)).to.deep.equal(FIRST);
    expect(nextPage(place, 'd')).to.deep.equal({ cursor: 'd', page: 5, trail: undefined });
  });

  it('ignores an invalid page number and history state', () => {
    for (const page of ['', '1', '-3', '2.5', '1e400', 'x'])
      expect(listPlace(new URLSearchParams({ cursor: 'c', page }), null).page, page).to.equal(2);
    for (const kept of [undefined, 7, 'c', [], { trail: 'c' }, { trail: [1, 'c'] }, { trail: ['b'] }, { trail: [] }])
      expect(listPlace(new URLSearchParams('cursor=c'), kept).trail, JSON.stringify(kept)).to.equal(undefined);
    expect(listPlace(new URLSearchParams('page=9'), { trail: ['c'] })).to.deep.equal(FIRST);
  });
});
