// Statements that got no answer in time: none of them runs later, nothing that holds one is committed, and errors say who asked.
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { createPool } from '../../shared/platform/db/pool.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait.ts';

/** Of each statement. The server is told to be more patient, so that it is the client that gives up. */
const QUERY_TIMEOUT_MS = 300;
const SLOW = 'SELECT pg_sleep(0.45)';
const PATIENT = 'SET statement_timeout = 0';

describe('a statement without an answer in time', () => {
  let database: TestDatabase;
  let db: Database;
  let other: Database;
  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url, {
      patient: false,
      queryTimeoutMs: QUERY_TIMEOUT_MS,
      connectTimeoutMs: 10_000,
      applicationName: 'custos-late',
    });
    other = await openTestDatabase(database.adminUrl);
    await other.query('CREATE TABLE late (name text)', []);
    await other.query('GRANT ALL ON late TO PUBLIC', []);
  });
  after(async () => {
    await db?.close();
    await other?.close();
    await database?.drop();
  });

  const stored = async (): Promise<unknown[]> => other.query('SELECT name FROM late', []);
  /** Whether the server works for no session of these connections any more. */
  const isQuiet = async (): Promise<boolean> => {
    const working = `SELECT pid FROM pg_stat_activity WHERE application_name = 'custos-late' AND datname = current_database() AND state <> 'idle'`;
    return (await other.query(working, [])).length === 0;
  };

  it('is not committed with the rest of its transaction, even if the work goes on', async () => {
    const outcome = await db
      .transaction(async (sql) => {
        await sql.query(PATIENT, []);
        const answers = await Promise.allSettled([
          sql.query(SLOW, []),
          sql.query(`INSERT INTO late VALUES ('transaction')`, []),
        ]);
        expect(answers.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
      })
      .then(
        () => 'committed',
        (error: unknown) => (error as { code?: string }).code,
      );
    await waitFor(isQuiet);
    expect(await stored()).to.deep.equal([]);
    expect(outcome).to.equal('E6002');
  });

  it('does not run later when it was still waiting for another one', async () => {
    const pool = createPool({
      url: database.url,
      applicationName: 'custos-late',
      poolSize: 1,
      queryTimeoutMs: QUERY_TIMEOUT_MS,
      onError: () => undefined,
    });
    const client = await pool.connect();
    client.on('error', () => undefined);
    await client.query(PATIENT);
    const answers = await Promise.allSettled([client.query(SLOW), client.query(`INSERT INTO late VALUES ('waiting')`)]);
    expect(answers.map((one) => one.status === 'rejected' && String(one.reason))).to.deep.equal([
      'Error: Query read timeout',
      'Error: Query read timeout',
    ]);
    client.release();
    // The next user of the same session.
    const next = await pool.connect();
    await next.query('SELECT 1');
    next.release();
    await pool.end();
    expect(await stored()).to.deep.equal([]);
  });

  it('and one that fails have an error that leads to who asked', async () => {
    async function whoAsked(statement: string): Promise<string> {
      try {
        await db.query(statement, []);
      } catch (error) {
        return `${(error as Error).stack}\n${((error as Error).cause as Error | undefined)?.stack}`;
      }
      return '';
    }
    expect(await whoAsked('SELECT 1/0')).to.contain('whoAsked');
  });
});
