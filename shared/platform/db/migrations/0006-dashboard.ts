// The operator dashboard: sessions, sign-in attempts, the operator trail, and heartbeats of processes.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- One row per process, written every second; ages are measured by the database's clock.
CREATE TABLE process_heartbeat (
  process_id text PRIMARY KEY,
  role text NOT NULL CHECK (role IN ('ingress', 'workers')),
  version text NOT NULL,
  host text NOT NULL,
  pid integer NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  seen_at timestamptz(3) NOT NULL DEFAULT now()
-- Room on each page for the next version of its rows: an update then touches no index.
) WITH (fillfactor = 50);

-- Who is signed in. The token is 256 random bits, so a plain hash of it reveals nothing.
CREATE TABLE dashboard_session (
  token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
  key_id text NOT NULL REFERENCES api_key (key_id),
  created_at timestamptz(3) NOT NULL,
  last_seen_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX dashboard_session_by_end ON dashboard_session (expires_at);

-- Attempts to sign in with a wrong key, by client, in fixed windows; successful ones are not counted.
CREATE TABLE dashboard_attempt (
  client text PRIMARY KEY,
  attempts integer NOT NULL,
  since timestamptz(3) NOT NULL
);
CREATE INDEX dashboard_attempt_by_age ON dashboard_attempt (since);

-- The operator trail: a row before (begun) and one after (done, refused, failed) each action. Insert-only.
CREATE TABLE dashboard_audit (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz(3) NOT NULL,
  request_id text NOT NULL,
  -- Null when a sign-in showed nothing that has the form of a key.
  key_id text,
  -- Null when the key is not known.
  organisation_id text,
  environment text,
  address text NOT NULL,
  -- sign-in, sign-out, or method and path template of a route.
  action text NOT NULL,
  -- The path itself.
  subject text NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('begun', 'done', 'refused', 'failed')),
  -- The answer's status, and its error code when it is a problem; null when it is only begun.
  status smallint,
  code text
);
CREATE INDEX dashboard_audit_by_owner ON dashboard_audit (organisation_id, environment, seq);
CREATE TRIGGER insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON dashboard_audit
  FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();

-- Lists of agents by status, and by prefix of their id, which needs byte order.
CREATE INDEX agent_by_status ON agent (organisation_id, environment, status, seq);
CREATE INDEX agent_by_prefix ON agent (organisation_id, environment, agent_id COLLATE "C");
`;

const DOWN = `
DROP INDEX agent_by_status, agent_by_prefix;
DROP TABLE dashboard_audit, dashboard_attempt, dashboard_session, process_heartbeat;
`;

export const Dashboard1763700000006 = sqlMigration({ name: 'Dashboard1763700000006', up: UP, down: DOWN });
