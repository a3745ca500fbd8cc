// Keyset pagination of lists: cursors, pages, and the filter by agent.
import { assertMayName } from '../../shared/domain/keys/bound.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { invalidField } from '../../shared/kernel/errors.ts';
import { DEFAULT_LIMIT } from '../../shared/api/common.ts';

/** The cursor that continues after this sort key; opaque to callers. */
export function encodeCursor(sortKey: string): string {
  return Buffer.from(sortKey, 'utf8').toString('base64url');
}

/** The sort key of a cursor that `pattern` accepts. @throws {ApiError} E2001 at ?cursor */
export function decodeCursor(cursor: string | undefined, pattern: RegExp): string | undefined {
  if (cursor === undefined) return undefined;
  const sortKey = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!pattern.test(sortKey) || encodeCursor(sortKey) !== cursor)
    throw invalidField('?cursor', 'is not a cursor of this list');
  return sortKey;
}

/** One page from up to `limit + 1` rows: the last one only shows that more follow. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  sortKey: (row: Row) => string,
): { items: Item[]; nextCursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(toItem),
    nextCursor: rows.length > limit && last !== undefined ? encodeCursor(sortKey(last)) : null,
  };
}

export interface Listing<Row> {
  /** Matches the sort keys of the list. */
  readonly cursor: RegExp;
  /** At most `count` rows that follow the sort key; undefined: from the beginning of the list. */
  readonly read: (after: string | undefined, count: number) => Promise<readonly Row[]>;
  readonly sortKey: (row: Row) => string;
}

/** The page that a query asks for. @throws {ApiError} E2001 at ?cursor */
export async function readPage<Row>(
  { limit = DEFAULT_LIMIT, cursor }: { readonly limit?: number; readonly cursor?: string },
  listing: Listing<Row>,
): Promise<{ items: Row[]; nextCursor: string | null }> {
  const rows = await listing.read(decodeCursor(cursor, listing.cursor), limit + 1);
  return pageOf(rows, limit, (row) => row, listing.sortKey);
}

/** The time of a `from` or `to`, which the schema has checked. */
export function instant(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}

/**
 * The agents of a list: the one that the query names, else those that the key is bound to; undefined: all.
 * @throws {ApiError} E1004 when the key may not name the agent; `pointer` is the parameter that names it
 */
export function agentsOf(
  key: AuthenticatedKey,
  agentId: string | undefined,
  pointer = '?agentId',
): readonly string[] | undefined {
  if (agentId === undefined) return key.agentIds === null ? undefined : [...key.agentIds];
  assertMayName(key, agentId, pointer);
  return [agentId];
}
