// The way to Postgres: one TypeORM data source per process, named statements for the hot paths, deadlines on everything.
import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { ApiError } from '../../kernel/errors.ts';
import type { Seals } from './seals/seals.ts';
import type { DataSourceOptions } from './data-source.ts';
import { type Trouble, troubleOf } from './trouble.ts';

/** A statement with a name is prepared once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface Sql {
  /** Of the rows that give authority (shared/seals): no other code reads or writes them. */
  readonly seals: Seals;
  query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
}

export interface Database extends Sql {
  readonly dataSource: DataSource;
  /** Runs `work` at READ COMMITTED; commits what it did, or rolls it back when it throws. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Whether Postgres refused a statement as such, whatever its data: any class but 22 (data exception) and 23 (integrity
 * constraint violation). Errors of this process, made while preparing the data, count as data errors.
 */
export function isStatementError(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^2[23]/.test(code);
}

/** Whether a unique constraint refused a row; with a name: that constraint. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const e = (error ?? {}) as { code?: unknown; constraint?: unknown };
  return e.code === '23505' && (constraint === undefined || e.constraint === constraint);
}

/** What a caller is told; nothing internal. */
const TOLD: Readonly<Record<Exclude<Trouble, 'own'>, string>> = {
  away: 'The database is not reachable now; the request may be repeated.',
  'read-only': 'The database takes no writes now; the request may be repeated.',
  contended: 'Other work was in the way in the database; the request may be repeated.',
};

/** E6002 for trouble of the database that passes, the error itself otherwise. */
export function asApiError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  const trouble = troubleOf(error);
  if (trouble === 'own') return error;
  return new ApiError('E6002', TOLD[trouble], { headers: { 'retry-after': '1' }, cause: error });
}

/** Whether the connection that met the error is not to be used again: it is gone, or its session cannot write. */
function spoilsConnection(error: unknown): boolean {
  const trouble = troubleOf(error);
  return trouble === 'away' || trouble === 'read-only';
}

interface Queryable {
  query(config: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

async function run<Row extends object>(
  on: Queryable,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const result = await on.query({ name: statement.name, text: statement.text, values: [...values] });
  // The statement's author states the shape of its rows; Postgres cannot.
  return result.rows as Row[];
}

/**
 * Takes a client out of the pool. The pool listens only to its idle clients, and an error that nobody hears ends the
 * process: the listener is there before the next message of the server is read, which may be that it shuts down.
 */
function checkOut(pool: pg.Pool, onBroken: (error: Error) => void): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (client === undefined) return reject(error ?? new Error('the pool gave no client'));
      client.on('error', onBroken);
      resolve(client);
    });
  });
}

/** TypeORM's Postgres driver keeps its pg.Pool as `master`; none before it tried to connect. */
function poolOf(dataSource: DataSource): pg.Pool | undefined {
  return (dataSource.driver as unknown as { master?: pg.Pool }).master;
}

/** How often a server that is there and does not answer in time is asked again: it may be starting, or the machine busy. */
const OPEN_ATTEMPTS = 5;

/** Loads a large package without its source maps: those of TypeORM take 7 MB, for the lines of somebody else's sources. */
async function withoutSourceMaps<T>(load: () => Promise<T>): Promise<T> {
  if (!process.sourceMapsEnabled) return load();
  process.setSourceMapsEnabled(false);
  try {
    return await load();
  } finally {
    process.setSourceMapsEnabled(true);
  }
}

async function connected(options: DataSourceOptions): Promise<DataSource> {
  // TypeORM takes a fifth of a second to load: commands that only share types and errors with this file do without.
  const { createDataSource } = await withoutSourceMaps(() => import('./data-source.ts'));
  for (let attempt = 1; ; attempt += 1) {
    const dataSource = createDataSource(options);
    try {
      await dataSource.initialize();
      return dataSource;
    } catch (error) {
      void poolOf(dataSource)
        ?.end()
        .catch(() => undefined);
      // One that refuses is not there: that is said at once.
      if (attempt === OPEN_ATTEMPTS || !(error instanceof Error) || !/timeout/i.test(error.message)) throw error;
    }
  }
}

/**
 * Connections that a service keeps of a pool: about as many as work at a time. Opening one costs a request more than all
 * else that it does.
 */
export const keptOf = (poolSize: number): number => Math.min(4, poolSize);

/** Opens connections before they are needed: the first requests must not wait for one each. */
async function open(pool: pg.Pool, connections: number): Promise<void> {
  const ignore = (): void => undefined;
  const clients = await Promise.allSettled(Array.from({ length: connections }, () => checkOut(pool, ignore)));
  for (const client of clients) {
    // One that could not be opened now is opened when it is needed.
    if (client.status === 'rejected') continue;
    client.value.removeListener('error', ignore);
    client.value.release();
  }
}

export interface DatabaseOptions extends DataSourceOptions {
  /** Absent: rows that give authority can be neither read nor written over this connection. */
  readonly seals?: Seals;
}

function withoutSeals(): never {
  throw new Error('this connection was opened without seals: rows that give authority are out of its reach');
}
const NO_SEALS: Seals = {
  sealOf: withoutSeals,
  isGenuine: withoutSeals,
  sealOfText: withoutSeals,
  isSealOfText: withoutSeals,
  refuse: withoutSeals,
};

/** Connects; a server that is slow has several seconds. @throws the driver's error when Postgres is not reachable. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const seals = options.seals ?? NO_SEALS;
  const dataSource = await connected(options);
  const pool = poolOf(dataSource);
  if (pool === undefined) throw new Error('a data source that is connected has no pool');
  await open(pool, options.kept ?? 0);
  return {
    dataSource,
    seals,
    async query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
      try {
        return await run<Row>(pool, statement, values);
      } catch (error) {
        throw asApiError(error);
      }
    },
    async transaction(work) {
      let broken: Error | undefined;
      const onBroken = (error: Error): void => {
        broken = error;
      };
      const client = await checkOut(pool, onBroken).catch((error: unknown) => {
        throw asApiError(error);
      });
      // Work may fail because of another store; only what this connection met says something of it.
      const met = new Set<unknown>();
      const ask = async <T>(question: Promise<T>): Promise<T> => {
        try {
          return await question;
        } catch (error) {
          met.add(error);
          throw error;
        }
      };
      try {
        await ask(client.query('BEGIN'));
        const result = await work({ seals, query: (statement, values) => ask(run(client, statement, values)) });
        await ask(client.query('COMMIT'));
        return result;
      } catch (error) {
        if (spoilsConnection(error) && met.has(error)) broken = error as Error;
        else await client.query('ROLLBACK').catch((e: unknown) => (broken = e as Error));
        throw met.has(error) ? asApiError(error) : error;
      } finally {
        client.removeListener('error', onBroken);
        client.release(broken);
      }
    },
    close: () => dataSource.destroy(),
  };
}
