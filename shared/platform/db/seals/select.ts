// Selects rows of sealed tables for administration: TypeORM builds the query from the table's entity.
import { type DataSource, In, LessThan, type ObjectLiteral } from 'typeorm';
import type { Statement } from '../database.ts';
import { floorSql, type Selection } from './rows.ts';
import { sealedTable, type SealedTableName } from './tables.ts';

/** The alias of the table in the query. */
const TABLE = 't';

/**
 * The query of a selection, with its parameters. It is unnamed, so PostgreSQL plans it each time; the hot paths use prepared
 * SQL. Only the text is built here: it runs on the connection of the caller's transaction, with the deadlines and error
 * classes of every statement.
 */
export function selectSql<T extends SealedTableName>(
  dataSource: DataSource,
  table: T,
  { where, before, limit, lock }: Selection<T>,
): [Statement, unknown[]] {
  const { primaryKey, columns, unsealed } = sealedTable(table);
  const conditions: ObjectLiteral = Object.fromEntries(
    Object.entries(where).map(([column, value]) => [column, Array.isArray(value) ? In(value) : value]),
  );
  if (before !== undefined && before !== null) conditions['seq'] = LessThan(before);
  const query = dataSource
    .getRepository<ObjectLiteral>(table)
    .createQueryBuilder(TABLE)
    .setFindOptions({ where: conditions, ...(('seq' in unsealed || 'seq' in columns) && { order: { seq: 'DESC' } }) })
    .select([]);
  if (limit !== undefined) query.limit(limit);
  const selected = lock === true ? primaryKey : [...Object.keys({ ...columns, ...unsealed }), 'seal'];
  for (const column of selected) query.addSelect(`${TABLE}.${column}`, column);
  if (lock === true) query.setLock('for_no_key_update');
  else query.addSelect(floorSql(table, TABLE), 'seal_floor');
  const [text, values] = query.getQueryAndParameters();
  return [text, values];
}
