// The bounded cache: its limits, its eviction against a naive SIEVE, and its notifications.
import { expect } from 'chai';
import fc from 'fast-check';
import { BoundedCache } from '../../shared/kernel/bounded-cache.ts';

interface Kept {
  key: string;
  value: number;
  isVisited: boolean;
}

/** SIEVE by its description: a list from the oldest to the newest entry, and a hand that is an index into it. */
class NaiveCache {
  private readonly max: number;
  private readonly maxSize: number;
  private kept: Kept[] = [];
  private hand = 0;

  constructor(max: number, maxSize: number) {
    this.max = max;
    this.maxSize = maxSize;
  }

  get(key: string): number | undefined {
    const found = this.kept.find((entry) => entry.key === key);
    if (found !== undefined) found.isVisited = true;
    return found?.value;
  }

  set(key: string, value: number): void {
    this.delete(key);
    if (this.max === 0 || value > this.maxSize) return;
    while (this.kept.length >= this.max || this.total() + value > this.maxSize) this.evict();
    this.kept.push({ key, value, isVisited: false });
  }

  delete(key: string): void {
    const at = this.kept.findIndex((entry) => entry.key === key);
    if (at < 0) return;
    this.kept.splice(at, 1);
    if (at < this.hand) this.hand -= 1;
    if (this.hand >= this.kept.length) this.hand = 0;
  }

  total(): number {
    return this.kept.reduce((sum, { value }) => sum + value, 0);
  }

  entries(): Map<string, number> {
    return new Map(this.kept.map(({ key, value }) => [key, value]));
  }

  private evict(): void {
    for (;;) {
      const entry = this.kept[this.hand];
      if (entry?.isVisited !== true) return this.delete(entry?.key ?? '');
      entry.isVisited = false;
      this.hand = (this.hand + 1) % this.kept.length;
    }
  }
}

type Step = readonly [kind: 'get' | 'set' | 'delete', key: number, size: number];

const steps = fc.array(
  fc.tuple(fc.constantFrom<Step[0]>('get', 'get', 'set', 'set', 'delete'), fc.nat(12), fc.nat(9)),
  { maxLength: 120 },
);

describe('a bounded cache', () => {
  it('holds what a naive SIEVE holds, within its limits, and reports each removal once', () => {
    fc.assert(
      fc.property(steps, fc.nat(6), fc.nat(25), (all, max, maxSize) => {
        const present = new Map<string, number>();
        const cache = new BoundedCache<number>({
          max,
          maxSize,
          sizeOf: (_, value) => value,
          onRemove: (key, value) => {
            expect(present.get(key)).to.equal(value);
            present.delete(key);
          },
        });
        const naive = new NaiveCache(max, maxSize);
        for (const [kind, n, size] of all) {
          const key = `k${n}`;
          if (kind === 'get') expect(cache.get(key)).to.equal(naive.get(key));
          else if (kind === 'delete') {
            cache.delete(key);
            naive.delete(key);
          } else {
            cache.set(key, size);
            naive.set(key, size);
            if (cache.peek(key) !== undefined) present.set(key, size);
          }
          const held = new Map(cache.entries());
          expect(held).to.deep.equal(naive.entries()).and.to.deep.equal(present);
          expect(held.size).to.equal(cache.size).and.to.be.at.most(max);
          expect(naive.total()).to.be.at.most(maxSize);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps an entry that is read while many others are added and never read', () => {
    const cache = new BoundedCache<number>({ max: 3 });
    cache.set('a', 1);
    for (let i = 0; i < 20; i += 1) {
      expect(cache.get('a')).to.equal(1);
      cache.set(`once ${i}`, i);
    }
  });

  it('does not count a peek as a read', () => {
    const cache = new BoundedCache<number>({ max: 2 });
    cache.set('a', 1);
    cache.set('b', 2);
    expect(cache.peek('a')).to.equal(1);
    cache.set('c', 3);
    expect(cache.peek('a')).to.equal(undefined);
  });

  it('is empty after a clear, and can be filled again', () => {
    const cache = new BoundedCache<number>({ max: 2, maxSize: 2, sizeOf: () => 1 });
    for (const key of ['a', 'b', 'c']) cache.set(key, 1);
    cache.clear();
    expect([cache.size, cache.get('c')]).to.deep.equal([0, undefined]);
    for (const key of ['d', 'e', 'f']) cache.set(key, 1);
    expect([...cache.entries()].map(([key]) => key)).to.deep.equal(['e', 'f']);
  });
});
