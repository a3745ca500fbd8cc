// For tests of requests that take long: holds what a request writes while something else happens.
import { expect } from 'chai';
import { sealedColumns, type SealedRow, updateSealed } from '../../shared/platform/db/seals/rows.ts';
import type { Database, Sql } from '../../shared/platform/db/database.ts';
import type { ClientResponse } from './client.ts';
import { asSuperuser } from './database.ts';
import { waitFor } from './wait.ts';

/** What a request writes that is not its effect. */
const OWN_BUSINESS =
  /^(?:idempotency|process_heartbeat|change|change_forgotten|request_count|dashboard_\w+|agent_history\w*|migration)$/;
const TABLES = 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()';
const WAITS =
  'SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))) AS waiting';

/**
 * Sends a request and, when its first statement that writes or locks waits, runs `meanwhile`, in a transaction that commits before the
 * request goes on. @param spared a table that stays as it is, because the test holds it itself
 */
export async function heldWrites(
  db: Database,
  send: () => Promise<ClientResponse>,
  meanwhile: (sql: Sql) => Promise<unknown>,
  spared?: string,
): Promise<ClientResponse> {
  let answer: Promise<ClientResponse> | undefined;
  await asSuperuser(db, async (sql) => {
    const tables = await sql.query<{ name: string }>(TABLES, []);
    const effects = tables.flatMap(({ name }) => (OWN_BUSINESS.test(name) || name === spared ? [] : [name]));
    // Reads go on.
    await sql.query(`LOCK TABLE ${effects.join(', ')} IN EXCLUSIVE MODE`, []);
    let done: ClientResponse | undefined;
    answer = send().then((one) => (done = one));
    await waitFor(
      async () => done !== undefined || (await sql.query<{ waiting: boolean }>(WAITS, []))[0]?.waiting === true,
      { what: 'the request to wait for its first write' },
    );
    expect(done?.text, 'answered without a write').to.equal(undefined);
    await meanwhile(sql);
  });
  if (answer === undefined) throw new Error('nothing was sent');
  return answer;
}

type Ended = 'api_key' | 'agent';

async function end<T extends Ended>(sql: Sql, table: T, id: string, column: string, change: object): Promise<void> {
  const select = `SELECT ${sealedColumns(table, 't')} FROM ${table} t WHERE ${column} = $1`;
  const [row] = await sql.query<SealedRow<T>>(select, [id]);
  if (row === undefined) throw new Error(`there is no ${table} ${id}`);
  await updateSealed(sql, table, row, change as Parameters<typeof updateSealed<T, SealedRow<T>>>[3]);
}

/** Revokes a key as the service does, with its row of the change feed. */
export async function revokeIn(sql: Sql, keyId: string): Promise<void> {
  await end(sql, 'api_key', keyId, 'key_id', { revoked_at: new Date() });
  await sql.query("INSERT INTO change (kind, subject) VALUES ('key', $1)", [JSON.stringify([keyId])]);
}

/** Pauses an agent as the service does. */
export async function pauseIn(sql: Sql, agentId: string): Promise<void> {
  await end(sql, 'agent', agentId, 'agent_id', { status: 'PAUSED' });
}
