// A route is a value: router, authentication, validation and the OpenAPI document are built from the list of routes.
import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../shared/kernel/errors.ts';
import type { EntitySql } from '../shared/platform/db/database.ts';
import type { AuthenticatedKey } from '../shared/domain/keys/types.ts';
import type { RecordedChange } from '../shared/kernel/recorded-change.ts';
import type { WaitKind } from './waits/settled.ts';
import type { Scope } from '../shared/kernel/vocabulary.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may call: everybody, without a key (`none`), any valid key (`any`), or a key with one of these scopes (`admin:*` implies all). */
export type Access = 'none' | 'any' | readonly [Scope, ...Scope[]];

/** The input of a handler: everything is validated, and `key` is authenticated and permitted. */
export interface RequestContext<Params, Query, Body> {
  readonly requestId: string;
  /** W3C trace context for everything that this request causes, if it is traced here or by the caller. */
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
  /** The client's address by which limits count; from X-Forwarded-For when a proxy is trusted. */
  readonly address: string;
  /** The caller's Idempotency-Key, on routes that support it. */
  readonly idempotencyKey: string | undefined;
  /** The `kept` part of an unfinished reply to an earlier request with this Idempotency-Key: only the rest is to be done. */
  readonly earlier: unknown;
  /**
   * The way in which routes write: runs `work` in one transaction, and refuses it when the key was revoked since it was
   * authenticated. With an Idempotency-Key the reply is stored in the same transaction, so effect and
   * answer commit together; a repeat gets the stored reply, or what the route's `again` makes of it, and runs no `work`.
   */
  commit(work: (sql: EntitySql) => Promise<Reply>): Promise<Reply>;
  /**
   * Looks at the key again when it was authenticated long ago: before a write that is stored together with those of other requests,
   * without `commit`. @throws {ApiError} E1002, E1003, E6002
   */
  lookAgain(): Promise<void> | undefined;
}

/** Members of the access log line that join it with decisions. */
export type LoggedIds = { readonly decisionId: string } | { readonly decisionIds: readonly string[] };

/** The answer of a handler. `text` is a body that is already serialized; it takes precedence over `body`. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  /** Default: `application/json`. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON that is stored for repeats instead of the body, without what must be shown only once. */
  readonly kept?: unknown;
  /** Part of it failed for a reason that may pass: the stored part stays, and a repeat runs the handler again for the rest. */
  readonly unfinished?: boolean;
  /** For the access log; the operator trail names recorded decisions by it. */
  readonly logged?: LoggedIds;
  /** What the request changed, for the operator trail alone. */
  readonly change?: RecordedChange;
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
  /** Whether a request may leave the body out; `body` of the context is then undefined. */
  readonly bodyOptional?: boolean;
  /**
   * The body stays unread: the handler gets its bytes, up to this number, and parses them in a thread. For bodies so large that
   * parsing them would block other requests; `body` is then only described.
   */
  readonly unparsedUpTo?: number;
  /** Bytes of the largest body, where it may be larger than usual. */
  readonly upTo?: number;
  /** The body in the OpenAPI document, where `body` is looser or worded for its errors. Absent: `body`. */
  readonly described?: TSchema;
}

export interface Route {
  readonly method: Method;
  /** OpenAPI style: `/v1/agents/{agentId}`. */
  readonly path: string;
  /** The operation's name in the OpenAPI document: camelCase, unique, and permanent, because clients are generated from it. */
  readonly operationId?: string | undefined;
  readonly access: Access;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Absent: no parameters and no body. */
  readonly request?: RequestSpec;
  /** Successful answers by status. Errors are listed by code and documented from the one table. */
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Codes of this route beyond those of every route of its kind; absent: none. */
  readonly errors?: readonly ErrorCode[];
  /** Units of rate limit that a request costs, from its validated body; absent: 1. Not for public routes. */
  readonly cost?: (body: unknown) => number;
  /** Whether `Idempotency-Key` is supported (every POST that writes). */
  readonly idempotent?: boolean;
  /** It may end the key that asks; that key gets the answer all the same. */
  readonly endsKeys?: true;
  /** A request other than GET that only reads, such as a check of a body: it is not on the operator trail. */
  readonly changesNothing?: true;
  /**
   * Turns the stored reply into the answer to a repeat, or that of a request that took long. Absent: the reply is the answer.
   * It may be called with its own result: that has what it needs in `kept`.
   */
  readonly again?: (stored: Reply, key: AuthenticatedKey, requestId: string) => Promise<Reply>;
  /** Whether the answer with status 200 has an ETag, so that If-None-Match with it gets 304. */
  readonly cached?: boolean;
  /**
   * A standard whose rules hold for the route: with `authzen` a wrong content type is 400, any X-Request-Id is echoed, and
   * members of the body have only the spelling of the schema.
   */
  readonly dialect?: 'authzen';
  /** For a GET of `{id}`: what `Prefer: wait=N` waits for, and whether a reply shows that it is settled. */
  readonly wait?: { readonly kind: WaitKind; readonly isSettled: (reply: Reply) => boolean };
  /** Not counted by the rate limit for clients without a key: probes and scrapes, which all come from one address. */
  readonly unlimited?: boolean;
  readonly handler: (request: RequestContext<unknown, unknown, unknown>) => Promise<Reply> | Reply;
}

export type StaticOf<S extends TSchema | undefined> = S extends TSchema ? Static<S> : undefined;

/**
 * Checks a route's handler against its request schemas, then forgets the types so that routes fit in one list.
 * The router validates against the same schemas before it calls the handler, which is why the cast is sound.
 */
export function defineRoute<
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
  const O extends boolean = false,
>(
  route: Omit<Route, 'handler' | 'request' | 'cost'> & {
    request?: {
      params?: P;
      query?: Q;
      body?: B;
      bodyOptional?: O;
      unparsedUpTo?: number;
      upTo?: number;
      described?: TSchema;
    };
    cost?: (body: StaticOf<B>) => number;
    handler: (
      request: RequestContext<StaticOf<P>, StaticOf<Q>, StaticOf<B> | (O extends true ? undefined : never)>,
    ) => Promise<Reply> | Reply;
  },
): Route {
  return route as unknown as Route;
}
