// Stores the one row of a request.
import type { Sql } from '../../shared/platform/db/database.ts';
import type { Reply, RequestContext } from '../route.ts';

interface RowStore<Row> {
  append(row: Row): Promise<void>;
  insert(sql: Sql, row: Row): Promise<void>;
}

/** Stores the row together with those of other requests; under an Idempotency-Key in the transaction that stores the reply. */
export async function storeOnce<Row>(
  {
    idempotencyKey,
    lookAgain,
    commit,
  }: Pick<RequestContext<unknown, unknown, unknown>, 'idempotencyKey' | 'lookAgain' | 'commit'>,
  store: RowStore<Row>,
  row: Row,
  reply: Reply,
): Promise<Reply> {
  if (idempotencyKey !== undefined) return commit((sql) => store.insert(sql, row).then(() => reply));
  await lookAgain();
  await store.append(row);
  return reply;
}
