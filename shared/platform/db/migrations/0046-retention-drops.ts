// How far retention has dropped, sealed: an attacker with SQL access can't make a deletion look like retention.
import { concurrentMigration } from './sql-migration.ts';

export const RetentionDrops1763700000046 = concurrentMigration({
  name: 'RetentionDrops1763700000046',
  up: [
    // One row for each kind, written in the transaction that drops. Ids below before_id were dropped.
    `CREATE TABLE IF NOT EXISTS retention_drop (
      what text PRIMARY KEY,
      before_id text NOT NULL,
      -- HMAC-SHA-256 under a key derived from the pepper (shared/domain/retention/dropped.ts).
      seal bytea NOT NULL CHECK (length(seal) = 32)
    )`,
  ],
  down: ['DROP TABLE IF EXISTS retention_drop'],
});
