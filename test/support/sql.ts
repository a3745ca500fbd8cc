// Statements of tests: their names are derived from the text, because prepared statements need one name for each text.
import { hash } from 'node:crypto';
import type { Sql, Statement } from '../../shared/platform/db/database.ts';

/** 128 bits of the hash, in hexadecimal: PostgreSQL cuts names after 63 bytes. */
const NAME_LENGTH = 32;

export const statementOf = (text: string): Statement => ({ name: hash('sha256', text).slice(0, NAME_LENGTH), text });

/** Runs one statement. The caller states the shape of the rows. */
export const runSql = <Row extends object>(
  sql: Pick<Sql, 'query'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> => sql.query<Row>(statementOf(text), values);
