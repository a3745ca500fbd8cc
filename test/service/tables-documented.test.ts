// The table of docs/scale.md that says what bounds the growth of each table, compared with the schema: a new table needs an answer there.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { createTestDatabase, queryOnce, type TestDatabase } from '../support/database.ts';
import { findRoot } from '../../shared/platform/config/root.ts';

const HEADING = '## Which tables grow';

interface Answer {
  readonly tables: readonly string[];
  readonly growsWith: string;
  readonly boundedBy: string;
}

function readAnswers(): Answer[] {
  const text = readFileSync(path.join(findRoot(), 'docs/scale.md'), 'utf8');
  const section = text.slice(text.indexOf(HEADING) + HEADING.length).split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((line) => {
    const [names = '', growsWith = '', boundedBy = ''] = line.slice(1, -1).split(' | ');
    return { tables: [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name), growsWith, boundedBy };
  });
}

// Without partitions, which are their table's. The tables of BullMQ are its own, and are one answer.
const TABLES = `SELECT DISTINCT CASE n.nspname WHEN 'bullmq' THEN 'bullmq.*' ELSE c.relname END AS name
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`;

describe('the tables of the schema', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  it('have an answer each in docs/scale.md, and the document names no other one', async () => {
    const documented = readAnswers().flatMap(({ tables }) => tables);
    const rows = (await queryOnce(database.ownerUrl, TABLES)) as { name: string }[];
    expect([...documented].sort()).to.deep.equal(rows.map(({ name }) => name).sort());
  });

  it('have answers that say with what a table grows, and what bounds it', () => {
    for (const { tables, growsWith, boundedBy } of readAnswers())
      expect([growsWith.trim().length > 3, boundedBy.trim().length > 3], tables.join()).to.deep.equal([true, true]);
  });
});
