// Counts decisions by verdict as they are appended to their log: the rows of decision_count that a batch changes.
import { COUNTED_SECONDS } from '../../kernel/time-buckets.ts';
import type { Verdict } from '../../kernel/vocabulary.ts';
import { columnMap, COUNT_COLUMNS, numeric, timeMs } from '../../platform/db/columns.ts';

/** The decisions of one owner in one bucket. */
export interface DecisionCount {
  readonly seconds: number;
  readonly startMs: number;
  readonly counts: Record<Verdict, number>;
}

/** Without the owner, who is the same for a whole batch. */
export const COUNTS = columnMap<DecisionCount>({
  seconds: numeric('integer', (count) => count.seconds),
  start_at: timeMs((count) => count.startMs),
  allow: numeric('integer', (count) => count.counts.ALLOW),
  deny: numeric('integer', (count) => count.counts.DENY),
  escalate: numeric('integer', (count) => count.counts.ESCALATE),
  degrade: numeric('integer', (count) => count.counts.DEGRADE),
});

/** The end of the INSERT of counts: a known bucket grows. */
export const onCountConflict = `ON CONFLICT (organisation_id, environment, seconds, start_at) DO UPDATE SET ${Object.values(
  COUNT_COLUMNS,
)
  .map((column) => `${column} = decision_count.${column} + excluded.${column}`)
  .join(', ')}`;

/**
 * One row for each bucket of ten seconds, minute and hour, sorted, so that two transactions lock rows in the same order.
 * @param decided when each decision was evaluated; without a verdict it is not a decision
 */
export function countsOf(
  decided: readonly { readonly verdict: Verdict | null; readonly atMs: number }[],
): DecisionCount[] {
  const rows: DecisionCount[] = [];
  for (const seconds of COUNTED_SECONDS) {
    const byStart = new Map<number, DecisionCount>();
    for (const { verdict, atMs } of decided) {
      if (verdict === null) continue;
      const startMs = Math.floor(atMs / (seconds * 1_000)) * seconds * 1_000;
      const row = byStart.get(startMs) ?? { seconds, startMs, counts: { ALLOW: 0, DENY: 0, ESCALATE: 0, DEGRADE: 0 } };
      row.counts[verdict] += 1;
      byStart.set(startMs, row);
    }
    rows.push(...[...byStart.values()].sort((a, b) => a.startMs - b.startMs));
  }
  return rows;
}
