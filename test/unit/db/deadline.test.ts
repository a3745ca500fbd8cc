// Deadlines for answers, in a process that stands still while the answer comes.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { startDeadline } from '../../../shared/platform/db/deadline.ts';

/** Holds the event loop up, as a long computation or a stopped process does. */
function standStill(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

describe('a deadline for an answer', () => {
  it('does not pass before an answer is read that came while this process stood still', async () => {
    const asked = new Int32Array(new SharedArrayBuffer(4));
    const script = `const { parentPort, workerData } = require('node:worker_threads');
      Atomics.wait(workerData, 0, 0);
      parentPort.postMessage('answer');`;
    const worker = new Worker(script, { eval: true, workerData: asked });
    await once(worker, 'online');
    let hasEnded = false;
    const answer = once(worker, 'message');
    // After this turn of the event loop come its timers, and only then what it reads.
    await new Promise((resolve) => setImmediate(resolve));
    const cancel = startDeadline(50, () => (hasEnded = true));
    Atomics.store(asked, 0, 1);
    Atomics.notify(asked, 0);
    standStill(400);
    await answer;
    cancel();
    await worker.terminate();
    expect(hasEnded).to.equal(false);
  });

  it('passes once when there is no answer, also after this process stood still, but not before its time', async () => {
    for (const stillMs of [0, 300]) {
      const startedMs = performance.now();
      let ends = 0;
      const ended = new Promise<void>((resolve) => {
        startDeadline(100, () => {
          ends += 1;
          resolve();
        });
      });
      standStill(stillMs);
      await ended;
      // Timers of Node may fire up to a millisecond early.
      expect(performance.now() - startedMs).to.be.at.least(99 + stillMs);
      await new Promise((resolve) => setImmediate(resolve));
      expect(ends).to.equal(1);
    }
  });

  it('never passes after it was cancelled', async () => {
    let hasEnded = false;
    startDeadline(1, () => (hasEnded = true))();
    const later = new Promise<void>((resolve) => startDeadline(20, resolve));
    await later;
    expect(hasEnded).to.equal(false);
  });
});
