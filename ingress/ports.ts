// What the HTTP edge asks of others: small interfaces that keys, limits and readiness implement, and tests replace.
import type { IncomingHttpHeaders } from 'node:http';
import type { AuthenticatedKey } from '../shared/domain/keys/types.ts';

/** A result that is there at once on the hot path (cached) and a promise otherwise. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Whose key a request carries. Reads `authorization` (Bearer) and `x-api-key`; both present and different: E2001.
 * Refuses by throwing, or by rejecting: ApiError E1001 (missing), E1002 (invalid, revoked), E1003 (expired), E6002.
 * `beforeLookUp` is to be called before anything that costs (a query): it throws E3001 when the client's address has
 * shown too many bad keys. A key that is cached is not asked about, so a bad neighbour behind the same address does not
 * lock it out.
 */
export type Authenticate = (headers: IncomingHttpHeaders, beforeLookUp: () => void) => Awaitable<AuthenticatedKey>;

/** What a limiter says about one request. */
export interface LimitAnswer {
  readonly allowed: boolean;
  /** Whole seconds, at least 1 when not allowed; 0 otherwise. */
  readonly retryAfterSeconds: number;
  /** Sent with the answer whatever it is: `RateLimit-Policy` and `RateLimit` (none for anonymous requests). */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Limiter {
  /** Takes `cost` units (1 or more, at most the burst counts) from a key's windows. */
  consume(key: AuthenticatedKey, cost: number): Awaitable<LimitAnswer>;
  /** Takes one unit from a client address that has shown no valid key. */
  consumeAnonymous(address: string): Awaitable<LimitAnswer>;
  /**
   * Whether the address has room, without taking from it: asked before a key is looked up, so that a flood of
   * wrong keys costs little. The unit is taken (consumeAnonymous) once the key has proven to be missing or wrong.
   */
  peekAnonymous(address: string): LimitAnswer;
}

/** One thing that /ready asks about. */
export interface ReadinessCheck {
  readonly name: string;
  /** `critical` (default): not ready when down. `degraded`: listed, and the service stays ready. */
  readonly severity?: 'critical' | 'degraded';
  check(): Promise<{ readonly ok: boolean; readonly detail?: string }>;
}

/** The part of a pino logger that the edge uses; values are logged with the message, never a key or a body. */
export interface EdgeLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Wall clock and monotonic clock, both in milliseconds. */
export interface EdgeClock {
  nowMs(): number;
  monotonicMs(): number;
}
