// The common shape of the dashboard's own routes: an admin session, and a JSON answer with status 200.
import type { TSchema } from 'typebox';
import type { ErrorCode } from '../../../shared/kernel/errors.ts';
import type { RecordedChange } from '../../../shared/kernel/recorded-change.ts';
import { defineRoute, type RequestContext, type Route, type StaticOf } from '../../route.ts';

export interface PageRoute<
  P extends TSchema | undefined,
  Q extends TSchema | undefined,
  B extends TSchema | undefined,
  A extends object = object,
> {
  /** Default: GET. */
  readonly method?: 'POST';
  /** Below /dashboard/api. */
  readonly path: string;
  readonly summary: string;
  readonly request?: { readonly params?: P; readonly query?: Q; readonly body?: B };
  readonly errors?: readonly ErrorCode[];
  readonly changesNothing?: true;
  /** Returns the body of the answer. */
  readonly answer: (request: RequestContext<StaticOf<P>, StaticOf<Q>, StaticOf<B>>) => Promise<A> | A;
  /** What a request changed, from the body of its answer; for the operator trail. */
  readonly changeOf?: (body: A) => RecordedChange;
}

/** Checks `answer` against the request schemas, as defineRoute does. */
export function pageRoute<
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
  A extends object = object,
>({ method, path, summary, request, errors = [], answer, changeOf, ...rest }: PageRoute<P, Q, B, A>): Route {
  return defineRoute<P, Q, B>({
    method: method ?? 'GET',
    path: `/dashboard/api${path}`,
    access: ['admin:*'],
    tag: 'Dashboard',
    summary,
    request: request ?? {},
    responses: { 200: { description: 'The data of the page.' } },
    errors,
    ...rest,
    handler: async (context) => {
      const body = await answer(context);
      return { status: 200, body, ...(changeOf === undefined ? {} : { change: changeOf(body) }) };
    },
  });
}
