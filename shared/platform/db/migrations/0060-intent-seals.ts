// Submitted intents carry the seal of the process that accepted them, so that the service's role alone can't submit one in the name of a key.
import { sqlMigration } from './sql-migration.ts';

// No row is sealed here: the triggers refuse to make one without a seal and to write what was submitted, so that one without is of before. The
// statement that ends an intent writes the tool and the address, too: it erases them.
const UP = `
ALTER TABLE intent
  -- HMAC-SHA-256 under a key derived from the pepper (shared/platform/db/seals/submissions.ts).
  ADD COLUMN submission_seal bytea;
CREATE TRIGGER made_sealed BEFORE INSERT ON intent FOR EACH ROW WHEN (NEW.submission_seal IS NULL) EXECUTE FUNCTION custos_insert_only();
CREATE TRIGGER as_submitted BEFORE UPDATE OF organisation_id, environment, intent_id, agent_id, key_id, action, resource, context, traceparent,
    submitted_at, request_id, submission_seal
  ON intent FOR EACH ROW EXECUTE FUNCTION custos_insert_only();
CREATE TRIGGER ended BEFORE UPDATE ON intent FOR EACH ROW WHEN (OLD.status IN ('decided', 'failed')) EXECUTE FUNCTION custos_insert_only();
CREATE TRIGGER kept_row BEFORE DELETE ON intent FOR EACH ROW WHEN (OLD.status NOT IN ('decided', 'failed')) EXECUTE FUNCTION custos_insert_only();
`;

const DOWN = `
DROP TRIGGER kept_row ON intent;
DROP TRIGGER ended ON intent;
DROP TRIGGER as_submitted ON intent;
DROP TRIGGER made_sealed ON intent;
ALTER TABLE intent DROP COLUMN submission_seal`;

export const IntentSeals1763700000060 = sqlMigration({ name: 'IntentSeals1763700000060', up: UP, down: DOWN });
