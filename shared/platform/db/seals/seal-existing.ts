// Sealing rows that are there already: once, by the migration that adds the seals.
import { columnMap, fixedBytes, optionalText, text } from '../columns.ts';
import { createSeals, type Seals } from './seals.ts';
import { sealedTable, type SealedTableName } from './tables.ts';

/** A connection of a migration or of a transaction, by plain text. */
export type Run = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** The name under which a row's place in its table is read. */
export const PLACE = 'row_place';
/** Rows of one statement. */
const BATCH = 1_000;

/** All rows of a table, in the order of the primary key; columns that a later migration adds are missing. */
async function* batchesOf(run: Run, table: SealedTableName): AsyncGenerator<Record<string, unknown>[]> {
  const { primaryKey } = sealedTable(table);
  const key = primaryKey.join(', ');
  let last: unknown[] = [];
  for (;;) {
    const behind = last.length === 0 ? '' : `WHERE (${key}) > (${last.map((_, i) => `$${i + 1}`).join(', ')})`;
    const rows = await run(
      `SELECT *, ctid::text AS ${PLACE} FROM ${table} ${behind} ORDER BY ${key} LIMIT ${BATCH}`,
      last,
    );
    if (rows.length > 0) yield rows;
    const end = rows.at(-1);
    if (end === undefined || rows.length < BATCH) return;
    last = primaryKey.map((column) => end[column]);
  }
}

/** A row with null for every column that the table does not have yet. */
function whole(table: SealedTableName, row: Record<string, unknown>): Record<string, unknown> {
  const columns = Object.keys(sealedTable(table).columns).map((column) => [column, row[column] ?? null]);
  return { ...row, ...Object.fromEntries(columns) };
}

type PlacedRow = Readonly<Record<string, unknown>>;
const NEW_SEALS = columnMap<{ readonly row: PlacedRow; readonly seal: Buffer }>({
  place: text(({ row }) => String(row[PLACE]), 'tid'),
  seal: fixedBytes(32, ({ seal }) => seal),
  secret_pepper: optionalText(({ row }) => row['secret_pepper'] as string | null | undefined),
});

/**
 * Writes new seals of rows that nobody else can write meanwhile: their places in the table are the same until then, and
 * no statistics are needed to find them.
 * @param more further assignments from `given`
 */
export async function writeSeals(
  run: Run,
  table: SealedTableName,
  rows: readonly PlacedRow[],
  seals: Seals,
  more = '',
): Promise<void> {
  await run(
    `UPDATE ${table} SET seal = given.seal${more} FROM (${NEW_SEALS.rows()}) AS given WHERE ${table}.ctid = given.place`,
    // The columns have the kinds that the table's types give them.
    NEW_SEALS.values(rows.map((row) => ({ row, seal: seals.sealOf(table, row as never) }))),
  );
}

/** How many rows of each table were sealed. */
export type SealedCounts = Readonly<Partial<Record<SealedTableName, number>>>;

/**
 * Seals every row of the tables as it is, believing all of it. Only the migration that adds the seals may do so: there is
 * nothing to check the rows by.
 */
export async function sealExisting(
  run: Run,
  tables: readonly SealedTableName[],
  pepper: string,
): Promise<SealedCounts> {
  // Without statistics the planner would rather read the whole table for each batch.
  for (const path of ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'])
    await run('SELECT set_config($1, $2, true)', [path, 'off']);
  const seals = createSeals({ pepper });
  const counts: Partial<Record<SealedTableName, number>> = {};
  for (const table of tables) {
    for await (const batch of batchesOf(run, table)) {
      const rows = batch.map((row) => whole(table, row)).filter((row) => givesSomething(table, row));
      if (rows.length > 0) await writeSeals(run, table, rows, seals);
      counts[table] = (counts[table] ?? 0) + rows.length;
    }
  }
  return counts;
}

/** No set was ever in force: there is nothing to seal, and every database begins like this, whatever its pepper. */
function givesSomething(table: SealedTableName, row: Record<string, unknown>): boolean {
  return table !== 'policy_state' || row['active_digest'] !== null;
}
