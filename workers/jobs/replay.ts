// The job `replay`: runs replays of long ranges one after the other. A replay whose worker died starts again from the beginning.
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Database } from '../../shared/platform/db/database.ts';
import { draftOfCanonical } from '../../shared/domain/drafts/replay-draft.ts';
import {
  type ClaimedReplay,
  ClaimLost,
  COUNTED_AT_ONCE,
  createReplayClaims,
} from '../../shared/domain/drafts/replay-jobs.ts';
import { countDecisions, replayRange } from '../../shared/domain/drafts/replay-store.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { Logger } from '../../shared/platform/observe/logger.ts';
import { SECOND_MS, upkeepJob } from './definition.ts';

export interface ReplayRunnerDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  readonly logger: Logger;
}

export interface ReplayRunner {
  /** Runs open replays until there are none; returns at once when this process runs them already. @throws {ApiError} E6002 */
  run(): Promise<void>;
  /** Stops the running replay; another process runs it, or this one after its next start. */
  close(): Promise<void>;
}

/** Progress is written this often. A run without progress counts as abandoned (shared/domain/drafts/replay-jobs.ts). */
const PROGRESS_EVERY_MS = 500;

export function createReplayRunner({ db, nowMs, logger }: ReplayRunnerDeps): ReplayRunner {
  const claims = createReplayClaims({ db, nowMs });
  const stop = new AbortController();
  const { signal } = stop;
  let running: Promise<void> | undefined;

  const runOne = async ({ replayId, canonical, range, total }: ClaimedReplay, claim: string): Promise<void> => {
    const draft = draftOfCanonical(canonical);
    // It was valid when it was submitted; another version of the service may refuse it.
    if (!draft.ok) return claims.fail(replayId, claim, 'This version of the service does not accept the draft.');
    let reportedMs = performance.now();
    const report = async (replayed: number): Promise<void> => {
      signal.throwIfAborted();
      if (performance.now() - reportedMs < PROGRESS_EVERY_MS) return;
      reportedMs = performance.now();
      await claims.progress(replayId, claim, replayed);
    };
    if (total >= COUNTED_AT_ONCE)
      await claims.total(replayId, claim, await countDecisions(db, range, undefined, () => report(0)));
    const result = await replayRange({
      db,
      set: draft.set,
      range,
      signal,
      onProgress: report,
    });
    const { total: decisions } = result.decisions;
    await claims.finish(replayId, claim, JSON.stringify(result), decisions);
    logger.info({ replayId, decisions, changed: result.changed.decisions }, 'a replay is done');
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
        // A transient error: the consumer starts the job again when PostgreSQL is back.
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

export interface ReplayDeps {
  readonly replays: Pick<ReplayRunner, 'run'>;
}

export const replay = upkeepJob({
  name: 'replay',
  // The request for a replay queues a job. The schedule finds replays whose worker was killed.
  everyMs: 10 * SECOND_MS,
  run: ({ replays }: ReplayDeps) => replays.run(),
  hasClaims: true,
});
