// Reads and writes sealed rows. Every statement that writes a sealed table is built here or takes its seal from here.
import type { EntitySql, Sql } from '../database.ts';
import type { Sealed } from './seals.ts';
import { sealedTable, type SealedTableName, type SealedValues, type UnsealedValues } from './tables.ts';

/** A sealed row with its seal. */
export type SealedRow<T extends SealedTableName> = SealedValues<T> & Sealed;

/** A row with all its columns. */
export type WholeRow<T extends SealedTableName> = SealedRow<T> & UnsealedValues<T>;

/** Which rows of a table `EntitySql.select` reads; the newest first where the table has `seq`. */
export interface Selection<T extends SealedTableName> {
  /** The values of columns; a list means any of its values. */
  readonly where: { readonly [C in keyof WholeRow<T>]?: Scalar<WholeRow<T>[C]> | readonly Scalar<WholeRow<T>[C]>[] };
  /** Only rows with a lower `seq`. */
  readonly before?: string | null;
  readonly limit?: number;
  /** Locks the rows and returns only their primary keys. */
  readonly lock?: boolean;
}
type Scalar<V> = Extract<V, string | boolean>;

/** The genuine rows. The others are counted, reported and left out. */
export async function find<T extends SealedTableName>(
  sql: EntitySql,
  table: T,
  where: Selection<T>['where'],
): Promise<WholeRow<T>[]> {
  return genuine(sql, table, await sql.select(table, { where }));
}

/**
 * The first `limit` rows that this service wrote; rows that are not genuine don't hide the end of the list.
 * @param before the `seq` of the last row of the page before
 */
export function findPage<T extends 'api_key' | 'agent'>(
  sql: EntitySql,
  table: T,
  where: Selection<T>['where'],
  before: string | null,
  limit: number,
): Promise<WholeRow<T>[]> {
  return genuinePage<WholeRow<T>>(sql, table, limit, (last) =>
    sql.select(table, { where, before: last?.seq ?? before, limit }),
  );
}

/** Locks rows until the transaction ends, and then reads the genuine ones (see sealedColumns for why in this order). */
export async function hold<T extends SealedTableName>(
  sql: EntitySql,
  table: T,
  where: Selection<T>['where'],
): Promise<WholeRow<T>[]> {
  await sql.select(table, { where, lock: true });
  return find(sql, table, where);
}

const columnsOf = (table: SealedTableName): string[] => Object.keys(sealedTable(table).columns);

/** SQL of a row's id as row_version stores it. */
export const rowIdSql = (table: SealedTableName, alias: string): string =>
  `ARRAY[${sealedTable(table)
    .primaryKey.map((column) => `${alias}.${column}::text`)
    .join(', ')}]`;

/** SQL of the newest version that was ever written of a row. */
export const floorSql = (table: SealedTableName, alias: string): string =>
  sealedTable(table).history === 'none'
    ? 'NULL::int'
    : `(SELECT max(v.version) FROM row_version v WHERE v.table_name = '${table}' AND v.row_id = ${rowIdSql(table, alias)})`;

/**
 * The columns that checking a row needs, as a SELECT list. Read them in one statement, which has one snapshot, and not
 * with FOR UPDATE: a statement that waited for a lock sees the new row beside the old versions. Lock first.
 * @param alias of the table in the statement
 * @param prefix of the column names, for a statement that reads two tables
 */
export function sealedColumns(table: SealedTableName, alias: string, prefix = ''): string {
  const as = (column: string): string => (prefix === '' ? column : `"${prefix}${column}"`);
  const columns = columnsOf(table).map((column) => `${alias}.${column} AS ${as(column)}`);
  return [...columns, `${alias}.seal AS ${as('seal')}`, `${floorSql(table, alias)} AS ${as('seal_floor')}`].join(', ');
}

/** The rows with valid seals. The others are counted, reported and left out. */
export function genuine<Row extends object>(sql: Sql, table: SealedTableName, rows: readonly Row[]): Row[] {
  return rows.filter((row) => sql.seals.isGenuine(table, row));
}

/**
 * A page of a list. It reads on after rows that are not genuine, so that they don't end the list early.
 * @param read the next `limit` rows after `last`, or from the start of the page
 */
export async function genuinePage<Row extends object>(
  sql: Sql,
  table: SealedTableName,
  limit: number,
  read: (last: Row | undefined) => Promise<Row[]>,
): Promise<Row[]> {
  const page: Row[] = [];
  let last: Row | undefined;
  for (;;) {
    const rows = await read(last);
    page.push(...genuine(sql, table, rows));
    if (rows.length < limit || page.length >= limit) return page.slice(0, limit);
    last = rows.at(-1);
  }
}

/** Rows that firstGenuine reads at once. */
const FIRST_OF = 100;

/**
 * The first row that this service wrote, however many others precede it.
 * @param read the next `limit` rows after `last`, or from the start
 */
