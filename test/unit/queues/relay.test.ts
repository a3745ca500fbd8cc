// Coalescing: equal wake-ups become one job; other jobs are unchanged.
import { expect } from 'chai';
import type { Job } from '../../../shared/kernel/jobs.ts';
import { coalesce } from '../../../workers/relay.ts';

const append = (organisationId: string, environment: 'test' | 'live', traceparent?: string): Job => ({
  queue: 'proofs',
  name: 'append',
  payload: { v: 1, organisationId, environment, ...(traceparent === undefined ? {} : { traceparent }) },
});
const evaluate = (intentId: string): Job => ({
  queue: 'intents',
  name: 'evaluate',
  payload: { v: 1, organisationId: 'org_1', environment: 'test', intentId },
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

  it('keeps every intent, in order, even a repeated one', () => {
    const rows = [evaluate('i1'), fold, evaluate('i2'), append('org_1', 'test'), evaluate('i1'), fold];
    expect(stored(coalesce(rows))).to.deep.equal([
      evaluate('i1'),
      fold,
      evaluate('i2'),
      append('org_1', 'test'),
      evaluate('i1'),
    ]);
  });
});
