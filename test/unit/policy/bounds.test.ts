// Input chosen by callers (resources, places, context) neither fills the memory of a process nor normalizes to a refused form.
import { expect } from 'chai';
import fc from 'fast-check';
import { createKeyedCache } from '../../../shared/core/policy/cache-keys.ts';
import { canonicalResource } from '../../../shared/core/intent/resource.ts';

describe('the bounds of a cache of the evaluator', () => {
  it('holds keys of at most 256 characters times its limit together, whatever their length', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5_000 }), { maxLength: 200 }), (lengths) => {
        const limit = 40;
        const cache = createKeyedCache<number>(limit);
        const keys = lengths.map((length, i) => `${i}`.padEnd(length, 'k'));
        keys.forEach((key, i) => cache.set(key, i));
        const held = keys.filter((key) => cache.get(key) !== undefined);
        expect(cache.size).to.be.at.most(limit);
        expect(held.reduce((sum, key) => sum + key.length, 0)).to.be.at.most(limit * 256);
        keys.forEach((key, i) => expect(cache.get(key) ?? i).to.equal(i));
      }),
      { numRuns: 50 },
    );
  });

  it('does not cache an entry with a key of a megabyte', () => {
    const cache = createKeyedCache<number>(40_000);
    for (let i = 0; i < 10; i += 1) cache.set('x'.repeat(1_000_000) + i, i);
    expect(cache.size).to.equal(0);
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
