// Seals with the test pepper, and helpers that write sealed rows without going through the service.
import type { Database } from '../../shared/platform/db/database.ts';
import {
  type Changes,
  rowIdSql,
  sealedColumns,
  type SealedRow,
  updateSealed,
} from '../../shared/platform/db/seals/rows.ts';
import { type Run, sealExisting } from '../../shared/platform/db/seals/seal-existing.ts';
import { sealedTable, type SealedTableName } from '../../shared/platform/db/seals/tables.ts';
import { createSeals } from '../../shared/platform/db/seals/seals.ts';
import { TEST_PEPPER } from './process.ts';
import { runSql } from './sql.ts';

/** For test connections that read or write sealed tables. */
export const TEST_SEALS = createSeals({ pepper: TEST_PEPPER });

/** Changes rows with valid seals, for states that no request creates, such as a row with an old timestamp. */
export async function rewriteSealed<T extends SealedTableName>(
  db: Database,
  table: T,
  where: string,
  values: readonly unknown[],
  changes: Changes<T>,
): Promise<void> {
  await db.transaction(async (sql) => {
    const run = <Row extends object>(text: string): Promise<Row[]> => runSql(sql, text, values);
    await run(`SELECT FROM ${table} t WHERE ${where} FOR UPDATE`);
    const rows = await run<SealedRow<T>>(`SELECT ${sealedColumns(table, 't')} FROM ${table} t WHERE ${where}`);
    for (const row of rows) await updateSealed(sql, table, row, changes);
  });
}

/** Seals all rows of a table, for tests that fill the table with one statement. */
export async function sealAll(db: Database, table: SealedTableName): Promise<void> {
  await db.transaction(async (sql) => {
    const run: Run = (text, values) => runSql(sql, text, values);
    if (sealedTable(table).history === 'all')
      await run(
        `INSERT INTO row_version SELECT '${table}', ${rowIdSql(table, 't')}, version FROM ${table} t ON CONFLICT DO NOTHING`,
      );
    await sealExisting(run, [table], TEST_PEPPER);
  });
}
