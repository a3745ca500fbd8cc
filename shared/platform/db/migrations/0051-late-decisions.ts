// Refuses decisions that are stored long after they were evaluated (shared/domain/decisions/decision-store.ts).
import { sqlMigration } from './sql-migration.ts';

// A serialization failure: nothing is wrong with the statement, and who asks again gets an answer of the present.
export const LateDecisions1763700000051 = sqlMigration({
  name: 'LateDecisions1763700000051',
  up: `CREATE FUNCTION custos_too_late() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a decision was evaluated too long ago to be stored' USING ERRCODE = 'serialization_failure';
END $$`,
  down: 'DROP FUNCTION custos_too_late',
});
