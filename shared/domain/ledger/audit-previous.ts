// The leaf before each leaf of a range in its entity's chain. Most of them are in the range itself; only the others are looked up.
import type { AuditedRow } from '../../core/proof/audit.ts';
import { anyText, columnMap, numeric } from '../../platform/db/columns.ts';
import type { Sql } from '../../platform/db/database.ts';

/** A leaf as far as its chain goes; `chain_index` and `leaf_index` are whole numbers in decimal digits. */
export interface ChainedRow {
  readonly leaf_index: string;
  readonly entity_id: string;
  readonly chain_index: string;
  readonly event_hash: string;
}

interface FoundRow extends Omit<ChainedRow, 'entity_id'> {
  readonly nth: number;
  readonly log_id: number;
}

type Previous = AuditedRow['previous'];

const ASKED = columnMap<ChainedRow>({
  entity_id: anyText((row) => row.entity_id),
  chain_index: numeric('bigint', (row) => row.chain_index),
});
// The ORDER BY of the inner query determines the index (audit-rows.ts). The chain may come from an earlier generation of the log.
const FIND = `SELECT asked.ordinal::int AS nth, previous.* FROM (${ASKED.rows(2)}) AS asked, LATERAL (
      SELECT last.* FROM unnest($1::integer[]) AS own (log_id), LATERAL (
        SELECT log_id, leaf_index::text AS leaf_index, chain_index, encode(event_hash, 'hex') AS event_hash FROM leaf AS before
        WHERE before.log_id = own.log_id AND before.entity_id = asked.entity_id AND before.chain_index < asked.chain_index
        ORDER BY before.chain_index DESC LIMIT 1
      ) AS last ORDER BY last.chain_index DESC LIMIT 1
    ) AS previous`;

const placeOf = (entityId: string, chainIndex: number): string => `${chainIndex} ${entityId}`;

/** For each row the leaf before it in its chain; undefined where it is missing. `index` is -1 for one of an earlier generation. */
export async function readPrevious<Row extends ChainedRow>(
  sql: Sql,
  rows: readonly Row[],
  { logId, logIds }: { readonly logId: number; readonly logIds: readonly number[] },
): Promise<ReadonlyMap<Row, Previous>> {
  const inRange = new Map(rows.map((row) => [placeOf(row.entity_id, Number(row.chain_index)), row]));
  const previous = new Map<Row, Previous>();
  const asked: Row[] = [];
  for (const row of rows) {
    const near = inRange.get(placeOf(row.entity_id, Number(row.chain_index) - 1));
    if (near === undefined) asked.push(row);
    else previous.set(row, { index: Number(near.leaf_index), eventHash: near.event_hash });
  }
  if (asked.length === 0) return previous;
  for (const found of await sql.query<FoundRow>(FIND, [logIds, ...ASKED.values(asked)])) {
    const row = asked[found.nth - 1];
    if (row === undefined || Number(found.chain_index) !== Number(row.chain_index) - 1) continue;
    const earlier = found.log_id < logId ? -1 : Infinity;
    const index = found.log_id === logId ? Number(found.leaf_index) : earlier;
    previous.set(row, { index, eventHash: found.event_hash });
  }
  return previous;
}
