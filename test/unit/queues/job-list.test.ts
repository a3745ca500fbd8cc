// The list of jobs: each definition has what the relay, the sweeper and the queues need.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { QUEUE_NAMES } from '../../../shared/kernel/jobs.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { enqueueSql, requeueSql } from '../../../shared/platform/queues/outbox.ts';
import { ALL_JOBS, concurrencyOf, definitionOf } from '../../../workers/jobs/list.ts';

const root = findRoot();
const sources = ['ingress', 'workers', 'shared', 'cli', 'bench'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.join(folder, file)),
);

describe('the list of jobs', () => {
  it('has a file for each job, with its name', () => {
    for (const { name } of ALL_JOBS) expect(sources).to.include(path.join('workers', 'jobs', `${name}.ts`));
  });

  it('has jobs for every queue, and no two with the same queue and name', () => {
    expect(new Set(ALL_JOBS.map(({ queue }) => queue))).to.deep.equal(new Set(QUEUE_NAMES));
    expect(new Set(ALL_JOBS.map(({ queue, name }) => `${queue}.${name}`)).size).to.equal(ALL_JOBS.length);
    for (const job of ALL_JOBS) expect(definitionOf(job as never)).to.equal(job);
  });

  it('has one concurrency for each queue', () => {
    for (const { queue, concurrency } of ALL_JOBS) expect(concurrency).to.equal(concurrencyOf(queue));
  });

  it('schedules a job or sweeps for its work, so that no job is lost with its queue', () => {
    for (const { name, everyMs, sweeping } of ALL_JOBS)
      expect([everyMs, sweeping].filter(Boolean), name).to.have.length(1);
  });

  it('does not accept names of inherited object members as jobs', () => {
    expect(definitionOf({ queue: 'intents', name: 'constructor' as never })).to.equal(undefined);
  });
});

describe('inserting outbox rows', () => {
  it('is done by one file only', () => {
    const inserting = sources.filter((file) =>
      /INSERT\s+INTO\s+outbox\b/i.test(readFileSync(path.join(root, file), 'utf8')),
    );
    expect(inserting).to.deep.equal([path.join('shared', 'platform', 'queues', 'outbox.ts')]);
  });

  it('builds the payload from typed members, with its version', () => {
    const members = { organisationId: 'organisation_id', environment: '$2::text' };
    expect(enqueueSql('proofs', 'append', members, 'made')).to.equal(
      `INSERT INTO outbox (queue, name, payload) SELECT 'proofs', 'append', json_strip_nulls(json_build_object('v', 1, 'organisationId', organisation_id, 'environment', $2::text))::text FROM made`,
    );
    expect(enqueueSql('trust', 'fold', {})).to.match(/SELECT 'trust', 'fold', '\{"v":1\}'$/);
    expect(requeueSql('job')).to.match(/FROM job$/);
  });

  it('does not compile with a member that the payload lacks, without one that it needs, or for an unknown job', () => {
    const log = { organisationId: 'o', environment: 'e' };
    // @ts-expect-error The payload has no member of this name.
    enqueueSql('proofs', 'append', { ...log, orgnisationId: 'o' });
    // @ts-expect-error The payload needs an environment.
    enqueueSql('intents', 'evaluate', { organisationId: 'o' });
    // @ts-expect-error The queue has no job of this name.
    enqueueSql('proofs', 'fold', {});
  });
});
