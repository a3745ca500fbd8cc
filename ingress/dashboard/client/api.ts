// Requests to the service: one function, one error type, and hooks for data, for pages of a list and for actions.
import { syncClock } from './clock.ts';
import { useCallback, useEffect, useRef, useState } from './html.ts';
import { listPlace, type ListPlace, nextPage, pageBefore, withListPlace } from './paging.ts';
import { href, navigate, usePlace } from './router.ts';
import { sessionEnded, shownSession } from './session.ts';
import type { ListPage } from './wire.ts';

const BASE = '/dashboard/api';

export interface FieldError {
  /** RFC 6901 pointer into the body, `?name` of a query parameter, `{name}` of a path parameter. */
  readonly pointer: string;
  readonly message: string;
}

/** A failed request; status 0: no answer came. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly errors: readonly FieldError[];
  /** Seconds until the request may be repeated, from Retry-After. */
  readonly retryAfter: number | undefined;

  constructor(detail: string, { status, code, requestId, errors = [], retryAfter }: ProblemDetails) {
    super(detail);
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.errors = errors;
    this.retryAfter = retryAfter;
  }
}

type ProblemDetails = Pick<Problem, 'status'> & Partial<Pick<Problem, 'code' | 'requestId' | 'errors' | 'retryAfter'>>;

export interface ApiRequest {
  /** Default: GET, or POST with a body. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Parameters that are undefined or '' are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly signal?: AbortSignal;
  /** Default: application/json. With another type the answer is text. */
  readonly accept?: string;
  /** Whether a 401 shows the sign-in page. Default: yes. */
  readonly session?: boolean;
}

/** The address of an API path with its query. */
export function apiUrl(path: string, query: ApiRequest['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${BASE}${path}${text === '' ? '' : `?${text}`}`;
}

async function problemOf(response: Response): Promise<Problem> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const more = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  };
  try {
    const { detail, code, errors } = (await response.json()) as {
      detail?: string;
      code?: string;
      errors?: FieldError[];
    };
    return new Problem(detail ?? `The service answered ${response.status}.`, { ...more, code, errors: errors ?? [] });
  } catch {
    return new Problem(`The service answered ${response.status}.`, more);
  }
}

/**
 * Sends a request with the session of this browser. Paths are those of the API (`/v1/agents`) or the dashboard's own
 * (`/overview`). The caller states the shape of the answer.
 * @throws {Problem} for every status other than 2xx, and when no answer comes; a 401 also shows the sign-in page
 */
