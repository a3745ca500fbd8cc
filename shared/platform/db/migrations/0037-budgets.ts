// Budgets of rules: their use, the charges of decisions, and reported outcomes, which may give a charge back.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- One row for each count of a budget. Whoever charges it holds its lock until the decision commits.
CREATE TABLE budget_use (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id text NOT NULL,
  environment text NOT NULL,
  name text NOT NULL,
  -- JSON of what the count is for, such as {"agent":"reporting-7"}, and its SHA-256: the text may be too long for an index.
  counted_for text NOT NULL,
  counted_for_digest bytea NOT NULL,
  -- As the last charge found them in the policies. Amounts are in millionths.
  window_ms bigint NOT NULL,
  limit_amount bigint NOT NULL,
  -- Pairs of the end of a bucket, in milliseconds since 1970, and the amount charged in it (shared/core/decision/budget-window.ts).
  buckets bigint[] NOT NULL DEFAULT '{}',
  -- The sum of the buckets when they were last written, to sort by.
  used bigint NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL,
  UNIQUE (organisation_id, environment, name, counted_for_digest)
-- Each charge updates the row: free space on its page makes these HOT updates, which leave the indexes alone.
) WITH (fillfactor = 50);
CREATE INDEX budget_use_expired ON budget_use (expires_at);

CREATE TABLE budget_charge (
  decision_id text NOT NULL,
  budget_use_id bigint NOT NULL,
  amount bigint NOT NULL,
  -- Of its bucket, in milliseconds since 1970.
  ends_at_ms bigint NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (decision_id, budget_use_id)
);
CREATE INDEX budget_charge_expired ON budget_charge (expires_at);

CREATE TABLE decision_outcome (
  organisation_id text NOT NULL,
  environment text NOT NULL,
  decision_id text NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('done', 'failed', 'not_carried_out')),
  detail text,
  key_id text NOT NULL,
  reported_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organisation_id, environment, decision_id)
);
`;

export const Budgets1763700000037 = sqlMigration({
  name: 'Budgets1763700000037',
  up: UP,
  down: 'DROP TABLE decision_outcome, budget_charge, budget_use',
});
