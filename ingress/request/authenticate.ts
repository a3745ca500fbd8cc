// Finds the key that a request shows, and counts requests without a valid key against the client's address.
import type { IncomingHttpHeaders } from 'node:http';
import { createOperatorCheck } from '../../shared/domain/keys/operator.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { Exchange } from './exchange.ts';
import { assertAllowed, type LimitDeps, limitAddress, limitKey } from './limit.ts';

/**
 * The key of a request, from `authorization` (Bearer) or `x-api-key`. Throws, or rejects with, ApiError E2001 (both
 * headers, with different keys), E1001 (missing), E1002 (invalid, revoked), E1003 (expired) or E6002. It must call
 * `beforeLookUp` before a query; that throws E3001 when the client's address has shown too many bad keys. A cached key
 * needs no query, so a bad neighbour behind the same address does not lock its owner out.
 */
export type Authenticate = (
  headers: IncomingHttpHeaders,
  beforeLookUp: () => void,
) => AuthenticatedKey | Promise<AuthenticatedKey>;

export interface AdmissionDeps extends LimitDeps {
  readonly authenticate: Authenticate;
}

/** Codes of a request without a valid key: it counts against the client's address. */
const COUNTED_CODES: ReadonlySet<string> = new Set(['E1001', 'E1002', 'E1003', 'E2001']);

function hasCode(error: unknown, codes: ReadonlySet<string>): boolean {
  return error instanceof ApiError && codes.has(error.code);
}

/** The key of a request. @throws {ApiError} those of Authenticate, and E3001 instead when the address has no room left */
export async function authenticate(deps: AdmissionDeps, x: Exchange): Promise<AuthenticatedKey> {
  try {
    return await deps.authenticate(x.req.headers, () =>
      assertAllowed(deps.limiter.peekAnonymous(deps.addressOf(x.req))),
    );
  } catch (error) {
    if (hasCode(error, COUNTED_CODES)) await limitAddress(deps, x);
    throw error;
  }
}

const REFUSED_ANYWAY: ReadonlySet<string> = new Set(['E2001', 'E3001']);

/**
 * For requests that need no key (public routes, unknown paths): counts one that shows a valid key by it, any other by its
 * address. Two different keys are refused here too. @throws {ApiError} E2001, E3001
 */
export async function limitPublic(deps: AdmissionDeps, x: Exchange): Promise<void> {
  const { headers } = x.req;
  if (headers.authorization === undefined && headers['x-api-key'] === undefined) return limitAddress(deps, x);
  try {
    x.key = await authenticate(deps, x);
  } catch (error) {
    if (hasCode(error, REFUSED_ANYWAY)) throw error;
    if (!hasCode(error, COUNTED_CODES)) await limitAddress(deps, x);
    return;
  }
  await limitKey(deps, x, x.key, 1);
}

/**
 * Whether headers show a key of the operator; /ready shows others fewer details. A key that is not the operator's counts
 * against its address, and once the address has no room left, none is looked up.
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
    let isLookedUp = false;
    const isOperator = await check(headers, () => {
      assertAllowed(limiter.peekAnonymous(address));
      isLookedUp = true;
    });
    if (!isOperator && isLookedUp) await limiter.consumeAnonymous(address);
    return isOperator;
  };
}
