// Replays of long ranges by workers, and shadow mode: the verdicts of a draft for live traffic.
import { sqlMigration } from './sql-migration.ts';

const UP = `
CREATE TABLE replay (
  replay_id text PRIMARY KEY,
  -- The range of decisions.
  organisation_id text NOT NULL,
  environment text NOT NULL,
  agent_id text,
  from_at timestamptz(3),
  to_at timestamptz(3) NOT NULL,
  key_id text NOT NULL,
  -- The canonical text of the draft: not in policy_set, which holds only what was in force. Dropped when it is closed.
  draft bytea,
  draft_digest text NOT NULL,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'done', 'failed')),
  -- The run that works on it, and how many runs began.
  claim text,
  runs smallint NOT NULL DEFAULT 0,
  replayed bigint NOT NULL DEFAULT 0,
  total bigint NOT NULL,
  -- JSON text.
  report text,
  -- A sentence for the caller.
  error text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  finished_at timestamptz(3),
  CHECK ((status = 'done') = (report IS NOT NULL)),
  CHECK ((status = 'failed') = (error IS NOT NULL)),
  CHECK ((status IN ('queued', 'running')) = (draft IS NOT NULL))
);
CREATE INDEX replay_open ON replay (created_at) WHERE status IN ('queued', 'running');
CREATE INDEX replay_by_age ON replay (created_at);

-- One row: the draft that the shadow worker last read. alive_at is renewed while it runs.
CREATE TABLE shadow_state (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  digest text,
  share double precision,
  -- JSON text: why the folder can't be used, when it can't.
  findings text NOT NULL DEFAULT '[]',
  alive_at timestamptz(3)
);
INSERT INTO shadow_state DEFAULT VALUES;

-- What each draft would have changed, by digest.
CREATE TABLE shadow_set (
  digest text PRIMARY KEY CHECK (digest ~ '^[0-9a-f]{64}$'),
  policies integer NOT NULL,
  share double precision NOT NULL,
  since timestamptz(3) NOT NULL,
  until timestamptz(3) NOT NULL,
  -- Records that were skipped because the worker was too far behind.
  skipped bigint NOT NULL DEFAULT 0,
  -- JSON text: counts, tables and examples, which later decisions extend (shared/core/policy/difference.ts).
  difference text NOT NULL
);

-- The next leaf of each log to evaluate. Updated in the transaction that counts, so that no decision counts twice.
CREATE TABLE shadow_cursor (
  log_id integer PRIMARY KEY REFERENCES log (log_id),
  next_index bigint NOT NULL
);
`;

const DOWN = `
DROP TABLE shadow_cursor, shadow_set, shadow_state, replay;
`;

export const Replay1763700000005 = sqlMigration({ name: 'Replay1763700000005', up: UP, down: DOWN });
