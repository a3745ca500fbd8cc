// Webhooks: endpoints, how far each has read the logs, and deliveries.
import { sqlMigration } from './sql-migration.ts';

const UP = `
CREATE TABLE webhook_endpoint (
  endpoint_id text PRIMARY KEY,
  organisation_id text NOT NULL,
  environment text NOT NULL,
  url text NOT NULL,
  description text,
  events text[] NOT NULL,
  -- Filters of decision.made; null: all.
  verdicts text[],
  agent_ids text[],
  -- JSON: the keys that sign, newest first, each encrypted (shared/domain/webhooks/signing-keys.ts).
  signing_keys text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  created_by text NOT NULL,
  disabled_at timestamptz(3),
  disabled_reason text CHECK (disabled_reason IN ('operator', 'gone', 'failing')),
  -- The first failure since the last success.
  failing_since timestamptz(3),
  -- Until then only the worker that set it delivers to this endpoint, or nobody, because the receiver is failing.
  leased_until timestamptz(3) NOT NULL DEFAULT '-infinity',
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
CREATE INDEX webhook_endpoint_by_owner ON webhook_endpoint (organisation_id, environment, endpoint_id);

-- The next leaf of a log that was not read for an endpoint. No row: the log is younger than the endpoint, and nothing was read.
CREATE TABLE webhook_cursor (
  endpoint_id text NOT NULL REFERENCES webhook_endpoint (endpoint_id) ON DELETE CASCADE,
  log_id integer NOT NULL,
  -- Callers' proofs are read once a checkpoint covers them, everything else at once.
  stream text NOT NULL CHECK (stream IN ('records', 'proofs')),
  next_index bigint NOT NULL,
  PRIMARY KEY (endpoint_id, log_id, stream)
);

-- One message to one endpoint. Deliveries of deleted endpoints are removed in batches, so there is no foreign key.
CREATE TABLE webhook_delivery (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint_id text NOT NULL,
  -- The header webhook-id.
  message_id text NOT NULL,
  type text NOT NULL,
  -- Messages about the same subject are delivered in order.
  subject text NOT NULL,
  payload text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  -- When it may be sent. Null: it waits for an earlier message about its subject, or is not pending.
  due_at timestamptz(3),
  attempted_at timestamptz(3),
  duration_ms integer,
  -- The HTTP status of the last answer, or why there was none.
  response_status smallint,
  error text,
  UNIQUE (endpoint_id, message_id),
  CHECK (due_at IS NULL OR state = 'pending')
);
CREATE INDEX webhook_delivery_by_endpoint ON webhook_delivery (endpoint_id, seq);
CREATE INDEX webhook_delivery_pending ON webhook_delivery (endpoint_id, seq) WHERE state = 'pending';
CREATE INDEX webhook_delivery_due ON webhook_delivery (endpoint_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (endpoint_id, subject, seq) WHERE state = 'pending' AND due_at IS NULL;
-- Messages that hold back later ones about their subject (HOLDING_ATTEMPTS in shared/domain/webhooks/schedule.ts).
CREATE INDEX webhook_delivery_holding ON webhook_delivery (endpoint_id, subject) WHERE due_at IS NOT NULL AND attempts < 4;

-- Events that no record of a log states become deliveries at once. Their data is what operators may see of them: the log
-- and codes of findings.
CREATE FUNCTION custos_webhook_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := CASE TG_TABLE_NAME WHEN 'log' THEN 'log.halted' ELSE 'audit.failed' END;
  message text := 'msg_' || replace(gen_random_uuid()::text, '-', '');
  data jsonb := '{}';
BEGIN
  IF TG_TABLE_NAME = 'audit' THEN
    data := jsonb_build_object('findings', (SELECT coalesce(jsonb_agg(DISTINCT f -> 'code'), '[]') FROM jsonb_array_elements(NEW.findings::jsonb) AS f));
  END IF;
  INSERT INTO webhook_delivery (endpoint_id, message_id, type, subject, payload, created_at, due_at)
  SELECT e.endpoint_id, message, kind, 'log ' || message, json_build_object('type', kind,
      'timestamp', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', jsonb_build_object('log', log.origin) || data)::text, now(), now()
  FROM log JOIN webhook_endpoint e USING (organisation_id, environment)
  WHERE log.log_id = NEW.log_id AND kind = ANY (e.events);
  RETURN NULL;
END $$;
CREATE TRIGGER webhook_event AFTER UPDATE OF halted_reason ON log FOR EACH ROW
  WHEN (OLD.halted_reason IS NULL AND NEW.halted_reason IS NOT NULL) EXECUTE FUNCTION custos_webhook_event();
CREATE TRIGGER webhook_event AFTER UPDATE OF ok ON audit FOR EACH ROW
  WHEN (OLD.ok AND NOT NEW.ok) EXECUTE FUNCTION custos_webhook_event();

-- The submitted intent that a decision ends.
CREATE INDEX intent_by_decision ON intent (organisation_id, environment, decision_id) WHERE decision_id IS NOT NULL;
`;

const DOWN = `
DROP INDEX intent_by_decision;
DROP TRIGGER webhook_event ON audit;
DROP TRIGGER webhook_event ON log;
DROP FUNCTION custos_webhook_event();
DROP TABLE webhook_delivery, webhook_cursor, webhook_endpoint;
`;

export const Webhooks1763700000022 = sqlMigration({ name: 'Webhooks1763700000022', up: UP, down: DOWN });
