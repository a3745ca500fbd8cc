// One ingress and one worker on a PostgreSQL server that only this test uses and may therefore stop, freeze or reconfigure.
import type { Database } from '../../shared/platform/db/database.ts';
import { migrate } from '../../shared/platform/db/migrate.ts';
import type { Embedded } from '../../shared/platform/embedded/embedded.ts';
import { type Client, createClient } from './client.ts';
import { accessOf, openTestDatabase, startTestServer } from './database.ts';
import { folderWithFewWords } from './lexicon.ts';
import { startIngress, startWorker, TEST_PEPPER, type TestEnv, type TestService } from './process.ts';
import { bootstrapAt } from './service.ts';
import { runSql } from './sql.ts';

export interface Pair {
  readonly server: Embedded;
  readonly worker: TestService;
  readonly ingress: TestService;
  /** Asks ingress with an admin key. */
  readonly client: Client;
  /** Directly to the server, as superuser. */
  readonly db: Database;
  rows<Row extends object>(text: string): Promise<Row[]>;
  /** Changes a setting of the running server. */
  configure(setting: string, value: string): Promise<void>;
  close(): Promise<void>;
}

export interface PairOptions {
  readonly env?: TestEnv;
  /** The address that each process gets, such as one of a proxy. Default: the server's. */
  readonly route?: (url: string, process: 'worker' | 'ingress') => Promise<string>;
}

export async function startPair({ env, route = async (url) => url }: PairOptions = {}): Promise<Pair> {
  const server = await startTestServer();
  await migrate(accessOf(server), TEST_PEPPER);
  const { key } = await bootstrapAt(server.url);
  const db = await openTestDatabase(server.adminUrl);
  const policies = { CUSTOS_POLICY_DIR: folderWithFewWords() };
  const quiet = { CUSTOS_RATE_LIMIT: 'off', CUSTOS_LOG_LEVEL: 'fatal', ...policies, ...env };
  const [worker, ingress] = await Promise.all([
    startWorker(await route(server.url, 'worker'), quiet),
    startIngress(await route(server.url, 'ingress'), quiet),
  ]);
  const client = createClient(ingress.address, key);
  return {
    server,
    worker,
    ingress,
    client,
    db,
    rows: (text) => runSql(db, text),
    async configure(setting, value) {
      await runSql(db, `ALTER SYSTEM SET ${setting} = '${value}'`);
      await runSql(db, 'SELECT pg_reload_conf()');
    },
    async close() {
      client.close();
      await Promise.all([worker.stop(), ingress.stop()]);
      await db.close();
      await server.stop('immediate');
    },
  };
}
