// Seals rows that already exist: used by the migration that adds the seals, and by rotation.
import { columnMap, fixedBytes, optionalText, text } from '../columns.ts';
import { isUnset, sealedBatches } from './check.ts';
import { createSeals, type Seals } from './seals.ts';
import { sealedTable, type SealedTableName } from './tables.ts';

/** Runs a statement of a migration or transaction. */
export type Run = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** The column name of a row's physical location (ctid). */
export const PLACE = 'row_place';
/** The row, with null for sealed columns that do not exist yet. */
function whole(table: SealedTableName, row: Record<string, unknown>): Record<string, unknown> {
  const columns = Object.keys(sealedTable(table).columns).map((column) => [column, row[column] ?? null]);
  return { ...row, ...Object.fromEntries(columns) };
}

type PlacedRow = Readonly<Record<string, unknown>>;

/** The new seal of a row. */
export interface PlacedSeal {
  /** Where the row is (ctid). */
  readonly place: string;
  readonly seal: Buffer;
  readonly secretPepper?: string | null | undefined;
}
const NEW_SEALS = columnMap<PlacedSeal>({
  place: text(({ place }) => place, 'tid'),
  seal: fixedBytes(32, ({ seal }) => seal),
  secret_pepper: optionalText(({ secretPepper }) => secretPepper),
});

/**
 * Writes new seals. Rows are addressed by ctid, which needs no statistics; the caller makes sure that nobody else writes
 * them.
 * @param at `more`: further assignments from `given`
 */
export async function putSeals(
  run: Run,
  { table, column, more = '' }: { readonly table: string; readonly column: string; readonly more?: string },
  seals: readonly PlacedSeal[],
): Promise<void> {
  await run(
    `UPDATE ${table} SET ${column} = given.seal${more} FROM (${NEW_SEALS.rows()}) AS given WHERE ${table}.ctid = given.place`,
    NEW_SEALS.values(seals),
  );
}

/** Seals rows of a sealed table. @param more as of `putSeals` */
export async function writeSeals(
  run: Run,
  table: SealedTableName,
  rows: readonly PlacedRow[],
  seals: Seals,
  more = '',
): Promise<void> {
  const placed = rows.map((row) => ({
    place: String(row[PLACE]),
    // The columns have the types of the table.
    seal: seals.sealOf(table, row as never),
    secretPepper: row['secret_pepper'] as string | null | undefined,
  }));
  await putSeals(run, { table, column: 'seal', more }, placed);
}

/** Sealed rows by table. */
export type SealedCounts = Readonly<Partial<Record<SealedTableName, number>>>;

/**
 * Seals all rows of the tables and trusts their content. Only for the migration that adds the seals: before it there is
 * nothing to check rows against.
 */
export async function sealExisting(
  run: Run,
  tables: readonly SealedTableName[],
  pepper: string,
): Promise<SealedCounts> {
  // Without statistics the planner would scan the whole table for each batch.
  for (const path of ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'])
    await run('SELECT set_config($1, $2, true)', [path, 'off']);
  const seals = createSeals({ pepper });
  const counts: Partial<Record<SealedTableName, number>> = {};
  for (const table of tables) {
    for await (const batch of sealedBatches(run, table, `t.*, t.ctid::text AS ${PLACE}`)) {
      const rows = batch.map((row) => whole(table, row)).filter((row) => !isUnset(table, row));
      if (rows.length > 0) await writeSeals(run, table, rows, seals);
      counts[table] = (counts[table] ?? 0) + rows.length;
    }
  }
  return counts;
}
