// Where one is in a list: the cursor and the number of the page stand in the address, so that it can be reloaded and sent to
// somebody; the way there is kept with the entry of the browser's history. Pure.

export interface ListPlace {
  /** Of the page that is shown; undefined: the first. */
  readonly cursor: string | undefined;
  /** From 1. */
  readonly page: number;
  /** The cursors of the second page to this one; undefined when one came here by an address alone. */
  readonly trail: readonly string[] | undefined;
}

/** What a list adds to the address. Other filters begin at the first page again, without them. */
export const LIST_PARAMETERS = ['cursor', 'page'] as const;

const FIRST: ListPlace = { cursor: undefined, page: 1, trail: [] };

function trailIn(kept: unknown): readonly string[] | undefined {
  if (typeof kept !== 'object' || kept === null || !('trail' in kept)) return undefined;
  const { trail } = kept;
  return Array.isArray(trail) && trail.every((each) => typeof each === 'string') ? trail : undefined;
}

/**
 * @param query of the address
 * @param kept what the browser's history has for it
 */
export function listPlace(query: URLSearchParams, kept: unknown): ListPlace {
  const cursor = query.get('cursor') || undefined;
  if (cursor === undefined) return FIRST;
  const trail = trailIn(kept);
  if (trail?.at(-1) === cursor) return { cursor, page: trail.length + 1, trail };
  const page = Number(query.get('page'));
  return { cursor, page: Number.isSafeInteger(page) && page > 1 ? page : 2, trail: undefined };
}

/** The page after this one. */
export function nextPage({ page, trail }: ListPlace, cursor: string): ListPlace {
  return { cursor, page: page + 1, trail: trail && [...trail, cursor] };
}

/** The page before this one, which is the first one when the way here is not known; undefined on the first. */
export function pageBefore({ cursor, trail }: ListPlace): ListPlace | undefined {
  if (cursor === undefined) return undefined;
  if (trail === undefined || trail.length < 2) return FIRST;
  const before = trail.slice(0, -1);
  return { cursor: before.at(-1), page: before.length + 1, trail: before };
}

/** The parameters of an address with those of another page of its list. */
export function withListPlace(query: URLSearchParams, { cursor, page }: ListPlace): Record<string, string | undefined> {
  return { ...Object.fromEntries(query), cursor, page: cursor === undefined ? undefined : String(page) };
}
