// Refuses what exceeds a rate limit: requests count by their key, and by the client's address when they show no valid key.
import type { Request } from 'express';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { Exchange } from './exchange.ts';

/** The state of a limit after one request. */
export interface LimitAnswer {
  readonly allowed: boolean;
  /** Whole seconds, at least 1 when not allowed; 0 otherwise. */
  readonly retryAfterSeconds: number;
  /** Sent with every answer, refused or not: `RateLimit-Policy` and `RateLimit` (none for anonymous requests). */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Limiter {
  /** Takes `cost` units (1 or more, at most the burst counts) from a key's windows. */
  consume(key: AuthenticatedKey, cost: number): LimitAnswer | Promise<LimitAnswer>;
  /** Takes one unit from a client address that has shown no valid key. */
  consumeAnonymous(address: string): LimitAnswer | Promise<LimitAnswer>;
  /**
   * Whether the address has room, without taking from it. Checked before a key is looked up, so that a flood of wrong
   * keys costs little; the unit is taken (consumeAnonymous) once the key has proven to be missing or wrong.
   */
  peekAnonymous(address: string): LimitAnswer;
}

export interface LimitDeps {
  readonly limiter: Limiter;
  /** The client address by which requests without a key are counted. */
  readonly addressOf: (req: Request) => string;
}

/** @throws {ApiError} E3001 unless the request was let through */
export function assertAllowed({ allowed, retryAfterSeconds }: LimitAnswer): void {
  if (allowed) return;
  const seconds = Math.max(1, retryAfterSeconds);
  throw new ApiError('E3001', `The rate limit is exceeded; retry in ${seconds} second${seconds === 1 ? '' : 's'}.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

/** Counts a request by its client's address. @throws {ApiError} E3001 */
export async function limitAddress({ limiter, addressOf }: LimitDeps, x: Exchange): Promise<void> {
  assertAllowed(await limiter.consumeAnonymous(addressOf(x.req)));
}

/** Counts a request by its key; the answer will carry the limit's headers. @throws {ApiError} E3001 */
export async function limitKey(
  { limiter }: LimitDeps,
  x: Exchange,
  key: AuthenticatedKey,
  cost: number,
): Promise<void> {
  const answer = await limiter.consume(key, cost);
  x.limitHeaders = answer.headers;
  assertAllowed(answer);
}
