// The replay worker: runs replays of long ranges one after the other, and starts one again from the front when a worker died.
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Database } from '../shared/platform/db/database.ts';
import { draftOfCanonical } from '../shared/domain/drafts/replay-draft.ts';
import {
  type ClaimedReplay,
  ClaimLost,
  COUNTED_AT_ONCE,
  createReplayClaims,
} from '../shared/domain/drafts/replay-jobs.ts';
import { countDecisions, replayRange } from '../shared/domain/drafts/replay-store.ts';
import { ApiError } from '../shared/kernel/errors.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';

export interface ReplayRunnerDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  readonly logger: Logger;
}

export interface ReplayRunner {
  /** Runs what is open until nothing is; at once when this process does so already. @throws {ApiError} E6002 */
  run(): Promise<void>;
  /** Stops what runs; it goes on in another process, or after the next start. */
  close(): Promise<void>;
}

/** Progress is written this often, and is what shows that the run lives. */
const TELL_EVERY_MS = 500;

export function createReplayRunner({ db, nowMs, logger }: ReplayRunnerDeps): ReplayRunner {
  const claims = createReplayClaims({ db, nowMs });
  const stop = new AbortController();
  const { signal } = stop;
  let running: Promise<void> | undefined;

  const runOne = async ({ replayId, canonical, range, total }: ClaimedReplay, claim: string): Promise<void> => {
    const draft = draftOfCanonical(canonical);
    // It was valid when it was asked for; another version may think otherwise.
    if (!draft.ok) return claims.fail(replayId, claim, 'This version of the service does not accept the draft.');
    let toldMs = performance.now();
    const tell = async (replayed: number): Promise<void> => {
      signal.throwIfAborted();
      if (performance.now() - toldMs < TELL_EVERY_MS) return;
      toldMs = performance.now();
      await claims.progress(replayId, claim, replayed);
    };
    if (total >= COUNTED_AT_ONCE)
      await claims.total(replayId, claim, await countDecisions(db, range, undefined, () => tell(0)));
    const report = await replayRange({
      db,
      set: draft.set,
      range,
      signal,
      onProgress: tell,
    });
    const { total: decisions } = report.decisions;
    await claims.finish(replayId, claim, JSON.stringify(report), decisions);
    logger.info({ replayId, decisions, changed: report.changed.decisions }, 'a replay is done');
  };

  const runAll = async (): Promise<void> => {
    while (!signal.aborted) {
      const claim = randomUUID();
      const claimed = await claims.next(claim);
      if (claimed === undefined) return;
      const { replayId } = claimed;
      try {
        await runOne(claimed, claim);
      } catch (error) {
        if (error instanceof ClaimLost) continue;
        if (signal.aborted) return claims.release(replayId, claim);
        // Tried again when PostgreSQL is back.
        if (error instanceof ApiError && error.code === 'E6002') throw error;
        logger.error({ err: error, replayId }, 'a replay failed');
        await claims.fail(
          replayId,
          claim,
          'The replay failed for an internal reason; the log of the workers says which.',
        );
      }
    }
  };

  return {
    run() {
      if (running !== undefined || signal.aborted) return Promise.resolve();
      running = runAll().finally(() => {
        running = undefined;
      });
      return running;
    },
    async close() {
      stop.abort();
      await running?.catch(() => undefined);
    },
  };
}
