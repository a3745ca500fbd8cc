// The common shape of the dashboard's own routes: an admin session, and a JSON answer with status 200.
import type { TSchema } from 'typebox';
import type { ErrorCode } from '../../../shared/kernel/errors.ts';
import type { RecordedChange } from '../../../shared/kernel/recorded-change.ts';
import type { EntitySql } from '../../../shared/platform/db/database.ts';
import { defineRoute, type Reply, type RequestContext, type Route, type StaticOf } from '../../route.ts';

interface PageBase<
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
  /** What a request changed, from the body of its answer; for the operator trail. */
  readonly changeOf?: (body: A) => RecordedChange;
}

type Context<
  P extends TSchema | undefined,
  Q extends TSchema | undefined,
  B extends TSchema | undefined,
> = RequestContext<StaticOf<P>, StaticOf<Q>, StaticOf<B>>;

export interface PageRoute<
  P extends TSchema | undefined,
  Q extends TSchema | undefined,
  B extends TSchema | undefined,
  A extends object = object,
> extends PageBase<P, Q, B, A> {
  /** Returns the body of the answer. */
  readonly answer: (request: Context<P, Q, B>) => Promise<A> | A;
  readonly write?: undefined;
}

interface WritingPageRoute<
  P extends TSchema | undefined,
  Q extends TSchema | undefined,
  B extends TSchema | undefined,
  A extends object = object,
> extends PageBase<P, Q, B, A> {
  readonly answer?: undefined;
  /** Writes in the transaction of the request. Returns the body of the answer. */
  readonly write: (request: Context<P, Q, B>, sql: EntitySql) => Promise<A>;
}

/** Checks `answer` or `write` against the request schemas, as defineRoute does. */
export function pageRoute<
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
  A extends object = object,
>({
  method,
  path,
  summary,
  request,
  errors = [],
  answer,
  write,
  changeOf,
  ...rest
}: PageRoute<P, Q, B, A> | WritingPageRoute<P, Q, B, A>): Route {
  const replyOf = (body: A): Reply => ({
    status: 200,
    body,
    ...(changeOf === undefined ? {} : { change: changeOf(body) }),
  });
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
    handler: async (context) =>
      write === undefined
        ? replyOf(await answer(context))
        : context.commit(async (sql) => replyOf(await write(context, sql))),
  });
}
