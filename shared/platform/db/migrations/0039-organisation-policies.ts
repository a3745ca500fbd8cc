// Policies of single organisations: own policies on top of the installation's set, and sets that are staged for some of them.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- Own policies of an organisation, as they were pushed or as they fit a set of the installation: the canonical JSON of {policies, slug}.
CREATE TABLE own_policies (
  digest text PRIMARY KEY CHECK (digest ~ '^[0-9a-f]{64}$'),
  organisation_id text NOT NULL,
  canonical bytea NOT NULL,
  created_at timestamptz(3) NOT NULL
);
CREATE TRIGGER insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON own_policies FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();

-- A set with own policies is stored as its two parts: every edit of the installation's set, which is megabytes long, makes one for each
-- such organisation.
ALTER TABLE policy_set ALTER COLUMN canonical DROP NOT NULL,
  ADD COLUMN installation text REFERENCES policy_set (digest), ADD COLUMN own text REFERENCES own_policies (digest),
  ADD CHECK ((canonical IS NULL) = (installation IS NOT NULL)), ADD CHECK ((installation IS NULL) = (own IS NULL));
-- The texts of all sets (shared/core/policy/own/compose.ts).
CREATE VIEW policy_set_text AS
  SELECT s.digest, s.created_at, s.installation, s.own, o.organisation_id, coalesce(s.canonical,
      convert_to('{"engine":1,"installation":', 'UTF8') || i.canonical || convert_to(',"organisation":', 'UTF8') || o.canonical || convert_to('}', 'UTF8')) AS canonical
  FROM policy_set s LEFT JOIN policy_set i ON i.digest = s.installation LEFT JOIN own_policies o ON o.digest = s.own;

-- Organisations whose set is not that of the installation. Sealed (shared/platform/db/seals/tables.ts).
CREATE TABLE organisation_policy (
  organisation_id text PRIMARY KEY REFERENCES organisation (id) ON DELETE CASCADE,
  -- What the organisation pushed; null: nothing, or it was withdrawn.
  own_digest text REFERENCES own_policies (digest),
  -- The installation's set that is staged for it; null: the one that is in force for all.
  staged_digest text REFERENCES policy_set (digest),
  -- The set in force for it; null: the installation's.
  active_digest text REFERENCES policy_set (digest),
  activated_at timestamptz(3) NOT NULL,
  -- Of the last change of own_digest or staged_digest.
  author text NOT NULL,
  reason text,
  -- JSON: own policies that do not fit the set of the installation.
  findings text NOT NULL DEFAULT '[]',
  version integer NOT NULL DEFAULT 1,
  seal bytea CHECK (length(seal) = 32)
);
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON organisation_policy FOR EACH ROW EXECUTE FUNCTION custos_announce('policy');

-- Null: an activation for the whole installation. Nulls are not sealed, so the seals of existing rows stay valid.
ALTER TABLE policy_activation ADD COLUMN organisation_id text;
CREATE INDEX policy_activation_by_organisation ON policy_activation (organisation_id, seq) WHERE organisation_id IS NOT NULL;
`;

// Sets that are stored as parts can't be read without the view.
const DOWN = `
ALTER TABLE policy_activation DROP COLUMN organisation_id;
DROP TABLE organisation_policy;
DROP VIEW policy_set_text;
ALTER TABLE policy_set DROP COLUMN installation, DROP COLUMN own;
DROP TABLE own_policies;
`;

export const OrganisationPolicies1763700000039 = sqlMigration({
  name: 'OrganisationPolicies1763700000039',
  up: UP,
  down: DOWN,
});
