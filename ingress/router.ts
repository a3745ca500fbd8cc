// The steps of a request, from the socket to the answer, in their order: one function for all routes, no middleware.
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { AuthenticatedKey } from '../shared/domain/keys/types.ts';
import { holdKey } from '../shared/domain/keys/hold.ts';
import { ApiError } from '../shared/kernel/errors.ts';
import { ownerOf } from '../shared/kernel/owner.ts';
import { createMoments, type Moment, type Moments } from '../shared/platform/db/moments.ts';
import { type AdmissionDeps, authenticate, limitPublic } from './request/authenticate.ts';
import { Exchange, type ExchangeDeps } from './request/exchange.ts';
import { type Claim, type Idempotency, type Last, readIdempotencyKey, type Work } from './request/idempotency.ts';
import { limitKey } from './request/limit.ts';
import { checkContentType, hasBody, parseBody, readBody } from './request/read.ts';
import type { Compile } from './request/schema.ts';
import { assertSingleHeaders, type CompiledRoute, compileRoute, type Input, validate } from './request/validate.ts';
import type { Reply, RequestContext, Route } from './route.ts';
import { answerAfterWait, type WaitDeps } from './waits/answer.ts';

export interface RouterDeps extends ExchangeDeps, AdmissionDeps, WaitDeps {
  readonly idempotency: Idempotency;
}

export type RouteHandler = (req: Request, res: Response) => void;

/**
 * A key is looked up again when its request's body arrived later than this after its headers. Small beside the second
 * within which a revocation must take effect.
 */
const KEY_TRUSTED_MS = 50;
/** A write is committed at once while its key was authenticated within this time; later the transaction looks at the key again. */
const KEY_WRITES_MS = 500;
/** The same for the answer: a process may have been frozen, or the machine may have slept, since. */
const ANSWERED_WITHIN_MS = 900;
/** Times that a late answer is looked at again. */
const MAX_LOOKS = 3;

/** The Express handler of a route. */
export function createHandler(deps: RouterDeps, route: Route, compile: Compile): RouteHandler {
  const compiled = compileRoute(route, compile);
  const moments = createMoments(deps.clock.monotonicMs);
  return (req, res) => {
    const x = new Exchange(deps, req, res, route.path, route.dialect === 'authzen');
    x.run(() => serve(deps, compiled, new Admission(deps, x, moments)));
  };
}

/** The key of one request, and how long ago it was authenticated. */
class Admission {
  readonly x: Exchange;
  private readonly deps: RouterDeps;
  private readonly moments: Moments;
  private at: Moment;
  private hasCommitted = false;

  constructor(deps: RouterDeps, x: Exchange, moments: Moments) {
    this.deps = deps;
    this.x = x;
    this.moments = moments;
    this.at = moments.now();
  }

  /** @throws {ApiError} those of Authenticate, and E3001 */
  async authenticate(): Promise<AuthenticatedKey> {
    const at = this.moments.now();
    this.x.key = await authenticate(this.deps, this.x);
    this.at = at;
    return this.x.key;
  }

  isOlder(ms: number): boolean {
    return this.moments.isOlder(this.at, ms);
  }

  lookAgain(): Promise<void> | undefined {
    return this.isOlder(KEY_WRITES_MS) ? this.authenticate().then(() => undefined) : undefined;
  }

  /** Commits, with the key held when it was authenticated long ago. */
  async commit(claim: Pick<Claim, 'commit'>, work: Work): Promise<Reply> {
    const { x, deps } = this;
    // Asked at the end of the transaction, which may take long.
    const last: Last = (sql) => {
      if (x.key !== undefined && this.isOlder(KEY_WRITES_MS)) return holdKey(sql, x.key.keyId, deps.clock.nowMs());
      return undefined;
    };
    const reply = await claim.commit(work, last);
    this.hasCommitted = reply.status < 400;
    return reply;
  }

