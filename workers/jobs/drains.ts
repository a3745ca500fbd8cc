// Work that waits in rows of a table: a job carries out all that waits under its key. It then stays for further wake-ups, which this
// process's relay gives to it directly, so that under load a queue has a job every ten seconds instead of one for each wake-up.
import { setTimeout as delay } from 'node:timers/promises';
import type { QueueName } from '../../shared/kernel/jobs.ts';

export interface Drain {
  readonly queue: QueueName;
  /** As in the definition of its job: the parts that tell two wake-ups apart. */
  readonly key: readonly string[];
  /** From the beginning of a pass to that of the next one, at least, unless something is left. */
  readonly everyMs: number;
  /** Carries out what waits; ends after a bounded time. @returns whether it has left something */
  pass(): Promise<boolean>;
  /** Queues the next job for this key. */
  again(): Promise<void>;
}

export interface Drains {
  /** Runs a drain. If one with its key runs in this process, that one is woken instead. @throws what a pass throws */
  run(drain: Drain): Promise<void>;
  /**
   * Wakes the running drain with this key: it has a pass that begins after this call, or queues a job.
   * @returns false: none runs
   */
  wake(queue: QueueName, key: readonly string[]): boolean;
  /** Ends each drain after its pass. */
  close(): void;
}

interface Running {
  isWoken: boolean;
  /** Ends the wait for a wake-up, also when the process closes. */
  readonly woken: AbortController;
}

/** Longer than two passes of the relay. */
const IDLE_MS = 150;
/** Wake-ups wait for some 100 ms when a drain has ended and its next job has not begun: one in a hundred, as long as drains stay for ten seconds. */
const STAY_MS = 10_000;

const idOf = (queue: QueueName, key: readonly string[]): string => JSON.stringify([queue, ...key]);

/**
 * @param times.stayMs how long a drain stays; what comes later is for another job. 0: it ends after its pass
 * @param times.idleMs how long it waits for a wake-up
 */
export function createDrains({ stayMs = STAY_MS, idleMs = IDLE_MS } = {}): Drains {
  const running = new Map<string, Running>();
  /** Queues with a drain that stays. A second one would take a place from the jobs of other keys. */
  const staying = new Set<QueueName>();
  const stop = new AbortController();

  const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
    if (ms > 0) await delay(ms, undefined, { signal }).catch(() => undefined);
  };

  const wake: Drains['wake'] = (queue, key) => {
    const run = running.get(idOf(queue, key));
    if (run === undefined) return false;
    run.isWoken = true;
    run.woken.abort();
    return true;
  };

  return {
    wake,
    async run(drain) {
      const { queue, key, everyMs } = drain;
      if (wake(queue, key)) return;
      const id = idOf(queue, key);
      const stays = stayMs > 0 && !staying.has(queue);
      if (stays) staying.add(queue);
      const endMs = performance.now() + stayMs;
      let isLeft: boolean;
      try {
        do {
          const startedMs = performance.now();
          const run: Running = { isWoken: false, woken: new AbortController() };
          running.set(id, run);
          isLeft = await drain.pass();
          if (stays && !isLeft) {
            await pause(startedMs + everyMs - performance.now(), stop.signal);
            if (!run.isWoken && !stop.signal.aborted) await pause(idleMs, run.woken.signal);
          }
          // From here to the next pass, or to the end of the drain, nothing else runs, so that no wake-up is lost.
          isLeft ||= run.isWoken;
        } while (stays && isLeft && performance.now() < endMs && !stop.signal.aborted);
      } finally {
        running.delete(id);
        if (stays) staying.delete(queue);
      }
      if (isLeft) await drain.again();
    },
    close() {
      stop.abort();
      for (const run of running.values()) run.woken.abort();
    },
  };
}
