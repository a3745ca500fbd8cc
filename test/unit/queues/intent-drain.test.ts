// The job that decides the intents of an owner: how many batches run at once, and when it ends.
import { expect } from 'chai';
import { createDrains } from '../../../workers/jobs/drains.ts';
import { evaluate } from '../../../workers/jobs/evaluate.ts';
import { waitFor } from '../../support/wait.ts';

const PAYLOAD = { v: 1, organisationId: 'org', environment: 'live' } as const;

/** A batch that was begun, and how the test ends it. */
interface Begun {
  readonly after: string | undefined;
  end(next?: string): void;
  fail(error: Error): void;
}

/** The handler of the job with batches that the test ends, and the jobs that it queued. */
function drain(stayMs = 0) {
  const begun: Begun[] = [];
  const state = { queued: 0, ended: 0 };
  const handle = evaluate.handler({
    db: { query: async () => ((state.queued += 1), []) } as never,
    intentWorker: {
      decideBatch: (_owner: unknown, _most: number, after?: string) =>
        new Promise<string | undefined>((resolve, reject) => begun.push({ after, end: resolve, fail: reject })),
    } as never,
    pace: (work) => work(200),
    announce: () => undefined,
    drains: createDrains({ stayMs, idleMs: 0 }),
  });
  const run = async (): Promise<void> => {
    await handle(PAYLOAD).finally(() => (state.ended += 1));
  };
  return { run, begun, state };
}

/** Everything that can go on without an answer from outside has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('The batches of submitted intents of one owner', () => {
  it('run one at a time while each takes all that wait, and again when the job was woken meanwhile', async () => {
    // It ends because nothing wakes it, long before this time.
    const { run, begun, state } = drain(60_000);
    const job = run();
    await run();
    expect(begun.length).to.equal(1);
    begun[0]?.end();
    await waitFor(() => begun.length > 1);
    expect(begun.map(({ after }) => after)).to.deep.equal([undefined, undefined]);
    begun[1]?.end();
    await job;
    expect(state).to.deep.equal({ queued: 0, ended: 2 });
  });

  it('run two at a time while more waits, until nothing is left', async () => {
    const { run, begun, state } = drain();
    const job = run();
    begun[0]?.end('agent-7');
    await settled();
    expect(begun.map(({ after }) => after)).to.deep.equal([undefined, 'agent-7', 'agent-7']);
    begun[2]?.end('agent-9');
    await settled();
    expect(begun.map(({ after }) => after).slice(3)).to.deep.equal(['agent-9']);
    begun[1]?.end();
    await settled();
    expect([begun.length, state.ended]).to.deep.equal([4, 0]);
    begun[3]?.end();
    await job;
    expect(state).to.deep.equal({ queued: 0, ended: 1 });
  });

  it('are left to the next job after ten, so that other owners get their turn', async () => {
    const { run, begun, state } = drain();
    const job = run();
    for (let i = 0; i < 10; i += 1) {
      await settled();
      begun[i]?.end('');
    }
    await job;
    expect(begun.length).to.equal(10);
    expect(state.queued).to.equal(1);
  });

  it('fail their job when one fails, but not before the other has ended', async () => {
    const { run, begun, state } = drain();
    const job = run().catch((error: unknown) => String(error));
    begun[0]?.end('');
    await settled();
    begun[1]?.fail(new Error('away'));
    await settled();
    expect(state.ended).to.equal(0);
    begun[2]?.end();
    expect(await job).to.equal('Error: away');
    // The next run begins anew.
    const again = run();
    expect(begun.length).to.equal(4);
    begun[3]?.end();
    await again;
  });
});
