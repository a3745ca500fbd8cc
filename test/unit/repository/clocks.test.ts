// Uses of the machine's clock, and comparisons of stored times with the database's: each place is on a list, with the reason.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';

const root = findRoot();

/** File and reason. Times that are stored, or compared with stored ones, come from shared/platform/db/clock.ts. */
const ALLOWED: Readonly<Record<string, string>> = {
  'cli/decision.ts': 'a range of an exported log, read offline',
  'cli/doctor.ts': 'compared with the clock of the database, to report the difference',
  'cli/mcp-guard/clock.ts': 'compared with the Date header of the service, to know how long a decision is valid',
  'cli/policy/explain.ts': 'the time of a question that is never stored',
  'cli/policy/replay.ts': 'only for the message about invalid options',
  'cli/policy/sign.ts': 'the default sequence number of a signature, made away from the service',
  'cli/policy/watch.ts': 'times of files, and times shown to a person',
  'ingress/server.ts': 'the id of a request that could not be read',
  'ingress/service.ts': 'replaced by the clock of the database',
  'shared/platform/db/migrations/0012-authority-records.ts': 'the time of records that the migration creates once',
  'shared/platform/db/moments.ts': 'only differences, to notice that the machine slept',
  'shared/platform/queues/queues.ts': 'the default for tools and tests',
  'shared/platform/queues/consumer.ts': 'BullMQ needs it for a delay',
  'workers/main.ts': 'gives BullMQ the clock of the database',
};

/**
 * File and reason. What would wait for a time that was stored while the database's clock was ahead uses shared/platform/db/elapsed.ts, and
 * what is lost when it is old is compared with `deletionMs`, too.
 */
const COMPARED: Readonly<Record<string, string>> = {
  'cli/doctor/service.ts': 'expiry of keys, which may be at any time',
  'ingress/dashboard/budgets.ts': 'counts that are shown; their windows may be of any length',
  'ingress/request/idempotency-rows.ts': 'rows that may be old, compared with `deletionMs`, too',
  'shared/domain/approvals/pending.ts': 'expiry of approvals, whose lifetime policies set',
  'shared/domain/decisions/budget-shares.ts': 'shares in a gauge; windows may be of any length',
  'shared/domain/decisions/intent-trials.ts': 'of a trial that is forgotten its intents are counted anew',
  'shared/domain/drafts/replay-jobs.ts': 'deletion of old replays, compared with `deletionMs`, too',
  'shared/domain/installation/backlog.ts': 'ages; times that are ahead are reported',
  'shared/domain/keys/previous-pepper.ts': 'expiry of keys, which may be at any time',
  'shared/platform/process/heartbeat.ts': 'the latest heartbeat; those that are ahead are left out',
  'workers/jobs/definition.ts': 'work that was accepted long enough ago, or that is ahead',
  'workers/jobs/deliver.ts': 'messages that are due; those that are ahead are a second range of the index',
  'workers/jobs/one-run.ts': 'a lease, which no time beyond its longest keeps',
};
const COMPARISON =
  /[<>]=?\s*(?:(?:least|greatest)\([^)]{0,40}?)?(?:now|clock_timestamp)\(\)|\b(?:now|clock_timestamp)\(\)[^,`=]{0,60}?\s[<>]=?\s|BETWEEN (?:now|clock_timestamp)\(/;

function* sourcesIn(folder: string): Generator<string> {
  for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const file = `${folder}/${entry.name}`;
    // Runs in a browser.
    if (file === 'ingress/dashboard/client') continue;
    if (entry.isDirectory()) yield* sourcesIn(file);
    else if (file.endsWith('.ts')) yield file;
  }
}

describe('the clock of a machine', () => {
  it('is read only in the listed places', () => {
    const reading = ['cli', 'ingress', 'shared', 'workers'].flatMap((folder) =>
      [...sourcesIn(folder)].filter((file) =>
        /\bDate\.now\b|new Date\(\)/.test(readFileSync(path.join(root, file), 'utf8')),
      ),
    );
    expect(reading.toSorted()).to.deep.equal(Object.keys(ALLOWED).toSorted());
  });
});

describe("the database's clock", () => {
  it('is compared with stored times only in the listed places', () => {
    const comparing = ['cli', 'ingress', 'shared', 'workers']
      .flatMap((folder) => [...sourcesIn(folder)])
      .filter((file) => !file.includes('/migrations/'))
      .filter((file) => COMPARISON.test(readFileSync(path.join(root, file), 'utf8').replaceAll(/\w+\.now\(\)/g, '')));
    expect(comparing.toSorted()).to.deep.equal(Object.keys(COMPARED).toSorted());
  });
});
