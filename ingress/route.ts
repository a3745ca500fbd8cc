// A route is a value: the router, authentication, validation and the OpenAPI document are built from the list of these.
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../shared/kernel/errors.ts';
import type { Sql } from '../shared/platform/db/database.ts';
import type { AuthenticatedKey } from '../shared/domain/keys/types.ts';
import type { Scope } from '../shared/kernel/vocabulary.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Who may call: nobody needs a key (`none`), any valid key (`any`), or a key with one of these scopes (`admin:*` implies all). */
export type Access = 'none' | 'any' | readonly [Scope, ...Scope[]];

/** What a handler is given: everything is validated, and `key` is authenticated and permitted. */
export interface RequestContext<Params, Query, Body> {
  readonly requestId: string;
  /** W3C trace context of the caller, when it sent a valid one. */
  readonly traceparent: string | undefined;
  /** Present unless the route's access is `none`. */
  readonly key: AuthenticatedKey;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Header values by lower-case name, as node:http gives them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Request path, for problem documents. */
  readonly path: string;
  /** The client's address, as limits count it: the proxy's word for it when one is trusted. */
  readonly address: string;
  /** The caller's Idempotency-Key, on routes that honour it. */
  readonly idempotencyKey: string | undefined;
  /** What an earlier request with this Idempotency-Key has kept of an answer that is unfinished: only the rest is to be done. */
  readonly earlier: unknown;
  /**
   * Runs `work` in one transaction. With an Idempotency-Key the reply is stored in that same transaction, so that
   * effect and answer stand or fall together; a repeat gets the stored reply without `work` being run, or what the
   * route's `again` makes of it.
   */
  commit(work: (sql: Sql) => Promise<Reply>): Promise<Reply>;
}

/** What a handler answers. `text` is a body that is already serialized; it wins over `body`. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  /** Default: `application/json`. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON that is stored for repeats in the place of the body: what must not be given twice is not in it. */
  readonly kept?: unknown;
  /** Part of it failed for a reason that may pass: what is stored stays, and a repeat runs the handler again for the rest. */
  readonly unfinished?: boolean;
}

export interface ResponseSpec {
  readonly description: string;
  readonly schema?: TSchema;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Other content types that the same answer can have, as text, when the caller's Accept asks for them. */
  readonly alsoAs?: readonly string[];
}

export interface RequestSpec {
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
}

export interface Route {
  readonly method: Method;
  /** OpenAPI style: `/v1/agents/{agentId}`. */
  readonly path: string;
  readonly access: Access;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly request: RequestSpec;
  /** Successful answers by status. Errors are listed by code and documented from the one table. */
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Codes of this route beyond those that every route of its kind can give. */
  readonly errors: readonly ErrorCode[];
  /** Units of rate limit that a request costs, from its validated body; absent: 1. */
  readonly cost?: (body: unknown) => number;
  /** Whether `Idempotency-Key` is honoured (every POST that writes). */
  readonly idempotent?: boolean;
  /** Makes the answer to a repeat of what is stored. Absent: that is the answer. */
  readonly again?: (stored: Reply, key: AuthenticatedKey, requestId: string) => Promise<Reply>;
  /** Not counted by the rate limit for clients without a key: probes and scrapes, which all come from one address. */
  readonly unlimited?: boolean;
  readonly handler: (request: RequestContext<unknown, unknown, unknown>) => Promise<Reply> | Reply;
}

type StaticOf<S extends TSchema | undefined> = S extends TSchema ? Static<S> : undefined;

/**
 * Checks a route's handler against its request schemas, then forgets the types so that routes fit in one list.
 * The router validates against the same schemas before it calls the handler, which is why the cast is sound.
 */
export function defineRoute<
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(
  route: Omit<Route, 'handler' | 'request' | 'cost'> & {
    request: { params?: P; query?: Q; body?: B };
    cost?: (body: StaticOf<B>) => number;
    handler: (request: RequestContext<StaticOf<P>, StaticOf<Q>, StaticOf<B>>) => Promise<Reply> | Reply;
  },
): Route {
  return route as unknown as Route;
}
