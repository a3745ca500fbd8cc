// The way of one request: key, access, rate limit, body, validation, handler, answer. One function per route, no middleware.
import type { NextFunction, Request, Response } from 'express';
import type { Sql } from '../shared/platform/db/database.ts';
import { ApiError } from '../shared/kernel/errors.ts';
import type { AuthenticatedKey } from '../shared/domain/keys/types.ts';
import type { Scope } from '../shared/kernel/vocabulary.ts';
import { BODY_LIMIT_BYTES, checkContentType, parseBody, readBody } from './request/read.ts';
import { type Claim, type Idempotency, readIdempotencyKey } from './request/idempotency.ts';
import {
  type AdmissionDeps,
  authenticate,
  checkRequest,
  countKey,
  countPublic,
  refuseUnknown,
  proceed,
} from './request/authenticate.ts';
import { Exchange, type ExchangeDeps } from './request/exchange.ts';
import { type Input, type CompiledRoute, prepare, validate } from './request/validate.ts';
import type { Compile } from './request/schema.ts';
import type { Awaitable } from './ports.ts';
import type { Reply, RequestContext, Route } from './route.ts';

export interface RouterDeps extends ExchangeDeps, AdmissionDeps {
  readonly idempotency: Idempotency;
}

/** A key that was valid this long ago is not asked about again: small beside the second that revocation may take. */
const KEY_BELIEVED_MS = 50;

export type RouteHandler = (req: Request, res: Response, next: NextFunction) => void;

function permits(key: AuthenticatedKey, access: readonly Scope[]): boolean {
  return key.scopes.has('admin:*') || access.some((scope) => key.scopes.has(scope));
}

class Context implements RequestContext<unknown, unknown, unknown> {
  readonly key: AuthenticatedKey;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  private readonly exchange: Exchange;
  private readonly deps: RouterDeps;
  private readonly claim: Claim | undefined;

  constructor(exchange: Exchange, deps: RouterDeps, input: Input, idempotencyKey?: string, claim?: Claim) {
    this.exchange = exchange;
    this.deps = deps;
    // Absent only on routes with access `none`, whose handlers do not read it (see RequestContext).
    this.key = exchange.key as AuthenticatedKey;
    this.params = input.params;
    this.query = input.query;
    this.body = input.body;
    this.idempotencyKey = idempotencyKey;
    this.claim = claim;
  }
  get earlier(): unknown {
    return this.claim?.earlier;
  }
  get requestId(): string {
    return this.exchange.requestId;
  }
  get traceparent(): string | undefined {
    return this.exchange.traceparent;
  }
  get headers(): Readonly<Record<string, string | string[] | undefined>> {
    return this.exchange.req.headers;
  }
  get path(): string {
    return this.exchange.path;
  }
  get address(): string {
    return this.deps.addressOf(this.exchange.req as Request);
  }
  // A property, not a method: handlers take the context apart.
  readonly commit = (work: (sql: Sql) => Promise<Reply>): Promise<Reply> =>
    (this.claim ?? this.deps.idempotency).commit(work);
}

/** Runs a step whose errors are the exchange's. */
function guarded(x: Exchange, step: () => void): void {
  try {
    step();
  } catch (error) {
    x.fail(error);
  }
}

/** The Express handler of a route. Schemas are compiled here, once. @throws {Error} when a schema is not valid */
export function createHandler(deps: RouterDeps, route: Route, compile: Compile): RouteHandler {
  const prepared = prepare(route, compile);
  return (req, res) => {
    const x = new Exchange(deps, req, res, route.path);
    const enter = (): void => {
      checkRequest(x);
      if (route.access === 'none') {
        if (route.unlimited === true) receive(deps, prepared, x, undefined);
        else countPublic(deps, x, () => guarded(x, () => receive(deps, prepared, x, undefined)));
        return;
      }
      let key: Awaitable<AuthenticatedKey>;
      try {
        key = authenticate(deps, x);
      } catch (error) {
        return refuseUnknown(deps, x, error);
      }
      proceed(
        x,
        key,
        (known) => guarded(x, () => admit(deps, prepared, x, known)),
        (error) => guarded(x, () => refuseUnknown(deps, x, error)),
      );
    };
    x.begin(() => guarded(x, enter));
  };
}

