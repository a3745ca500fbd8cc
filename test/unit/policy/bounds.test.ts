// Input chosen by callers (resources, places, context) neither fills the memory of a process nor normalizes to a refused form.
import { expect } from 'chai';
import fc from 'fast-check';
import { BoundedMap } from '../../../shared/core/policy/memory.ts';
import { canonicalResource } from '../../../shared/core/policy/resource.ts';

describe('the bounds of the cache', () => {
  it('holds keys of at most 256 characters times its limit together, whatever their length', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5_000 }), { maxLength: 200 }), (lengths) => {
        const limit = 40;
        const map = new BoundedMap<number>(limit);
        const keys = lengths.map((length, i) => `${i}`.padEnd(length, 'k'));
        keys.forEach((key, i) => map.set(key, i));
        const held = keys.filter((key) => map.get(key) !== undefined);
        expect(map.size).to.be.at.most(limit);
        // A single key may exceed its share.
        const total = held.reduce((sum, key) => sum + key.length, 0);
        expect(total).to.be.at.most(limit * 256 + 2 * 4_096);
        keys.forEach((key, i) => expect(map.get(key) ?? i).to.equal(i));
      }),
      { numRuns: 50 },
    );
  });

  it('does not cache an entry with a key of a megabyte', () => {
    const map = new BoundedMap<number>(40_000);
    for (let i = 0; i < 10; i += 1) map.set('x'.repeat(1_000_000) + i, i);
    expect(map.size).to.equal(0);
  });

  it('keeps entries that are used again, and replaces a value in place', () => {
    const map = new BoundedMap<number>(4);
    map.set('a', 1);
    map.set('a', 2);
    expect(map.size).to.equal(1);
    for (const key of ['b', 'c']) {
      map.set(key, 0);
      expect(map.get('a')).to.equal(2);
    }
  });
});

describe('the length of a canonical resource', () => {
  it('refuses a text of allowed length whose normal form is too long', () => {
    // U+FDFA becomes 18 characters under NFKC.
    const result = canonicalResource(`db/${'\ufdfa'.repeat(500)}`);
    expect(result.ok).to.equal(false);
    expect(result.ok ? '' : result.message).to.contain('2048 characters');
  });

  it('never produces a form that it would refuse', () => {
    const text = fc.array(fc.constantFrom('\ufdfa', 'a', '/', '.', '\u0130', '\ufb03', ' ', '%C3%9F'), {
      maxLength: 400,
    });
    fc.assert(
      fc.property(text, (parts) => {
        const first = canonicalResource(parts.join(''));
        if (first.ok) expect(canonicalResource(first.resource)).to.deep.equal(first);
      }),
      { numRuns: 300 },
    );
  });
});
