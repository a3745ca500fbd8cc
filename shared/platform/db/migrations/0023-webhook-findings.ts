// The trigger that reports a failed audit to webhooks never makes the audit's own statement fail.
import { sqlMigration } from './sql-migration.ts';

const functionWith = (findings: string): string => `
CREATE OR REPLACE FUNCTION custos_webhook_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := CASE TG_TABLE_NAME WHEN 'log' THEN 'log.halted' ELSE 'audit.failed' END;
  message text := 'msg_' || replace(gen_random_uuid()::text, '-', '');
  data jsonb := '{}';
BEGIN
  IF TG_TABLE_NAME = 'audit' THEN
    ${findings}
  END IF;
  INSERT INTO webhook_delivery (endpoint_id, message_id, type, subject, payload, created_at, due_at)
  SELECT e.endpoint_id, message, kind, 'log ' || message, json_build_object('type', kind,
      'timestamp', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', jsonb_build_object('log', log.origin) || data)::text, now(), now()
  FROM log JOIN webhook_endpoint e USING (organisation_id, environment)
  WHERE log.log_id = NEW.log_id AND kind = ANY (e.events);
  RETURN NULL;
END $$;
`;

// A finding may quote what was altered, and PostgreSQL refuses some valid JSON, such as \u0000. So nothing is parsed: codes are
// words, and a quote within a text is escaped, so that no text can match.
const UP = functionWith(
  `data := jsonb_build_object('findings', (SELECT coalesce(jsonb_agg(DISTINCT m[1]), '[]') FROM regexp_matches(NEW.findings, '"code":"([a-z-]+)"', 'g') AS m));`,
);

const DOWN = functionWith(
  `data := jsonb_build_object('findings', (SELECT coalesce(jsonb_agg(DISTINCT f -> 'code'), '[]') FROM jsonb_array_elements(NEW.findings::jsonb) AS f));`,
);

export const WebhookFindings1763700000023 = sqlMigration({ name: 'WebhookFindings1763700000023', up: UP, down: DOWN });
