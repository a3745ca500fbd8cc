// Counts of budgets carry the seal of whoever charged them, so that the service's role alone can't make a used-up budget fresh again.
import { sqlMigration } from './sql-migration.ts';

// No row is sealed here, which would lock budgets for as long: the triggers refuse to make or to change a row without a seal, so that one
// without is of before. What a row was can't come back either: its versions only rise, it is deleted only when nothing in it
// counts, and then made again with another time. Conditions cost less than a function, which runs only to refuse.
const UP = `
ALTER TABLE budget_use
  ADD COLUMN created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Raised by each change.
  ADD COLUMN version bigint NOT NULL DEFAULT 0,
  -- HMAC-SHA-256 under a key derived from the pepper (shared/platform/db/seals/budgets.ts).
  ADD COLUMN count_seal bytea;
ALTER TABLE budget_charge
  ADD COLUMN given_back boolean NOT NULL DEFAULT false,
  ADD COLUMN charge_seal bytea;
CREATE TRIGGER made_unused BEFORE INSERT ON budget_use FOR EACH ROW
  WHEN (NEW.version <> 0 OR NEW.buckets <> '{}' OR NEW.count_seal IS NOT NULL OR NEW.created_at <> now()::timestamptz(3))
  EXECUTE FUNCTION custos_insert_only();
CREATE TRIGGER next_version BEFORE UPDATE ON budget_use FOR EACH ROW
  WHEN (NEW.version <> OLD.version + 1 OR NEW.count_seal IS NULL OR NEW.expires_at < OLD.expires_at
    OR (NEW.id, NEW.organisation_id, NEW.environment, NEW.name, NEW.counted_for_digest, NEW.created_at)
      <> (OLD.id, OLD.organisation_id, OLD.environment, OLD.name, OLD.counted_for_digest, OLD.created_at))
  EXECUTE FUNCTION custos_insert_only();
CREATE TRIGGER kept_row BEFORE DELETE ON budget_use FOR EACH ROW WHEN (OLD.expires_at >= now()) EXECUTE FUNCTION custos_insert_only();
CREATE TRIGGER made_sealed BEFORE INSERT ON budget_charge FOR EACH ROW
  WHEN (NEW.charge_seal IS NULL OR NEW.given_back) EXECUTE FUNCTION custos_insert_only();
CREATE TRIGGER given_back_once BEFORE UPDATE ON budget_charge FOR EACH ROW
  WHEN (OLD.given_back OR NEW.charge_seal IS DISTINCT FROM OLD.charge_seal
    OR (NEW.decision_id, NEW.budget_use_id, NEW.amount, NEW.ends_at_ms, NEW.expires_at)
      <> (OLD.decision_id, OLD.budget_use_id, OLD.amount, OLD.ends_at_ms, OLD.expires_at))
  EXECUTE FUNCTION custos_insert_only();
CREATE TRIGGER kept_row BEFORE DELETE ON budget_charge FOR EACH ROW WHEN (OLD.expires_at >= now()) EXECUTE FUNCTION custos_insert_only();
`;

const DOWN = `
DROP TRIGGER kept_row ON budget_charge;
DROP TRIGGER given_back_once ON budget_charge;
DROP TRIGGER made_sealed ON budget_charge;
DROP TRIGGER kept_row ON budget_use;
DROP TRIGGER next_version ON budget_use;
DROP TRIGGER made_unused ON budget_use;
DELETE FROM budget_charge WHERE given_back;
ALTER TABLE budget_charge DROP COLUMN given_back, DROP COLUMN charge_seal;
ALTER TABLE budget_use DROP COLUMN created_at, DROP COLUMN version, DROP COLUMN count_seal`;

export const BudgetSeals1763700000059 = sqlMigration({ name: 'BudgetSeals1763700000059', up: UP, down: DOWN });
