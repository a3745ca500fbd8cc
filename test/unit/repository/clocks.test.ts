// Uses of the machine's clock: each place is on this list, with the reason.
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
