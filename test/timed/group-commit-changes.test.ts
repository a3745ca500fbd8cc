// Tests of the change feed on a real PostgreSQL: it misses no committed change, however long the transaction took.
import { expect } from 'chai';
import pg from 'pg';
import { type Change, type ChangeFeed, startChangeFeed } from '../../shared/platform/db/changes.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { leastMs } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';

describe('the change feed', () => {
  let database: TestDatabase;
  let db: Database;
  let feed: ChangeFeed;
  let seen: (Change | 'reset')[];
  const clients: pg.Client[] = [];
  const errors: unknown[] = [];
  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
  });
  beforeEach(async () => {
    seen = [];
    feed = await startChangeFeed({
      db,
      databaseUrl: database.url,
      monotonicMs: () => performance.now(),
      onError: (error) => void errors.push(error),
    });
    feed.subscribe((change) => void seen.push(change));
  });
  afterEach(async () => {
    await feed.close();
    for (const client of clients.splice(0)) await client.end();
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };
  const change = (client: pg.Client, subject: string) =>
    client.query('INSERT INTO change (kind, subject) VALUES ($1, $2)', ['agent', JSON.stringify([subject])]);
  const subjects = (): string[] => seen.flatMap((one) => (one === 'reset' ? [] : one.subject));

  it('delivers a change whose transaction began first and committed last', async () => {
    const slow = await connect();
    const fast = await connect();
    await slow.query('BEGIN');
    await change(slow, 'slow');
    await change(fast, 'fast');
    await feed.refresh();
    expect(subjects()).to.include('fast').and.not.to.include('slow');
    await change(fast, 'faster');
    await feed.refresh();
    await slow.query('COMMIT');
    await feed.refresh();
    expect(subjects()).to.include('slow');
  });

  it('delivers nothing from a transaction that was rolled back', async () => {
    const client = await connect();
    await client.query('BEGIN');
    await change(client, 'undone');
    await client.query('ROLLBACK');
    await feed.refresh();
    expect(subjects()).not.to.include('undone');
  });

  it('has delivered every change committed before refresh was called when refresh resolves, also for concurrent calls', async () => {
    const client = await connect();
    for (let i = 0; i < 20; i += 1) {
      await change(client, `before-${i}`);
      const calls = Array.from({ length: 5 }, () => feed.refresh());
      await calls[i % 5];
      expect(subjects()).to.include(`before-${i}`);
      await Promise.all(calls);
    }
  });

  for (const [table, statement] of [
    [
      'agent',
      "INSERT INTO agent (organisation_id, environment, agent_id, name, created_at, updated_at) VALUES ('org', 'live', 'a\"\\b', 'x', now(), now())",
    ],
    [
      'halt',
      "INSERT INTO halt (organisation_id, environment, reason, key_id, created_at) VALUES ('org', 'live', 'x', 'k', now())",
    ],
  ] as const)
    it(`receives changes of ${table} from a trigger, in the same transaction`, async () => {
      const client = await connect();
      await client.query(
        "INSERT INTO organisation (id, slug, name, created_at) VALUES ('org', 'org', 'x', now()) ON CONFLICT DO NOTHING",
      );
      await client.query('BEGIN');
      await client.query(statement);
      await feed.refresh();
      expect(seen.filter((one) => one !== 'reset' && one.kind === table)).to.deep.equal([]);
      await client.query('COMMIT');
      await feed.refresh();
      const found = seen.find((one) => one !== 'reset' && one.kind === table);
      expect(found).to.deep.equal({
        kind: table,
        subject: table === 'agent' ? ['org', 'live', 'a"\\b'] : ['org', 'live'],
      });
    });

  it('delivers within a second when notifications are lost, and subscribes again without help', async () => {
    const client = await connect();
    const listening = async (): Promise<number[]> =>
      (
        await client.query<{ pid: number }>(
          "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'custos-changes'",
        )
      ).rows.map((one) => one.pid);
    let round = 0;
    const unannounced = async (): Promise<number> => {
      round += 1;
      const before = await listening();
      expect(before).to.have.lengthOf(1);
      await client.query('SELECT pg_terminate_backend($1, 10000)', [before[0]]);
      const startedMs = performance.now();
      await change(client, `unannounced-${round}`);
      await waitFor(() => subjects().includes(`unannounced-${round}`), { intervalMs: 5, what: 'the change' });
      const tookMs = performance.now() - startedMs;
      await waitFor(async () => (await listening()).some((pid) => !before.includes(pid)), { what: 'a new listener' });
      return tookMs;
    };
    expect(await leastMs(1_000, unannounced)).to.be.below(1_000);
  });
});