  /**
   * The reply, if it may still be sent, or what `again` makes of it now, from one look to the next: what was refused once stays refused,
   * and needs no further look. Who has ended its own key gets it all the same.
   * @throws {ApiError} those of Authenticate and of `again`; E6002
   */
  async answer({ access, endsKeys }: Route, reply: Reply, again?: (shown: Reply) => Promise<Reply>): Promise<Reply> {
    if (this.x.key === undefined || access === 'none' || (endsKeys === true && this.hasCommitted)) return reply;
    let shown = reply;
    let { at } = this;
    for (let looks = 0; this.moments.isOlder(at, ANSWERED_WITHIN_MS); looks += 1) {
      if (looks === MAX_LOOKS)
        throw new ApiError('E6002', 'The answer took too long; the request may be repeated.', {
          headers: { 'retry-after': '1' },
        });
      at = this.moments.now();
      await this.authenticate();
      if (again !== undefined) shown = await again(shown);
    }
    return shown;
  }
}

/**
 * One request. Each step refuses it by throwing, and what is cheap comes before what is expensive: nothing is read from a
 * client that has no valid key or has used up its limit.
 */
async function serve(deps: RouterDeps, compiled: CompiledRoute, admission: Admission): Promise<Reply> {
  const { route } = compiled;
  const { x } = admission;
  assertSingleHeaders(x.req);

  // Authenticate, check the scope, and count against the limit of the key, or of the address without one.
  if (route.access === 'none') {
    if (route.unlimited !== true) await limitPublic(deps, x);
  } else {
    const key = await admission.authenticate();
    const isAllowed = mayUse(key, route);
    // What a key without the scope sends is not read, so it costs one unit.
    if (!isAllowed || route.cost === undefined) await limitKey(deps, x, key, 1);
    if (!isAllowed) throw lacksScope(route);
  }

  // Read and validate. When the body determines the cost, a bad request costs one unit, and an exceeded limit is
  // reported before what is bad.
  let input: Input;
  try {
    input = await readInput(compiled, x.req);
  } catch (error) {
    if (route.cost !== undefined && x.key !== undefined && error instanceof ApiError) await limitKey(deps, x, x.key, 1);
    throw error;
  }
  // A client may send its body half a minute after its headers: a key that was revoked meanwhile must have no effect.
  if (x.key !== undefined && admission.isOlder(KEY_TRUSTED_MS)) await admission.authenticate();
  if (route.cost !== undefined && x.key !== undefined)
    await limitKey(deps, x, x.key, Math.max(1, Math.ceil(route.cost(input.body))));

  // Run the handler, at most once under an Idempotency-Key. It commits its effect before it returns the answer.
  const idempotencyKey = route.idempotent === true ? readIdempotencyKey(x.req.headers['idempotency-key']) : undefined;
  if (idempotencyKey === undefined || x.key === undefined) {
    const handle = async (): Promise<Reply> =>
      answerWith(route, admission, await route.handler(contextOf(deps, admission, input)));
    if (route.wait === undefined || x.key === undefined) return handle();
    // The key may be revoked during the wait.
    const admit = async (): Promise<void> => {
      if (!mayUse(await admission.authenticate(), route)) throw lacksScope(route);
    };
    return answerAfterWait(deps.waits, {
      x,
      wait: route.wait,
      params: input.params,
      owner: ownerOf(x.key),
      handle,
      admit,
    });
  }
  const reply = await runOnce(deps, route, admission, input, { idempotencyKey, key: x.key });
  // So that a caller can tell the answer to its own request from an earlier one that a proxy repeats, whatever the proxy makes of X-Request-Id.
  return { ...reply, headers: { ...reply.headers, 'idempotency-key': idempotencyKey } };
}

function mayUse({ scopes }: AuthenticatedKey, { access }: Route): boolean {
  return typeof access === 'string' || scopes.has('admin:*') || access.some((scope) => scopes.has(scope));
}

