// The tags of a key.
import { sqlMigration } from './sql-migration.ts';

const announce = (more: string): string => `
DROP TRIGGER announce ON api_key;
CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE OF key_id, organisation_id, environment, name, secret_hmac, scopes, agent_ids, tier,
    created_at, created_by, expires_at, revoked_at, replaced_by, version, seal, secret_pepper, keeps_obligations${more}
  ON api_key FOR EACH ROW EXECUTE FUNCTION custos_announce('key', 'key_id');
`;

const UP = `
-- Null: none. A null is not sealed, so the seals of existing rows stay valid.
ALTER TABLE api_key ADD COLUMN tags text[];
${announce(', tags')}
`;

// Keys with tags can't be checked without the column.
const DOWN = `
${announce('')}
ALTER TABLE api_key DROP COLUMN tags;
`;

export const KeyTags1763700000033 = sqlMigration({ name: 'KeyTags1763700000033', up: UP, down: DOWN });
