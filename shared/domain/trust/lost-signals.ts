// Queues accepted signals again that are in no fold and do not wait for one: their inbox rows were deleted past the service.
import { randomInt } from 'node:crypto';
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { Database } from '../../platform/db/database.ts';
import { ADVISORY_LOCKS } from '../../platform/db/locks.ts';
import { createIdFilter, type IdFilter } from './id-filter.ts';

/** Signals that one statement reads. A fold has at most as many (FOLD_BATCH in fold.ts). */
const PAGE = 20_000;
/** Most signals of one run: more than may wait when the audit counts (MOST_WAITING). It finds an agent again until none is lost. */
const MOST_UNFOLDED = 60_000;

// By the primary key of the folds.
const OF_AGENT = 'organisation_id = $1 AND environment = $2 AND agent_id = $3';
const IN_FOLDS = `SELECT signal."signalId" FROM trust_fold, json_to_recordset(trust_fold.signals::json) AS signal ("signalId" text) WHERE ${OF_AGENT}`;
const LAST_FOLD = `SELECT coalesce(max(last_n), 0)::float8 AS last FROM trust_fold WHERE ${OF_AGENT}`;
const FOLDED = `${IN_FOLDS} AND last_n > $4 AND last_n <= $5`;

// By the index of migration 0057. A cursor, because that index has no order in which pages could continue.
const ACCEPTED =
  "DECLARE accepted NO SCROLL CURSOR FOR SELECT signal_id FROM trust_signal WHERE organisation_id || ' ' || environment = $1 || ' ' || $2 AND agent_id = $3";
const NEXT = `FETCH ${PAGE} FROM accepted`;

// The next statement sees what an earlier holder has queued: a signal that is queued twice would count twice.
const LOCK = 'SELECT pg_advisory_xact_lock($1)';
/** In one snapshot: a signal leaves the inbox in the transaction that folds it. */
const QUEUE = `WITH lost AS (
      SELECT signal_id FROM unnest($4::text[]) AS given (signal_id)
      EXCEPT SELECT signal_id FROM trust_inbox WHERE organisation_id = $1 AND environment = $2
      EXCEPT ${IN_FOLDS} AND last_n > $5
    )
    INSERT INTO trust_inbox (organisation_id, environment, signal_id) SELECT $1, $2, signal_id FROM lost RETURNING seq`;

type Agent = readonly [organisationId: string, environment: string, agentId: string];

/** The ids in the folds up to a number. Folds are never altered. */
async function readFolded(db: Database, agent: Agent, last: number): Promise<IdFilter> {
  const folded = createIdFilter(last, randomInt(2 ** 32));
  for (let after = 0; after < last; after += PAGE) {
    const upTo = Math.min(after + PAGE, last);
    // oxlint-disable-next-line no-await-in-loop -- page by page, so that memory and statements stay small
    const rows = await db.query<{ signalId: string }>(FOLDED, [...agent, after, upTo]);
    for (const { signalId } of rows) folded.add(signalId);
  }
  return folded;
}

/** Accepted signals that are in none of these folds. Some may wait, or have been folded since. */
function readUnfolded(db: Database, agent: Agent, folded: IdFilter): Promise<string[]> {
  return db.transaction(async (sql) => {
    await sql.query(ACCEPTED, agent);
    const unfolded: string[] = [];
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- a cursor
      const rows = await sql.query<{ signal_id: string }>(NEXT, []);
      unfolded.push(...rows.map(({ signal_id: id }) => id).filter((id) => !folded.mayHave(id)));
      if (rows.length < PAGE || unfolded.length >= MOST_UNFOLDED) return unfolded.slice(0, MOST_UNFOLDED);
    }
  });
}

/**
 * Reads all signals of the agent and all of its folds, a page at a time. The sweeper of the job `fold` sees to the job of what is queued.
 * @returns how many were queued. There may be more: at most 60,000 at once, and the filter mistakes a few, in the next run others
 */
export async function queueLostSignals(db: Database, owner: Owner, agentId: string): Promise<number> {
  const agent: Agent = [...ownerColumns(owner), agentId];
  const [fold] = await db.query<{ last: number }>(LAST_FOLD, agent);
  const last = fold?.last ?? 0;
  const unfolded = await readUnfolded(db, agent, await readFolded(db, agent, last));
  if (unfolded.length === 0) return 0;
  return db.transaction(async (sql) => {
    await sql.query(LOCK, [ADVISORY_LOCKS.lostSignals]);
    return (await sql.query(QUEUE, [...agent, unfolded, last])).length;
  });
}
