// Bounded concurrency: never more than the limit at once, in order, and a failure blocks nothing.
import { expect } from 'chai';
import { createTurns } from '../../../shared/domain/decisions/turns.ts';
import { createGate } from '../../support/gate.ts';

describe('work with bounded concurrency', () => {
  it('runs up to the limit at once, in order of arrival, and returns each result', async () => {
    const turns = createTurns(3);
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        turns(async () => {
          begun.push(i);
          running += 1;
          most = Math.max(most, running);
          await new Promise(setImmediate);
          running -= 1;
          return i;
        }),
      ),
    );
    const order = Array.from({ length: 20 }, (_, i) => i);
    expect({ results, begun, most }).to.deep.equal({ results: order, begun: order, most: 3 });
  });

  it('continues with full concurrency after a failure', async () => {
    const turns = createTurns(2);
    const failing = Array.from({ length: 5 }, () => turns(() => Promise.reject(new Error('no'))));
    for (const { status } of await Promise.allSettled(failing)) expect(status).to.equal('rejected');
    let met = 0;
    // Each waits for the other, so both must run at the same time.
    const both = createGate();
    const join = async (): Promise<void> => {
      met += 1;
      if (met === 2) both.open();
      await both.opened;
    };
    await Promise.all([turns(join), turns(join)]);
    expect(met).to.equal(2);
  });
});
