// The heap of a process under a high rate of allocations: its growth is limited, unless the command line sets the same limit.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { heapOptions } from '../../shared/platform/process/heap.ts';

const HEAP = new URL('../../shared/platform/process/heap.js', import.meta.url).href;

/** Replaces a hundred thousand objects again and again, and prints the largest heap as a multiple of the live objects. */
const CHURN = `
import { setTimeout } from 'node:timers/promises';
import { collectGarbage, keepHeapSmall } from '${HEAP}';
keepHeapSmall(process.execArgv, 1);
const make = (i) => ({ i, text: String(i).repeat(8), list: [i, i, i, i, i, i] });
const live = Array.from({ length: 100_000 }, (_, i) => make(i));
await setTimeout(20);
let largest = 0;
for (let i = 0; i < 1_000_000; i += 1) {
  live[i % live.length] = make(i);
  if (i % 10_000 === 0) largest = Math.max(largest, process.memoryUsage().heapUsed);
}
collectGarbage();
console.log(largest / process.memoryUsage().heapUsed);
live.length = 0;`;

describe('the heap of a process that allocates much', () => {
  const growthWith = async (...options: string[]): Promise<number> => {
    const args = [...options, '--input-type=module', '--eval', CHURN];
    return Number((await promisify(execFile)(process.execPath, args)).stdout);
  };

  it('stays below three times the size of what is live', async () => {
    expect(await growthWith()).to.be.within(1, 3);
  });

  for (const option of ['--heap-growing-percent=300', '--heap_growing_percent=300'])
    it(`grows as the command line says: ${option}`, async () => {
      expect(await growthWith(option)).to.be.above(3.5);
    });

  it('has a larger young generation, unless its options or NODE_OPTIONS give the size', () => {
    expect(heapOptions([])).to.deep.equal(['--max-semi-space-size=32']);
    expect(heapOptions(['--max_semi_space_size=8'])).to.deep.equal([]);
    expect(heapOptions([], '--enable-source-maps --max-semi-space-size=64')).to.deep.equal([]);
  });
});
