// Requests that wait (`Prefer: wait=N`) until an intent, an approval or a proof is settled. A waiting request holds its connection and a
// few hundred bytes, and no database connection: one query answers for all of them, on each notification and once a second.
import { Gauge, type Registry } from 'prom-client';
import type { Awaited, ReadSettled } from './settled.ts';

/** `settled` or `late`: the time that was asked for was waited. `ended`: the client has gone, or the service stops. */
export type WaitEnd = 'settled' | 'late' | 'ended';

export interface Waits {
  /** Undefined when the request must not wait: too many do, or the service stops. */
  start(awaited: Awaited, seconds: number, signal: AbortSignal): Promise<WaitEnd> | undefined;
  /** Something may be settled: reads again. */
  check(): void;
  /** Ends all waits, so that their requests are answered, and accepts no more. */
  close(): void;
}

export interface WaitsDeps {
  readonly readSettled: ReadSettled;
  readonly onError: (error: unknown) => void;
  readonly registry: Registry;
  readonly options?: WaitOptions | undefined;
}

/** Tests change them. */
export interface WaitOptions {
  /** Requests that wait in this process. */
  readonly max?: number;
  /** Those of one organisation, so that it leaves room for others. */
  readonly maxOfOrganisation?: number;
  /** Time between reads without a notification: for those that were lost, and for approvals that expire. */
  readonly pollMs?: number;
}

interface Waiter {
  readonly awaited: Awaited;
  readonly end: (how: WaitEnd) => void;
}

export function createWaits({ readSettled, onError, registry, options = {} }: WaitsDeps): Waits {
  const { max = 2_000, maxOfOrganisation = 500, pollMs = 1_000 } = options;
  const waiters = new Set<Waiter>();
  let isClosed = false;
  let isReading = false;
  let isReadAgain = false;
  let poll: NodeJS.Timeout | undefined;

  new Gauge({
    name: 'custos_waiting_requests',
    help: 'Requests that wait for an intent, an approval or a proof (Prefer: wait)',
    registers: [registry],
    collect() {
      this.set(waiters.size);
    },
  });

  /** Reads until no check was requested during the last read: what was settled after a read began may be missing from it. */
  const read = async (): Promise<void> => {
    isReading = true;
    do {
      isReadAgain = false;
      const asked = [...waiters];
      const settled = asked.length === 0 ? [] : await readSettled(asked.map(({ awaited }) => awaited)).catch(failed);
      for (const place of settled) asked[place]?.end('settled');
    } while (isReadAgain);
    isReading = false;
  };
  const failed = (error: unknown): number[] => {
    onError(error);
    return [];
  };
  const check = (): void => {
    if (waiters.size === 0) return;
    isReadAgain = true;
    if (!isReading) void read();
  };

  const remove = (waiter: Waiter): void => {
    waiters.delete(waiter);
    if (waiters.size > 0) return;
    clearInterval(poll);
    poll = undefined;
  };

  const hasRoom = (organisationId: string): boolean => {
    if (waiters.size >= max) return false;
    let own = 0;
    for (const { awaited } of waiters) if (awaited.owner.organisationId === organisationId) own += 1;
    return own < maxOfOrganisation;
  };

  return {
    start(awaited, seconds, signal) {
      if (isClosed || !hasRoom(awaited.owner.organisationId)) return undefined;
      if (signal.aborted) return Promise.resolve('ended');
      return new Promise((resolve) => {
        const gone = (): void => waiter.end('ended');
        const timer = setTimeout(() => waiter.end('late'), seconds * 1_000);
        const waiter: Waiter = {
          awaited,
          end(how) {
            clearTimeout(timer);
            signal.removeEventListener('abort', gone);
            remove(waiter);
            resolve(how);
          },
        };
        signal.addEventListener('abort', gone, { once: true });
        waiters.add(waiter);
        poll ??= setInterval(check, pollMs);
        // It may have been settled between the read that the caller has done and now.
        check();
      });
    },
    check,
    close() {
      isClosed = true;
      for (const waiter of waiters) waiter.end('ended');
    },
  };
}
