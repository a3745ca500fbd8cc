// Recent verdicts of an agent, counted in buckets: an alarm for policies, not a quota.
import { VERDICTS, type Verdict } from '../../kernel/vocabulary.ts';
import type { Facts } from '../../core/policy/types.ts';

/** The highest count that is told. */
export const HISTORY_MAX = 100_000;

export const HOUR = { name: 'last_1h', lengthMs: 3_600_000, bucketMs: 60_000 } as const;
export const DAY = { name: 'last_24h', lengthMs: 86_400_000, bucketMs: 900_000 } as const;
const MINUTE = { name: 'last_60s', lengthMs: 60_000, bucketMs: 1_000 } as const;

interface Bucket {
  readonly index: number;
  readonly counts: number[];
}

class Window {
  private readonly bucketMs: number;
  private readonly buckets: number;
  private entries: Bucket[] = [];
  /** In the order of VERDICTS. */
  private readonly totals = VERDICTS.map(() => 0);

  constructor({ lengthMs, bucketMs }: { readonly lengthMs: number; readonly bucketMs: number }) {
    this.bucketMs = bucketMs;
    this.buckets = lengthMs / bucketMs;
  }

  add(atMs: number, verdict: number, count: number): void {
    const index = Math.floor(atMs / this.bucketMs);
    let position = this.entries.length;
    while (position > 0 && (this.entries[position - 1] as Bucket).index > index) position -= 1;
    let bucket = this.entries[position - 1];
    if (bucket?.index !== index) {
      bucket = { index, counts: VERDICTS.map(() => 0) };
      this.entries.splice(position, 0, bucket);
    }
    // An agent that only other processes decide about is never asked for its counts.
    if (this.entries.length > 2 * this.buckets) this.expire((this.entries.at(-1) as Bucket).index * this.bucketMs);
    bucket.counts[verdict] = (bucket.counts[verdict] ?? 0) + count;
    this.totals[verdict] = (this.totals[verdict] ?? 0) + count;
  }

  counts(nowMs: number): Facts['history']['last_60s'] {
    this.expire(nowMs);
    const { totals } = this;
    const most = (total = 0): number => Math.min(total, HISTORY_MAX);
    return { ALLOW: most(totals[0]), DENY: most(totals[1]), ESCALATE: most(totals[2]), DEGRADE: most(totals[3]) };
  }

  /** Drops buckets older than the window. */
  private expire(nowMs: number): void {
    const oldest = Math.floor(nowMs / this.bucketMs) - this.buckets;
    let drop = 0;
    for (const bucket of this.entries) {
      if (bucket.index > oldest) break;
      bucket.counts.forEach((count, verdict) => (this.totals[verdict] = (this.totals[verdict] ?? 0) - count));
      drop += 1;
    }
    if (drop > 0) this.entries.splice(0, drop);
  }
}

export interface History {
  /** Adds `count` decisions with this verdict at that time (milliseconds since 1970, in any order). */
  add(atMs: number, verdict: Verdict, count: number): void;
  /** The current counts of all windows, each at most HISTORY_MAX. */
  counts(nowMs: number): Facts['history'];
}

export function createHistory(): History {
  const [minute, hour, day] = [new Window(MINUTE), new Window(HOUR), new Window(DAY)];
  const windows = [minute, hour, day];
  return {
    add(atMs, verdict, count) {
      const index = VERDICTS.indexOf(verdict);
      for (const window of windows) window.add(atMs, index, count);
    },
    counts: (nowMs) => ({
      last_60s: minute.counts(nowMs),
      last_1h: hour.counts(nowMs),
      last_24h: day.counts(nowMs),
    }),
  };
}
