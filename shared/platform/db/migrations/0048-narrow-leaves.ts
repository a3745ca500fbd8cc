// Leaves without what their log, their event and their proof id say: organisation and environment, and the table and id of their record.
// Their indexes begin with the log, which is 32 bytes less an entry.
import { concurrentMigration } from './sql-migration.ts';

const UNIQUE = [
  ['leaf_proof', '(log_id, proof_id)'],
  ['leaf_chain', '(log_id, entity_id, chain_index)'],
] as const;

export const NarrowLeaves1763700000048 = concurrentMigration({
  name: 'NarrowLeaves1763700000048',
  up: [
    // An index that a failure left half built is dropped; the constraints that it replaces are there until the end.
    ...UNIQUE.flatMap(([name, columns]) => [
      `DROP INDEX CONCURRENTLY IF EXISTS ${name}`,
      `CREATE UNIQUE INDEX CONCURRENTLY ${name} ON leaf ${columns}`,
    ]),
    // Reads no row: the values of existing rows stay where they are. Drops the constraints that begin with the organisation, too.
    `ALTER TABLE leaf DROP COLUMN IF EXISTS organisation_id, DROP COLUMN IF EXISTS environment,
      DROP COLUMN IF EXISTS source, DROP COLUMN IF EXISTS source_id`,
  ],
  down: [
    `DO $$
BEGIN
  LOCK TABLE leaf IN ACCESS EXCLUSIVE MODE;
  ALTER TABLE leaf ADD COLUMN organisation_id text, ADD COLUMN environment text, ADD COLUMN source text CHECK (source IN ('decision', 'record')), ADD COLUMN source_id text;
  ALTER TABLE leaf DISABLE TRIGGER insert_only;
  UPDATE leaf SET organisation_id = log.organisation_id, environment = log.environment,
    source = CASE event WHEN 'custos.decision' THEN 'decision' ELSE 'record' END,
    source_id = CASE event WHEN 'custos.decision' THEN 'dec' || substr(proof_id, 4) ELSE proof_id END
  FROM log WHERE log.log_id = leaf.log_id;
  ALTER TABLE leaf ENABLE TRIGGER insert_only;
  ALTER TABLE leaf ALTER COLUMN organisation_id SET NOT NULL, ALTER COLUMN environment SET NOT NULL, ALTER COLUMN source SET NOT NULL, ALTER COLUMN source_id SET NOT NULL,
    ADD UNIQUE (organisation_id, environment, proof_id), ADD UNIQUE (organisation_id, environment, entity_id, chain_index);
END $$`,
    ...UNIQUE.map(([name]) => `DROP INDEX CONCURRENTLY IF EXISTS ${name}`),
  ],
});
