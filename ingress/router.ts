// The way of one request: key, access, rate limit, body, validation, handler, answer. One function per route, no middleware.
import type { NextFunction, Request, Response } from 'express';
import type { TSchema } from 'typebox';
import type { Sql } from '../shared/db/database.ts';
import { ApiError, type FieldError } from '../shared/errors.ts';
import type { AuthenticatedKey } from '../shared/keys/types.ts';
import type { Scope } from '../shared/vocabulary.ts';
import { BODY_LIMIT_BYTES, checkContentType, parseBody, readBody } from './body.ts';
import { type Claim, type Idempotency, readIdempotencyKey } from './idempotency.ts';
import { Exchange, type ExchangeDeps } from './middleware/exchange.ts';
import { fieldErrors, MAX_FIELD_ERRORS } from './middleware/field-errors.ts';
import { coerceParameters, parseQuery } from './middleware/query.ts';
import { type Compile, plainSchema, type Validator } from './middleware/schema.ts';
import type { Authenticate, Awaitable, LimitAnswer, Limiter } from './ports.ts';
import type { Reply, RequestContext, Route } from './route.ts';

export interface RouterDeps extends ExchangeDeps {
  readonly authenticate: Authenticate;
  readonly limiter: Limiter;
  readonly idempotency: Idempotency;
  /** The address that requests without a key are counted by. */
  readonly addressOf: (req: Request) => string;
}

export type RouteHandler = (req: Request, res: Response, next: NextFunction) => void;

type Plain = Readonly<Record<string, unknown>>;

interface Part {
  readonly validator: Validator;
  readonly properties: Plain;
}

/** A route with everything compiled that can be. */
interface Prepared {
  readonly route: Route;
  /** Method and path template. */
  readonly name: string;
  readonly params: Part | undefined;
  readonly query: Part | undefined;
  readonly body: Validator | undefined;
}

/** Above this size only the first error of a body is looked for: all errors of a large array are a way to eat memory. */
const THOROUGH_LIMIT_BYTES = 65_536;
/** Codes that say a request showed no valid key: they count against its address. */
const NO_KEY_CODES = new Set(['E1001', 'E1002', 'E1003']);

const NO_MEMBERS = Object.freeze({});

function part(compile: Compile, schema: TSchema | undefined): Part | undefined {
  if (schema === undefined) return undefined;
  return { validator: compile(schema), properties: (plainSchema(schema)['properties'] ?? {}) as Plain };
}

/** Calls on with a value that may be there already. What `next` throws is thrown on, or fails the exchange when there was a wait. */
function then<T>(x: Exchange, value: Awaitable<T>, next: (value: T) => void, fail: (error: unknown) => void): void {
  if (value instanceof Promise) value.then(next, fail).catch((error: unknown) => x.fail(error));
  else next(value);
}

function permits(key: AuthenticatedKey, access: readonly Scope[]): boolean {
  return key.scopes.has('admin:*') || access.some((scope) => key.scopes.has(scope));
}

function tooMany(answer: LimitAnswer): ApiError {
  const seconds = Math.max(1, answer.retryAfterSeconds);
  return new ApiError(
    'E3001',
    `The rate limit is exceeded; come back in ${seconds} second${seconds === 1 ? '' : 's'}.`,
    {
      headers: { 'retry-after': String(seconds) },
    },
  );
}

class Context implements RequestContext<unknown, unknown, unknown> {
  readonly key: AuthenticatedKey;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  private readonly exchange: Exchange;
  private readonly idempotency: Idempotency;
  private readonly claim: Claim | undefined;

