// The trigger that refuses updates of decisions compares whole rows in a function. PostgreSQL copies the condition of a trigger, which was 7 kB, twice for
// each statement that inserts decisions.
import { ROW_KEPT } from './0030-reasons.ts';
import { sqlMigration } from './sql-migration.ts';

const FUNCTION = `CREATE FUNCTION custos_only_facts_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The only change that a decision allows is that its facts are erased.
  OLD.facts := NULL;
  OLD.facts_salt := NULL;
  IF OLD IS DISTINCT FROM NEW THEN
    RAISE EXCEPTION '% is insert-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;`;
const DROP_TRIGGER = 'DROP TRIGGER insert_only_row ON decision;';

export const DecisionUpdates1763700000065 = sqlMigration({
  name: 'DecisionUpdates1763700000065',
  up: `${FUNCTION}
${DROP_TRIGGER}
CREATE TRIGGER insert_only_row BEFORE UPDATE ON decision FOR EACH ROW EXECUTE FUNCTION custos_only_facts_erased();`,
  down: `${DROP_TRIGGER}
DROP FUNCTION custos_only_facts_erased();
${ROW_KEPT}`,
});
