// Ends a process whose pepper was rotated away: every row it loads would be refused, and so would every row it writes.
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
  /** Ends the process; tests replace it. */
  readonly end: () => void;
}

/**
 * Compares the pepper now and on every `reset` of the change feed. The pepper may have been rotated between the check at
 * the start and the first answer of the feed, hence the check here.
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
