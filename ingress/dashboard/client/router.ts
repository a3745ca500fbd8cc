// Where one is: the address bar below /dashboard, links that stay in the page, and query parameters as filters.
import { type ComponentChildren, html, useCallback, useMemo, type VNode } from './html.ts';
import { LIST_PARAMETERS } from './paging.ts';
import { createStore, useStore } from './store.ts';

const BASE = '/dashboard';

export interface Place {
  /** The page's name: '' for the overview, else `decisions`, `agents`, ... */
  readonly page: string;
  /** What follows it, decoded: usually an id. */
  readonly id: string | undefined;
  readonly query: URLSearchParams;
  /** Path and query as they are in the address bar. */
  readonly href: string;
  /** What the browser's history keeps for this entry: see paging.ts. */
  readonly kept: unknown;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function read(): Place {
  const { pathname, search } = window.location;
  const [page = '', ...rest] = pathname.slice(BASE.length).replace(/^\//, '').split('/');
  const id = rest.join('/');
  return {
    page: decode(page),
    id: id === '' ? undefined : decode(id),
    query: new URLSearchParams(search),
    href: pathname + search,
    kept: window.history.state,
  };
}

const place = createStore<Place>(read());
window.addEventListener('popstate', () => place.set(read()));

export const usePlace = (): Place => useStore(place);

/** The address of a page: `href('agents', 'agent-7')`, `href('decisions', undefined, { verdict: 'DENY' })`. */
export function href(page: string, id?: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = new URLSearchParams(given).toString();
  const path = [BASE, page, id]
    .filter((part) => part !== undefined && part !== '')
    .map((part, at) => (at === 0 ? part : encodeURIComponent(part ?? '')));
  return `${path.join('/')}${text === '' ? '' : `?${text}`}`;
}

/**
 * Goes to an address below /dashboard.
 * @param replace without a new entry in the history, for filters
 * @param kept what the history keeps for it
 */
export function navigate(to: string, replace = false, kept: unknown = null): void {
  if (replace) window.history.replaceState(kept, '', to);
  else {
    window.history.pushState(kept, '', to);
    window.scrollTo(0, 0);
  }
  place.set(read());
}

export interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly label?: string;
  readonly onGo?: () => void;
  readonly children?: ComponentChildren;
}

/** A link within the pages; with a modifier key it opens a tab, as links do. */
export function Link({ to, class: name, current, label, onGo, children }: LinkProps): VNode {
  const go = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
    onGo?.();
  };
  return html`<a href=${to} class=${name} aria-current=${current === true ? 'page' : undefined} aria-label=${label} onClick=${go}>${children}</a>`;
}

export type FilterValues = Readonly<Record<string, string | undefined>>;

/**
 * Filters that live in the address: what the query says of these names, and a setter that changes some of them, which leads
 * to the first page of the list. An empty value takes a name away.
 */
export function useFilters<const N extends string>(
  names: readonly N[],
): [{ readonly [K in N]: string | undefined }, (change: { readonly [K in N]?: string | undefined }) => void] {
  const { query, page, id } = usePlace();
  const text = query.toString();
  const values = useMemo(() => {
    const parameters = new URLSearchParams(text);
    return Object.fromEntries(names.map((name) => [name, parameters.get(name) || undefined])) as {
      readonly [K in N]: string | undefined;
    };
  }, [text, names.join()]);
  const set = useCallback(
    (change: { readonly [K in N]?: string | undefined }) => {
      const parameters = new URLSearchParams(text);
      for (const name of LIST_PARAMETERS) parameters.delete(name);
      navigate(href(page, id, { ...Object.fromEntries(parameters), ...change }), true);
    },
    [text, page, id],
  );
  return [values, set];
}
