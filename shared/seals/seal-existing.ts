// Sealing rows that are there already: once, by the migration that adds the seals, and under another pepper.
import { createSeals, type Seals } from './seals.ts';
import { SEALED_TABLE_NAMES, sealedTable, type SealedTableName, type SealedValues } from './tables.ts';

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
  const places = primaryKey.map(
    (column, i) => `($${i + 1}::text[])[n]::${PRIMARY_KEY_TYPES[column] ?? 'text'} = ${table}.${column}`,
  );
  const seal = primaryKey.length + 1;
  await run(
    `UPDATE ${table} SET seal = ($${seal}::bytea[])[n] FROM generate_series(1, cardinality($${seal}::bytea[])) AS n WHERE ${places.join(' AND ')}`,
    [
      ...primaryKey.map((column) => rows.map((row) => keyText(row[column]))),
      // The columns have the kinds that the table's types give them.
      rows.map((row) => seals.sealOf(table, row as unknown as SealedValues<typeof table>)),
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
export function givesSomething(table: SealedTableName, row: Record<string, unknown>): boolean {
  return table !== 'policy_state' || row['active_digest'] !== null;
}

export interface Resealed {
  readonly sealed: SealedCounts;
  /** Rows whose seal was wrong under the pepper before: they are left as they are, and stay refused. */
  readonly refused: readonly string[];
}

/** Seals again, under another pepper, each row whose seal is right under the one before. To be run in one transaction. */
export async function resealAll(
  run: Run,
  pepper: { readonly before: string; readonly now: string },
): Promise<Resealed> {
  const refused: string[] = [];
  const before = createSeals({ pepper: pepper.before, onRefused: (table, id) => refused.push(`${table} ${id}`) });
  const now = createSeals({ pepper: pepper.now });
  const sealed: Partial<Record<SealedTableName, number>> = {};
  for (const table of SEALED_TABLE_NAMES) {
    const { history } = sealedTable(table);
    for await (const batch of batchesOf(run, table)) {
      const floors = history === 'none' ? new Map<string, number>() : await floorsOf(run, table, batch);
      const genuine = batch
        .map((row) => whole(table, { ...row, seal_floor: floors.get(idOf(table, row)) ?? null }))
        .filter((row) => givesSomething(table, row) && before.isGenuine(table, row));
      if (genuine.length > 0) await writeSeals(run, table, genuine, now);
      sealed[table] = (sealed[table] ?? 0) + genuine.length;
    }
  }
  return { sealed, refused };
}

function idOf(table: SealedTableName, row: Record<string, unknown>): string {
  return JSON.stringify(sealedTable(table).primaryKey.map((column) => keyText(row[column])));
}

/** The newest versions that were ever written of some rows. */
async function floorsOf(
  run: Run,
  table: SealedTableName,
  rows: readonly Record<string, unknown>[],
): Promise<Map<string, number>> {
  const ids = rows.map((row) => idOf(table, row));
  const found = await run(
    `SELECT asked.id, (SELECT max(version)::int FROM row_version
        WHERE table_name = $1 AND row_id = ARRAY(SELECT json_array_elements_text(asked.id::json))) AS floor
      FROM unnest($2::text[]) AS asked (id)`,
    [table, ids],
  );
  return new Map(found.flatMap(({ id, floor }) => (typeof floor === 'number' ? [[String(id), floor] as const] : [])));
}
