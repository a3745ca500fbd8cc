// Keeps the scheduled jobs of the list scheduled, from when the queues' store answers, and again after it was emptied.
import type { Job } from '../shared/kernel/jobs.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import type { Queues } from '../shared/platform/queues/queues.ts';
import { ALL_JOBS } from './jobs/list.ts';
import { type Loop, pause, startLoop } from './loop.ts';

/** A store that was emptied has lost its schedulers and reports nothing, so they are ensured this often. */
export const ENSURE_EVERY_MS = 5_000;
/** In Redis, which can be emptied by accident. The sweeper, which finds the lost jobs, is scheduled, too. */
export const ENSURE_IN_REDIS_EVERY_MS = 1_500;

const SCHEDULED = ALL_JOBS.flatMap(({ queue, name, everyMs }) =>
  // A scheduled job carries no data: its payload has no required member but the version.
  everyMs === undefined ? [] : [{ job: { queue, name, payload: { v: 1 } } as Job, everyMs }],
);

/** Every worker ensures the schedulers; the store holds each of them once. */
export function keepSchedule(queues: Pick<Queues, 'every'>, logger: Logger, ensureEveryMs: number): Loop {
  return startLoop(async (signal) => {
    let isAway = false;
    while (!signal.aborted) {
      try {
        for (const { job, everyMs } of SCHEDULED) await queues.every(job, everyMs);
        if (isAway) logger.info('upkeep jobs are scheduled again');
        isAway = false;
      } catch (error) {
        if (!isAway) logger.warn({ err: error }, 'upkeep jobs cannot be scheduled now; the next try follows');
        isAway = true;
      }
      await pause(ensureEveryMs, signal);
    }
  });
}
