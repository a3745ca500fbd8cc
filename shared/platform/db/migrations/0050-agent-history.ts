// Counts of each agent's decisions by minute: a process that starts reads them instead of the decisions of a day.
import { concurrentMigration, guardDefiners } from './sql-migration.ts';

const VERDICT_COUNTS = ['ALLOW', 'DENY', 'ESCALATE', 'DEGRADE'].map(
  (verdict) => [verdict.toLowerCase(), `(count(*) FILTER (WHERE verdict = '${verdict}'))::integer`] as const,
);
const COLUMNS = VERDICT_COUNTS.map(([column]) => column);

// The service may only read the tables (shared/platform/db/roles.ts): whoever acts with its role can't lower a count.
// Several processes call it; one at a time counts.
const COUNT = `CREATE OR REPLACE FUNCTION custos_count_history(seconds integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET enable_seqscan = off SET jit = off AS $$
DECLARE
  from_at timestamptz;
  to_at timestamptz;
  counted integer;
  -- The last minute is counted by second (shared/domain/agents/history.ts), and a decision is stored within seconds of its time.
  limit_at timestamptz := date_trunc('second', now() - interval '62 seconds');
BEGIN
  SELECT counted_to INTO from_at FROM agent_history_to FOR UPDATE SKIP LOCKED;
  IF from_at > limit_at + interval '5 seconds' THEN
    -- The clock was set back: times that were counted come again, and counts may be gone that were too old by the wrong clock.
    TRUNCATE agent_history;
    UPDATE agent_history_to SET counted_to = limit_at - interval '24 hours';
    RETURN true;
  END IF;
  IF from_at IS NULL OR from_at > limit_at - interval '20 seconds' THEN RETURN false; END IF;
  -- Nobody asks for more than a day.
  from_at := greatest(from_at, limit_at - interval '24 hours');
  SELECT date_trunc('second', min(evaluated_at)) INTO to_at FROM decision WHERE evaluated_at >= from_at AND evaluated_at < limit_at;
  from_at := greatest(from_at, coalesce(to_at, limit_at));
  to_at := least(limit_at, from_at + greatest(1, least(60, seconds)) * interval '1 second');
  INSERT INTO agent_history (organisation_id, environment, agent_id, start_at, ${COLUMNS.join(', ')})
    SELECT organisation_id, environment, agent_id, date_bin('1 minute', evaluated_at, 'epoch'), ${VERDICT_COUNTS.map(([, count]) => count).join(', ')}
    FROM decision WHERE evaluated_at >= from_at AND evaluated_at < to_at GROUP BY 1, 2, 3, 4
    ON CONFLICT (organisation_id, environment, agent_id, start_at) DO UPDATE SET ${COLUMNS.map((column) => `${column} = agent_history.${column} + excluded.${column}`).join(', ')};
  GET DIAGNOSTICS counted = ROW_COUNT;
  UPDATE agent_history_to SET counted_to = to_at;
  -- More than are made, but a bounded number: after a pause of a day they are millions.
  DELETE FROM agent_history WHERE ctid = ANY (ARRAY(SELECT ctid FROM agent_history WHERE start_at < limit_at - interval '25 hours' LIMIT 5000 + 2 * counted));
  RETURN to_at < limit_at;
END $$`;

export const AgentHistory1763700000050 = concurrentMigration({
  name: 'AgentHistory1763700000050',
  up: [
    // Without seals: what counts are made of is in the log, and a wrong one is gone after a day.
    `CREATE TABLE IF NOT EXISTS agent_history (
      organisation_id text NOT NULL,
      environment text NOT NULL,
      agent_id text NOT NULL,
      -- Beginning of the minute.
      start_at timestamptz(0) NOT NULL,
      allow integer NOT NULL,
      deny integer NOT NULL,
      escalate integer NOT NULL,
      degrade integer NOT NULL,
      PRIMARY KEY (organisation_id, environment, agent_id, start_at)
    -- Rows of the newest minute are updated: free space on their page makes these HOT updates, which leave the indexes alone.
    ) WITH (fillfactor = 80)`,
    'CREATE INDEX IF NOT EXISTS agent_history_by_time ON agent_history (start_at)',
    // One row. Decisions of an earlier time are in agent_history.
    `CREATE TABLE IF NOT EXISTS agent_history_to (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      counted_to timestamptz(0) NOT NULL
    )`,
    `INSERT INTO agent_history_to (counted_to) VALUES (to_timestamp(0)) ON CONFLICT DO NOTHING`,
    COUNT,
    guardDefiners('custos_count_history'),
    // Each step commits. Not in a new database, which is migrated in one transaction. What takes longer than five minutes is left to the service.
    `DO $$ DECLARE began timestamptz := clock_timestamp(); BEGIN
      WHILE EXISTS (SELECT FROM decision) AND custos_count_history(60) AND clock_timestamp() < began + interval '5 minutes' LOOP COMMIT; END LOOP;
    END $$`,
  ],
  down: ['DROP FUNCTION IF EXISTS custos_count_history', 'DROP TABLE IF EXISTS agent_history_to, agent_history'],
});
