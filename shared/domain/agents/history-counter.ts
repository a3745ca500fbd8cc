// Keeps the counts of agents' decisions by minute (agent_history) up to date, so that loading a history reads few decisions.
import type { Database } from '../../platform/db/database.ts';
import { isPassing } from '../../platform/db/trouble.ts';
import { COUNT } from './agent-rows.ts';

/** Seconds of decisions that one statement counts. */
const MOST_SECONDS = 60;

export interface HistoryCounter {
  /**
   * Counts what was decided up to a minute ago, in steps. It returns at once while it runs, and while another process counts.
   * @throws what the database throws; what was counted stays
   */
  count(): Promise<void>;
  /** Ends a count after its running step. Resolves when that step has ended. */
  close(): Promise<void>;
}

export function createHistoryCounter(db: Pick<Database, 'query'>): HistoryCounter {
  let counting: Promise<void> | undefined;
  let isClosed = false;
  let seconds = MOST_SECONDS;
  const countAll = async (): Promise<void> => {
    for (let hasMore = true; hasMore && !isClosed; ) {
      try {
        const [row] = await db.query<{ more: boolean }>(COUNT, [seconds]);
        hasMore = row?.more === true;
        seconds = Math.min(MOST_SECONDS, seconds * 2);
      } catch (error) {
        // Perhaps there were so many decisions that the statement took too long.
        if (seconds === 1 || !isPassing(error)) throw error;
        seconds = Math.max(1, Math.floor(seconds / 4));
      }
    }
  };
  return {
    async count() {
      if (counting !== undefined || isClosed) return;
      counting = countAll();
      try {
        await counting;
      } finally {
        counting = undefined;
      }
    },
    async close() {
      isClosed = true;
      // Who counts is told of its failure.
      await counting?.catch(() => undefined);
    },
  };
}
