// Access to PostgreSQL: named statements and transactions over one pool, with deadlines and error classes.
import { hash } from 'node:crypto';
import type pg from 'pg';
import { ApiError } from '../../kernel/errors.ts';
import { connectError } from './connect-error.ts';
import { startDeadline } from './deadline.ts';
import { createPool, OPEN_TIMEOUT_MS, type PoolOptions, waitMsOf } from './pool.ts';
import type { Selection, WholeRow } from './seals/rows.ts';
import type { Seals } from './seals/seals.ts';
import type { SealedTableName } from './seals/tables.ts';
import { TookTooLong, type Trouble, troubleOf } from './trouble.ts';

/** SQL text, without values of a request in it. Each connection prepares it once. */
export type Statement = string;

export interface Sql {
  /** Seals of the rows that give authority (seals/). Only code that has them can read or write these rows. */
  readonly seals: Seals;
  query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
}

/** With queries for administration, which TypeORM builds. */
export interface EntitySql extends Sql {
  /** Rows of a sealed table, genuine or not (see `find` in seals/rows.ts). */
  select<T extends SealedTableName>(table: T, selection: Selection<T>): Promise<WholeRow<T>[]>;
}

/** Refusals of statements because the server's disk was full, since there was room for certain (writable.ts). */
export interface DiskState {
  refusals: number;
}

