// The registry of resources: attributes by organisation, environment and name.
import { sqlMigration } from './sql-migration.ts';

const UP = `
CREATE TABLE resource (
  organisation_id text NOT NULL REFERENCES organisation (id),
  environment text NOT NULL CHECK (environment IN ('live', 'test', 'dev')),
  -- Canonical, perhaps a pattern. By code points, for the list.
  name text COLLATE "C" NOT NULL,
  -- JCS of {attributes?, class?, owner?}
  entry text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  -- Rows stay after their removal, so that a deleted row is noticed.
  removed_at timestamptz(3),
  version integer NOT NULL,
  seal bytea,
  PRIMARY KEY (organisation_id, environment, name)
);
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON resource
  FOR EACH ROW EXECUTE FUNCTION custos_announce('resource', 'organisation_id', 'environment');
`;

const DOWN = `
DELETE FROM change WHERE kind = 'resource';
DROP TABLE resource;
`;

export const Resources1763700000040 = sqlMigration({ name: 'Resources1763700000040', up: UP, down: DOWN });
