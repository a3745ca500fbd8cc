// Durations in text: a number and one unit letter, `90d`.
/** For schemas. A pattern can't check the bounds; readDuration does. */
export const DURATION_PATTERN = '^[0-9]{1,7}[mhdw]$';

const MINUTE_MS = 60_000;
const UNIT_MS = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 1_440 * MINUTE_MS, w: 10_080 * MINUTE_MS } as const;

/** A duration in milliseconds; undefined if the text is not one. `m` minutes, `h` hours, `d` days, `w` weeks. */
export function parseDuration(text: string): number | undefined {
  const match = /^([0-9]{1,7})([mhdw])$/.exec(text);
  if (match === null) return undefined;
  // The pattern allows no other letter.
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}
