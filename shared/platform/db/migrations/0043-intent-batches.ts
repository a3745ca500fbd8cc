// Submitted intents are claimed in batches from their own rows: the index by which workers find them, and the attempts of each.
import { concurrentMigration } from './sql-migration.ts';

export const IntentBatches1763700000043 = concurrentMigration({
  name: 'IntentBatches1763700000043',
  up: [
    // Evaluations that failed by the intent's own fault. queued_at is when the next one is due.
    'ALTER TABLE intent ADD COLUMN IF NOT EXISTS attempts smallint NOT NULL DEFAULT 0',
    'DROP INDEX CONCURRENTLY IF EXISTS intent_waiting',
    // Workers skip from agent to agent, so that none starves. The collation makes this the only index in the order that their statement
    // asks for: with intent_by_agent, which has the same columns, a plan made for an empty table would read all decided intents.
    `CREATE INDEX CONCURRENTLY intent_waiting ON intent (organisation_id, environment, agent_id COLLATE "C", intent_id COLLATE "C")
      WHERE status IN ('queued', 'evaluating')`,
    // Batches that are evaluated at this moment, and those of processes that ended meanwhile.
    `CREATE TABLE IF NOT EXISTS intent_trial (
      trial_id text PRIMARY KEY,
      organisation_id text NOT NULL,
      environment text NOT NULL,
      intent_ids text[] NOT NULL,
      -- How often a process has ended during an evaluation of these intents before this one.
      crashes smallint NOT NULL,
      begun_at timestamptz NOT NULL DEFAULT now()
    )`,
    'CREATE INDEX IF NOT EXISTS intent_trial_by_owner ON intent_trial (organisation_id, environment)',
    // It found intents whose job was lost.
    'DROP INDEX CONCURRENTLY IF EXISTS intent_open',
  ],
  down: [
    `CREATE INDEX CONCURRENTLY IF NOT EXISTS intent_open ON intent (queued_at) WHERE status IN ('queued', 'evaluating')`,
    'DROP TABLE IF EXISTS intent_trial',
    'DROP INDEX CONCURRENTLY IF EXISTS intent_waiting',
    'ALTER TABLE intent DROP COLUMN IF EXISTS attempts',
  ],
});
