// How the places for deliveries are divided: an organisation with many slow receivers leaves places for the others.
import { expect } from 'chai';
import fc from 'fast-check';
import { createPlaces, createQuickReceivers, type Place } from '../../../shared/domain/webhooks/places.ts';

/** Begins as many as it gets. @returns how many */
function fill(places: ReturnType<typeof createPlaces>, organisationId: string, isQuick = true): number {
  let held = 0;
  while (places.begin(organisationId, `${organisationId}${held}`, isQuick) !== undefined) held += 1;
  return held;
}

describe('the places for deliveries', () => {
  it('are held by one organisation at most by half, by the next one at most by half of the rest, and so on', () => {
    const places = createPlaces(32, 16);
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map((each) => fill(places, each))).to.deep.equal([16, 8, 4, 2, 1, 1]);
  });

  it('have one for each of many organisations with one delivery', () => {
    const places = createPlaces(32, 16);
    const begun = Array.from({ length: 32 }, (_, i) => places.begin(`org${i}`, 'hook', true));
    expect(begun).not.to.include(undefined);
  });

  it('are held at most by half by receivers that are not known to be quick, of any number of organisations', () => {
    const places = createPlaces(32, 16);
    const organisations = Array.from({ length: 20 }, (_, i) => `slow${i}`);
    expect(organisations.map((each) => fill(places, each, false))).to.deep.equal([8, 4, 2, 1, 1, ...Array(15).fill(0)]);
    expect(fill(places, 'slow0'), 'its quick receivers have places, too').to.equal(4);
    expect(fill(places, 'quick')).to.equal(6);
  });

  it('are given to all that wait, in turns, and to none twice', () => {
    const asking = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.nat(30), fc.boolean());
    fc.assert(
      fc.property(fc.array(asking, { maxLength: 80 }), (asked) => {
        const places = createPlaces(8, 4);
        const running: [Place, string][] = [];
        const done: string[] = [];
        const quick = new Map(
          asked.map(([organisation, endpoint, isQuick]) => [`${organisation}/${endpoint}`, isQuick]),
        );
        const ask = (id: string): void => {
          const place = places.begin(id.split('/')[0] ?? '', id, quick.get(id) === true);
          if (place !== undefined) running.push([place, id]);
        };
        for (const [organisation, endpoint] of asked) ask(`${organisation}/${endpoint}`);
        for (let one = running.shift(); one !== undefined; one = running.shift()) {
          done.push(one[1]);
          for (const next of places.end(one[0])) ask(next);
        }
        expect([...new Set(done)].sort()).to.deep.equal([...quick.keys()].sort());
        expect(fill(places, 'last', false), 'all are free again').to.equal(2);
        expect(fill(places, 'last')).to.equal(2);
      }),
    );
  });

  it('treat as quick whose receiver took the last messages in time, at the same address', () => {
    const receivers = createQuickReceivers();
    const isQuickAfter = (...handled: [outcome: string, durationMs: number][]): boolean => {
      receivers.note(
        'https://a',
        'hook',
        handled.map(([outcome, durationMs]) => ({ outcome, durationMs })),
      );
      return receivers.has('https://a', 'hook');
    };
    expect(receivers.has('https://a', 'hook'), 'nothing is known yet').to.equal(false);
    expect(isQuickAfter(['delivered', 20])).to.equal(true);
    expect(receivers.has('https://b', 'hook'), 'another address').to.equal(false);
    expect(isQuickAfter(['delivered', 20], ['retried', 30]), 'some failed at once').to.equal(true);
    expect(isQuickAfter(['delivered', 20], ['retried', 20_000])).to.equal(false);
    expect(isQuickAfter(['delivered', 20])).to.equal(true);
    expect(isQuickAfter(['delivered', 19_000])).to.equal(false);
    expect(isQuickAfter(['retried', 30])).to.equal(false);
  });
});
