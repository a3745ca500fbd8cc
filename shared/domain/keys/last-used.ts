// When each key was last used: collected in memory and written every few seconds, off the hot path.
import { columnMap, text, timeMs } from '../../platform/db/columns.ts';
import type { Database } from '../../platform/db/database.ts';

/** Keys with a pending time. When full, further keys are skipped until the next write. 10,000 entries take about 1 MB. */
const MAX_PENDING = 10_000;
const INTERVAL_MS = 5_000;

const USES = columnMap<readonly [keyId: string, atMs: number]>({
  key_id: text(([keyId]) => keyId),
  at: timeMs(([, atMs]) => atMs),
});

/** Rows are locked in the order of their ids, so that two processes that write the same keys don't deadlock. */
const WRITE = `WITH seen AS (${USES.rows()}),
    locked AS (SELECT api_key.key_id FROM api_key JOIN seen USING (key_id)
      WHERE api_key.last_used_at IS NULL OR api_key.last_used_at < seen.at ORDER BY api_key.key_id FOR NO KEY UPDATE OF api_key)
    UPDATE api_key SET last_used_at = seen.at FROM seen JOIN locked USING (key_id)
    WHERE api_key.key_id = seen.key_id AND (api_key.last_used_at IS NULL OR api_key.last_used_at < seen.at)`;

export interface LastUsed {
  /** Records a use; costs one map entry. */
  record(keyId: string, atMs: number): void;
  /** Writes the recorded times. Those of a failed write are kept for the next one. @throws {ApiError} E6002 */
  flush(): Promise<void>;
  /** Stops the timer and writes what is pending; errors go to `onError`. */
  close(): Promise<void>;
}

export interface LastUsedDeps {
  readonly db: Database;
  readonly onError: (error: unknown) => void;
  /** Milliseconds between writes; 5,000 by default. */
  readonly intervalMs?: number;
}

export function createLastUsed(deps: LastUsedDeps): LastUsed {
  let pending = new Map<string, number>();
  let writing: Promise<void> | undefined;

  const record = (keyId: string, atMs: number): void => {
    const before = pending.get(keyId);
    if (before === undefined && pending.size >= MAX_PENDING) return;
    if (before === undefined || before < atMs) pending.set(keyId, atMs);
  };

  const write = async (): Promise<void> => {
    if (pending.size === 0) return;
    const batch = pending;
    pending = new Map();
    try {
      await deps.db.query(WRITE, USES.values([...batch]));
    } catch (error) {
      for (const [keyId, atMs] of batch) record(keyId, atMs);
      throw error;
    }
  };

  // One write at a time. A call during a write waits for the next one, which includes its uses.
  const flush = (): Promise<void> => {
    const next = (writing ?? Promise.resolve())
      .catch(() => undefined)
      .then(write)
      .finally(() => {
        if (writing === next) writing = undefined;
      });
    writing = next;
    return next;
  };

  const timer = setInterval(() => {
    if (writing === undefined && pending.size > 0) flush().catch(deps.onError);
  }, deps.intervalMs ?? INTERVAL_MS);
  timer.unref();

  return {
    record,
    flush,
    async close() {
      clearInterval(timer);
      await flush().catch(deps.onError);
    },
  };
}
