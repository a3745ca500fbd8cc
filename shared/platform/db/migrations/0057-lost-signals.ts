// Signals that were accepted and count nowhere are found by counting those of an agent. What was accepted stays as it was.
import { concurrentMigration } from './sql-migration.ts';

export const LostSignals1763700000057 = concurrentMigration({
  name: 'LostSignals1763700000057',
  up: [
    'DROP INDEX CONCURRENTLY IF EXISTS trust_signal_by_agent',
    // By an expression, so that no look-up by primary key can use it: in a table without statistics the planner would take it, and read
    // all signals of an organisation for each row.
    "CREATE INDEX CONCURRENTLY trust_signal_by_agent ON trust_signal ((organisation_id || ' ' || environment), agent_id)",
    'CREATE OR REPLACE TRIGGER insert_only BEFORE DELETE OR TRUNCATE ON trust_signal FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only()',
    // For each row: the service's role keeps the right to update, because retention erases the other two columns. A reused signalId sets a
    // weight of 0, which the CHECK refuses.
    `CREATE OR REPLACE TRIGGER kept_columns BEFORE UPDATE OF organisation_id, environment, signal_id, agent_id, key_id, type, weight, occurred_at, received_at ON trust_signal
      FOR EACH ROW WHEN (NEW.weight <> 0) EXECUTE FUNCTION custos_insert_only()`,
  ],
  down: [
    'DROP TRIGGER IF EXISTS kept_columns ON trust_signal',
    'DROP TRIGGER IF EXISTS insert_only ON trust_signal',
    'DROP INDEX CONCURRENTLY IF EXISTS trust_signal_by_agent',
  ],
});
