// Databases for tests: one embedded PostgreSQL for the whole run, one migrated template, one copy of it for each test file.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
  type Sql,
  type Statement,
} from '../../shared/platform/db/database.ts';
import { migrate } from '../../shared/platform/db/migrate.ts';
import type { DatabaseAccess } from '../../shared/platform/db/roles.ts';
import { type Embedded, startEmbedded } from '../../shared/platform/embedded/embedded.ts';
import type { EmbeddedAddresses } from '../../shared/platform/embedded/roles.ts';
import { signal } from '../../shared/platform/embedded/processes.ts';
import { atEnd } from './cleanup.ts';
import { fastRoot, PREPARED, preparedDataDir, removeLeftovers, temporaryDataDir } from './folders.ts';
import { TEST_PEPPER } from './process.ts';
import { TEST_SEALS } from './seals.ts';

export interface TestDatabase {
  /** For the role that the service has in production. It owns no tables. */
  readonly url: string;
  /** For the role that owns the tables and runs migrations. */
  readonly ownerUrl: string;
  /** For the superuser of the server: for changes that the service's role may not make. */
  readonly adminUrl: string;
  readonly name: string;
  /** Ends all sessions of the database and removes it, at once or together with the embedded server. */
  drop(): Promise<void>;
}

/** Generous timeouts of statements and connections, so that a busy machine does not fail tests that are not about time. */
export const PATIENCE = { queryTimeoutMs: 10_000, connectTimeoutMs: 10_000 };

/** The server of this run, and its empty template with all migrations. */
interface TestServer {
  /** Address of the template database. */
  readonly adminUrl: string;
  /** Addresses of the other two roles, for any database. */
  readonly ownerUrl: string;
  readonly serviceUrl: string;
  readonly template: string;
  /** The server stops at the end of the run and its data is deleted. */
  readonly isOwn: boolean;
}

let starting: Promise<TestServer> | undefined;

/**
 * A new database with all migrations, used only by the caller. The first call of a run starts the server (about a second).
 * CUSTOS_TEST_DATABASE_URL names a server to use instead; its user must be allowed to create databases.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await testServer();
  return createDatabase(server, server.template);
}

interface TestConnectionOptions extends Partial<Omit<DatabaseOptions, 'url'>> {
  /** False: the timeouts of production. Default: long ones. */
  readonly patient?: boolean;
}

/** Opens connections that can read and write rows sealed with the test pepper. The caller closes them. */
export function openTestDatabase(
  url: string,
  { patient = true, ...options }: TestConnectionOptions = {},
): Promise<Database> {
  return openDatabase({
    url,
    seals: TEST_SEALS,
    applicationName: 'custos-test',
    poolSize: 5,
    // A transaction of a test that waits for a request waits as long as its statement may take.
    ...(patient ? { ...PATIENCE, idleInTransactionMs: 6 * PATIENCE.queryTimeoutMs } : {}),
    onError: () => undefined,
    ...options,
  });
}

/** A new database without any table. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const server = await testServer();
  return createDatabase(server, 'template0');
}

/** Gives copies of one database, which `fill` fills before the first copy is made. */
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
 * A separate database server that the caller may stop and kill, and must stop at the end. Its files are in memory, because
 * recovery after a crash syncs every file of every database, which takes half a minute on a slow disk.
 */
export async function startTestServer(): Promise<Embedded> {
  const server = await startPrepared();
  rememberServer(server);
  return server;
}

const PREPARED_TEMPLATE = 'custos_test_template';

/**
 * Makes a data folder whose server has migrated databases, and stops that server. Each server of a test then starts with a copy:
 * to create and migrate one takes ten times as long. Undefined when the database is outside of its data folder.
 */
export async function prepareServer(): Promise<string | undefined> {
  const dataDir = temporaryDataDir(fastRoot());
  const server = await startEmbedded({ dataDir, say: () => undefined });
  const { adminUrl, ownerUrl, url: serviceUrl } = server;
  await migrate(accessOf(server), TEST_PEPPER);
  await createTemplate({ adminUrl, ownerUrl, serviceUrl, isOwn: true }, PREPARED_TEMPLATE);
  await hashPasswordsOnce(adminUrl);
  await server.stop();
  return existsSync(path.join(dataDir, 'postgres')) ? dataDir : undefined;
}

/**
 * Makes passwords of the server cheap to check, also those that it sets at its next starts: a connection takes the client a third of its
 * processor time to repeat a hash 4,096 times, and the tests open thousands. The passwords are random.
 */
