// The pepper of a key's secret, if it is not the one in force.
import { sqlMigration } from './sql-migration.ts';

const announce = (more: string): string => `
DROP TRIGGER announce ON api_key;
CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE OF key_id, organisation_id, environment, name, secret_hmac, scopes, agent_ids, tier,
    created_at, created_by, expires_at, revoked_at, replaced_by, version, seal${more}
  ON api_key FOR EACH ROW EXECUTE FUNCTION custos_announce('key', 'key_id');
`;

const UP = `
-- The fingerprint of an earlier pepper; null: the one in force. A null is not sealed, so the rows' seals stay right.
ALTER TABLE api_key ADD COLUMN secret_pepper text;
${announce(', secret_pepper')}
`;

// Keys that wait for their first use under a new pepper can't be checked without the column.
const DOWN = `
${announce('')}
ALTER TABLE api_key DROP COLUMN secret_pepper;
`;

export const SecretPepper1763700000017 = sqlMigration({ name: 'SecretPepper1763700000017', up: UP, down: DOWN });
