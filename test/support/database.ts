// Databases for tests: one embedded PostgreSQL for the whole run, one migrated template, a copy of it for each test file.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database, Sql, Statement } from '../../shared/platform/db/database.ts';
import { migrate } from '../../shared/platform/db/migrate.ts';
import type { DatabaseAccess } from '../../shared/platform/db/roles.ts';
import { type Embedded, startEmbedded } from '../../shared/platform/embedded/embedded.ts';
import type { EmbeddedAddresses } from '../../shared/platform/embedded/roles.ts';
import { signal } from '../../shared/platform/embedded/processes.ts';
import { atEnd } from './cleanup.ts';
import { fastRoot, removeLeftovers, temporaryDataDir } from './folders.ts';
import { TEST_PEPPER } from './process.ts';

export interface TestDatabase {
  /** For the role that the service has in production: it owns nothing. */
  readonly url: string;
  /** For the role that owns the tables and migrates. */
  readonly ownerUrl: string;
  /** For the superuser of the server: to change what the service cannot change. */
  readonly adminUrl: string;
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
  /** Addresses of the other two roles, of whatever database. */
  readonly ownerUrl: string;
  readonly serviceUrl: string;
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

/** Gives copies of one database, which `fill` fills before the first of them. */
export function copiesOf(fill: (database: TestDatabase) => Promise<void>): () => Promise<TestDatabase> {
  let filling: Promise<string> | undefined;
  const filled = async (): Promise<string> => {
    const database = await createTestDatabase();
    await fill(database);
    return database.name;
  };
  return async () => createDatabase(await testServer(), await (filling ??= filled()));
}

/**
 * A database server of the caller's own, that may be stopped and killed; the caller stops it in the end. In memory, because
 * the recovery after a crash syncs every file of every database, which takes half a minute on a slow disk.
 */
export async function startTestServer(): Promise<Embedded> {
  const server = await startEmbedded({ dataDir: temporaryDataDir(fastRoot()), say: () => undefined });
  rememberServer(server);
  return server;
}

/** Addresses of superusers by host and port. */
const adminUrls = new Map<string, URL>();

/** Makes the superuser of a server known that was started otherwise. */
export function rememberServer({ adminUrl }: Pick<EmbeddedAddresses, 'adminUrl'>): void {
  const url = new URL(adminUrl);
  adminUrls.set(url.host, url);
}

/** The address of the same database for the superuser of its server, which a test started. */
export function adminUrlOf(url: string): string {
  const known = adminUrls.get(new URL(url).host);
  if (known === undefined) throw new Error('no test started the server of this address');
  return withRole(url, known);
}

/** An address with the user and password of another. */
function withRole(url: string, role: URL): string {
  const made = new URL(url);
  made.username = role.username;
  made.password = role.password;
  return made.href;
}

/** A server of the caller's own, to migrate it. */
export function accessOf(server: Embedded): DatabaseAccess {
  return { databaseUrl: server.url, migrationDatabaseUrl: server.ownerUrl };
}

function testServer(): Promise<TestServer> {
  starting ??= start();
  return starting;
}

async function start(): Promise<TestServer> {
  await removeLeftovers();
  const server = await serverOfRun();
  rememberServer(server);
  const template = await createDatabase(server, 'template0');
  await migrate({ databaseUrl: template.url, migrationDatabaseUrl: template.ownerUrl }, TEST_PEPPER);
  atEnd(() => template.drop());
  return { ...server, template: template.name };
}

async function serverOfRun(): Promise<Omit<TestServer, 'template'>> {
  const given = process.env['CUSTOS_TEST_DATABASE_URL'];
  if (given === undefined) {
    const { url, ownerUrl, adminUrl } = await startServerOfRun();
    return { adminUrl, ownerUrl, serviceUrl: url, isOwn: true };
  }
  // Migrating makes the role; it stays, because other databases may name it.
  const service = new URL(given);
  service.username = 'custos_test_service';
  service.password = 'of-no-use-elsewhere';
  return { adminUrl: given, ownerUrl: given, serviceUrl: service.href, isOwn: false };
}

async function startServerOfRun(): Promise<Embedded> {
  // In memory: beside others that write as much, the disk takes longer than a request may wait.
  const embedded = await startEmbedded({ dataDir: temporaryDataDir(fastRoot()), say: () => undefined });
  let ended = false;
  void embedded.server().ended.then(() => (ended = true));
  // A run that ends without its hooks (an uncaught error) must not leave a server running.
  process.once('exit', () => {
    if (!ended) signal(embedded.server().pid, 'SIGQUIT');
  });
  // Nothing in it is kept, so it need not write a checkpoint.
  atEnd(() => embedded.stop('immediate'));
  return embedded;
}

async function createDatabase(
  { adminUrl, ownerUrl, serviceUrl, isOwn }: Omit<TestServer, 'template'>,
  template: string,
): Promise<TestDatabase> {
  const name = `custos_test_${randomBytes(6).toString('hex')}`;
  const owner = pg.escapeIdentifier(new URL(ownerUrl).username);
  await queryOnce(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template} OWNER ${owner}`);
  const inDatabase = (address: string): string => {
    const url = new URL(address);
    url.pathname = `/${name}`;
    return url.href;
  };
  return {
    url: inDatabase(serviceUrl),
    ownerUrl: inDatabase(ownerUrl),
    adminUrl: inDatabase(adminUrl),
    name,
    // To remove one makes the server write a checkpoint, for which all that write must wait.
    async drop() {
      await queryOnce(adminUrl, isOwn ? END_SESSIONS(name) : `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Runs one statement on a connection of its own. */
export async function queryOnce(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as unknown[];
  } finally {
    await client.end();
  }
}

/**
 * Runs statements in one transaction as the superuser, whom no trigger stops: what somebody with all rights over the
 * database could do.
 */
export async function asSuperuser<T>(db: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  const [at] = await db.query<{ name: string; port: number }>(WHERE, []);
  const admin = [...adminUrls.values()].find(({ port }) => Number(port) === at?.port);
  if (at === undefined || admin === undefined) throw new Error('no test started the server of this database');
  const client = new pg.Client({ connectionString: new URL(`/${at.name}`, admin).href });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query("BEGIN; SET LOCAL session_replication_role = 'replica'");
    const result = await work({
      seals: db.seals,
      // The statement's author states the shape of its rows.
      query: async <Row extends object>({ text }: Statement, values: readonly unknown[]) =>
        (await client.query(text, [...values])).rows as Row[],
    });
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}

const WHERE: Statement = {
  name: 'test-database',
  text: 'SELECT current_database() AS name, inet_server_port() AS port',
};

const END_SESSIONS = (database: string): string =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`;
