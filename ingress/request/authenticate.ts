// Who a request is from, and what it may still ask: keys, rate limits, client addresses.
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import { createOperatorCheck } from '../../shared/domain/keys/operator.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import type { Authenticate, Awaitable, LimitAnswer, Limiter } from '../ports.ts';
import type { Exchange } from './exchange.ts';

export interface AdmissionDeps {
  readonly authenticate: Authenticate;
  readonly limiter: Limiter;
  /** The address that requests without a key are counted by. */
  readonly addressOf: (req: Request) => string;
}

/** Codes that say a request showed no valid key: they count against its address. */
const NO_KEY_CODES = new Set(['E1001', 'E1002', 'E1003']);

/** Calls on with a value that may be there already. What `next` throws is thrown on, or fails the exchange when there was a wait. */
export function proceed<T>(
  x: Exchange,
  value: Awaitable<T>,
  next: (value: T) => void,
  fail: (error: unknown) => void,
): void {
  if (value instanceof Promise) value.then(next, fail).catch((error: unknown) => x.fail(error));
  else next(value);
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

/** Counts a request by its client's address and calls on, or refuses it with E3001. */
function countAddress(deps: AdmissionDeps, x: Exchange, next: () => void): void {
  const { limiter, addressOf } = deps;
  proceed(
    x,
    limiter.consumeAnonymous(addressOf(x.req as Request)),
    (answer) => (answer.allowed ? next() : x.fail(tooMany(answer))),
    (error) => x.fail(error),
  );
}

/** Counts a request by its key; `next` learns whether there is room. The headers go out with every answer from here on. */
export function countKey(
  deps: AdmissionDeps,
  x: Exchange,
  key: AuthenticatedKey,
  cost: number,
  next: (refusal: ApiError | undefined) => void,
): void {
  proceed(
    x,
    deps.limiter.consume(key, cost),
    (answer) => {
      x.limitHeaders = answer.headers;
      next(answer.allowed ? undefined : tooMany(answer));
    },
    (error) => x.fail(error),
  );
}

export function authenticate(deps: AdmissionDeps, x: Exchange): Awaitable<AuthenticatedKey> {
  return deps.authenticate(x.req.headers, () => {
    const room = deps.limiter.peekAnonymous(deps.addressOf(x.req as Request));
    if (!room.allowed) throw tooMany(room);
  });
}

/**
 * For what needs no key (public routes, unknown paths): a request that shows a valid key is counted by it, any other
 * by its address. Two different keys are refused here too.
 */
export function countPublic(deps: AdmissionDeps, x: Exchange, next: () => void): void {
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
  proceed(x, key, known, unknown);
}

/** The answer to a request without a valid key: its address pays, and a request too many is told so. */
export function refuseUnknown(deps: AdmissionDeps, x: Exchange, error: unknown): void {
  if (error instanceof ApiError && (NO_KEY_CODES.has(error.code) || error.code === 'E2001'))
    countAddress(deps, x, () => x.fail(error));
  else x.fail(error);
}

/**
 * Checks what every HTTP/1.1 request must have, exactly one Host (RFC 9112 section 3.2); node:http would answer without a
 * problem document, and takes the first of several. @throws {ApiError} E2001
 */
export function checkRequest(x: Exchange): void {
  const { headers, rawHeaders, httpVersionMajor, httpVersionMinor } = x.req;
  let message: string | undefined;
  if (headers.host === undefined) {
    if (httpVersionMajor === 1 && httpVersionMinor === 1) message = 'the header Host is required';
  } else if (hostsIn(rawHeaders) > 1) message = 'the header Host must come once';
  if (message === undefined) return;
  throw new ApiError('E2001', `T${message.slice(1)}.`, { errors: [{ pointer: '', message }] });
}

function hostsIn(rawHeaders: readonly string[]): number {
  let count = 0;
  // Names and values take turns.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/**
 * Whether headers show a key of the operator, for pages that tell strangers less. A key that is not the operator's counts
 * against its address, and once that has no room left, none is looked up.
 */
export function operatorCheck({
  authenticate,
  limiter,
}: Pick<AdmissionDeps, 'authenticate' | 'limiter'>): (
  headers: IncomingHttpHeaders,
  address: string,
) => Promise<boolean> {
  const check = createOperatorCheck(authenticate);
  return async (headers, address) => {
    const lookedUp = { key: false };
    const isOperator = await check(headers, () => {
      const room = limiter.peekAnonymous(address);
      if (!room.allowed) throw tooMany(room);
      lookedUp.key = true;
    });
    if (!isOperator && lookedUp.key) await limiter.consumeAnonymous(address);
    return isOperator;
  };
}
