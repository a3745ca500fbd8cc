// Retries releasing claims of idempotent requests whose first release failed because the database was away.
import type { Database } from '../../shared/platform/db/database.ts';
import { RELEASE } from './idempotency-rows.ts';

const RETRY_MS = 250;
/** By then a claim has expired by itself. */
const RETRY_WITHIN_MS = 30_000;

export interface Releases {
  /** @param values those of the statement RELEASE */
  retry(values: readonly unknown[]): void;
  close(): void;
}

export function createReleases(db: Pick<Database, 'query'>, monotonicMs: () => number): Releases {
  /** The claims, with the time after which they are not retried. */
  const open = new Map<readonly unknown[], number>();
  let timer: NodeJS.Timeout | undefined;

  const releaseAll = async (): Promise<void> => {
    for (const [values, untilMs] of open) {
      const isDone = await db.query(RELEASE, values).then(
        () => true,
        () => monotonicMs() >= untilMs,
      );
      // The database is still away, so the others would fail too.
      if (!isDone) break;
      open.delete(values);
    }
    timer = undefined;
    if (open.size > 0) schedule();
  };
  const schedule = (): void => {
    timer ??= setTimeout(() => void releaseAll(), RETRY_MS).unref();
  };

  return {
    retry(values) {
      open.set(values, monotonicMs() + RETRY_WITHIN_MS);
      schedule();
    },
    close() {
      clearTimeout(timer);
      open.clear();
    },
  };
}
