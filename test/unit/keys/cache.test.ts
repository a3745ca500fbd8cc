// The cache of presented keys: bounded, and all entries of a key are removed together.
import { expect } from 'chai';
import { createKeyCache } from '../../../shared/domain/keys/cache.ts';

describe('the cache of presented keys', () => {
  it('never exceeds its limit, and evicts the least recently used entry', () => {
    const cache = createKeyCache<{ keyId: string }>(3);
    for (const id of ['a', 'b', 'c']) cache.set(`digest-${id}`, { keyId: id });
    cache.get('digest-a');
    cache.set('digest-d', { keyId: 'd' });
    expect(cache.size()).to.equal(3);
    expect(cache.get('digest-b')).to.equal(undefined);
    expect(cache.get('digest-a')).to.deep.equal({ keyId: 'a' });
  });

  it('removes every entry of a key, and only those', () => {
    const cache = createKeyCache<{ keyId: string; n: number }>(10);
    for (let n = 0; n < 4; n += 1) cache.set(`x${n}`, { keyId: 'x', n });
    cache.set('y', { keyId: 'y', n: 9 });
    // Replaced under the same digest: still found by its key.
    cache.set('x0', { keyId: 'x', n: 5 });
    cache.forgetKey('x');
    expect(cache.size()).to.equal(1);
    expect(cache.get('y')?.n).to.equal(9);
    cache.set('x0', { keyId: 'x', n: 1 });
    cache.forgetWhere((value) => value.keyId === 'x');
    expect(cache.size()).to.equal(1);
    cache.clear();
    expect(cache.size()).to.equal(0);
    cache.set('y', { keyId: 'y', n: 1 });
    cache.forgetKey('y');
    expect(cache.size()).to.equal(0);
  });
});
