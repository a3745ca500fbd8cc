// The position in a list. Cursor and page number are in the address, so that the page can be reloaded and shared; the cursors of
// the pages before it are in the browser's history state. Pure.

export interface ListPlace {
  /** Of the current page; undefined: the first. */
  readonly cursor: string | undefined;
  /** From 1. */
  readonly page: number;
  /** The cursors of the second page to this one; undefined when the page was opened by its address. */
  readonly trail: readonly string[] | undefined;
}

/** The parameters that a list adds to the address. Changing the filters removes them. */
export const LIST_PARAMETERS = ['cursor', 'page'] as const;

const FIRST: ListPlace = { cursor: undefined, page: 1, trail: [] };

function trailIn(state: unknown): readonly string[] | undefined {
  if (typeof state !== 'object' || state === null || !('trail' in state)) return undefined;
  const { trail } = state;
  return Array.isArray(trail) && trail.every((each) => typeof each === 'string') ? trail : undefined;
}

/**
 * @param query of the address
 * @param state of the entry in the browser's history
 */
export function listPlace(query: URLSearchParams, state: unknown): ListPlace {
  const cursor = query.get('cursor') || undefined;
  if (cursor === undefined) return FIRST;
  const trail = trailIn(state);
  if (trail?.at(-1) === cursor) return { cursor, page: trail.length + 1, trail };
  const page = Number(query.get('page'));
  return { cursor, page: Number.isSafeInteger(page) && page > 1 ? page : 2, trail: undefined };
}

/** The page after this one. */
export function nextPage({ page, trail }: ListPlace, cursor: string): ListPlace {
  return { cursor, page: page + 1, trail: trail && [...trail, cursor] };
}

/** The page before this one, or the first page when the cursors before this one are not known; undefined on the first. */
export function pageBefore({ cursor, trail }: ListPlace): ListPlace | undefined {
  if (cursor === undefined) return undefined;
  if (trail === undefined || trail.length < 2) return FIRST;
  const before = trail.slice(0, -1);
  return { cursor: before.at(-1), page: before.length + 1, trail: before };
}

/** The parameters of an address, changed to another page of its list. */
export function withListPlace(query: URLSearchParams, { cursor, page }: ListPlace): Record<string, string | undefined> {
  return { ...Object.fromEntries(query), cursor, page: cursor === undefined ? undefined : String(page) };
}
