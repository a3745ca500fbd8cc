// What was deleted of the change feed, so that a process which has not polled for long knows whether it has missed something.
import { sqlMigration } from './sql-migration.ts';

// The highest transaction whose rows were deleted. In a restored database it may be of another server, whose transactions were numbered
// higher: it never exceeds the present one. PostgreSQL 14 has no max(xid8).
const UP = `
CREATE TABLE change_forgotten (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  txid xid8 NOT NULL DEFAULT '0',
  times bigint NOT NULL DEFAULT 0
);
INSERT INTO change_forgotten DEFAULT VALUES;
CREATE FUNCTION custos_forget_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE change_forgotten SET times = times + 1,
    txid = least(pg_current_xact_id(), greatest(txid, (SELECT gone.txid FROM gone ORDER BY gone.txid DESC LIMIT 1)))
  WHERE EXISTS (SELECT FROM gone);
  RETURN NULL;
END $$;
CREATE TRIGGER forgotten AFTER DELETE ON change REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION custos_forget_changes();
`;

const DOWN = `
DROP TRIGGER forgotten ON change;
DROP FUNCTION custos_forget_changes;
DROP TABLE change_forgotten`;

export const ForgottenChanges1763700000062 = sqlMigration({
  name: 'ForgottenChanges1763700000062',
  up: UP,
  down: DOWN,
});
