// Who must approve, and the votes of an approval that needs several.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- JSON. Null: any admin key may approve, and there are no votes. A null is not sealed, so the seals of existing rows stay valid.
ALTER TABLE approval ADD COLUMN approvers text, ADD COLUMN votes text;
`;

// Without the columns the rows that have them can't be checked.
const DOWN = `
ALTER TABLE approval DROP COLUMN approvers, DROP COLUMN votes;
`;

export const Approvers1763700000036 = sqlMigration({ name: 'Approvers1763700000036', up: UP, down: DOWN });
