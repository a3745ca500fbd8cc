// Stores the one row of a request.
import type { Sql } from '../../shared/platform/db/database.ts';
import type { Reply, RequestContext } from '../route.ts';

interface RowStore<Row> {
  append(row: Row): Promise<void>;
  insert(sql: Sql, row: Row): Promise<void>;
}

/** Stores the row together with those of other requests, or with `commit` where the request needs it. */
export async function storeOnce<Row>(
  { mustCommit, commit }: Pick<RequestContext<unknown, unknown, unknown>, 'mustCommit' | 'commit'>,
  store: RowStore<Row>,
  row: Row,
  reply: Reply,
): Promise<Reply> {
  if (mustCommit()) return commit((sql) => store.insert(sql, row).then(() => reply));
  await store.append(row);
  return reply;
}