export interface Database extends EntitySql {
  /** Absent where nobody asks for it. */
  readonly disk?: DiskState;
  /** Runs `work` in a transaction (READ COMMITTED). Commits, or rolls back when it throws. */
  transaction<T>(work: (sql: EntitySql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Connections of one pool. */
export interface PoolUse {
  readonly inUse: number;
  readonly idle: number;
  /**
   * Statements and transactions that wait for a connection, or gave up doing so in the last three seconds. Absent: all statements of
   * the pool are sent at once and take turns, so it means nothing that they wait.
   */
  readonly waiting?: number;
  readonly max: number;
}

/** A database with the use of its own pool. */
export interface OpenDatabase extends Database {
  connections(): PoolUse;
}

/** Statements over a small pool of their own, without what administration needs. */
export interface SideDatabase extends Sql {
  connections(): PoolUse;
  close(): Promise<void>;
}

/**
 * Whether PostgreSQL refused the statement itself, whatever its data: any class but 22 (data exception) and 23 (integrity
 * constraint violation). Errors of this process, made while it prepares the data, count as data errors.
 */
export function isStatementError(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^2[23]/.test(code);
}

/** Whether a unique constraint refused a row; with a name: this constraint. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const e = (error ?? {}) as { code?: unknown; constraint?: unknown };
  return e.code === '23505' && (constraint === undefined || e.constraint === constraint);
}

/** Messages for callers, without internals. */
const MESSAGES: Readonly<Record<Exclude<Trouble, 'own'>, string>> = {
  away: 'The database is not reachable at the moment; the request may be repeated.',
  full: 'The database cannot store anything at the moment: its disk is full; the request may be repeated.',
  'read-only': 'The database accepts no writes at the moment; the request may be repeated.',
  contended: 'The request conflicted with other work in the database; it may be repeated.',
};

/** E6002 for transient trouble of the database, otherwise the error itself. */
export function asApiError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  const trouble = troubleOf(error);
  if (trouble === 'own') return error;
  return new ApiError('E6002', MESSAGES[trouble], { headers: { 'retry-after': '1' }, cause: error });
}

/** invalid_sql_statement_name, and a prepared statement whose result has changed: pg would use the statement again. */
const LOST_STATEMENT = /^(?:26000|0A000)$/;

/**
 * Whether the connection must be discarded: it is broken, its session cannot write, or pg remembers a prepared statement that the server
 * does not have. An error without an SQLSTATE is of this process, in the middle of preparing one.
 */
function spoilsConnection(error: unknown): boolean {
  const trouble = troubleOf(error);
  if (trouble !== 'own' && trouble !== 'contended') return true;
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code !== 'string' || LOST_STATEMENT.test(code);
}

interface Queryable {
  query(config: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

const names = new Map<Statement, string>();

/** The name of a prepared statement must be unique per connection, so it is the digest of the text. */
function nameOf(statement: Statement): string {
  let name = names.get(statement);
  if (name === undefined) names.set(statement, (name = hash('sha256', statement, 'base64url')));
  return name;
}

async function run<Row extends object>(
  on: Queryable,
  statement: Statement,
  values: readonly unknown[],
  name = nameOf(statement),
): Promise<Row[]> {
  const result = await on.query({ name, text: statement, values: [...values] });
  // The author of a statement knows the shape of its rows; PostgreSQL can't tell TypeScript.
  return result.rows as Row[];
}

const ignore = (): void => undefined;

/**
 * Checks a client out of the pool, which listens for errors of idle clients only. So the listener is added in the callback, before the
 * server's next message is parsed, which may be its shutdown.
 * @param waitMs a client that comes later goes back to the pool
 * @throws {TookTooLong} when none came
 */
function checkOut(pool: pg.Pool, waitMs: number, onBroken: (error: Error) => void): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const cancel = startDeadline(waitMs, () => {
      isLate = true;
      reject(new TookTooLong('waiting for a connection', waitMs));
    });
    pool.connect((error, client) => {
      cancel();
      if (client === undefined) return reject(error ?? new Error('the pool gave no client'));
      if (isLate) {
        // In a later turn: the release calls the next one that waits, which may be late, too, and so on.
        process.nextTick(() => client.release());
        return;
      }
      client.on('error', onBroken);
      resolve(client);
    });
  });
}

/**
 * Runs `work` on a client of the pool. One that breaks meanwhile, or whose state is not known afterwards, is closed.
 * @throws {ApiError} E6002 when there is no connection in time
 */
async function withClient<T>(pool: pg.Pool, waitMs: number, work: (on: Lent) => Promise<T>): Promise<T> {
  let broken: Error | undefined;
  const onBroken = (error: Error): void => {
    broken = error;
  };
  const client = await checkOut(pool, waitMs, onBroken).catch((error: unknown) => {
    throw asApiError(error);
  });
  try {
    return await work({ client, spoil: onBroken });
  } finally {
    client.removeListener('error', onBroken);
    client.release(broken);
  }
}

interface Lent {
  readonly client: pg.PoolClient;
  /** The connection is not to be used again. */
  spoil(error: Error): void;
}

/** How often a connection is attempted when it times out: the server may be starting, or the machine busy. */
const OPEN_ATTEMPTS = 2;

/** Loads a large package without its source maps: those of TypeORM take 7 MB, and nobody reads stack traces into them. */
async function withoutSourceMaps<T>(load: () => Promise<T>): Promise<T> {
  if (!process.sourceMapsEnabled) return load();
  process.setSourceMapsEnabled(false);
  try {
    return await load();
  } finally {
    process.setSourceMapsEnabled(true);
  }
}

interface Connected {
  readonly pool: pg.Pool;
  readonly select: (table: SealedTableName, selection: Selection<SealedTableName>) => [Statement, unknown[]];
  close(): Promise<void>;
}

/** Loads TypeORM, which takes up to 200 ms. `openDatabase` does it, too; commands that only use types and errors of this file skip it. */
export function loadDatabase() {
  return withoutSourceMaps(() => Promise.all([import('./data-source.ts'), import('./seals/select.ts')]));
}

async function connect(options: PoolOptions): Promise<Connected> {
  const [{ createDataSource }, { selectSql }] = await loadDatabase();
  for (let attempt = 1; ; attempt += 1) {
    const pool = createPool(options);
    const dataSource = createDataSource(options, pool);
    try {
      await dataSource.initialize();
      return {
        pool,
        select: (table, selection) => selectSql(dataSource, table, selection),
        close: () => dataSource.destroy(),
      };
    } catch (error) {
      void pool.end().catch(() => undefined);
      // A server that refuses connections is not there: that is reported at once.
      if (attempt === OPEN_ATTEMPTS || !(error instanceof Error) || !/timeout/i.test(error.message))
        throw connectError(error, options.url);
    }
  }
}

/**
 * Connections that a service keeps open: about as many as work at a time. Opening one costs a request more than the rest
 * of its work.
 */
export const keptOf = (poolSize: number): number => Math.min(4, poolSize);

/** Opens connections in advance, so that the first requests don't each wait for one. */
async function open(pool: pg.Pool, connections: number): Promise<void> {
  const opened = Array.from({ length: connections }, () => checkOut(pool, OPEN_TIMEOUT_MS, ignore));
  const clients = await Promise.allSettled(opened);
  for (const client of clients) {
    // A failed one is opened when it is needed.
    if (client.status === 'rejected') continue;
    client.value.removeListener('error', ignore);
    client.value.release();
  }
}

export interface DatabaseOptions extends PoolOptions {
  /** Absent: sealed rows can be neither read nor written over this connection. */
  readonly seals?: Seals;
}

function withoutSeals(): never {
  throw new Error('this connection was opened without seals: it can neither read nor write rows that give authority');
}
const NO_SEALS: Seals = {
  sealOf: withoutSeals,
  isGenuine: withoutSeals,
  sealOfText: withoutSeals,
  isSealOfText: withoutSeals,
  encryptText: withoutSeals,
  decryptText: withoutSeals,
  refuse: withoutSeals,
};

export function poolUse({ totalCount, idleCount, waitingCount, options: { max } }: pg.Pool): PoolUse {
  return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount, max };
}

