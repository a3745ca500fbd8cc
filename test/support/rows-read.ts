// The cost of a statement, independent of its query plan: the number of rows and index entries that it reads.
import type { Database, Sql } from '../../shared/platform/db/database.ts';

/** Counters of the current transaction. They may include unpublished counts of earlier transactions of the session. */
const READ = `SELECT coalesce(sum(pg_stat_get_xact_tuples_returned(oid)), 0)::float8 AS n FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')`;

/** Runs statements in a transaction and returns how many rows and index entries of all tables they read. */
export async function rowsRead(
  transaction: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>,
  run: (sql: Sql) => Promise<unknown>,
): Promise<number> {
  return transaction(async (sql) => {
    const count = async (): Promise<number> => (await sql.query<{ n: number }>(READ, []))[0]?.n ?? 0;
    const before = await count();
    await run(sql);
    return (await count()) - before;
  });
}

/** The same database, which counts the rows and index entries that its transactions read. */
export function countingReads(db: Database): { readonly db: Database; readonly rowsRead: () => number } {
  let total = 0;
  return {
    rowsRead: () => total,
    db: {
      ...db,
      transaction: (work) =>
        db.transaction(async (sql) => {
          let result: Awaited<ReturnType<typeof work>> | undefined;
          total += await rowsRead(
            (count) => count(sql),
            async () => (result = await work(sql)),
          );
          // Assigned, because the work has ended.
          return result as Awaited<ReturnType<typeof work>>;
        }),
    },
  };
}
