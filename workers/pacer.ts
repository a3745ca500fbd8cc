// Runs the batches of submitted intents at the pace that enforcement leaves them.
import { createTurns } from '../shared/domain/decisions/turns.ts';
import { batchSize, firstPace, nextPace, restMs } from './pace.ts';
import { pause as pauseOnTimer } from './loop.ts';

/** Runs a batch when it is its turn. @param work gets the most intents of the batch */
export type Pacing = <T>(work: (most: number) => Promise<T>) => Promise<T>;

export interface Pacer {
  readonly pace: Pacing;
  /** Of a report of ingress (enforcement-notice.ts): how long enforcement took. */
  report(tookMs: number): void;
  /** Ends a rest and has no more of them. */
  close(): void;
}

export interface PacerDeps {
  /** CUSTOS_BACKLOG_SHARE. */
  readonly leastSpeed: number;
  readonly monotonicMs: () => number;
  /** Default: timers. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The next step takes the slowest report of this time, so that several ingress processes are one to the controller. */
const STEP_MS = 200;
/** Without reports for this long nobody enforces, and workers have their full speed. */
const QUIET_MS = 800;

export function createPacer({ leastSpeed, monotonicMs, pause = pauseOnTimer }: PacerDeps): Pacer {
  const oneAtATime = createTurns(1);
  const stop = new AbortController();
  let pace = firstPace(leastSpeed);
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  let steppedAtMs = Number.NEGATIVE_INFINITY;
  let slowestMs = 0;
  let wasBeside = false;
  let restUntilMs = 0;

  const speed = (): number => (stop.signal.aborted || monotonicMs() - reportedAtMs > QUIET_MS ? 1 : pace.speed);

  /** Marked at both ends, because a batch may take longer than a step. */
  const beside: Pacing = async (work) => {
    wasBeside = true;
    try {
      return await work(batchSize(speed()));
    } finally {
      wasBeside = true;
    }
  };

  return {
    async pace(work) {
      if (speed() === 1) return beside(work);
      return oneAtATime(async () => {
        // The rest is before a batch, because nobody must wait for it after one.
        const leftMs = restUntilMs - monotonicMs();
        if (leftMs > 0 && speed() < 1) await pause(leftMs, stop.signal);
        const startedMs = monotonicMs();
        const result = await beside(work);
        const endedMs = monotonicMs();
        restUntilMs = endedMs + restMs(speed(), endedMs - startedMs);
        return result;
      });
    },
    report(tookMs) {
      reportedAtMs = monotonicMs();
      slowestMs = Math.max(slowestMs, tookMs);
      if (reportedAtMs - steppedAtMs < STEP_MS) return;
      pace = nextPace(pace, { tookMs: slowestMs, wasBeside }, leastSpeed);
      steppedAtMs = reportedAtMs;
      slowestMs = 0;
      wasBeside = false;
    },
    close: () => stop.abort(),
  };
}