async function hashPasswordsOnce(adminUrl: string): Promise<void> {
  const { username, password } = new URL(adminUrl);
  await queryOnce(adminUrl, 'ALTER SYSTEM SET scram_iterations = 1');
  // In one message, because a session reads the changed setting of the server only some time later.
  const role = pg.escapeIdentifier(username);
  await queryOnce(
    adminUrl,
    `SET scram_iterations = 1; ALTER ROLE ${role} PASSWORD ${pg.escapeLiteral(decodeURIComponent(password))}`,
  );
}

/** A server with the prepared files, if there are any. */
function startPrepared(): Promise<Embedded> {
  return startEmbedded({ dataDir: preparedDataDir(fastRoot()), say: () => undefined });
}

async function createTemplate(server: Omit<TestServer, 'template'>, name?: string): Promise<TestDatabase> {
  const template = await createDatabase(server, 'template0', name);
  await migrate({ databaseUrl: template.url, migrationDatabaseUrl: template.ownerUrl }, TEST_PEPPER);
  return template;
}

/** Superuser addresses by host and port. */
const adminUrls = new Map<string, URL>();

/** Registers the superuser of a server that was not started by this module. */
export function rememberServer({ adminUrl }: Pick<EmbeddedAddresses, 'adminUrl'>): void {
  const url = new URL(adminUrl);
  adminUrls.set(url.host, url);
}

/** The superuser's address of the same database. The server must have been started by a test. */
export function adminUrlOf(url: string): string {
  const known = adminUrls.get(new URL(url).host);
  if (known === undefined) throw new Error('no test started the server of this address');
  return withRole(url, known);
}

/** An address with the user and password of another address. */
function withRole(url: string, role: URL): string {
  const made = new URL(url);
  made.username = role.username;
  made.password = role.password;
  return made.href;
}

/** A separate server, for tests that migrate it. */
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
  if (server.isOwn && process.env[PREPARED] !== undefined) return { ...server, template: PREPARED_TEMPLATE };
  const template = await createTemplate(server);
  atEnd(() => template.drop());
  return { ...server, template: template.name };
}

async function serverOfRun(): Promise<Omit<TestServer, 'template'>> {
  const given = process.env['CUSTOS_TEST_DATABASE_URL'];
  if (given === undefined) {
    const { url, ownerUrl, adminUrl } = await startServerOfRun();
    return { adminUrl, ownerUrl, serviceUrl: url, isOwn: true };
  }
  // Migrations create the role. It is not removed, because other databases may refer to it.
  const service = new URL(given);
  service.username = 'custos_test_service';
  service.password = 'of-no-use-elsewhere';
  return { adminUrl: given, ownerUrl: given, serviceUrl: service.href, isOwn: false };
}

async function startServerOfRun(): Promise<Embedded> {
  // In memory: with other tests that write as much, disk writes take longer than the request timeout.
  const embedded = await startPrepared();
  let ended = false;
  void embedded.server().ended.then(() => (ended = true));
  // If the run ends without its hooks (after an uncaught error), the server must still be stopped.
  process.once('exit', () => {
    if (!ended) signal(embedded.server().pid, 'SIGQUIT');
  });
  // The data is discarded, so no shutdown checkpoint is needed.
  atEnd(() => embedded.stop('immediate'));
  // With a hundred databases, visiting each takes more processor time than vacuuming small tables saves.
  await queryOnce(embedded.adminUrl, 'ALTER SYSTEM SET autovacuum = off');
  await queryOnce(embedded.adminUrl, 'SELECT pg_reload_conf()');
  return embedded;
}

async function createDatabase(
  { adminUrl, ownerUrl, serviceUrl, isOwn }: Omit<TestServer, 'template'>,
  template: string,
  name = `custos_test_${randomBytes(6).toString('hex')}`,
): Promise<TestDatabase> {
  const owner = pg.escapeIdentifier(new URL(ownerUrl).username);
  // Copying the files takes half of the processor time of copying each page through the write-ahead log, which is the default. It makes the
  // server write a checkpoint, which is brief in memory.
  const strategy = isOwn ? ' STRATEGY file_copy' : '';
  await queryOnce(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template}${strategy} OWNER ${owner}`);
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
    // DROP DATABASE makes the server write a checkpoint, and all writers wait for it.
    async drop() {
      await queryOnce(adminUrl, isOwn ? END_SESSIONS(name) : `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Runs one statement on a new connection. */
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
 * Runs statements in one transaction as the superuser with triggers disabled, as an attacker with full control of the
 * database could.
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
      // The caller states the shape of the rows.
      query: async <Row extends object>(text: Statement, values: readonly unknown[]) =>
        (await client.query(text, [...values])).rows as Row[],
    });
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}

const WHERE = 'SELECT current_database() AS name, inet_server_port() AS port';

const END_SESSIONS = (database: string): string =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`;
