// The environment in which a dashboard session acts.
import { sqlMigration } from './sql-migration.ts';

export const SessionEnvironment1763700000028 = sqlMigration({
  name: 'SessionEnvironment1763700000028',
  // Null: that of its key. A null is not sealed, so the seals of existing rows stay valid.
  up: "ALTER TABLE dashboard_session ADD COLUMN environment text CHECK (environment IN ('live', 'test', 'dev'))",
  // Sessions that act in another environment can't be checked without the column.
  down: `DELETE FROM dashboard_session WHERE environment IS NOT NULL;
    ALTER TABLE dashboard_session DROP COLUMN environment`,
});
