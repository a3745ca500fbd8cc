// The job `sweep`: queues work again whose job was lost.
import type { Logger } from '../../shared/platform/observe/logger.ts';
import { SECOND_MS, upkeepJob } from './definition.ts';

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

export const sweep = upkeepJob({
  name: 'sweep',
  everyMs: 2 * SECOND_MS,
  run: async ({ sweep: run, logger }: SweepJobDeps) => {
    const swept = await run();
    if (swept.resolved > 0 || Object.values(swept.queued).some((jobs) => jobs > 0))
      logger.debug(swept, 'the sweeper queued lost work again');
  },
});
