// The id of the HTTP request behind each decision and each submitted intent, and the index by which decisions are found by it.
import { sqlMigration } from './sql-migration.ts';

const IMMUTABLE =
  'decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, policy_digest, proof_id, process_id, record';

const refuseChangesOf = (columns: string): string => `
DROP TRIGGER insert_only_row ON decision;
CREATE TRIGGER insert_only_row BEFORE UPDATE ON decision FOR EACH ROW
  WHEN ((${columns.replace(/\w+/g, 'OLD.$&')}) IS DISTINCT FROM (${columns.replace(/\w+/g, 'NEW.$&')})
    OR NEW.facts IS NOT NULL OR NEW.facts_salt IS NOT NULL)
  EXECUTE FUNCTION custos_insert_only();
`;

const UP = `
-- X-Request-Id of the request that asked; null in rows older than this column. The record of a decision has it, too.
ALTER TABLE decision ADD COLUMN request_id text;
ALTER TABLE intent ADD COLUMN request_id text;
${refuseChangesOf(`${IMMUTABLE}, request_id`)}
-- Finding decisions by request costs the usual decision no index entry. An id that this service made (req_, then the time as
-- in decision_id) is nearly always from the same 1,024 ms as its decision: the first 8 of the 10 characters of the time are
-- equal, and a range scan of the primary key over that second finds it (shared/domain/decisions/decision-store.ts). Only the
-- others are in this index: ids that the caller chose, requests that crossed into the next second, and decisions that workers
-- made later. WAL of the index per decision (of 3,250 bytes in all; 1,500 decisions, 32 connections, no full pages): this one
-- 3 bytes with the service's ids, 320 with a caller's UUID. For every id: a B-tree of request_id alone 147 bytes, one like this
-- without its condition 233, and a hash index 72, but at a random page, which is 8 kB more after each checkpoint. BRIN does not
-- know the rows that came since the last vacuum.
CREATE INDEX decision_by_request ON decision (organisation_id, environment, request_id, decision_id)
  WHERE left(request_id, 12) <> 'req_' || substr(decision_id, 5, 8);
`;

const DOWN = `
${refuseChangesOf(IMMUTABLE)}
ALTER TABLE decision DROP COLUMN request_id;
ALTER TABLE intent DROP COLUMN request_id;
`;

export const RequestIds1763700000018 = sqlMigration({ name: 'RequestIds1763700000018', up: UP, down: DOWN });
