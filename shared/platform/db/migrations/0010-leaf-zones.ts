// Zones: summaries of 256 leaves each, so that a list by time, event or entity skips the others without reading them.
import { type MigrationRunner, sqlMigration } from './sql-migration.ts';

const UP = `
-- One row for every 256 complete leaves, in order and without a gap, inserted by the appender. An index would make each
-- leaf more expensive, and none has leaves by time in the order of lists: leaves are in order of arrival, and clocks may
-- jump. Insert-only.
CREATE TABLE leaf_zone (
  log_id integer NOT NULL,
  first_index bigint NOT NULL CHECK (first_index % 256 = 0),
  earliest timestamptz(3) NOT NULL,
  latest timestamptz(3) NOT NULL,
  -- Of each event, entity, and event of an entity in the zone (shared/domain/ledger/zones.ts). Sorted for binary search.
  marks integer[] NOT NULL,
  PRIMARY KEY (log_id, first_index)
-- Stored inline and uncompressed, because one query may scan all of them.
) WITH (toast_tuple_target = 8160);
ALTER TABLE leaf_zone ALTER COLUMN marks SET STORAGE EXTERNAL;
CREATE TRIGGER insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON leaf_zone FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();
`;

const DOWN = `
DROP TABLE leaf_zone;
`;

const ZONE = 256;
/** Leaves in memory at once. */
const AT_ONCE = 64 * ZONE;

interface Leaf {
  readonly event: string;
  readonly entity_id: string;
}

/** A copy of shared/domain/ledger/zones.ts as of this migration. */
function markOf(event: string, entityId: string): number {
  const text = `${event}\n${entityId}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}

function marksOf(leaves: readonly Leaf[]): number[] {
  const marks = leaves.flatMap(({ event, entity_id: entity }) => [
    markOf(event, ''),
    markOf('', entity),
    markOf(event, entity),
  ]);
  return [...new Set(marks)].sort((a, b) => a - b);
}

/** Zones of existing leaves. Hashed here, because SQL is many times slower. */
async function writeZones(runner: MigrationRunner, logId: number, size: number): Promise<void> {
  const complete = size - (size % ZONE);
  for (let from = 0; from < complete; from += AT_ONCE) {
    const to = Math.min(from + AT_ONCE, complete);
    const leaves = (await runner.query(
      'SELECT event, entity_id FROM leaf WHERE log_id = $1 AND leaf_index >= $2 AND leaf_index < $3 ORDER BY leaf_index',
      [logId, from, to],
    )) as Leaf[];
    const marks = Array.from({ length: (to - from) / ZONE }, (_, i) =>
      marksOf(leaves.slice(i * ZONE, (i + 1) * ZONE)).join(','),
    );
    await runner.query(
      `INSERT INTO leaf_zone (log_id, first_index, earliest, latest, marks)
       SELECT $1, first_index, min(occurred_at), max(occurred_at), ('{' || marks || '}')::integer[]
       FROM unnest($2::text[]) WITH ORDINALITY AS made (marks, nth) CROSS JOIN LATERAL (SELECT $3::bigint + (nth - 1) * ${ZONE}) AS zone (first_index)
       JOIN leaf ON leaf.log_id = $1 AND leaf_index >= first_index AND leaf_index < first_index + ${ZONE}
       GROUP BY first_index, marks`,
      [logId, marks, from],
    );
  }
}

async function writeAllZones(runner: MigrationRunner): Promise<void> {
  const logs = (await runner.query('SELECT log_id, size::float8 AS size FROM log')) as {
    log_id: number;
    size: number;
  }[];
  for (const { log_id: logId, size } of logs) await writeZones(runner, logId, size);
}

export const LeafZones1763700000010 = sqlMigration({
  name: 'LeafZones1763700000010',
  up: UP,
  down: DOWN,
  afterUp: writeAllZones,
});