function lacksScope({ access }: Route): ApiError {
  return new ApiError('E1004', `The key lacks the scope ${typeof access === 'string' ? access : access.join(' or ')}.`);
}

/** Reads the body, if the route has one, and validates the request. */
async function readInput(compiled: CompiledRoute, req: Request): Promise<Input> {
  const isLeftOut = compiled.route.request?.bodyOptional === true && !hasBody(req);
  if (compiled.body === undefined || isLeftOut) return validate({ ...compiled, body: undefined }, req, undefined, 0);
  try {
    checkContentType(req.headers);
  } catch (error) {
    if (compiled.route.dialect === 'authzen' && error instanceof ApiError) throw new ApiError('E2001', error.message);
    throw error;
  }
  const { unparsedUpTo, upTo } = compiled.route.request ?? {};
  const bytes = await readBody(req, unparsedUpTo ?? upTo);
  // The handler validates it.
  if (unparsedUpTo !== undefined)
    return { ...validate({ ...compiled, body: undefined }, req, undefined, 0), body: bytes };
  return validate(compiled, req, parseBody(bytes), bytes.length);
}

function contextOf(
  deps: RouterDeps,
  admission: Admission,
  input: Input,
  once?: { readonly idempotencyKey: string; readonly claim: Claim },
): RequestContext<unknown, unknown, unknown> {
  const { claim = deps.idempotency } = once ?? {};
  const { x } = admission;
  return {
    requestId: x.requestId,
    traceparent: x.traceparent,
    // Absent only on routes with access `none`, whose handlers do not read it (see RequestContext).
    key: x.key as AuthenticatedKey,
    params: input.params,
    query: input.query,
    body: input.body,
    headers: x.req.headers,
    path: x.path,
    address: deps.addressOf(x.req),
    idempotencyKey: once?.idempotencyKey,
    earlier: once?.claim.earlier,
    commit: (work) => admission.commit(claim, work),
    lookAgain: () => admission.lookAgain(),
  };
}

/** Runs the handler under an Idempotency-Key, or replays its stored reply. A reply that was not committed leaves nothing behind. */
async function runOnce(
  deps: RouterDeps,
  route: Route,
  admission: Admission,
  input: Input,
  { idempotencyKey, key }: { readonly idempotencyKey: string; readonly key: AuthenticatedKey },
): Promise<Reply> {
  const { x } = admission;
  const name = `${route.method} ${route.path}`;
  const begun = await deps.idempotency.begin({
    key,
    route: name,
    path: x.path,
    idempotencyKey,
    body: comparable(input.body),
  });
  if (begun.kind === 'replay') {
    const { again } = route;
    if (again === undefined) return admission.answer(route, replayed(begun.reply, begun.reply.kept));
    const now = (shown: Reply): Promise<Reply> => again(shown, key, x.requestId);
    return replayed(await admission.answer(route, await now(begun.reply), now));
  }
  const { claim } = begun;
  try {
    return await answerWith(
      route,
      admission,
      await route.handler(contextOf(deps, admission, input, { idempotencyKey, claim })),
    );
  } finally {
    await claim.release();
  }
}

function answerWith(route: Route, admission: Admission, reply: Reply): Promise<Reply> {
  const { again } = route;
  const { key, requestId } = admission.x;
  const later = again === undefined || key === undefined ? undefined : (shown: Reply) => again(shown, key, requestId);
  return admission.answer(route, reply, later);
}

/** Bytes that the handler parses are compared by their digest. */
function comparable(body: unknown): unknown {
  return Buffer.isBuffer(body) ? createHash('sha256').update(body).digest('hex') : body;
}

/** A stored reply as it is sent, with the body that was stored instead of its own. */
function replayed(reply: Reply, body?: unknown): Reply {
  const content = body === undefined ? {} : { body };
  return { ...reply, ...content, headers: { ...reply.headers, 'idempotent-replayed': 'true' } };
}
