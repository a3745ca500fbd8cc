// The indexes that filters of lists lacked: intents and decisions of one key, deliveries in one state, the installation's policy sets.
import { SUFFIX } from './0045-retention-kinds.ts';
import { type Migration, type MigrationRunner, runConcurrently } from './sql-migration.ts';

/**
 * The end of a key's id, which is random, stands for the key: 56 bytes a row, where owner, key and id would take 112. The condition of a
 * list has both (shared/domain/decisions/owned-list.ts).
 */
const BY_KEY = 'right(key_id, 4)';

const INDEXES: readonly (readonly [name: string, on: string])[] = [
  ['intent_by_key', `intent (${BY_KEY}, intent_id)`],
  ['webhook_delivery_by_state', `webhook_delivery (endpoint_id, state, seq) WHERE state <> 'pending'`],
  ['policy_activation_of_installation', 'policy_activation (seq) WHERE organisation_id IS NULL'],
];

/** Tables without the index: partitions, and copies of them that take their place later (migration 0045). */
const PARTS = `SELECT c.oid::regclass::text AS name, c.relispartition AS attached FROM pg_class c
  WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'decision'::regclass) AND c.relkind = 'r'
    AND (c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'decision'::regclass) OR c.relname ~ '^decision_.*${SUFFIX}$')
    AND NOT EXISTS (SELECT FROM pg_index i JOIN pg_inherits h ON h.inhrelid = i.indexrelid
      WHERE i.indrelid = c.oid AND h.inhparent = to_regclass('decision_by_key'))
  ORDER BY c.oid`;

/** An index of a partitioned table can't be built concurrently at once, but part by part. New partitions get theirs when they are made. */
async function indexDecisions(runner: MigrationRunner): Promise<void> {
  const on = (table: string): string => `${table} (${BY_KEY}, decision_id)`;
  await runConcurrently(runner, [`CREATE INDEX IF NOT EXISTS decision_by_key ON ${on('ONLY decision')}`]);
  // What the query answers; the runner does not know it.
  const parts = (await runner.query(PARTS)) as readonly { readonly name: string; readonly attached: boolean }[];
  for (const { name, attached } of parts) {
    const index = `${name}_by_key`;
    const attach = attached ? [`ALTER INDEX decision_by_key ATTACH PARTITION ${index}`] : [];
    // oxlint-disable-next-line no-await-in-loop -- one at a time
    await runConcurrently(runner, [
      `DROP INDEX CONCURRENTLY IF EXISTS ${index}`,
      `CREATE INDEX CONCURRENTLY ${index} ON ${on(name)}`,
      ...attach,
    ]);
  }
}

export const ListFilters1763700000063: new () => Migration = class implements Migration {
  readonly name = 'ListFilters1763700000063';
  readonly transaction = false;

  async up(runner: MigrationRunner): Promise<void> {
    const build = ([name, on]: (typeof INDEXES)[number]): string[] => [
      `DROP INDEX CONCURRENTLY IF EXISTS ${name}`,
      `CREATE INDEX CONCURRENTLY ${name} ON ${on}`,
    ];
    await runConcurrently(runner, INDEXES.flatMap(build));
    await indexDecisions(runner);
  }

  async down(runner: MigrationRunner): Promise<void> {
    const drop = INDEXES.map(([name]) => `DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await runConcurrently(runner, [...drop, 'DROP INDEX IF EXISTS decision_by_key']);
  }
};
