// Queues accepted signals again that are in no fold and do not wait for one: their inbox rows were deleted past the service.
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { Database } from '../../platform/db/database.ts';
import { ADVISORY_LOCKS } from '../../platform/db/locks.ts';

/** An agent with more signals is left to an operator: all of its folds are read. */
const MOST_SIGNALS = 200_000;

// The next statement sees what an earlier holder has queued: a signal that is queued twice would count twice.
const LOCK = 'SELECT pg_advisory_xact_lock($1)';
/** By the index of migration 0057. */
const SIGNALS = "trust_signal WHERE organisation_id || ' ' || environment = $1 || ' ' || $2 AND agent_id = $3";
const QUEUE = `WITH lost AS (
      SELECT signal_id FROM ${SIGNALS}
      EXCEPT SELECT signal_id FROM trust_inbox WHERE organisation_id = $1 AND environment = $2
      EXCEPT SELECT signal."signalId" FROM trust_fold, json_to_recordset(trust_fold.signals::json) AS signal ("signalId" text)
        WHERE organisation_id = $1 AND environment = $2 AND agent_id = $3
    )
    INSERT INTO trust_inbox (organisation_id, environment, signal_id) SELECT $1, $2, signal_id FROM lost
    WHERE (SELECT count(*) FROM (SELECT FROM ${SIGNALS} LIMIT ${MOST_SIGNALS + 1}) AS counted) <= ${MOST_SIGNALS}
    RETURNING seq`;

/** The sweeper of the job `fold` sees to their job. @returns how many were queued */
export function queueLostSignals(db: Database, owner: Owner, agentId: string): Promise<number> {
  return db.transaction(async (sql) => {
    await sql.query(LOCK, [ADVISORY_LOCKS.lostSignals]);
    return (await sql.query(QUEUE, [...ownerColumns(owner), agentId])).length;
  });
}