export async function api<T>(path: string, request: ApiRequest = {}): Promise<T> {
  const { body, query, signal, accept, session = true } = request;
  const method = request.method ?? (body === undefined ? 'GET' : 'POST');
  let response: Response;
  try {
    response = await fetch(apiUrl(path, query), {
      method,
      headers: {
        accept: accept ?? 'application/json',
        // Pages of other sites cannot send this header (same-site.ts).
        'x-custos-dashboard': '1',
        ...shownSession(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      credentials: 'same-origin',
      cache: 'no-store',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new Problem('No answer came: the service may be restarting, or the network is down.', { status: 0 });
  }
  syncClock(response.headers.get('date'));
  if (!response.ok) {
    const problem = await problemOf(response);
    if (response.status === 401 && session) sessionEnded(problem.message);
    throw problem;
  }
  const answer: unknown = accept === undefined ? await response.json() : await response.text();
  // The caller knows the shape of the answer.
  return answer as T;
}

export function asProblem(error: unknown): Problem {
  return error instanceof Problem
    ? error
    : new Problem(error instanceof Error ? error.message : String(error), { status: 0 });
}

/** Whether the same request may succeed later without changes. */
export const isTemporary = ({ status }: Problem): boolean => status === 503 || status === 429 || status === 0;

export interface Loaded<T> {
  /** The last successful answer for this path. It stays while a newer request runs or fails. */
  readonly data: T | undefined;
  readonly error: Problem | undefined;
  readonly loading: boolean;
  readonly reload: () => void;
}

/**
 * The answer to GET `path`. Requested again when path or query change, when `reload` is called, and after a temporary error
 * (`Retry-After`). With `null` nothing is requested.
 */
export function useApi<T>(path: string | null, query?: ApiRequest['query']): Loaded<T> {
  const asked = path === null ? null : JSON.stringify([path, query ?? {}]);
  const [state, setState] = useState<{ asked: string | null; data?: T; error?: Problem; loading: boolean }>({
    asked: null,
    loading: path !== null,
  });
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((n) => n + 1), []);
  useEffect(() => {
    if (asked === null) return undefined;
    const abort = new AbortController();
    let timer: number | undefined;
    const [at, parameters] = JSON.parse(asked) as [string, NonNullable<ApiRequest['query']>];
    setState((before) => (before.asked === asked ? { ...before, loading: true } : { asked, loading: true }));
    api<T>(at, { query: parameters, signal: abort.signal }).then(
      (data) => setState({ asked, data, loading: false }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const problem = asProblem(error);
        setState((before) => ({ ...before, asked, error: problem, loading: false }));
        if (isTemporary(problem))
          timer = window.setTimeout(reload, 1_000 * Math.min(60, Math.max(2, problem.retryAfter ?? 3)));
      },
    );
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [asked, turn, reload]);
  const current = state.asked === asked ? state : { loading: asked !== null };
  return {
    data: 'data' in current ? current.data : undefined,
    error: 'error' in current ? current.error : undefined,
    loading: current.loading,
    reload,
  };
}

export interface Pages<T> extends Loaded<ListPage<T>> {
  readonly items: readonly T[];
  /** 1 for the first page. */
  readonly page: number;
  /** Undefined when there are none. */
  readonly older: (() => void) | undefined;
  readonly newer: (() => void) | undefined;
  /** Whether `newer` leads to the first page, because the way to this page is not in the browser's history. */
  readonly newerIsFirst: boolean;
  /** The request of the list, for a download of all pages (download.ts). */
  readonly asked: { readonly path: string; readonly query: NonNullable<ApiRequest['query']> };
}

/**
 * A list of the API page by page. The page number and cursor are in the address, so a dashboard page has at most one list.
 * When the filters change, the list starts again at the first page.
 */
export function usePages<T>(path: string, query: NonNullable<ApiRequest['query']> = {}): Pages<T> {
  const place = usePlace();
  const at = listPlace(place.query, place.state);
  const loaded = useApi<ListPage<T>>(path, { ...query, cursor: at.cursor });
  const list = JSON.stringify([path, query]);
  // The rows stay while another page loads, so that the layout does not jump.
  const shown = useRef<{ readonly list: string; readonly page: number; readonly data: ListPage<T> } | undefined>(
    undefined,
  );
  if (loaded.data !== undefined) shown.current = { list, page: at.page, data: loaded.data };
  const { page, data } =
    loaded.error === undefined && shown.current?.list === list ? shown.current : { page: at.page, data: loaded.data };
  const next = loaded.data?.nextCursor ?? null;
  const back = pageBefore(at);
  const go = (to: ListPlace) => (): void =>
    navigate(href(place.page, place.id, withListPlace(place.query, to)), false, { trail: to.trail });
  return {
    ...loaded,
    data,
    items: data?.items ?? [],
    page,
    older: next === null ? undefined : go(nextPage(at, next)),
    newer: back === undefined ? undefined : go(back),
    newerIsFirst: back !== undefined && at.trail === undefined,
    asked: { path, query },
  };
}

export interface Doing<A extends readonly unknown[]> {
  /** Resolves to whether it succeeded. */
  readonly run: (...given: A) => Promise<boolean>;
  readonly busy: boolean;
  readonly error: Problem | undefined;
  readonly reset: () => void;
}

/** An action that a person starts: whether it runs, and its error. A second start while it runs does nothing. */
export function useAction<A extends readonly unknown[]>(work: (...given: A) => Promise<unknown>): Doing<A> {
  const [state, setState] = useState<{ busy: boolean; error?: Problem }>({ busy: false });
  const running = useRef(false);
  return {
    ...state,
    error: state.error,
    reset: () => setState({ busy: false }),
    run: async (...given) => {
      if (running.current) return false;
      running.current = true;
      setState({ busy: true });
      try {
        await work(...given);
        setState({ busy: false });
        return true;
      } catch (error) {
        setState({ busy: false, error: asProblem(error) });
        return false;
      } finally {
        running.current = false;
      }
    },
  };
}
