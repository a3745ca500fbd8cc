// The way to Postgres: one TypeORM data source per process, named statements for the hot paths, deadlines on everything.
import type pg from 'pg';
import { ApiError } from '../../kernel/errors.ts';
import { createPool, type PoolOptions } from './pool.ts';
import type { Selection, WholeRow } from './seals/rows.ts';
import type { Seals } from './seals/seals.ts';
import type { SealedTableName } from './seals/tables.ts';
import { type Trouble, troubleOf } from './trouble.ts';

/** A statement with a name is prepared once per connection. */
export interface Statement {
  /** Empty: it is planned each time. */
  readonly name: string;
  readonly text: string;
}

export interface Sql {
  /** Of the rows that give authority (shared/seals): no other code reads or writes them. */
  readonly seals: Seals;
  query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
}

/** What administration needs beside statements of its own. */
export interface EntitySql extends Sql {
  /** Rows of a sealed table, genuine or not (see `find` in seals/rows.ts). */
  select<T extends SealedTableName>(table: T, selection: Selection<T>): Promise<WholeRow<T>[]>;
}

export interface Database extends EntitySql {
  /** Runs `work` at READ COMMITTED; commits what it did, or rolls it back when it throws. */
  transaction<T>(work: (sql: EntitySql) => Promise<T>): Promise<T>;
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

/** How often a connection is attempted when it times out: the server may be starting, or the machine busy. */
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

interface Connected {
  readonly pool: pg.Pool;
  readonly select: (table: SealedTableName, selection: Selection<SealedTableName>) => [Statement, unknown[]];
  close(): Promise<void>;
}

async function connect(options: PoolOptions): Promise<Connected> {
  // TypeORM takes a fifth of a second to load: commands that only share types and errors with this file do without.
  const [{ createDataSource }, { selectSql }] = await withoutSourceMaps(() =>
    Promise.all([import('./data-source.ts'), import('./seals/select.ts')]),
  );
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

export interface DatabaseOptions extends PoolOptions {
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

const withSelect = (seals: Seals, selectSql: Connected['select'], query: Sql['query']): EntitySql => ({
  seals,
  query,
  // The selection is of this table, and the query returns its columns.
  select: (table, selection) => query(...selectSql(table, selection as Selection<SealedTableName>)),
});

/** Connects; a server that is slow has several seconds. @throws the driver's error when Postgres is not reachable. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const seals = options.seals ?? NO_SEALS;
  const { pool, select, close } = await connect(options);
  await open(pool, options.kept ?? 0);
  const onPool = withSelect(
    seals,
    select,
    async <Row extends object>(statement: Statement, values: readonly unknown[]) => {
      try {
        return await run<Row>(pool, statement, values);
      } catch (error) {
        throw asApiError(error);
      }
    },
  );
  return {
    ...onPool,
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
        const result = await work(
          withSelect(seals, select, (statement, values) => ask(run(client, statement, values))),
        );
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
    close,
  };
}
