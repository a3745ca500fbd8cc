// Answers a GET with `Prefer: wait=N` (RFC 7240): with the present state when it is settled, else after the wait.
import type { Owner } from '../../shared/kernel/owner.ts';
import { memberOf } from '../../shared/kernel/json.ts';
import type { Exchange } from '../request/exchange.ts';
import { ClientGone } from '../request/read.ts';
import type { Reply, Route } from '../route.ts';
import { preferredWaitSeconds } from './prefer.ts';
import type { WaitEnd, Waits } from './waits.ts';

export interface WaitDeps {
  readonly waits: Waits;
}

export interface WaitingRequest {
  readonly x: Exchange;
  readonly wait: NonNullable<Route['wait']>;
  /** With the member `id`. */
  readonly params: unknown;
  readonly owner: Owner;
  /** Reads the present state. @throws {ApiError} when the caller may not see it */
  readonly handle: () => Promise<Reply>;
  /** Checks the key again. @throws {ApiError} */
  readonly admit: () => Promise<void>;
}

/**
 * `Preference-Applied` is sent only when the caller waited as long as it asked, or got what it waits for. A client that does not get it
 * has to pause before it asks again.
 */
export async function answerAfterWait(waits: Waits, request: WaitingRequest): Promise<Reply> {
  const { x, wait, params, owner, handle, admit } = request;
  const seconds = preferredWaitSeconds(x.req.headers.prefer);
  const now = varying(await handle());
  if (seconds === undefined) return now;
  if (wait.isSettled(now)) return applied(now, seconds);
  const gone = new AbortController();
  const onClose = (): void => gone.abort();
  x.res.once('close', onClose);
  // It may have gone during the read above; then there is no further event.
  if (x.req.socket.destroyed) gone.abort();
  const startedMs = x.monotonicMs();
  let end: WaitEnd | undefined;
  try {
    const id = String(memberOf(params, 'id'));
    end = await waits.start({ kind: wait.kind, owner, id }, seconds, gone.signal);
  } finally {
    x.res.off('close', onClose);
    x.waitedMs += x.monotonicMs() - startedMs;
  }
  if (gone.signal.aborted) throw new ClientGone();
  if (end === undefined) return now;
  await admit();
  const then = varying(await handle());
  return end === 'ended' ? then : applied(then, seconds);
}

function varying(reply: Reply): Reply {
  const { vary } = reply.headers ?? {};
  return { ...reply, headers: { ...reply.headers, vary: vary === undefined ? 'Prefer' : `${vary}, Prefer` } };
}

function applied(reply: Reply, seconds: number): Reply {
  return { ...reply, headers: { ...reply.headers, 'preference-applied': `wait=${seconds}` } };
}
