// The first tables: tenants, keys, agents, halts, policy sets, parses, decisions, idempotency, and the change feed.
import { sqlMigration } from './sql-migration.ts';

const UP = `
CREATE TABLE organisation (
  id text PRIMARY KEY,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9-]{1,40}$'),
  name text NOT NULL,
  tier smallint NOT NULL DEFAULT 7 CHECK (tier BETWEEN 0 AND 7),
  is_operator boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL
);
CREATE UNIQUE INDEX organisation_one_operator ON organisation (is_operator) WHERE is_operator;

CREATE TABLE api_key (
  key_id text PRIMARY KEY CHECK (key_id ~ '^[0-9A-Za-z]{8}$'),
  organisation_id text NOT NULL REFERENCES organisation (id),
  environment text NOT NULL CHECK (environment IN ('live', 'test', 'dev')),
  name text NOT NULL,
  secret_hmac bytea NOT NULL CHECK (length(secret_hmac) = 32),
  scopes text[] NOT NULL,
  agent_ids text[],
  tier smallint NOT NULL CHECK (tier BETWEEN 0 AND 7),
  created_at timestamptz(3) NOT NULL,
  created_by text,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  replaced_by text,
  last_used_at timestamptz(3),
  seq bigint GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX api_key_by_owner ON api_key (organisation_id, environment, seq);

CREATE TABLE agent (
  organisation_id text NOT NULL REFERENCES organisation (id),
  environment text NOT NULL CHECK (environment IN ('live', 'test', 'dev')),
  agent_id text NOT NULL,
  name text NOT NULL,
  description text,
  capabilities text[] NOT NULL DEFAULT '{}',
  tags text[] NOT NULL DEFAULT '{}',
  -- The caller's JSON text, not jsonb: jsonb refuses \\u0000 and rewrites numbers.
  metadata text,
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'PAUSED', 'SUSPENDED', 'TERMINATED')),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (organisation_id, environment, agent_id)
);
CREATE INDEX agent_by_age ON agent (organisation_id, environment, seq);

CREATE TABLE halt (
  organisation_id text NOT NULL REFERENCES organisation (id),
  environment text NOT NULL CHECK (environment IN ('live', 'test', 'dev')),
  reason text NOT NULL,
  key_id text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organisation_id, environment)
);

CREATE TABLE policy_set (
  digest text PRIMARY KEY CHECK (digest ~ '^[0-9a-f]{64}$'),
  canonical bytea NOT NULL,
  created_at timestamptz(3) NOT NULL
);

-- One row: the policy set in force, and the result of the last read of the policy folder.
CREATE TABLE policy_state (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  active_digest text REFERENCES policy_set (digest),
  activated_at timestamptz(3),
  read_at timestamptz(3),
  read_ok boolean NOT NULL DEFAULT true,
  -- JSON text: the findings of the last reading when it was refused.
  findings text NOT NULL DEFAULT '[]'
);
INSERT INTO policy_state DEFAULT VALUES;

CREATE TABLE policy_activation (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest text NOT NULL REFERENCES policy_set (digest),
  previous_digest text,
  activated_at timestamptz(3) NOT NULL
);

CREATE TABLE intent_parse (
  intent_id text PRIMARY KEY,
  organisation_id text NOT NULL,
  environment text NOT NULL,
  agent_id text NOT NULL,
  key_id text NOT NULL,
  normalized text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  -- JSON texts: the answer as it was given, and the raw text (a JSON string, because text columns refuse NUL), which retention may erase.
  answer text NOT NULL,
  raw_intent text
-- Rows of usual size stay in one piece and uncompressed: pglz took half of all that an insert costs (37 against 20
-- microseconds a decision) and saved a tenth of the WAL. Larger rows are compressed and stored out of line as usual.
) WITH (toast_tuple_target = 8160);

CREATE TABLE decision (
  decision_id text NOT NULL,
  organisation_id text NOT NULL,
  environment text NOT NULL,
  agent_id text NOT NULL,
  key_id text NOT NULL,
  verdict text NOT NULL CHECK (verdict IN ('ALLOW', 'DENY', 'ESCALATE', 'DEGRADE')),
  evaluated_at timestamptz(3) NOT NULL,
  policy_digest text,
  proof_id text NOT NULL,
  -- Which process wrote it: the others count it into their history windows.
  process_id text NOT NULL,
  -- The canonical bytes of the record up to its previousHash; payload.body is the answer.
  record bytea NOT NULL,
  -- JCS of all facts, and the salt of factsDigest. Retention may erase both; the rest of the row never changes.
  facts bytea,
  facts_salt bytea,
  -- Ids sort by time, so this order is also the order of every listing.
  PRIMARY KEY (organisation_id, environment, decision_id)
-- Storage as for intent_parse.
) WITH (toast_tuple_target = 8160);
CREATE INDEX decision_by_agent ON decision (organisation_id, environment, agent_id, decision_id) INCLUDE (verdict, evaluated_at);
-- Other processes read the newest rows of all tenants every second. Not BRIN: it does not cover rows that were inserted
-- since the last vacuum, so each query read all of them (20 ms for 40,000 rows, and growing).
CREATE INDEX decision_by_time ON decision (evaluated_at);

CREATE TABLE idempotency (
  organisation_id text NOT NULL,
  environment text NOT NULL,
  route text NOT NULL,
  key_hash bytea NOT NULL,
  body_hash bytea NOT NULL,
  -- Which running request holds the claim, and until when; both null once the answer is stored.
  claim text,
  claimed_until timestamptz(3),
  status smallint,
  -- The stored answer, encrypted under a key derived from the caller's Idempotency-Key and the pepper.
  answer bytea,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organisation_id, environment, route, key_hash)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE secret_fingerprint (
  name text PRIMARY KEY,
  fingerprint text NOT NULL
);

-- The change feed, which invalidates the caches of every process. txid makes it gap-free: see shared/platform/db/changes.ts.
CREATE TABLE change (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  txid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  kind text NOT NULL,
  subject text NOT NULL,
  changed_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX change_by_txid ON change (txid);

CREATE FUNCTION custos_announce() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  r jsonb := to_jsonb(CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END);
  subject text := '';
BEGIN
  IF TG_NARGS > 1 THEN
    subject := (SELECT jsonb_agg(r ->> TG_ARGV[i] ORDER BY i) FROM generate_series(1, TG_NARGS - 1) AS i)::text;
  END IF;
  INSERT INTO change (kind, subject) VALUES (TG_ARGV[0], subject);
  PERFORM pg_notify('custos_change', '');
  RETURN NULL;
END $$;

CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE OF scopes, agent_ids, tier, expires_at, revoked_at, secret_hmac, name, replaced_by
  ON api_key FOR EACH ROW EXECUTE FUNCTION custos_announce('key', 'key_id');
CREATE TRIGGER announce AFTER UPDATE OR DELETE ON organisation FOR EACH ROW EXECUTE FUNCTION custos_announce('organisation', 'id');
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON agent
  FOR EACH ROW EXECUTE FUNCTION custos_announce('agent', 'organisation_id', 'environment', 'agent_id');
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON halt
  FOR EACH ROW EXECUTE FUNCTION custos_announce('halt', 'organisation_id', 'environment');
CREATE TRIGGER announce AFTER UPDATE ON policy_state FOR EACH ROW
  WHEN (OLD.active_digest IS DISTINCT FROM NEW.active_digest OR OLD.findings IS DISTINCT FROM NEW.findings)
  EXECUTE FUNCTION custos_announce('policy');

CREATE FUNCTION custos_insert_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is insert-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON policy_set
  FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();
CREATE TRIGGER insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON policy_activation
  FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();
CREATE TRIGGER insert_only BEFORE DELETE OR TRUNCATE ON decision
  FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();
-- The only change that a decision allows is that its facts are erased.
CREATE TRIGGER insert_only_row BEFORE UPDATE ON decision FOR EACH ROW
  WHEN ((OLD.decision_id, OLD.organisation_id, OLD.environment, OLD.agent_id, OLD.key_id, OLD.verdict, OLD.evaluated_at, OLD.policy_digest, OLD.proof_id, OLD.process_id, OLD.record)
    IS DISTINCT FROM (NEW.decision_id, NEW.organisation_id, NEW.environment, NEW.agent_id, NEW.key_id, NEW.verdict, NEW.evaluated_at, NEW.policy_digest, NEW.proof_id, NEW.process_id, NEW.record)
    OR NEW.facts IS NOT NULL OR NEW.facts_salt IS NOT NULL)
  EXECUTE FUNCTION custos_insert_only();
`;

const DOWN = `
DROP TABLE change, secret_fingerprint, idempotency, decision, intent_parse, policy_activation, policy_state, policy_set, halt, agent, api_key, organisation;
DROP FUNCTION custos_announce, custos_insert_only;
`;

export const Foundation1763700000001 = sqlMigration({ name: 'Foundation1763700000001', up: UP, down: DOWN });
