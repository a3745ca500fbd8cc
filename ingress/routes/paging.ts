// Cursors of lists: opaque to callers, the last row's sort key to us.
import { invalidField } from '../../shared/kernel/errors.ts';

/** The cursor that continues after this sort key. */
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

/** One page from `limit + 1` rows: the one too many only says that more follow. */
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

/** The moment that a `from` or `to` names; the schema has checked it. */
export function instant(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
