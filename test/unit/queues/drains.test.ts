// Drains: a job carries out what waits under a key and stays for the next wake-ups; none is lost, and other keys are not kept waiting.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Job } from '../../../shared/kernel/jobs.ts';
import { createDrains, type Drain } from '../../../workers/jobs/drains.ts';
import { wakeRunning } from '../../../workers/jobs/options.ts';

/** Everything that can go on without a timer has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A drain of a counter of waiting rows, whose passes end when the test says so. */
function drainOf(key: readonly string[], everyMs = 0) {
  const state = { waiting: 0, passes: 0, carriedOut: 0, queued: 0 };
  const open: ((error?: Error) => void)[] = [];
  const drain: Drain = {
    queue: 'proofs',
    key,
    everyMs,
    pass: () =>
      new Promise((resolve, reject) => {
        state.passes += 1;
        const taken = state.waiting;
        open.push((error) => {
          if (error !== undefined) return reject(error);
          state.waiting -= taken;
          state.carriedOut += taken;
          resolve(false);
        });
      }),
    async again() {
      state.queued += 1;
    },
  };
  return { state, drain, endPass: (error?: Error) => open.shift()?.(error) };
}

describe('A drain', () => {
  it('has a pass for wake-ups that came during the one before, and then ends when none comes', async () => {
    const drains = createDrains({ idleMs: 0 });
    const { state, drain, endPass } = drainOf(['org', 'live']);
    const job = drains.run(drain);
    expect(drains.wake('proofs', ['org', 'live'])).to.equal(true);
    endPass();
    await settled();
    expect(state.passes).to.equal(2);
    endPass();
    await job;
    expect(state).to.include({ passes: 2, queued: 0 });
    expect(drains.wake('proofs', ['org', 'live']), 'it has ended').to.equal(false);
  });

  it('takes over another job of its key, and no wake-up of another key or queue', async () => {
    const drains = createDrains({ idleMs: 0 });
    const { state, drain, endPass } = drainOf(['org', 'live']);
    const job = drains.run(drain);
    await drains.run(drain);
    expect([drains.wake('proofs', ['org', 'test']), drains.wake('intents', ['org', 'live'])]).to.deep.equal([
      false,
      false,
    ]);
    endPass();
    await settled();
    endPass();
    await job;
    expect(state.passes).to.equal(2);
  });

  it('ends after its time and leaves a later wake-up to another job', async () => {
    const drains = createDrains({ stayMs: 0 });
    const { state, drain, endPass } = drainOf(['org', 'live']);
    const job = drains.run(drain);
    drains.wake('proofs', ['org', 'live']);
    endPass();
    await job;
    expect(state).to.include({ passes: 1, queued: 1 });
  });

  it('of one key stays in each queue; the others end after a pass', async () => {
    const drains = createDrains({ idleMs: 60_000 });
    const [first, second] = [drainOf(['a']), drainOf(['b'])];
    const staying = drains.run(first.drain);
    const other = drains.run(second.drain);
    first.endPass();
    second.endPass();
    await other;
    expect(drains.wake('proofs', ['b'])).to.equal(false);
    expect(drains.wake('proofs', ['a']), 'it waits for wake-ups').to.equal(true);
    await settled();
    expect(first.state.passes).to.equal(2);
    drains.close();
    first.endPass();
    await staying;
  });

  it('ends when the process closes, without waiting for a wake-up', async () => {
    const drains = createDrains({ idleMs: 60_000, stayMs: 60_000 });
    const { drain, endPass } = drainOf(['a'], 60_000);
    const job = drains.run(drain);
    endPass();
    await settled();
    drains.close();
    await job;
  });

  it('that fails fails its job, and the next job begins anew', async () => {
    const drains = createDrains({ idleMs: 0 });
    const { state, drain, endPass } = drainOf(['a']);
    const failed = drains.run(drain).catch((error: unknown) => String(error));
    endPass(new Error('away'));
    expect(await failed).to.equal('Error: away');
    const next = drains.run(drain);
    endPass();
    await next;
    expect(state.passes).to.equal(2);
  });

  it('carries out every row whose wake-up it took, or queues a job for it, however rows, passes and ends interleave', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('row', 'end of a pass', 'job', 'moment'), { maxLength: 30 }),
        fc.constantFrom(0, 60_000),
        async (steps, stayMs) => {
          const drains = createDrains({ stayMs, idleMs: 0 });
          const { state, drain, endPass } = drainOf(['a']);
          const jobs: Promise<void>[] = [];
          for (const step of steps) {
            if (step === 'row') {
              state.waiting += 1;
              if (!drains.wake('proofs', ['a'])) state.queued += 1;
            } else if (step === 'job') {
              state.queued = 0;
              jobs.push(drains.run(drain));
            } else if (step === 'end of a pass') endPass();
            else await settled();
          }
          drains.close();
          let ended = false;
          void Promise.all(jobs).then(() => (ended = true));
          for (let i = 0; i < 100 && !ended; i += 1) {
            endPass();
            await settled();
          }
          expect(ended).to.equal(true);
          if (state.waiting > 0) expect(state.queued).to.be.above(0);
        },
      ),
    );
  });
});

describe('The relay', () => {
  const append = (more: object = {}): Job => ({
    queue: 'proofs',
    name: 'append',
    payload: { v: 1, organisationId: 'org', environment: 'live', ...more },
  });

  it('gives a wake-up to the running drain of its key; that of one traced request and the retry of a dead job are queued', () => {
    const drains = createDrains();
    const { drain } = drainOf(['org', 'live']);
    expect(wakeRunning(drains, append())).to.equal(false);
    void drains.run(drain);
    expect(wakeRunning(drains, append())).to.equal(true);
    expect(wakeRunning(drains, append({ traceparent: 'a trace' }))).to.equal(false);
    expect(wakeRunning(drains, append({ environment: 'test' }))).to.equal(false);
    const retry = { organisationId: 'org', environment: 'live', intentId: 'i1', retryOf: '7' } as const;
    expect(wakeRunning(drains, { queue: 'intents', name: 'evaluate', payload: { v: 1, ...retry } })).to.equal(false);
    drains.close();
  });
});
