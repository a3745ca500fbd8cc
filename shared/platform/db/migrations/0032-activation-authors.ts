// Who put a policy set into force, why and from where; the set of the folder while another one is pinned.
import { sqlMigration } from './sql-migration.ts';

const announce = (more: string): string => `
DROP TRIGGER announce ON policy_state;
CREATE TRIGGER announce AFTER UPDATE ON policy_state FOR EACH ROW
  WHEN (OLD.active_digest IS DISTINCT FROM NEW.active_digest OR OLD.findings IS DISTINCT FROM NEW.findings OR OLD.seal IS DISTINCT FROM NEW.seal${more})
  EXECUTE FUNCTION custos_announce('policy');
`;

const UP = `
-- Nulls stand for the folder, the only source until now. A null is not sealed, so the seals of existing rows stay valid.
ALTER TABLE policy_activation ADD COLUMN author text, ADD COLUMN reason text, ADD COLUMN source text,
  ADD COLUMN approver text, ADD COLUMN signer text,
  -- The number in the signature: each accepted one is higher than those before.
  ADD COLUMN signed_sequence bigint;
ALTER TABLE policy_state ADD COLUMN author text, ADD COLUMN reason text, ADD COLUMN source text,
  -- The set of the last read of the folder, if it is valid.
  ADD COLUMN folder_digest text REFERENCES policy_set (digest);
${announce(' OR OLD.folder_digest IS DISTINCT FROM NEW.folder_digest')}
`;

// Rows with these columns can't be checked without them.
const DOWN = `
${announce('')}
ALTER TABLE policy_state DROP COLUMN author, DROP COLUMN reason, DROP COLUMN source, DROP COLUMN folder_digest;
ALTER TABLE policy_activation DROP COLUMN author, DROP COLUMN reason, DROP COLUMN source, DROP COLUMN approver, DROP COLUMN signer,
  DROP COLUMN signed_sequence;
`;

export const ActivationAuthors1763700000032 = sqlMigration({
  name: 'ActivationAuthors1763700000032',
  up: UP,
  down: DOWN,
});
