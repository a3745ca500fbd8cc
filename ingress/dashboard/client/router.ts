// Routing: the address below /dashboard, links without a page load, and query parameters as filters.
import { type ComponentChildren, html, useCallback, useMemo, type VNode } from './html.ts';
import { LIST_PARAMETERS } from './paging.ts';
import { createStore, useStore } from './store.ts';

const BASE = '/dashboard';

export interface Place {
  /** The page's name: '' for the overview, else `decisions`, `agents`, ... */
  readonly page: string;
  /** The rest of the path, decoded: usually an id. */
  readonly id: string | undefined;
  readonly query: URLSearchParams;
  /** The state of this entry in the browser's history (paging.ts). */
  readonly state: unknown;
}

/** The properties of every page component. */
export interface PageProps {
  /** As in Place. */
  readonly id: string | undefined;
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
    state: window.history.state,
  };
}

/** The list whose items are shown, with its filters and page; undefined after another page. */
let list: { readonly page: string; readonly address: string } | undefined;

/** Reads the address, and remembers it while it is that of a list. */
function arrive(): Place {
  const now = read();
  if (now.id === undefined) list = { page: now.page, address: `${window.location.pathname}${window.location.search}` };
  else if (list?.page !== now.page) list = undefined;
  return now;
}

const place = createStore<Place>(arrive());

/** The address of a list as it was left for the item that is shown; without filters when another way led to the item. */
export const listHref = (page: string): string => (list?.page === page ? list.address : href(page));

window.addEventListener('popstate', () => {
  place.set(arrive());
  returnTo(scrollIn(window.history.state));
});

/** A list that is read again needs this long at most until it is as high as it was. */
const RETURN_MS = 3_000;

/** Where the window was scrolled to when an entry of the history was left. */
function scrollIn(state: unknown): number {
  const top = typeof state === 'object' && state !== null && 'top' in state ? state.top : 0;
  return typeof top === 'number' ? top : 0;
}

/** Scrolls to where the reader was, once the page is high enough; unless the reader scrolls or types first. */
function returnTo(top: number): void {
  if (top === 0) return;
  const stop = new AbortController();
  for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown', 'popstate'])
    window.addEventListener(event, () => stop.abort(), { once: true, signal: stop.signal });
  const untilMs = performance.now() + RETURN_MS;
  const at = place.get();
  const look = (): void => {
    if (stop.signal.aborted || place.get() !== at || performance.now() > untilMs) return stop.abort();
    if (document.documentElement.scrollHeight - window.innerHeight < top) return void requestAnimationFrame(look);
    window.scrollTo(0, top);
    stop.abort();
  };
  requestAnimationFrame(look);
}

export const placeNow = (): Place => place.get();
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
 * @param replace without a new entry in the browser's history, for filters
 * @param state for the entry
 * @param scrolls whether a new entry begins at the top of the page
 */
export function navigate(to: string, replace = false, state: unknown = null, scrolls = true): void {
  if (replace) window.history.replaceState(state, '', to);
  else {
    const left: unknown = window.history.state;
    window.history.replaceState({ ...(typeof left === 'object' ? left : {}), top: window.scrollY }, '');
    window.history.pushState(state, '', to);
    if (scrolls) window.scrollTo(0, 0);
  }
  place.set(arrive());
}

export interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly label?: string;
  /** The id of an element with more about the link. */
  readonly describedBy?: string | undefined;
  readonly onGo?: () => void;
  /** The pointer or the focus is on the link: its page is likely to be opened next. */
  readonly onNear?: () => void;
  readonly children?: ComponentChildren;
}

/** A link within the dashboard. With a modifier key the browser opens it in a tab as usual. */
export function Link({ to, class: name, current, label, describedBy, onGo, onNear, children }: LinkProps): VNode {
  const go = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
    onGo?.();
  };
  return html`<a href=${to} class=${name} aria-current=${current === true ? 'page' : undefined} aria-label=${label} aria-describedby=${describedBy} onClick=${go} onPointerEnter=${onNear} onFocus=${onNear}>${children}</a>`;
}

export type FilterValues = Readonly<Record<string, string | undefined>>;

/**
 * Filters as query parameters: the values of these names, and a setter that changes some of them and goes to the first page of
 * the list. An empty value removes the parameter.
 */
export function useFilters<const N extends string>(
  names: readonly N[],
): [Readonly<Record<N, string | undefined>>, (change: FilterValues) => void] {
  const { query, page, id } = usePlace();
  const text = query.toString();
  const values = useMemo(() => {
    const parameters = new URLSearchParams(text);
    // One entry for each name.
    return Object.fromEntries(names.map((name) => [name, parameters.get(name) || undefined])) as Record<
      N,
      string | undefined
    >;
  }, [text, names.join()]);
  const set = useCallback(
    (change: FilterValues) => {
      const parameters = new URLSearchParams(text);
      for (const name of LIST_PARAMETERS) parameters.delete(name);
      navigate(href(page, id, { ...Object.fromEntries(parameters), ...change }), true);
    },
    [text, page, id],
  );
  return [values, set];
}
