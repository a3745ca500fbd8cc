// Waits for a human: polls one approval with back-off and sends progress notices; keeps attempts that a later call continues.
import type { Clock } from './clock.ts';
import type { Custos } from './custos.ts';
import type { Attempt } from './decision.ts';

export interface WaitOptions {
  readonly custos: Pick<Custos, 'approval'>;
  readonly clock: Clock;
  /** On the clock's scale. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly notify: () => void;
}

export type Waited =
  | { readonly kind: 'decided' | 'used' | 'late' | 'cancelled' }
  | { readonly kind: 'failed'; readonly sentence: string };

/** Short at first, for a human who is looking at the dashboard; later polls cost less than one request a second. */
const FIRST_POLL_MS = 250;
const LAST_POLL_MS = 2_000;
/** Well below the 60 s after which the official clients cancel a request without progress. */
const NOTICE_EVERY_MS = 5_000;

export async function waitForHuman(approvalId: string, options: WaitOptions): Promise<Waited> {
  const { custos, clock, deadlineMs, signal, notify } = options;
  if (signal.aborted) return { kind: 'cancelled' };
  notify();
  let noticedMs = clock.nowMs();
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(2 * pollMs, LAST_POLL_MS)) {
    const leftMs = deadlineMs - clock.nowMs();
    if (leftMs <= 0) return { kind: 'late' };
    await clock.sleep(Math.min(pollMs, leftMs), signal);
    if (signal.aborted) return { kind: 'cancelled' };
    const seen = await custos.approval(approvalId, signal);
    if (signal.aborted) return { kind: 'cancelled' };
    // A short outage of the service does not end the wait.
    if (seen.kind === 'failed' && seen.isFinal) return { kind: 'failed', sentence: seen.sentence };
    if (seen.kind === 'status' && seen.status === 'used') return { kind: 'used' };
    if (seen.kind === 'status' && seen.status !== 'pending') return { kind: 'decided' };
    if (clock.nowMs() - noticedMs < NOTICE_EVERY_MS) continue;
    notify();
    noticedMs = clock.nowMs();
  }
}

const MAX_REMEMBERED = 1_000;

/** Attempts that a later call continues, by question. Each is taken once, so that no two calls get one decision. */
export class OpenAttempts {
  private readonly attempts = new Map<string, Attempt>();

  keep(question: string, attempt: Attempt): void {
    this.attempts.delete(question);
    this.attempts.set(question, attempt);
    const [oldest] = this.attempts.keys();
    if (this.attempts.size > MAX_REMEMBERED && oldest !== undefined) this.attempts.delete(oldest);
  }

  take(question: string): Attempt | undefined {
    const attempt = this.attempts.get(question);
    this.attempts.delete(question);
    return attempt;
  }
}
