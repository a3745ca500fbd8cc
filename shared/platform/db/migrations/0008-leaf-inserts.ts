// Cheaper leaf inserts: a trigger that keeps the rows of `log` replaces the foreign key that was checked for each leaf.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- The constraint was checked by a query for each leaf, a fifth of the cost of appending. Leaves are inserted only while the
-- log's row is locked, and that row is never deleted, so the constraint can't be violated.
ALTER TABLE leaf DROP CONSTRAINT leaf_log_id_fkey;
CREATE TRIGGER never_deleted BEFORE DELETE OR TRUNCATE ON log FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();
`;

const DOWN = `
DROP TRIGGER never_deleted ON log;
ALTER TABLE leaf ADD CONSTRAINT leaf_log_id_fkey FOREIGN KEY (log_id) REFERENCES log (log_id);
`;

export const LeafInserts1763700000008 = sqlMigration({ name: 'LeafInserts1763700000008', up: UP, down: DOWN });
