// Coalescing: equal wake-ups become one job; other jobs are unchanged.
import { expect } from 'chai';
import type { Job } from '../../../shared/kernel/jobs.ts';
import { coalesce } from '../../../workers/relay.ts';

const append = (organisationId: string, environment: 'test' | 'live', traceparent?: string): Job => ({
  queue: 'proofs',
  name: 'append',
  payload: { v: 1, organisationId, environment, ...(traceparent === undefined ? {} : { traceparent }) },
});
const evaluate = (more: { intentId?: string; retryOf?: string } = {}): Job => ({
  queue: 'intents',
  name: 'evaluate',
  payload: { v: 1, organisationId: 'org_1', environment: 'test', ...more },
});
const fold: Job = { queue: 'trust', name: 'fold', payload: { v: 1 } };

/** As they are stored: without members that are undefined. */
const stored = (jobs: readonly Job[]): unknown => JSON.parse(JSON.stringify(jobs));

describe('coalescing of jobs', () => {
  it('makes one wake-up for each log, for any number of traces', () => {
    const rows = [
      append('org_1', 'test', 'trace 1'),
      append('org_1', 'live'),
      append('org_1', 'test', 'trace 2'),
      append('org_2', 'test'),
      append('org_1', 'live'),
    ];
    expect(stored(coalesce(rows))).to.deep.equal([
      append('org_1', 'test'),
      append('org_1', 'live'),
      append('org_2', 'test'),
    ]);
  });

  it('does not merge a wake-up of the sweeper with others', () => {
    const swept: Job = { queue: 'trust', name: 'fold', payload: { v: 1, swept: true } };
    expect(stored(coalesce([swept, swept]))).to.deep.equal([swept]);
    for (const rows of [
      [swept, fold],
      [fold, swept],
    ])
      expect(stored(coalesce(rows))).to.deep.equal([fold]);
  });

  it('makes one wake-up for all folding', () => {
    expect(stored(coalesce([fold, fold, fold]))).to.deep.equal([fold]);
  });

  it('makes one wake-up of the jobs that earlier versions queued for each intent, and keeps the retry of a dead one', () => {
    const retry = evaluate({ intentId: 'i3', retryOf: '7' });
    const rows = [evaluate({ intentId: 'i1' }), fold, retry, evaluate({ intentId: 'i2' }), evaluate(), fold];
    expect(stored(coalesce(rows))).to.deep.equal([evaluate({ intentId: 'i1' }), fold, retry]);
  });

  it('keeps the time of the first row, by which the sweeper knows what has a job', () => {
    const at = (job: Job, acceptedAtMs: number): Job => ({ ...job, acceptedAtMs });
    expect(stored(coalesce([at(fold, 1_000), at(fold, 2_000)]))).to.deep.equal([at(fold, 1_000)]);
  });
});
