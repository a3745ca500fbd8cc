// A proposed change of policies keeps the line of its signature, so that it is checked again when the change is carried out.
import { sqlMigration } from './sql-migration.ts';

// Nulls are not sealed, so the seals of existing rows stay valid. A signed proposal without its line can't be approved any more.
const UP = 'ALTER TABLE policy_proposal ADD COLUMN signature text';
const DOWN = 'ALTER TABLE policy_proposal DROP COLUMN signature';

export const ProposedSignatures1763700000064 = sqlMigration({
  name: 'ProposedSignatures1763700000064',
  up: UP,
  down: DOWN,
});