export async function firstGenuine<Row extends object>(
  sql: Sql,
  table: SealedTableName,
  read: (last: Row | undefined, limit: number) => Promise<Row[]>,
): Promise<Row | undefined> {
  let last: Row | undefined;
  for (;;) {
    const rows = await read(last, FIRST_OF);
    const found = rows.find((row) => sql.seals.isGenuine(table, row));
    if (found !== undefined || rows.length < FIRST_OF) return found;
    last = rows.at(-1);
  }
}

/** The columns with a prefix, as a row without it. */
export function withoutPrefix(row: object, prefix: string): object {
  const entries = Object.entries(row).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length), value]));
}

interface Written {
  readonly columns: readonly string[];
  readonly values: readonly unknown[];
}

const listed = (values: Readonly<Record<string, unknown>>): Written => ({
  columns: Object.keys(values),
  values: Object.values(values),
});

const places = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `$${from + i}`).join(', ');

/** A member of the WITH list that inserts the row's version into row_version. */
const raiseSql = (table: SealedTableName, source: string): string =>
  `INSERT INTO row_version (table_name, row_id, version) SELECT '${table}', ${rowIdSql(table, source)}, ${source}.version FROM ${source}`;

export interface InsertOptions {
  /** Columns that are not sealed. */
  readonly unsealed?: Readonly<Record<string, unknown>>;
  /** Returns false instead of throwing when the row exists. */
  readonly unlessExists?: boolean;
}

type NewRow<T extends SealedTableName> = Omit<SealedValues<T>, 'version'> & { readonly version?: number };

/**
 * Inserts a row with its seal. Versioned rows start at version 1 unless `version` is given.
 * @returns whether it was inserted
 */
export async function insertSealed<T extends SealedTableName>(
  sql: Sql,
  table: T,
  row: NewRow<T>,
  { unsealed = {}, unlessExists = false }: InsertOptions = {},
): Promise<boolean> {
  const { history } = sealedTable(table);
  // Unversioned tables have no version column.
  const whole = (history === 'none' ? row : { version: 1, ...row }) as SealedValues<T>;
  const sealed = columnsOf(table);
  const byName = whole as Readonly<Record<string, unknown>>;
  const more = listed(unsealed);
  const columns = [...sealed, ...more.columns, 'seal'];
  const overriding = table === 'policy_activation' ? ' OVERRIDING SYSTEM VALUE' : '';
  const conflict = unlessExists ? ` ON CONFLICT (${sealedTable(table).primaryKey.join(', ')}) DO NOTHING` : '';
  const insert = `INSERT INTO ${table} (${columns.join(', ')})${overriding} VALUES (${places(1, columns.length)})${conflict}`;
  const text =
    history === 'all' || (history === 'updates' && byName['version'] !== 1)
      ? `WITH made AS (${insert} RETURNING *), raised AS (${raiseSql(table, 'made')}) SELECT 1 AS one FROM made`
      : `${insert} RETURNING 1 AS one`;
  const values = [...sealed.map((column) => byName[column]), ...more.values, sql.seals.sealOf(table, whole)];
  return (await sql.query(text, values)).length === 1;
}

/** Everything but the version; the primary key never changes. */
export type Changes<T extends SealedTableName> = Partial<Omit<SealedValues<T>, 'version'>>;

/**
 * Updates a locked row and seals the result. The seal covers what this process read, checked and changed, not what the
 * database contains now (optimistic concurrency on the seal).
 * @param row as it was read after it was locked
 * @returns the updated row
 * @throws {Error} when the row changed since it was read; the transaction must not commit
 */
export async function updateSealed<T extends SealedTableName, Row extends SealedRow<T>>(
  sql: Sql,
  table: T,
  row: Row,
  changes: Changes<T>,
  unsealed: Readonly<Record<string, unknown>> = {},
): Promise<Row> {
  const versioned = sealedTable(table).history !== 'none';
  const floor = versioned ? Math.max((row as { version?: number }).version ?? 1, row.seal_floor ?? 1) + 1 : null;
  const next = { ...row, ...changes, ...(versioned && { version: floor }), seal_floor: floor } as Row;
  const seal = sql.seals.sealOf(table, next);
  const written = listed({ ...changes, ...(versioned && { version: floor }), ...unsealed, seal });
  const { primaryKey } = sealedTable(table);
  const byName = row as unknown as Readonly<Record<string, unknown>>;
  const at = primaryKey.length;
  const where = primaryKey.map((column, i) => `${column} = $${i + 1}`).join(' AND ');
  const set = written.columns.map((column, i) => `${column} = $${at + 1 + i}`).join(', ');
  const guard = `$${at + written.columns.length + 1}`;
  const update = `UPDATE ${table} SET ${set} WHERE ${where} AND seal IS NOT DISTINCT FROM ${guard}`;
  const text = versioned
    ? `WITH made AS (${update} RETURNING *), raised AS (${raiseSql(table, 'made')}) SELECT 1 AS one FROM made`
    : `${update} RETURNING 1 AS one`;
  const values = [...primaryKey.map((column) => byName[column]), ...written.values, row.seal];
  if ((await sql.query(text, values)).length !== 1)
    throw new Error(`a row of ${table} was changed while it was locked`);
  return { ...next, seal };
}
