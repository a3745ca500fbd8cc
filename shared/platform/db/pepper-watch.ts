// A process whose pepper is no longer the one in force ends: every row it loads would be refused, and what it writes, too.
import type { Logger } from '../observe/logger.ts';
import type { ChangeFeed } from './changes.ts';
import type { Sql } from './database.ts';
import { compareSecretFingerprint, PEPPER } from './fingerprints.ts';

export interface PepperWatch {
  readonly db: Sql;
  readonly changes: Pick<ChangeFeed, 'subscribe'>;
  readonly pepper: string;
  readonly logger: Logger;
  readonly onError: (error: unknown) => void;
  /** Ends the process, or does so for a test. */
  readonly end: () => void;
}

/**
 * Asks now, and whenever the change feed says that everything may have changed. The pepper may have been rotated between
 * the check at the start and the first answer of the feed, so it is asked once more here.
 */
export async function watchPepper({ db, changes, pepper, logger, onError, end }: PepperWatch): Promise<void> {
  const look = async (): Promise<void> => {
    if ((await compareSecretFingerprint(db, PEPPER, pepper)) === 'same') return;
    logger.fatal(
      'CUSTOS_PEPPER is no longer the one in force: this process ends, and must be started with the new one',
    );
    end();
  };
  changes.subscribe((change) => {
    if (change === 'reset') look().catch(onError);
  });
  await look();
}
