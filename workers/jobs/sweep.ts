// The job `sweep`: queues work again whose job was lost.
import type { Logger } from '../../shared/platform/observe/logger.ts';
import { type JobDefinition, SECOND_MS, THREE_ATTEMPTS, UPKEEP_CONCURRENCY } from './definition.ts';

export interface Swept {
  /** Jobs that were queued again, by queue and name, such as `proofs.append`. */
  readonly queued: Readonly<Record<string, number>>;
  /** Dead jobs that were closed because another job did their work. */
  readonly resolved: number;
}

export interface SweepJobDeps {
  readonly logger: Logger;
  readonly sweep: () => Promise<Swept>;
}

export const sweep: JobDefinition<'upkeep', 'sweep', SweepJobDeps> = {
  queue: 'upkeep',
  name: 'sweep',
  concurrency: UPKEEP_CONCURRENCY,
  retries: THREE_ATTEMPTS,
  coalescing: { kind: 'none' },
  isUrgent: true,
  everyMs: 2 * SECOND_MS,
  handler:
    ({ sweep: run, logger }) =>
    async () => {
      const swept = await run();
      if (swept.resolved > 0 || Object.values(swept.queued).some((jobs) => jobs > 0))
        logger.debug(swept, 'the sweeper queued lost work again');
    },
};
