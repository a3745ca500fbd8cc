// Sealing rows that are there already: once, by the migration that adds the seals.
import { createSeals, type Seals } from './seals.ts';
import { sealedTable, type SealedTableName } from './tables.ts';

/** A connection of a migration or of a transaction, by plain text. */
export type Run = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** Rows of one statement. */
const BATCH = 1_000;

/** All rows of a table, in the order of the primary key; columns that a later migration adds are missing. */
async function* batchesOf(run: Run, table: SealedTableName): AsyncGenerator<Record<string, unknown>[]> {
  const { primaryKey } = sealedTable(table);
  const key = primaryKey.join(', ');
  let last: unknown[] = [];
  for (;;) {
    const behind = last.length === 0 ? '' : `WHERE (${key}) > (${last.map((_, i) => `$${i + 1}`).join(', ')})`;
    const rows = await run(`SELECT * FROM ${table} ${behind} ORDER BY ${key} LIMIT ${BATCH}`, last);
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

async function writeSeals(
  run: Run,
  table: SealedTableName,
  rows: readonly Record<string, unknown>[],
  seals: Seals,
): Promise<void> {
  const { primaryKey } = sealedTable(table);
  const given = primaryKey.map((_, i) => `$${i + 1}::text[]`).join(', ');
  const names = primaryKey.map((_, i) => `key${i}`).join(', ');
  const same = primaryKey.map(
    (column, i) => `${table}.${column} = given.key${i}::${PRIMARY_KEY_TYPES[column] ?? 'text'}`,
  );
  await run(
    `UPDATE ${table} SET seal = given.new_seal
      FROM unnest(${given}, $${primaryKey.length + 1}::bytea[]) AS given (${names}, new_seal) WHERE ${same.join(' AND ')}`,
    [
      ...primaryKey.map((column) => rows.map((row) => keyText(row[column]))),
      // The columns have the kinds that the table's types give them.
      rows.map((row) => seals.sealOf(table, row as never)),
    ],
  );
}

/** Primary keys that are not texts. */
const PRIMARY_KEY_TYPES: Readonly<Record<string, string>> = { seq: 'bigint', only_row: 'boolean', token_hash: 'bytea' };

function keyText(value: unknown): string {
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value);
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
