// Which leaves without a record or facts are too young for the age that their ids claim, by the checkpoints of their log.
import { peekTimeMs } from '../../core/proof/checkpoint.ts';
import { appendedAfterMs, isLate, LONGEST_DELAY_MS } from '../../core/proof/late-leaves.ts';
import { idTimeMs } from '../../kernel/ids.ts';
import type { Sql } from '../../platform/db/database.ts';

interface SignedRow {
  readonly size: number;
  readonly note: string;
}

// The notes are as they were signed, or the audit of checkpoints reports them.
const SIZE = 'size::float8 AS size, note FROM checkpoint WHERE log_id = $1';
const NEAR = `(SELECT ${SIZE} AND checkpoint.size <= $2 ORDER BY checkpoint.size DESC LIMIT 1)
    UNION ALL (SELECT ${SIZE} AND checkpoint.size > $2 AND checkpoint.size <= $3)
    UNION ALL (SELECT ${SIZE} AND checkpoint.size > $3 ORDER BY checkpoint.size LIMIT 1) ORDER BY size`;
const FROM = `SELECT ${SIZE} AND checkpoint.size >= $2 ORDER BY checkpoint.size LIMIT 1`;
/** Searches for gaps in which nothing was signed. There are few; more are of ids that somebody chose. */
const MOST_GAPS = 20;

export interface DatedLeaf {
  readonly index: number;
  readonly proofId: string;
  /** When the nearest record before it in the range was made. */
  readonly recordMs: number | undefined;
}

/** The indexes of those that were appended too late for their ids. @param leaves in order */
export async function readLate(sql: Sql, logId: number, leaves: readonly DatedLeaf[]): Promise<ReadonlySet<number>> {
  const [first, last] = [leaves[0], leaves.at(-1)];
  if (first === undefined || last === undefined) return new Set();
  const near = (await sql.query<SignedRow>(NEAR, [logId, first.index, last.index])).map(({ size, note }) => ({
    size,
    atMs: peekTimeMs(note),
  }));
  const gaps: { readonly fromMs: number; readonly pastMs: number }[] = [];
  /** When the log was first signed after a time, up to a size. */
  const nextSignedMs = async (afterMs: number, upTo: number): Promise<number> => {
    const known = gaps.find(({ fromMs, pastMs }) => fromMs <= afterMs && afterMs < pastMs);
    if (known !== undefined || gaps.length >= MOST_GAPS) return known?.pastMs ?? 0;
    let [low, high, foundMs] = [0, upTo, 0];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [row] = await sql.query<SignedRow>(FROM, [logId, middle]);
      const atMs = row && peekTimeMs(row.note);
      if (row === undefined || row.size > upTo) high = middle;
      else if (atMs === undefined || atMs <= afterMs) low = row.size + 1;
      else [high, foundMs] = [middle, atMs];
    }
    gaps.push({ fromMs: afterMs, pastMs: foundMs });
    return foundMs;
  };
  const late = new Set<number>();
  let at = 0;
  for (const { index, proofId, recordMs } of leaves) {
    while ((near[at]?.size ?? Infinity) <= index) at += 1;
    const [madeMs, signed] = [idTimeMs(proofId), near[at - 1]];
    const afterMs = appendedAfterMs({ recordMs, signedMs: signed?.atMs, coveredMs: near[at]?.atMs });
    if (afterMs < madeMs + LONGEST_DELAY_MS) continue;
    if (isLate(afterMs, madeMs, await nextSignedMs(madeMs, signed?.size ?? 0))) late.add(index);
  }
  return late;
}
