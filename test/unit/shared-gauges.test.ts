// Gauges about shared state: cached for a moment, and absent when the state cannot be read in time.
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { watchState } from '../../shared/platform/observe/shared-gauges.ts';
import { leastMs } from '../support/undisturbed.ts';

describe('gauges about shared state', () => {
  let nowMs: number;
  let reads: number;
  let read: () => Promise<number>;
  let registry: Registry;

  beforeEach(() => {
    nowMs = 0;
    reads = 0;
    read = async () => 7;
    registry = new Registry();
    watchState(registry, {
      read: () => {
        reads += 1;
        return read();
      },
      gauges: [
        { name: 'one', help: 'One', samples: (value) => [{ value }] },
        { name: 'many', help: 'Many', labelNames: ['of'], samples: (value) => [{ labels: { of: 'a' }, value }] },
      ],
      monotonicMs: () => nowMs,
    });
  });

  const scrape = async (): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const shown = (value: number): string[] => [`one ${value}`, `many{of="a"} ${value}`];
  const fail = (): void => {
    read = () => Promise.reject(new Error('away'));
  };

  it('are read once for all gauges and all scrapes of half a second', async () => {
    await Promise.all([scrape(), scrape()]);
    nowMs = 499;
    expect(await scrape()).to.deep.equal(shown(7));
    expect(reads).to.equal(1);
    nowMs = 500;
    read = async () => 8;
    expect(await scrape()).to.deep.equal(shown(8));
    expect(reads).to.equal(2);
  });

  it('keep their values for four seconds of failed reads, are then absent, and return', async () => {
    await scrape();
    fail();
    nowMs = 4_499;
    expect(await scrape()).to.deep.equal(shown(7));
    nowMs = 4_500;
    expect(await scrape()).to.deep.equal([]);
    read = async () => 8;
    expect(await scrape()).to.deep.equal(shown(8));
  });

  it('are absent, and not 0, when the first read fails', async () => {
    fail();
    expect(await scrape()).to.deep.equal([]);
  });

  it('answer a scrape within a second while a read hangs, which is not repeated', async () => {
    read = () => new Promise(() => undefined);
    const scrapeMs = async (): Promise<number> => {
      const startedMs = performance.now();
      expect(await scrape()).to.deep.equal([]);
      return performance.now() - startedMs;
    };
    expect(await leastMs(1_000, scrapeMs)).to.be.below(1_000);
    expect(reads).to.equal(1);
  });
});