  constructor(exchange: Exchange, idempotency: Idempotency, input: Input, idempotencyKey?: string, claim?: Claim) {
    this.exchange = exchange;
    this.idempotency = idempotency;
    // Absent only on routes with access `none`, whose handlers do not read it (see RequestContext).
    this.key = exchange.key as AuthenticatedKey;
    this.params = input.params;
    this.query = input.query;
    this.body = input.body;
    this.idempotencyKey = idempotencyKey;
    this.claim = claim;
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
  // A property, not a method: handlers take the context apart.
  readonly commit = (work: (sql: Sql) => Promise<Reply>): Promise<Reply> =>
    (this.claim ?? this.idempotency).commit(work);
}

interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Counts a request by its client's address and calls on, or refuses it with E3001. */
function countAddress(deps: RouterDeps, x: Exchange, next: () => void): void {
  const { limiter, addressOf } = deps;
  then(
    x,
    limiter.consumeAnonymous(addressOf(x.req as Request)),
    (answer) => (answer.allowed ? next() : x.fail(tooMany(answer))),
    (error) => x.fail(error),
  );
}

/** Counts a request by its key; `next` learns whether there is room. The headers go out with every answer from here on. */
function countKey(
  deps: RouterDeps,
  x: Exchange,
  key: AuthenticatedKey,
  cost: number,
  next: (refusal: ApiError | undefined) => void,
): void {
  then(
    x,
    deps.limiter.consume(key, cost),
    (answer) => {
      x.limitHeaders = answer.headers;
      next(answer.allowed ? undefined : tooMany(answer));
    },
    (error) => x.fail(error),
  );
}

function authenticate(deps: RouterDeps, x: Exchange): Awaitable<AuthenticatedKey> {
  return deps.authenticate(x.req.headers, () => {
    const room = deps.limiter.peekAnonymous(deps.addressOf(x.req as Request));
    if (!room.allowed) throw tooMany(room);
  });
}

/**
 * For what needs no key (public routes, unknown paths): a request that shows a valid key is counted by it, any other
 * by its address. Two different keys are refused here too.
 */
export function countPublic(deps: RouterDeps, x: Exchange, next: () => void): void {
  const { headers } = x.req;
  if (headers.authorization === undefined && headers['x-api-key'] === undefined) return countAddress(deps, x, next);
  const known = (key: AuthenticatedKey): void => {
    x.key = key;
    countKey(deps, x, key, 1, (refusal) => (refusal === undefined ? next() : x.fail(refusal)));
  };
  const unknown = (error: unknown): void => {
    if (error instanceof ApiError && (error.code === 'E2001' || error.code === 'E3001'))
      return refuseUnknown(deps, x, error);
    countAddress(deps, x, next);
  };
  let key: Awaitable<AuthenticatedKey>;
  try {
    key = authenticate(deps, x);
  } catch (error) {
    return unknown(error);
  }
  then(x, key, known, unknown);
}

/** The answer to a request without a valid key: its address pays, and a request too many is told so. */
function refuseUnknown(deps: RouterDeps, x: Exchange, error: unknown): void {
  if (error instanceof ApiError && (NO_KEY_CODES.has(error.code) || error.code === 'E2001'))
    countAddress(deps, x, () => x.fail(error));
  else x.fail(error);
}

/** Runs a step whose errors are the exchange's. */
function guarded(x: Exchange, step: () => void): void {
  try {
    step();
  } catch (error) {
    x.fail(error);
  }
}

/** Checks what every HTTP/1.1 request must have; node:http would answer without a problem document. @throws {ApiError} E2001 */
export function checkRequest(x: Exchange): void {
  if (x.req.headers.host === undefined && x.req.httpVersionMajor === 1 && x.req.httpVersionMinor === 1) {
    throw new ApiError('E2001', 'The header Host is missing.', {
      errors: [{ pointer: '', message: 'the header Host is required' }],
    });
  }
}

/** The Express handler of a route. Schemas are compiled here, once. @throws {Error} when a schema is not valid */
export function createHandler(deps: RouterDeps, route: Route, compile: Compile): RouteHandler {
  const prepared: Prepared = {
    route,
    name: `${route.method} ${route.path}`,
    params: part(compile, route.request.params),
    query: part(compile, route.request.query),
    body: route.request.body === undefined ? undefined : compile(route.request.body),
  };
  return (req, res) => {
    const x = new Exchange(deps, req, res, route.path);
    guarded(x, () => {
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
      then(
        x,
        key,
        (known) => guarded(x, () => admit(deps, prepared, x, known)),
        (error) => guarded(x, () => refuseUnknown(deps, x, error)),
      );
    });
  };
}

/** Access and, unless the cost depends on the body, the rate limit. */
function admit(deps: RouterDeps, prepared: Prepared, x: Exchange, key: AuthenticatedKey): void {
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
function receive(deps: RouterDeps, prepared: Prepared, x: Exchange, unpaid: AuthenticatedKey | undefined): void {
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
  readBody(x.req, BODY_LIMIT_BYTES, (error, bytes) => {
    if (error !== undefined) return bad(error);
    let input: Input;
    try {
      input = validate(prepared, x, parseBody(bytes), bytes.length);
    } catch (problem) {
      return bad(problem);
    }
    guarded(x, () => validated(input));
  });
}

/** Parameters and body under their schemas. @throws {ApiError} E2001 with at most 20 field errors */
function validate(prepared: Prepared, x: Exchange, body: unknown, bodyBytes: number): Input {
  const errors: FieldError[] = [];
  const req = x.req as Request;
  let params: unknown = NO_MEMBERS;
  if (prepared.params !== undefined) {
    // Express types parameters as strings or lists; lists come from wildcards, which no route has.
    const given = req.params as Record<string, string>;
    for (const name in given)
      if (given[name]?.includes('\u0000'))
        errors.push({ pointer: `{${name}}`, message: 'must not contain the character U+0000' });
    params = coerceParameters(given, prepared.params.properties);
    if (!prepared.params.validator.valid(params)) {
      errors.push(...fieldErrors(prepared.params.validator.explain(params, true), (p) => `{${p.slice(1)}}`));
    }
  }
  let query: unknown = NO_MEMBERS;
  const url = req.url;
  const at = url.indexOf('?');
  if (at !== -1 || prepared.query !== undefined) {
    const given = at === -1 ? {} : parseQuery(url.slice(at + 1));
    if (prepared.query === undefined) {
      errors.push(...Object.keys(given).map((name) => ({ pointer: `?${name}`, message: 'is not known here' })));
    } else {
      query = coerceParameters(given, prepared.query.properties);
      if (!prepared.query.validator.valid(query)) {
        errors.push(...fieldErrors(prepared.query.validator.explain(query, true), (p) => `?${p.slice(1)}`));
      }
    }
  }
  if (prepared.body !== undefined && !prepared.body.valid(body)) {
    errors.push(...fieldErrors(prepared.body.explain(body, bodyBytes <= THOROUGH_LIMIT_BYTES)));
  }
  if (errors.length > 0) {
    const [first] = errors;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    throw new ApiError('E2001', `The request is invalid: ${first?.pointer || 'the body'} ${first?.message}${more}.`, {
      errors: errors.slice(0, MAX_FIELD_ERRORS),
    });
  }
  return { params, query, body };
}

function run(deps: RouterDeps, prepared: Prepared, x: Exchange, input: Input): void {
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
  then(
    x,
    route.handler(new Context(x, deps.idempotency, input)),
    (reply) => x.answer(reply),
    (error) => x.fail(error),
  );
}

/** A handler's run under an Idempotency-Key. A reply that was not committed leaves nothing behind. */
async function runOnce(
  deps: RouterDeps,
  prepared: Prepared,
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
  if (begun.kind === 'replay') return begun.reply;
  const { claim } = begun;
  try {
    return await prepared.route.handler(new Context(x, deps.idempotency, input, idempotencyKey, claim));
  } finally {
    await claim.release();
  }
}
