// The ids of jobs: two jobs with one id are one job.
import { expect } from 'chai';
import type { Job } from '../../../shared/kernel/jobs.ts';
import { jobOptions } from '../../../workers/jobs/options.ts';
import { BATCH, nextBatch } from '../../../workers/relay.ts';

const log = { v: 1, organisationId: 'org_1', environment: 'test' } as const;
const evaluate = (): Job => ({ queue: 'intents', name: 'evaluate', payload: log });
const append = (more: { swept?: true; organisationId?: string } = {}): Job => ({
  queue: 'proofs',
  name: 'append',
  payload: { ...log, ...more },
});
const fold = (swept?: true): Job => ({
  queue: 'trust',
  name: 'fold',
  payload: { v: 1, ...(swept === undefined ? {} : { swept }) },
});
const idOf = (job: Job): string => jobOptions(job).jobId;

describe('the id of a job', () => {
  it('is one for the wake-ups of the sweeper for a log within three seconds, which are removed when done', () => {
    expect(jobOptions(append({ swept: true }))).to.deep.equal(jobOptions(append({ swept: true })));
    const at = (acceptedAtMs: number): string => idOf({ ...append({ swept: true }), acceptedAtMs });
    expect(at(9_000)).to.equal(at(11_999));
    // The job of a killed worker keeps its id for longer.
    expect(at(9_000)).not.to.equal(at(12_000));
    expect(idOf(append({ swept: true }))).not.to.equal(idOf(append({ swept: true, organisationId: 'org_2' })));
    expect(jobOptions(fold(true))).to.include({ removeOnComplete: true, removeOnFail: true });
  });

  it('is new for every other wake-up, so that one that arrives while another runs is not lost', () => {
    expect(idOf(evaluate())).not.to.equal(idOf(evaluate()));
    expect(idOf(append())).not.to.equal(idOf(append()));
    expect(idOf(fold())).not.to.equal(idOf(fold()));
  });

  it('is valid for BullMQ, for any payload', () => {
    for (const id of [idOf(evaluate()), idOf(append({ organisationId: 'a:b', swept: true }))]) {
      expect(id).not.to.include(':');
      expect(id).not.to.match(/^\d+$/);
    }
  });
});

describe('the size of a batch', () => {
  it('shrinks when the store is slow or fails, never to nothing, and grows again', () => {
    expect(nextBatch(BATCH, 100)).to.equal(BATCH);
    expect(nextBatch(BATCH, 1_500)).to.equal(BATCH / 2);
    let rows = BATCH;
    for (let i = 0; i < 10; i += 1) rows = nextBatch(rows, 'failed');
    expect(rows).to.equal(10);
    expect(nextBatch(rows, 1_900)).to.equal(10);
    for (let i = 0; i < 10; i += 1) rows = nextBatch(rows, 20);
    expect(rows).to.equal(BATCH);
  });
});
