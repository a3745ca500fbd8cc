// The pipeline: accepted intents, signals and proofs, the outbox of the queues, the inbox of the ledger, and its leaves.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- Work that is accepted and must be handed to a queue. Written in the transaction that accepts; deleted by the relay,
-- which polls: a NOTIFY would take a lock that all committing transactions of the database share.
CREATE TABLE outbox (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue text NOT NULL,
  name text NOT NULL,
  -- JSON text: ids, a version and trace ids.
  payload text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE intent (
  organisation_id text NOT NULL,
  environment text NOT NULL,
  intent_id text NOT NULL,
  agent_id text NOT NULL,
  key_id text NOT NULL,
  action text NOT NULL,
  -- As the caller gave it; the decision has the canonical one.
  resource text NOT NULL,
  -- JSON text of the caller's context, or null.
  context text,
  traceparent text,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'evaluating', 'waiting_approval', 'decided', 'failed')),
  decision_id text,
  submitted_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organisation_id, environment, intent_id),
  CHECK ((status IN ('decided', 'failed')) = (decision_id IS NOT NULL))
);
CREATE INDEX intent_by_agent ON intent (organisation_id, environment, agent_id, intent_id);
-- For the sweeper.
CREATE INDEX intent_open ON intent (updated_at) WHERE status IN ('queued', 'evaluating');

CREATE TABLE trust_signal (
  organisation_id text NOT NULL,
  environment text NOT NULL,
  signal_id text NOT NULL,
  agent_id text NOT NULL,
  key_id text NOT NULL,
  type text NOT NULL CHECK (type IN ('success', 'failure', 'violation')),
  -- Thousandths.
  weight smallint NOT NULL CHECK (weight BETWEEN 1 AND 1000),
  occurred_at timestamptz(3) NOT NULL,
  received_at timestamptz(3) NOT NULL,
  source text,
  -- JSON text.
  evidence text,
  PRIMARY KEY (organisation_id, environment, signal_id)
);

-- Signals that are not folded yet. A row is deleted in the transaction that folds it.
CREATE TABLE trust_inbox (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id text NOT NULL,
  environment text NOT NULL,
  signal_id text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

-- How many signals of an agent are folded, and the score on that day.
CREATE TABLE trust_state (
  organisation_id text NOT NULL,
  environment text NOT NULL,
  agent_id text NOT NULL,
  signals bigint NOT NULL,
  last_signal_at timestamptz(3) NOT NULL,
  day integer NOT NULL,
  score smallint NOT NULL CHECK (score BETWEEN 0 AND 1000),
  uncertainty numeric(4, 3) NOT NULL,
  PRIMARY KEY (organisation_id, environment, agent_id)
);

-- Evidence by agent, UTC day and submitting key, in thousandths.
CREATE TABLE trust_bucket (
  organisation_id text NOT NULL,
  environment text NOT NULL,
  agent_id text NOT NULL,
  day integer NOT NULL,
  key_id text NOT NULL,
  positive bigint NOT NULL DEFAULT 0 CHECK (positive >= 0),
  negative bigint NOT NULL DEFAULT 0 CHECK (negative >= 0),
  PRIMARY KEY (organisation_id, environment, agent_id, day, key_id)
);

-- One row per fold and agent: signals first_n..last_n, and the resulting score. Insert-only.
CREATE TABLE trust_fold (
  organisation_id text NOT NULL,
  environment text NOT NULL,
  agent_id text NOT NULL,
  first_n bigint NOT NULL,
  last_n bigint NOT NULL,
  folded_at timestamptz(3) NOT NULL,
  day integer NOT NULL,
  score smallint NOT NULL,
  uncertainty numeric(4, 3) NOT NULL,
  -- JSON text: [{n, signalId, type, weight, day, key}], as in the leaf.
  signals text NOT NULL,
  proof_id text NOT NULL,
  PRIMARY KEY (organisation_id, environment, agent_id, last_n)
);

-- Records for the log other than decisions, which carry their own. Insert-only.
CREATE TABLE record (
  organisation_id text NOT NULL,
  environment text NOT NULL,
  proof_id text NOT NULL,
  entity_id text NOT NULL,
  event text NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  -- The canonical bytes up to previousHash.
  record bytea NOT NULL,
  -- SHA-256 of JCS of the request that made it: a repeat of the proofId must have the same one. Null for records of the service itself.
  request_digest bytea,
  -- The key that asked; null for records of the service itself.
  key_id text,
  PRIMARY KEY (organisation_id, environment, proof_id)
);

-- Records that are not in their log yet. A row is deleted in the transaction that appends it.
CREATE TABLE log_inbox (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id text NOT NULL,
  environment text NOT NULL,
  -- A row of decision or of record.
  source text NOT NULL CHECK (source IN ('decision', 'record')),
  -- decision_id or proof_id.
  source_id text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX log_inbox_by_log ON log_inbox (organisation_id, environment, seq);

-- One row per log: its size. Appending locks it.
CREATE TABLE log (
  organisation_id text NOT NULL,
  environment text NOT NULL,
  size bigint NOT NULL DEFAULT 0 CHECK (size >= 0),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation_id, environment)
);

-- Insert-only; leaf_index is gap-free.
CREATE TABLE leaf (
  organisation_id text NOT NULL,
  environment text NOT NULL,
  leaf_index bigint NOT NULL,
  proof_id text NOT NULL,
  source text NOT NULL CHECK (source IN ('decision', 'record')),
  source_id text NOT NULL,
  entity_id text NOT NULL,
  -- Position in the entity's chain, from 0.
  chain_index bigint NOT NULL,
  event text NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  previous_hash bytea NOT NULL CHECK (length(previous_hash) = 32),
  event_hash bytea NOT NULL CHECK (length(event_hash) = 32),
  leaf_hash bytea NOT NULL CHECK (length(leaf_hash) = 32),
  appended_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organisation_id, environment, leaf_index),
  UNIQUE (organisation_id, environment, proof_id),
  UNIQUE (organisation_id, environment, entity_id, chain_index)
);

-- Dead jobs: the work, why it failed, and how it was resolved.
CREATE TABLE dead_job (
  dead_job_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id text,
  environment text,
  queue text NOT NULL,
  name text NOT NULL,
  payload text NOT NULL,
  error text NOT NULL,
  failed_at timestamptz(3) NOT NULL,
  state text NOT NULL DEFAULT 'dead' CHECK (state IN ('dead', 'retried', 'discarded')),
  resolved_at timestamptz(3),
  resolved_by text,
  reason text
);
CREATE INDEX dead_job_open ON dead_job (failed_at) WHERE state = 'dead';

CREATE TRIGGER insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON leaf FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();
CREATE TRIGGER insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON record FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();
CREATE TRIGGER insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON trust_fold FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();
`;

const DOWN = `
DROP TABLE dead_job, leaf, log, log_inbox, record, trust_fold, trust_bucket, trust_state, trust_inbox, trust_signal, intent, outbox;
`;

export const Pipeline1763700000002 = sqlMigration({ name: 'Pipeline1763700000002', up: UP, down: DOWN });
