// The steps in which old data goes, which is the length of a partition.
import { MINUTE_MS } from './definition.ts';

export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** Data is dropped up to one partition later than it may be: an eighth of the time that it is kept. */
const PARTS_KEPT = 8;
/** Without a setting, too: one that is made later finds partitions of this size, and none has to be split. */
const LONGEST_MS = 30 * DAY_MS;

/** The length of a partition, in whole hours. @param keepMs the times for which its parts are kept; Infinity: for ever */
export function spanHours(...keepMs: readonly number[]): number {
  return Math.max(1, Math.floor(Math.min(LONGEST_MS, ...keepMs.map((ms) => ms / PARTS_KEPT)) / HOUR_MS));
}
