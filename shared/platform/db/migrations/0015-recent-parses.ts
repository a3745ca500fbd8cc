// Recent parses by normalized string, so that enforcing the string alone does not drop what the text said.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- One row per agent, normalized string and five minutes: however many parses there are, a look-up reads a handful of rows.
-- Ranks are those of shared/core/intent/assess/strictness.ts; marks and entities are tagged texts (shared/domain/decisions/recent-parses.ts).
CREATE TABLE recent_parse (
  organisation_id text NOT NULL,
  environment text NOT NULL,
  agent_id text NOT NULL,
  normalized text NOT NULL,
  bucket timestamptz(0) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  action smallint NOT NULL,
  verb text NOT NULL,
  effect smallint NOT NULL,
  extent smallint NOT NULL,
  confidence double precision NOT NULL,
  marks text[] NOT NULL,
  entities text[] NOT NULL,
  PRIMARY KEY (organisation_id, environment, agent_id, normalized, bucket)
-- Rows are updated in place: each page keeps room for new versions.
) WITH (fillfactor = 70);
CREATE INDEX recent_parse_by_bucket ON recent_parse (bucket);
`;

const DOWN = `
DROP TABLE recent_parse;
`;

export const RecentParses1763700000015 = sqlMigration({ name: 'RecentParses1763700000015', up: UP, down: DOWN });