type Run = <Row extends object>(statement: Statement, values: readonly unknown[], name?: string) => Promise<Row[]>;

const withSelect = (seals: Seals, selectSql: Connected['select'], query: Run): EntitySql => ({
  seals,
  query: (statement, values) => query(statement, values),
  async select(table, selection) {
    // The selection is of this table, and the query returns its columns.
    const [statement, values] = selectSql(table, selection);
    // Without a name it is planned each time: its text depends on the selection.
    return query(statement, values, '');
  },
});

function noteFull(disk: DiskState, error: unknown): void {
  if (troubleOf(error) === 'full') disk.refusals += 1;
}

const runOn =
  (pool: pg.Pool, waitMs: number, disk: DiskState): Run =>
  async <Row extends object>(...statement: Parameters<Run>) => {
    try {
      return await withClient(pool, waitMs, async ({ client, spoil }) => {
        try {
          return await run<Row>(client, ...statement);
        } catch (error) {
          if (spoilsConnection(error)) spoil(error as Error);
          noteFull(disk, error);
          throw error;
        }
      });
    } catch (error) {
      throw asApiError(error);
    }
  };

/** Connects at the first statement, so it also opens while PostgreSQL is away. */
export function openSideDatabase(options: DatabaseOptions): SideDatabase {
  const pool = createPool(options);
  const query = runOn(pool, waitMsOf(options), { refusals: 0 });
  return {
    seals: options.seals ?? NO_SEALS,
    query: (statement, values) => query(statement, values),
    connections() {
      const { waiting: _, ...use } = poolUse(pool);
      return use;
    },
    close: () => pool.end(),
  };
}

/** Connects, with several attempts for a slow server. @throws {ConnectError} when PostgreSQL is not reachable, or lets nobody in */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const seals = options.seals ?? NO_SEALS;
  const { pool, select, close } = await connect(options);
  await open(pool, options.kept ?? 0);
  const waitMs = waitMsOf(options);
  const disk: DiskState = { refusals: 0 };
  return {
    ...withSelect(seals, select, runOn(pool, waitMs, disk)),
    disk,
    connections: () => poolUse(pool),
    async transaction(work) {
      // `work` may fail because of another store. Only errors of this connection say something about it.
      const ownErrors = new Set<unknown>();
      let lost: Error | undefined;
      const noteError = async <T>(answer: Promise<T>): Promise<T> => {
        try {
          return await answer;
        } catch (error) {
          ownErrors.add(error);
          if (spoilsConnection(error)) lost ??= error as Error;
          noteFull(disk, error);
          throw error;
        }
      };
      const onClient = async ({ client, spoil }: Lent) => {
        try {
          await noteError(client.query('BEGIN'));
          const result = await work(withSelect(seals, select, (...statement) => noteError(run(client, ...statement))));
          // Of a statement without an answer nobody knows what it did, whether or not the work goes on without it.
          if (lost !== undefined) throw lost;
          await noteError(client.query('COMMIT'));
          return result;
        } catch (error) {
          if (spoilsConnection(error) && ownErrors.has(error)) spoil(error as Error);
          else await client.query('ROLLBACK').catch(spoil);
          throw ownErrors.has(error) ? asApiError(error) : error;
        }
      };
      return withClient(pool, waitMs, onClient);
    },
    close,
  };
}
