// When an audit of decisions and trust began that has not ended: its process may have died of it.
import { sqlMigration } from './sql-migration.ts';

export const EvidenceBegun1763700000053 = sqlMigration({
  name: 'EvidenceBegun1763700000053',
  up: 'ALTER TABLE audit ADD COLUMN evidence_begun_at timestamptz(3)',
  down: 'ALTER TABLE audit DROP COLUMN evidence_begun_at',
});
