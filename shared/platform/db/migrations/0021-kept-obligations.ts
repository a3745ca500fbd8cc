// The types of obligations that the holder of a key keeps.
import { sqlMigration } from './sql-migration.ts';

const announce = (more: string): string => `
DROP TRIGGER announce ON api_key;
CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE OF key_id, organisation_id, environment, name, secret_hmac, scopes, agent_ids, tier,
    created_at, created_by, expires_at, revoked_at, replaced_by, version, seal, secret_pepper${more}
  ON api_key FOR EACH ROW EXECUTE FUNCTION custos_announce('key', 'key_id');
`;

const UP = `
-- Null: none. A null is not sealed, so the rows' seals stay right.
ALTER TABLE api_key ADD COLUMN keeps_obligations text[];
${announce(', keeps_obligations')}
`;

// Keys that keep obligations can't be checked without the column.
const DOWN = `
${announce('')}
ALTER TABLE api_key DROP COLUMN keeps_obligations;
`;

export const KeptObligations1763700000021 = sqlMigration({ name: 'KeptObligations1763700000021', up: UP, down: DOWN });
