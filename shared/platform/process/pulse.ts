// Starts the thread that sends this process's heartbeats (pulse-thread.ts), and shows it that the event loop turns.
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ApartOptions, Beat } from './heartbeat.ts';

/** The thread takes 70 ms of processor time to start, which would delay the start of the service. */
const START_AFTER_MS = 2_000;
const TURN_MS = 250;
/** Time for the heartbeat that is being sent. A later one would insert the row again that the end of the process deletes. */
const CLOSE_TIMEOUT_MS = 1_000;
/** The thread needs little memory, and V8 would reserve much. */
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 };

export interface PulseOptions extends ApartOptions {
  readonly beat: Beat;
  /** Called when the thread has sent its first heartbeat. */
  readonly onFirst: () => void;
  /** Called when the thread ended, which it does only after an error. */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
}

/** The data of the thread. */
export interface PulseData extends ApartOptions {
  readonly beat: Beat;
  /** One Int32: turns of the main thread's event loop. */
  readonly turns: SharedArrayBuffer;
}

/** A message of the thread: its first heartbeat was sent, or heartbeats begin to fail. */
export type PulseMessage = { readonly kind: 'first' } | { readonly kind: 'failed'; readonly error: Error };

export interface Pulse {
  /** Resolves when the thread has ended. */
  close(): Promise<void>;
}

export function startPulse({ databaseUrl, pulseFd, beat, onFirst, onLost, onError }: PulseOptions): Pulse {
  const turns = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const counter = new Int32Array(turns);
  const turning = setInterval(() => Atomics.add(counter, 0, 1), TURN_MS);
  turning.unref();
  let thread: Worker | undefined;
  let closing = false;
  const begin = (): void => {
    const here = fileURLToPath(import.meta.url);
    const file = path.join(path.dirname(here), `pulse-thread${path.extname(here)}`);
    const workerData: PulseData = { databaseUrl, pulseFd, beat, turns };
    thread = new Worker(file, { workerData, resourceLimits: LIMITS, name: 'heartbeat' });
    thread.unref();
    thread.on('error', onError);
    thread.once('exit', () => {
      if (!closing) onLost();
    });
    thread.on('message', (message: PulseMessage) => {
      if (message.kind === 'first') onFirst();
      else onError(message.error);
    });
  };
  const starting = setTimeout(begin, START_AFTER_MS);
  starting.unref();
  return {
    async close() {
      closing = true;
      clearTimeout(starting);
      clearInterval(turning);
      if (thread === undefined) return;
      const ended = once(thread, 'exit', { signal: AbortSignal.timeout(CLOSE_TIMEOUT_MS) });
      thread.postMessage('stop', []);
      await ended.catch(() => thread?.terminate());
    },
  };
}
