// Decisions without what their id and record say: the id of the proof, and the digest of the policy set (which may be null already).
import { concurrentMigration } from './sql-migration.ts';

/** Of the partitioned table, then of the partitions that were made with a constraint of their own. */
const everywhere = (change: string): string => `DO $$
DECLARE
  part regclass;
BEGIN
  ALTER TABLE decision ALTER COLUMN proof_id ${change};
  FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'decision'::regclass LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN proof_id ${change}', part);
  END LOOP;
END $$`;

export const NarrowDecisions1763700000047 = concurrentMigration({
  name: 'NarrowDecisions1763700000047',
  // 31 and 65 of the bytes of a row. An earlier version goes on writing both.
  up: [everywhere('DROP NOT NULL')],
  down: [
    'ALTER TABLE decision DISABLE TRIGGER insert_only_row',
    "UPDATE decision SET proof_id = 'prf' || substr(decision_id, 4) WHERE proof_id IS NULL",
    'ALTER TABLE decision ENABLE TRIGGER insert_only_row',
    everywhere('SET NOT NULL'),
  ],
});
