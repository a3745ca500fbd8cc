// Checks every sealed row, and lists those that are not genuine.
import type { Sql } from '../database.ts';
import { sealedColumns } from './rows.ts';
import { BUDGET_USE, type BudgetUseRow, isUseGenuine } from './budgets.ts';
import { type RefusableTable, rowId } from './seals.ts';
import { SEALED_TABLE_NAMES, sealedTable, type SealedTableName } from './tables.ts';

/** A row by its table and primary key, without its values. */
export interface RefusedRow {
  readonly table: RefusableTable;
  readonly id: readonly string[];
  /** row_version knows the row, but the table does not have it. */
  readonly missing: boolean;
}

export interface CheckedRows {
  readonly checked: number;
  readonly refused: readonly RefusedRow[];
}

/** Rows per statement. */
const BATCH = 1_000;

/** Whether no policy set was ever in force: the row of a new database is unsealed. */
export function isUnset(table: SealedTableName, row: object): boolean {
  const { seal, active_digest: digest } = row as { readonly seal?: unknown; readonly active_digest?: unknown };
  return table === 'policy_state' && digest === null && seal === null;
}

/** The rows of a table by primary key (keyset pagination). @param columns of `t`, as a SELECT list */
export async function* sealedBatches(
  query: (text: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>,
  table: SealedTableName,
  columns: string,
): AsyncGenerator<Record<string, unknown>[]> {
  const { primaryKey } = sealedTable(table);
  const key = primaryKey.map((column) => `t.${column}`).join(', ');
  let last: unknown[] = [];
  for (;;) {
    const behind = last.length === 0 ? '' : `WHERE (${key}) > (${last.map((_, i) => `$${i + 1}`).join(', ')})`;
    const rows = await query(`SELECT ${columns} FROM ${table} t ${behind} ORDER BY ${key} LIMIT ${BATCH}`, last);
    if (rows.length > 0) yield rows;
    const end = rows.at(-1);
    if (end === undefined || rows.length < BATCH) return;
    last = primaryKey.map((column) => end[column]);
  }
}

/** Deleted rows of tables where a deletion is noticed. */
async function missingRows(sql: Sql, table: SealedTableName): Promise<RefusedRow[]> {
  const { history, primaryKey } = sealedTable(table);
  if (history !== 'all') return [];
  const same = primaryKey.map((column, i) => `t.${column} = v.row_id[${i + 1}]`).join(' AND ');
  const rows = await sql.query<{ id: string[] }>(
    `SELECT DISTINCT row_id AS id FROM row_version v WHERE table_name = $1 AND NOT EXISTS (SELECT FROM ${table} t WHERE ${same}) ORDER BY 1`,
    [table],
  );
  return rows.map(({ id }) => ({ table, id, missing: true }));
}

type UseRow = BudgetUseRow & { readonly id: string; readonly count_seal: Buffer | null };

/** Counts of budgets. A charge is checked when it is given back: there may be millions. */
async function checkUses(sql: Sql): Promise<CheckedRows> {
  const refused: RefusedRow[] = [];
  for (let checked = 0, last = '0'; ; ) {
    const rows: readonly UseRow[] = await sql.query<UseRow>(
      `SELECT u.id, ${BUDGET_USE} FROM budget_use u WHERE u.id > $1 ORDER BY u.id LIMIT ${BATCH}`,
      [last],
    );
    checked += rows.length;
    for (const row of rows)
      if (!isUseGenuine(sql.seals, row)) refused.push({ table: 'budget_use', id: [row.id], missing: false });
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH) return { checked, refused };
  }
}

/** Checks every row that gives authority, and what budgets have used. Read-only. @throws {ApiError} E6002 */
export async function checkSealedRows(sql: Sql): Promise<CheckedRows> {
  const refused: RefusedRow[] = [];
  let checked = 0;
  for (const table of SEALED_TABLE_NAMES) {
    for await (const rows of sealedBatches(sql.query, table, sealedColumns(table, 't'))) {
      checked += rows.length;
      for (const row of rows)
        if (!isUnset(table, row) && !sql.seals.isGenuine(table, row))
          refused.push({ table, id: rowId(table, row), missing: false });
    }
    refused.push(...(await missingRows(sql, table)));
  }
  const uses = await checkUses(sql);
  return { checked: checked + uses.checked, refused: [...refused, ...uses.refused] };
}
