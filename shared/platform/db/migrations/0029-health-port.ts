// The port of a worker's health pages and metrics, which is not always the default one.
import { sqlMigration } from './sql-migration.ts';

export const HealthPort1763700000029 = sqlMigration({
  name: 'HealthPort1763700000029',
  up: 'ALTER TABLE process_heartbeat ADD COLUMN health_port integer CHECK (health_port BETWEEN 1 AND 65535)',
  down: 'ALTER TABLE process_heartbeat DROP COLUMN health_port',
});
