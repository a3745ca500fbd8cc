// A transaction whose statements travel one by one, so that a test can fail between any two of them.
import type { Sql, TransactionSql } from '../../shared/platform/db/database.ts';

/** @param query runs each statement, the last one of a transaction, too, before its commit */
export function oneByOne(sql: TransactionSql, query: Sql['query']): TransactionSql {
  return {
    ...sql,
    query,
    finish: query,
    async together(questions) {
      const answers: object[][] = [];
      // The types of `questions` are those of its members.
      for (const [statement, values] of questions as unknown as readonly Parameters<Sql['query']>[])
        answers.push(await query(statement, values));
      return answers as never;
    },
  };
}