/** Access and, unless the cost depends on the body, the rate limit. */
function admit(deps: RouterDeps, prepared: CompiledRoute, x: Exchange, key: AuthenticatedKey): void {
  const { route } = prepared;
  x.key = key;
  if (typeof route.access === 'object' && !permits(key, route.access)) {
    const needed = route.access.join(' or ');
    return countKey(deps, x, key, 1, () => x.fail(new ApiError('E1004', `The key lacks the scope ${needed}.`)));
  }
  if (route.cost !== undefined) return receive(deps, prepared, x, key);
  countKey(deps, x, key, 1, (refusal) => {
    if (refusal !== undefined) return x.fail(refusal);
    guarded(x, () => receive(deps, prepared, x, undefined));
  });
}

/**
 * Body, validation and what is left of the rate limit. `unpaid` is the key of a request whose cost its body tells:
 * a request that turns out to be bad costs one unit, and the limit is said before what was bad.
 */
function receive(deps: RouterDeps, prepared: CompiledRoute, x: Exchange, unpaid: AuthenticatedKey | undefined): void {
  const { route } = prepared;
  const bad = (error: unknown): void => {
    if (unpaid === undefined || !(error instanceof ApiError)) return x.fail(error);
    countKey(deps, x, unpaid, 1, (refusal) => x.fail(refusal ?? error));
  };
  const validated = (input: Input): void => {
    if (unpaid === undefined || route.cost === undefined) return run(deps, prepared, x, input);
    countKey(deps, x, unpaid, Math.max(1, Math.ceil(route.cost(input.body))), (refusal) => {
      if (refusal !== undefined) return x.fail(refusal);
      guarded(x, () => run(deps, prepared, x, input));
    });
  };
  if (prepared.body === undefined) {
    let input: Input;
    try {
      input = validate(prepared, x, undefined, 0);
    } catch (error) {
      return bad(error);
    }
    return validated(input);
  }
  try {
    checkContentType(x.req.headers);
  } catch (error) {
    return bad(error);
  }
  const waitedFromMs = deps.clock.monotonicMs();
  readBody(x.req, BODY_LIMIT_BYTES, (error, bytes) => {
    if (error !== undefined) return bad(error);
    let input: Input;
    try {
      input = validate(prepared, x, parseBody(bytes), bytes.length);
    } catch (problem) {
      return bad(problem);
    }
    guarded(x, () => stillValid(deps, x, waitedFromMs, () => guarded(x, () => validated(input))));
  });
}

/**
 * Looks at the key again when its body was long in coming: a client may send its headers, and the rest half a minute
 * later, and a key that is revoked or expires in between must have no effect any more. Costs a cached look-up.
 */
function stillValid(deps: RouterDeps, x: Exchange, waitedFromMs: number, next: () => void): void {
  if (x.key === undefined || deps.clock.monotonicMs() - waitedFromMs < KEY_BELIEVED_MS) return next();
  let key: Awaitable<AuthenticatedKey>;
  try {
    key = authenticate(deps, x);
  } catch (error) {
    return refuseUnknown(deps, x, error);
  }
  proceed(x, key, next, (error) => guarded(x, () => refuseUnknown(deps, x, error)));
}

function run(deps: RouterDeps, prepared: CompiledRoute, x: Exchange, input: Input): void {
  const { route } = prepared;
  if (route.idempotent === true && x.key !== undefined) {
    const idempotencyKey = readIdempotencyKey(x.req.headers['idempotency-key']);
    if (idempotencyKey !== undefined) {
      runOnce(deps, prepared, x, input, idempotencyKey, x.key).then(
        (reply) => x.answer(reply),
        (error: unknown) => x.fail(error),
      );
      return;
    }
  }
  proceed(
    x,
    route.handler(new Context(x, deps, input)),
    (reply) => x.answer(reply),
    (error) => x.fail(error),
  );
}

/** A stored reply as it is sent. */
function replayed({ kept, ...reply }: Reply): Reply {
  const content = kept === undefined ? {} : { body: kept };
  return { ...reply, ...content, headers: { ...reply.headers, 'idempotent-replayed': 'true' } };
}

/** A handler's run under an Idempotency-Key. A reply that was not committed leaves nothing behind. */
async function runOnce(
  deps: RouterDeps,
  prepared: CompiledRoute,
  x: Exchange,
  input: Input,
  idempotencyKey: string,
  key: AuthenticatedKey,
): Promise<Reply> {
  const begun = await deps.idempotency.begin({
    key,
    route: prepared.name,
    path: x.path,
    idempotencyKey,
    body: input.body,
  });
  if (begun.kind === 'replay')
    return replayed(await (prepared.route.again?.(begun.reply, key, x.requestId) ?? begun.reply));
  const { claim } = begun;
  try {
    return await prepared.route.handler(new Context(x, deps, input, idempotencyKey, claim));
  } finally {
    await claim.release();
  }
}
