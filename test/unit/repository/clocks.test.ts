// Uses of the machine's clock: each place is on this list, with the reason.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';

const root = findRoot();

/** What is stored, or compared with what is stored, goes by shared/platform/db/clock.ts. */
const MAY: Readonly<Record<string, string>> = {
  'cli/decision.ts': 'a range of an exported log, read offline',
  'cli/doctor.ts': 'compared with the clock of the database, which is what it tells of',
  'cli/policy/explain.ts': 'a question that is made up here, and never stored',
  'cli/policy/replay.ts': 'only to say what is wrong with the options',
  'cli/policy/watch.ts': 'times of files, and what a person is shown',
  'ingress/server.ts': 'the id of a request that could not be read',
  'ingress/service.ts': 'told from the clock of the database',
  'shared/platform/db/migrations/0012-authority-records.ts':
    'dates records that are made once, by a person who migrates',
  'shared/platform/queues/queues.ts': 'the default for tools and tests',
  'shared/platform/queues/consumer.ts': 'what BullMQ expects of a delay',
  'workers/main.ts': 'where BullMQ is given the clock of the database',
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
    expect(reading.toSorted()).to.deep.equal(Object.keys(MAY).toSorted());
  });
});
