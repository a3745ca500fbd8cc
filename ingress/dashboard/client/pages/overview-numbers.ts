// The numbers of the overview as they are shown: ranges, the running bucket, changes and shares. Pure.
import type { Activity, RangeName } from '../wire/overview.ts';
import type { Verdict, VerdictCounts } from '../wire.ts';

/** Verdicts from the bottom of the chart up: the refusals are at its edge, where they are seen. */
export const LAYERS: readonly Verdict[] = ['ALLOW', 'DEGRADE', 'ESCALATE', 'DENY'];

export interface RangeInfo {
  readonly name: RangeName;
  readonly seconds: number;
  readonly label: string;
  /** In a sentence: "in the last hour". */
  readonly words: string;
  /** After this time the numbers are read again. */
  readonly refreshMs: number;
  /** What they are compared with. */
  readonly before: string;
}

export const YESTERDAY = 'yesterday';
export const RANGES: readonly RangeInfo[] = [
  { name: '10m', seconds: 600, label: '10 min', words: 'in the last 10 minutes', refreshMs: 2_000, before: YESTERDAY },
  { name: '1h', seconds: 3_600, label: '1 h', words: 'in the last hour', refreshMs: 4_000, before: YESTERDAY },
  { name: '6h', seconds: 21_600, label: '6 h', words: 'in the last 6 hours', refreshMs: 10_000, before: YESTERDAY },
  { name: '24h', seconds: 86_400, label: '24 h', words: 'in the last 24 hours', refreshMs: 15_000, before: YESTERDAY },
  {
    name: '7d',
    seconds: 604_800,
    label: '7 d',
    words: 'in the last 7 days',
    refreshMs: 60_000,
    before: '7 days before',
  },
  {
    name: '30d',
    seconds: 2_592_000,
    label: '30 d',
    words: 'in the last 30 days',
    refreshMs: 60_000,
    before: '30 days before',
  },
];
const [, HOUR] = RANGES;

/** The range of the address; an hour when it names none. */
export function rangeOf(name: string | undefined): RangeInfo {
  const found = RANGES.find((range) => range.name === name) ?? HOUR;
  if (found === undefined) throw new Error('there are no ranges');
  return found;
}

export const totalOf = (counts: VerdictCounts): number => LAYERS.reduce((sum, verdict) => sum + counts[verdict], 0);

/** "10 s", "5 min", "6 h": the length of a bucket. */
export function stepText(stepMs: number): string {
  const seconds = stepMs / 1_000;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${seconds / 60} min`;
  return seconds < 86_400 ? `${seconds / 3_600} h` : `${seconds / 86_400} d`;
}

/** A running bucket that is younger than this part of its length shows chance rather than a rate, and is left out. */
const LEAST_PART = 0.25;

/**
 * Counts as they are drawn: the last bucket is still running, so its count is projected to its whole length. Without that every
 * curve would end with a fall.
 */
export function drawn({ startMs, stepMs, atMs }: Activity, counts: readonly number[]): (number | null)[] {
  return counts.map((count, bucket) => {
    const part = (atMs - startMs - bucket * stepMs) / stepMs;
    if (part >= 1) return count;
    return part < LEAST_PART ? null : count / part;
  });
}

export interface Change {
  readonly direction: 'up' | 'down' | 'same';
  /** "12 %", "1.4 pts" */
  readonly text: string;
}

/** The relative change of an amount. Undefined: there was nothing to compare with. */
export function relativeChange(now: number, before: number): Change | undefined {
  if (before === 0) return undefined;
  const percent = Math.round((100 * (now - before)) / before);
  if (percent === 0) return { direction: 'same', text: '0 %' };
  const times = now / before;
  return {
    direction: percent > 0 ? 'up' : 'down',
    text: times >= 10 ? `${Math.round(times)} ×` : `${Math.abs(percent)} %`,
  };
}

/** The change of a share in percentage points. Undefined: one of the shares is not known. */
export function pointChange(now: number | undefined, before: number | undefined): Change | undefined {
  if (now === undefined || before === undefined) return undefined;
  const points = Math.round(1_000 * (now - before)) / 10;
  if (points === 0) return { direction: 'same', text: '0 pts' };
  return { direction: points > 0 ? 'up' : 'down', text: `${Math.abs(points)} pts` };
}

/** The part of decisions that were denied. Undefined: there were none. */
export function deniedShare(counts: VerdictCounts): number | undefined {
  const all = totalOf(counts);
  return all === 0 ? undefined : counts.DENY / all;
}
