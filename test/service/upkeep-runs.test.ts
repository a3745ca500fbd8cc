// Runs of upkeep jobs: one at a time of each in the installation, and none takes the place of another job.
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { createQueues, type Queues } from '../../shared/platform/queues/queues.ts';
import { ALL_JOBS, concurrencyOf } from '../../workers/jobs/list.ts';
import { upkeepJob } from '../../workers/jobs/definition.ts';
import { jobOptions } from '../../workers/jobs/options.ts';
import { replay } from '../../workers/jobs/replay.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { createGate } from '../support/gate.ts';
import { waitFor } from '../support/wait.ts';
import { upkeepWith } from '../process/queue-jobs.ts';

describe('runs of upkeep jobs', () => {
  let database: TestDatabase;
  /** Of two workers. */
  let first: Database;
  let second: Database;
  before(async () => {
    database = await createTestDatabase();
    [first, second] = [await openTestDatabase(database.url), await openTestDatabase(database.url)];
  });
  beforeEach(() => first.query('DELETE FROM upkeep_run', []));
  after(async () => {
    await Promise.all([first?.close(), second?.close()]);
    await database?.drop();
  });

  /** A job whose runs last until the gate opens. */
  const heldJob = () => {
    const gate = createGate();
    let runs = 0;
    const job = upkeepJob({
      name: 'retain',
      everyMs: 1_000,
      run: async () => {
        runs += 1;
        await gate.opened;
      },
    });
    const run = (db: Database): Promise<void> => job.handler({ db })({ v: 1 });
    return { run, release: gate.open, runs: () => runs };
  };
  const started = (job: { runs: () => number }, runs = 1): Promise<unknown> =>
    waitFor(async () => job.runs() === runs, { what: `${runs} runs` });

  it('returns at once while another worker runs the job, and runs it when that one is done', async () => {
    const job = heldJob();
    const running = job.run(first);
    await started(job);
    await Promise.all([job.run(first), job.run(second), job.run(second)]);
    expect(job.runs()).to.equal(1);
    job.release();
    await running;
    await job.run(second);
    expect(job.runs()).to.equal(2);
  });

  it('lets several workers run a job whose runs share the work, such as replays', async () => {
    let runs = 0;
    const gate = createGate();
    const replays = {
      run: async () => {
        runs += 1;
        await gate.opened;
      },
    };
    const running = [first, second].map((db) => replay.handler({ db, replays })({ v: 1 }));
    await waitFor(async () => runs === 2, { what: 'both runs' });
    gate.open();
    await Promise.all(running);
  });

  it('runs the job again after a run that failed', async () => {
    const failing = upkeepJob({ name: 'retain', everyMs: 1_000, run: () => Promise.reject(new Error('failed')) });
    for (const db of [first, second]) {
      const error = await failing
        .handler({ db })({ v: 1 })
        .catch((reason: unknown) => reason);
      expect(String(error)).to.contain('failed');
    }
  });

  it('keeps the lease of a long run, and gives that of a killed worker or of a wrong clock to the next one', async () => {
    const until = async (): Promise<number> =>
      (await first.query<{ until: Date }>('SELECT until FROM upkeep_run', []))[0]?.until.getTime() ?? 0;
    const lost = heldJob();
    const losing = lost.run(first);
    await started(lost);
    const taken = await until();
    await waitFor(async () => (await until()) > taken, { what: 'a renewal' });
    // As when its worker does not renew it for five seconds, and when the clock was an hour ahead.
    for (const ago of ['-1 second', '1 hour']) {
      await first.query(`UPDATE upkeep_run SET holder = 'killed', until = now() + interval '${ago}'`, []);
      const next = heldJob();
      const running = next.run(second);
      await started(next);
      // A worker that was frozen ends its run, and takes nothing away from the new holder.
      lost.release();
      await losing;
      await next.run(first);
      expect(next.runs()).to.equal(1);
      next.release();
      await running;
    }
  });

  it('leaves a place to every other job, however often a long one is due', async () => {
    const upkeep = ALL_JOBS.filter(({ queue }) => queue === 'upkeep');
    expect(concurrencyOf('upkeep')).to.be.above(upkeep.length);
    const job = heldJob();
    let sweeps = 0;
    const queues: Queues = createQueues({ databaseUrl: database.url, onError: () => undefined, jobOptions });
    try {
      queues.work(
        'upkeep',
        { ...upkeepWith(async () => void (sweeps += 1)), retain: () => job.run(first) },
        { concurrency: concurrencyOf('upkeep') },
      );
      const retain = { queue: 'upkeep', name: 'retain', payload: { v: 1 } } as const;
      await queues.add(Array.from({ length: 2 * concurrencyOf('upkeep') }, () => retain));
      await queues.add([{ queue: 'upkeep', name: 'sweep', payload: { v: 1 } }]);
      await waitFor(async () => sweeps === 1, { what: 'the sweeper' });
      expect(job.runs()).to.equal(1);
    } finally {
      job.release();
      await queues.close();
    }
  });
});
