// An index of the records of halts, which are few among many: the overview marks them on its time axis.
import { sqlMigration } from './sql-migration.ts';

export const HaltRecords1763700000031 = sqlMigration({
  name: 'HaltRecords1763700000031',
  up: `CREATE INDEX record_of_halt ON record (organisation_id, environment, occurred_at) WHERE event = 'custos.halt'`,
  down: 'DROP INDEX record_of_halt',
});
