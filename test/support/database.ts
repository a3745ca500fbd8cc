// Databases for tests: one embedded PostgreSQL for the whole run, one migrated template, a copy of it for each test file.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../shared/db/migrate.ts';
import { type Embedded, startEmbedded } from '../../shared/embedded/embedded.ts';
import { signal } from '../../shared/embedded/processes.ts';
import { atEnd } from './cleanup.ts';
import { fastRoot, removeLeftovers, temporaryDataDir } from './folders.ts';

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  /** Ends all sessions of the database and removes it, now or with the run's own server. */
  drop(): Promise<void>;
}

/** What a statement and a connection may take where a test is not about time: a machine that is busy is no failure. */
export const PATIENCE = { queryTimeoutMs: 10_000, connectTimeoutMs: 10_000 };

/** The server of this run, and its empty template with all migrations. */
interface TestServer {
  /** Address of a database from which others are made. */
  readonly adminUrl: string;
  readonly template: string;
  /** Ends with the run, and all that is in it. */
  readonly isOwn: boolean;
}

let starting: Promise<TestServer> | undefined;

/**
 * A new database with all migrations, alone for its caller. The first call of a run starts the server (about a second);
 * CUSTOS_TEST_DATABASE_URL names a server to use instead, with the right to create databases.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await testServer();
  return createDatabase(server, server.template);
}

/** A new database without any table. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const server = await testServer();
  return createDatabase(server, 'template0');
}

/** A database server of the caller's own, that may be stopped and killed; the caller stops it in the end. */
export function startTestServer(): Promise<Embedded> {
  return startEmbedded({ dataDir: temporaryDataDir(), say: () => undefined });
}

function testServer(): Promise<TestServer> {
  starting ??= start();
  return starting;
}

async function start(): Promise<TestServer> {
  const given = process.env['CUSTOS_TEST_DATABASE_URL'];
  await removeLeftovers();
  const server = { adminUrl: given ?? (await startServerOfRun()), isOwn: given === undefined };
  const template = await createDatabase(server, 'template0');
  await migrate(template.url);
  atEnd(() => template.drop());
  return { ...server, template: template.name };
}

async function startServerOfRun(): Promise<string> {
  // Beside others that write as much, the disk takes longer than a request may wait. What crashes and comes back has a
  // server of its own (startTestServer), on the disk.
  const embedded = await startEmbedded({ dataDir: temporaryDataDir(fastRoot()), say: () => undefined });
  let ended = false;
  void embedded.server().ended.then(() => (ended = true));
  // A run that ends without its hooks (an uncaught error) must not leave a server running.
  process.once('exit', () => {
    if (!ended) signal(embedded.server().pid, 'SIGQUIT');
  });
  // Nothing in it is kept, so it need not write a checkpoint.
  atEnd(() => embedded.stop('immediate'));
  return embedded.url;
}

async function createDatabase(
  { adminUrl, isOwn }: Omit<TestServer, 'template'>,
  template: string,
): Promise<TestDatabase> {
  const name = `custos_test_${randomBytes(6).toString('hex')}`;
  await administer(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    name,
    // To remove one makes the server write a checkpoint, for which all that write must wait.
    drop: () => administer(adminUrl, isOwn ? END_SESSIONS(name) : `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

const END_SESSIONS = (database: string): string =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`;

async function administer(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
