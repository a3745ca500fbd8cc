// Parses that count are kept, and only become stricter: whoever has the service's role can't make what an agent has asked look milder.
import { concurrentMigration } from './sql-migration.ts';

export const KeptParses1763700000058 = concurrentMigration({
  name: 'KeptParses1763700000058',
  up: [
    // A bucket is five minutes, and its parses count for 15 (shared/domain/decisions/recent-parses.ts). They are forgotten after more than an hour
    // (workers/jobs/forget-changes.ts).
    `CREATE OR REPLACE TRIGGER kept_row BEFORE DELETE ON recent_parse FOR EACH ROW WHEN (OLD.bucket > now() - interval '1 hour')
      EXECUTE FUNCTION custos_insert_only()`,
    // As parses are joined (shared/domain/decisions/recent-parse-rows.ts). A condition costs less than a function, which runs only to refuse.
    `CREATE OR REPLACE TRIGGER kept_strictness BEFORE UPDATE ON recent_parse FOR EACH ROW WHEN (
        (NEW.organisation_id, NEW.environment, NEW.agent_id, NEW.normalized, NEW.bucket) <> (OLD.organisation_id, OLD.environment, OLD.agent_id, OLD.normalized, OLD.bucket)
        OR NEW.last_at < OLD.last_at OR (NEW.action, NEW.verb COLLATE "C") < (OLD.action, OLD.verb COLLATE "C") OR NEW.effect < OLD.effect OR NEW.extent < OLD.extent
        OR NEW.confidence > OLD.confidence OR NEW.coverage > OLD.coverage OR NOT OLD.marks <@ NEW.marks
        OR NOT (OLD.entities <@ NEW.entities OR NEW.entities = '{*}'))
      EXECUTE FUNCTION custos_insert_only()`,
  ],
  down: ['DROP TRIGGER IF EXISTS kept_strictness ON recent_parse', 'DROP TRIGGER IF EXISTS kept_row ON recent_parse'],
});
