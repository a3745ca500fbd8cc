// Counts of appended decisions by verdict, per ten seconds, minute and hour, and histograms of request times.
import { sqlMigration } from './sql-migration.ts';

/**
 * SELECT of the counts of all decisions that are in their log, computed from the decisions themselves. Decisions that wait in
 * the inbox are counted when they are appended.
 */
export const COUNTS_OF_DECISIONS = `SELECT organisation_id, environment, seconds, date_bin(make_interval(secs => seconds), evaluated_at, 'epoch') AS start_at,
      count(*) FILTER (WHERE verdict = 'ALLOW')::integer AS allow, count(*) FILTER (WHERE verdict = 'DENY')::integer AS deny,
      count(*) FILTER (WHERE verdict = 'ESCALATE')::integer AS escalate, count(*) FILTER (WHERE verdict = 'DEGRADE')::integer AS degrade
    FROM decision AS d CROSS JOIN unnest(ARRAY[10, 60, 3600]) AS seconds
    WHERE NOT EXISTS (
      SELECT FROM log_inbox AS i WHERE i.organisation_id = d.organisation_id AND i.environment = d.environment
        AND i.source = 'decision' AND i.source_id = d.decision_id)
    GROUP BY 1, 2, 3, 4`;

const UP = `
-- Written with the leaves (shared/domain/ledger/decision-counts.ts). A row exists only for a time with decisions, so the table
-- stays a fraction of theirs, and nothing is deleted.
CREATE TABLE decision_count (
  organisation_id text NOT NULL,
  environment text NOT NULL,
  -- Length of the bucket.
  seconds integer NOT NULL CHECK (seconds IN (10, 60, 3600)),
  -- Beginning of the bucket: a multiple of its length since 1970.
  start_at timestamptz(0) NOT NULL,
  allow integer NOT NULL,
  deny integer NOT NULL,
  escalate integer NOT NULL,
  degrade integer NOT NULL,
  PRIMARY KEY (organisation_id, environment, seconds, start_at)
-- The newest rows are updated by every batch: free space on their page makes these HOT updates, which leave the index alone.
) WITH (fillfactor = 70);
INSERT INTO decision_count (organisation_id, environment, seconds, start_at, allow, deny, escalate, degrade) ${COUNTS_OF_DECISIONS};

-- Of a decision, so that waiting decisions are counted without reading the decisions. Null for other records.
ALTER TABLE log_inbox ADD COLUMN verdict text, ADD COLUMN evaluated_at timestamptz(3);
UPDATE log_inbox AS i SET verdict = d.verdict, evaluated_at = d.evaluated_at FROM decision AS d
  WHERE i.source = 'decision' AND d.organisation_id = i.organisation_id AND d.environment = i.environment AND d.decision_id = i.source_id;

-- Every ingress process adds its requests to the API every ten seconds. Old rows are deleted by the job forget-changes.
CREATE TABLE request_count (
  seconds integer NOT NULL CHECK (seconds IN (10, 60, 3600)),
  start_at timestamptz(0) NOT NULL,
  -- Method and path template.
  route text NOT NULL,
  -- Requests in each bucket of the histogram custos_http_request_duration_seconds, not cumulative; the last one has no upper bound.
  requests integer[] NOT NULL,
  PRIMARY KEY (seconds, start_at, route)
) WITH (fillfactor = 70);
`;

export const DecisionCounts1763700000024 = sqlMigration({
  name: 'DecisionCounts1763700000024',
  up: UP,
  down: 'ALTER TABLE log_inbox DROP COLUMN verdict, DROP COLUMN evaluated_at; DROP TABLE request_count, decision_count',
});
