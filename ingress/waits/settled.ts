// Reads which of the things that requests wait for are settled: one query for all of them.
import { anyText, columnMap, text } from '../../shared/platform/db/columns.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { leafOf } from '../../shared/platform/db/leaf-sql.ts';
import type { Owner } from '../../shared/kernel/owner.ts';

/** What a request can wait for: an intent that is decided or failed, an approval that is not pending, a proof under a checkpoint. */
export type WaitKind = 'intent' | 'approval' | 'proof';

export interface Awaited {
  readonly kind: WaitKind;
  readonly owner: Owner;
  readonly id: string;
}

/** The places in the list of those that are settled. */
export type ReadSettled = (awaited: readonly Awaited[]) => Promise<number[]>;

const AWAITED = columnMap<Awaited>({
  kind: text(({ kind }) => kind),
  organisation_id: text(({ owner }) => owner.organisationId),
  environment: text(({ owner }) => owner.environment),
  id: anyText(({ id }) => id),
});
// Each condition is a look-up by primary key or by unique index.
const SETTLED = `SELECT (w.ordinal - 1)::int AS place
    FROM (${AWAITED.rows()}) AS w
    WHERE CASE w.kind
      WHEN 'intent' THEN EXISTS (
        SELECT FROM intent i WHERE i.organisation_id = w.organisation_id AND i.environment = w.environment AND i.intent_id = w.id
          AND i.status IN ('decided', 'failed'))
      WHEN 'approval' THEN EXISTS (
        SELECT FROM approval a WHERE a.organisation_id = w.organisation_id AND a.environment = w.environment AND a.approval_id = w.id
          AND (a.state <> 'pending' OR a.expires_at <= $${AWAITED.size + 1}))
      ELSE EXISTS (
        SELECT FROM ${leafOf('w.organisation_id', 'w.environment', 'w.id')} AS l JOIN checkpoint c ON c.log_id = l.log_id AND c.size > l.leaf_index)
    END`;

export function createSettledReader(deps: {
  readonly db: Pick<Database, 'query'>;
  readonly nowMs: () => number;
}): ReadSettled {
  const { db, nowMs } = deps;
  return async (awaited) => {
    const rows = await db.query<{ place: number }>(SETTLED, [...AWAITED.values(awaited), new Date(nowMs())]);
    return rows.map(({ place }) => place);
  };
}
