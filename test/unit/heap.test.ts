// The heap of a process: its growth is limited unless the command line sets a limit.
import { expect } from 'chai';
import { keepHeapSmall } from '../../shared/platform/process/heap.ts';

describe('the heap of a process', () => {
  const doneBy = (execArgv: readonly string[]): string[] => {
    const done: string[] = [];
    keepHeapSmall(execArgv, {
      setFlags: (flags) => void done.push(flags),
      collect: () => void done.push('collected'),
      after: (ms, work) => {
        done.push(`after ${ms} ms`);
        work();
      },
    });
    return done;
  };

  it('has limited growth, and is collected once the process has started', () => {
    for (const execArgv of [[], ['--enable-source-maps', '--max-old-space-size=512']]) {
      const done = doneBy(execArgv);
      expect(done).to.have.lengthOf(3);
      expect(done.at(-1)).to.equal('collected');
    }
  });

  it('has the limit of the command line, in either spelling', () => {
    expect(doneBy(['--heap-growing-percent=100'])).to.deep.equal([]);
    expect(doneBy(['--enable-source-maps', '--heap_growing_percent', '100'])).to.deep.equal([]);
  });
});
