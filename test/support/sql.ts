// One statement of a test, with values or without.
import type { Sql } from '../../shared/platform/db/database.ts';

/** Runs one statement. The caller states the shape of the rows. */
export const runSql = <Row extends object>(
  sql: Pick<Sql, 'query'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> => sql.query<Row>(text, values);
