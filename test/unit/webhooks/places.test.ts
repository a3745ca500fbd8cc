// How the places for deliveries are divided: an organisation with many slow receivers leaves places for the others.
import { expect } from 'chai';
import fc from 'fast-check';
import { createPlaces } from '../../../shared/domain/webhooks/places.ts';

/** Begins as many as it gets. @returns how many */
function fill(places: ReturnType<typeof createPlaces>, organisationId: string): number {
  let held = 0;
  while (places.begin(organisationId, `${organisationId}${held}`)) held += 1;
  return held;
}

describe('the places for deliveries', () => {
  it('are held by one organisation at most by half, by the next one at most by half of the rest, and so on', () => {
    const places = createPlaces(32);
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map((each) => fill(places, each))).to.deep.equal([16, 8, 4, 2, 1, 1]);
  });

  it('have one for each of many organisations with one delivery', () => {
    const places = createPlaces(32);
    const begun = Array.from({ length: 32 }, (_, i) => places.begin(`org${i}`, 'hook'));
    expect(begun).not.to.include(false);
  });

  it('are given to all that wait, in turns, and to none twice', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.nat(30)), { maxLength: 80 }), (asked) => {
        const places = createPlaces(8);
        const running: [string, string][] = [];
        const done: string[] = [];
        const ask = (organisationId: string, endpointId: string): void => {
          if (places.begin(organisationId, endpointId)) running.push([organisationId, endpointId]);
        };
        for (const [organisation, endpoint] of asked) ask(`${organisation}`, `${organisation}/${endpoint}`);
        for (let one = running.shift(); one !== undefined; one = running.shift()) {
          done.push(one[1]);
          for (const next of places.end(one[0])) ask(next.split('/')[0] ?? '', next);
        }
        expect([...new Set(done)].sort()).to.deep.equal(
          [...new Set(asked.map(([organisation, endpoint]) => `${organisation}/${endpoint}`))].sort(),
        );
        expect(fill(places, 'last'), 'all are free again').to.equal(4);
      }),
    );
  });
});
