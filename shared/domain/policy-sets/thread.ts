// Runs work on policy sets in a thread, so that the process continues with other work and the memory of the work is freed at its end.
import path from 'node:path';
import { type ResourceLimits, Worker } from 'node:worker_threads';

/** Memory limits of a thread, in MB: ten thousand policies take about 150. */
export const THREAD_LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 16 };

export interface ThreadWork<T> {
  /** The module beside `besides` that reads `workerData` and posts one result. */
  readonly besides: string;
  readonly module: string;
  readonly data: unknown;
  readonly limits?: ResourceLimits;
  /** The result when the thread has reached its memory limit. */
  readonly onOutOfMemory: () => T;
  readonly signal?: AbortSignal | undefined;
}

/** The result that the module posts. @throws errors of the thread, and the reason of `signal` */
export function runThread<T>(work: ThreadWork<T>): Promise<T> {
  const { besides, module, data, limits = THREAD_LIMITS, onOutOfMemory, signal } = work;
  if (signal?.aborted === true) return Promise.reject(signal.reason);
  // TypeScript from the checkout, JavaScript from a build.
  const file = path.join(path.dirname(besides), `${module}${path.extname(besides)}`);
  const thread = new Worker(file, {
    workerData: data,
    resourceLimits: limits,
    name: 'policies',
  });
  return new Promise<T>((resolve, reject) => {
    const cancel = (): void => {
      reject(signal?.reason);
      void thread.terminate();
    };
    signal?.addEventListener('abort', cancel, { once: true });
    thread.once('message', resolve);
    thread.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(onOutOfMemory());
      else reject(error);
    });
    thread.once('exit', () => {
      signal?.removeEventListener('abort', cancel);
      reject(new Error('the thread that works on policies ended without a result'));
    });
  });
}
