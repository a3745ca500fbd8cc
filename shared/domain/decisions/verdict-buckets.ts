// How many decisions had each verdict over time: the counts of appended decisions, and the decisions that wait to be appended.
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import { type TimeBuckets, timeBuckets } from '../../kernel/time-buckets.ts';
import { type Verdict, VERDICTS } from '../../kernel/vocabulary.ts';
import type { Sql } from '../../platform/db/database.ts';
import { COUNT_COLUMNS } from '../../platform/db/columns.ts';
import { waitingWith } from '../ledger/inbox.ts';

export interface VerdictBuckets {
  /** The beginning of the first bucket, milliseconds since 1970. */
  readonly startMs: number;
  /** The length of every bucket. */
  readonly stepMs: number;
  /** Decisions in each bucket; all four have the same length. */
  readonly counts: Readonly<Record<Verdict, readonly number[]>>;
}

// One statement, and so one snapshot: a decision that is being appended is counted exactly once.
const READ = `WITH counted AS (
      SELECT start_at AS at, ${Object.values(COUNT_COLUMNS).join(', ')} FROM decision_count
      WHERE organisation_id = $1 AND environment = $2 AND seconds = $3 AND start_at >= to_timestamp($4::float8) AND start_at < to_timestamp($5::float8)
      UNION ALL
      SELECT evaluated_at, ${Object.entries(COUNT_COLUMNS)
        .map(([verdict, column]) => `${waitingWith('log_inbox', verdict)} AS ${column}`)
        .join(', ')}
      FROM log_inbox WHERE organisation_id = $1 AND environment = $2 AND source = 'decision'
        AND evaluated_at >= to_timestamp($4::float8) AND evaluated_at < to_timestamp($5::float8)
    )
    SELECT floor((extract(epoch FROM at)::float8 - $4::float8) / $6::float8)::integer AS bucket,
      ${Object.values(COUNT_COLUMNS)
        .map((column) => `sum(${column})::float8 AS ${column}`)
        .join(', ')}
    FROM counted GROUP BY 1`;

type BucketRow = { readonly bucket: number } & Readonly<Record<(typeof COUNT_COLUMNS)[Verdict], number>>;

/**
 * The decisions of a time span in about `most` buckets. Their beginnings are round times in UTC, so the first begins at or before
 * `fromMs`, and the last one may end after `toMs`; within a bucket all decisions are counted. The counts are exact.
 * @param toMs exclusive
 * @throws {ApiError} E6002
 */
export function readVerdictBuckets(
  db: Sql,
  tenant: Owner,
  fromMs: number,
  toMs: number,
  most: number,
): Promise<VerdictBuckets> {
  return readCounts(db, tenant, timeBuckets(fromMs, toMs, most));
}

/** The decisions in these buckets. @throws {ApiError} E6002 */
export async function readCounts(db: Sql, tenant: Owner, buckets: TimeBuckets): Promise<VerdictBuckets> {
  const { startMs, stepMs, length, countedSeconds } = buckets;
  const endMs = startMs + length * stepMs;
  const rows = await db.query<BucketRow>(READ, [
    ...ownerColumns(tenant),
    countedSeconds,
    startMs / 1_000,
    endMs / 1_000,
    stepMs / 1_000,
  ]);
  const countsOf = (verdict: Verdict): number[] => {
    const counts = Array.from({ length }, () => 0);
    for (const row of rows) counts[row.bucket] = row[COUNT_COLUMNS[verdict]];
    return counts;
  };
  return {
    startMs,
    stepMs,
    // VERDICTS has every verdict once.
    counts: Object.fromEntries(VERDICTS.map((verdict) => [verdict, countsOf(verdict)])) as Record<Verdict, number[]>,
  };
}
