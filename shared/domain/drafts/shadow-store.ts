// Shadow mode in PostgreSQL: a cursor in each live log, and for each draft the counted differences, updated in one transaction.
import { createHash } from 'node:crypto';
import type { Database, Sql } from '../../platform/db/database.ts';
import { isRecent } from '../../platform/db/elapsed.ts';
import { decisionIdOf, isDecision } from '../../platform/db/leaf-sql.ts';
import { createDifference, type DifferenceState } from '../../core/policy/difference.ts';
import type { DifferenceLimits } from '../../core/policy/difference-types.ts';
import type { Finding } from '../../core/policy/types.ts';
import type { Replayed, Replayer, StoredForReplay } from './replay.ts';
import type { ShadowedDraft, ShadowStatus } from './reports.ts';

/** Small, because the counts are stored again with each batch. */
const SHADOW_LIMITS: DifferenceLimits = { counted: 500, shown: 100, examples: 20 };
/** Records of a log in one transaction. */
const BATCH = 500;
/** A worker that is further behind skips the oldest records, so that it does not spend hours on catching up. */
const MOST_BEHIND = 20_000;
/** Drafts whose counts are kept. */
const KEPT_SETS = 20;
/** A worker without a heartbeat for this long has stopped. */
const ALIVE = '15 seconds';
/** After a longer pause the traffic in between is not evaluated. */
const PAUSE = '60 seconds';

export interface ShadowDraft {
  readonly digest: string;
  readonly policies: number;
  readonly replayer: Replayer;
  /** 0..1, of live decisions. */
  readonly share: number;
  /** Absent: the decisions of all organisations. */
  readonly organisationIds?: readonly string[] | null;
}

/** The counts of one batch, for metrics. */
export interface ShadowCounts {
  /** Records that were read; 0: the end of the log. */
  readonly records: number;
  readonly same: number;
  readonly different: number;
}

const STORE_STATE = 'UPDATE shadow_state SET digest = $1, share = $2, findings = $3, alive_at = now()';
// Existing logs are followed from their present end, and later logs from their beginning.
const BEGIN = `WITH paused AS (SELECT NOT coalesce(${isRecent('alive_at', `interval '${PAUSE}'`)}, false) AS is_paused FROM shadow_state)
    INSERT INTO shadow_cursor (log_id, next_index) SELECT log_id, size FROM log WHERE environment = 'live'
    ON CONFLICT (log_id) DO UPDATE SET next_index = CASE WHEN (SELECT is_paused FROM paused) THEN excluded.next_index ELSE shadow_cursor.next_index END`;
const SKIP = `INSERT INTO shadow_cursor (log_id, next_index) SELECT log_id, size FROM log WHERE environment = 'live'
    ON CONFLICT (log_id) DO UPDATE SET next_index = excluded.next_index WHERE shadow_cursor.next_index < excluded.next_index`;
const BEHIND = `SELECT log.log_id FROM log LEFT JOIN shadow_cursor AS cursor USING (log_id)
    WHERE log.environment = 'live' AND log.size > coalesce(cursor.next_index, 0) ORDER BY log.log_id`;
const FOLLOW = 'INSERT INTO shadow_cursor (log_id, next_index) VALUES ($1, 0) ON CONFLICT (log_id) DO NOTHING';
const LOCK = `SELECT cursor.next_index::float8 AS next, log.size::float8 AS size, log.organisation_id, log.environment
    FROM shadow_cursor AS cursor JOIN log USING (log_id) WHERE cursor.log_id = $1 FOR UPDATE OF cursor`;
const MOVE = 'UPDATE shadow_cursor SET next_index = $2 WHERE log_id = $1';
const LEAVES = `SELECT ${decisionIdOf('leaf')} AS decision_id FROM leaf WHERE log_id = $1 AND leaf_index >= $2 AND leaf_index < $3 AND ${isDecision('leaf')} ORDER BY leaf_index`;
const DECISIONS =
  'SELECT decision_id, record, facts, facts_salt AS salt FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id = ANY ($3::text[]) ORDER BY decision_id';
const READ_SET = 'SELECT difference FROM shadow_set WHERE digest = $1 FOR UPDATE';
const WRITE_SET = `INSERT INTO shadow_set (digest, policies, share, since, until, skipped, difference) VALUES ($1, $2, $3, now(), now(), $4, $5)
    ON CONFLICT (digest) DO UPDATE SET share = excluded.share, until = excluded.until, skipped = shadow_set.skipped + excluded.skipped, difference = excluded.difference`;
const FORGET_SETS = `DELETE FROM shadow_set WHERE digest NOT IN (SELECT digest FROM shadow_set ORDER BY until DESC, digest LIMIT ${KEPT_SETS})
    AND digest NOT IN (SELECT digest FROM policy_stage)`;
const READ_STATE = `SELECT digest, share, findings, coalesce(${isRecent('alive_at', `interval '${ALIVE}'`)}, false) AS is_alive FROM shadow_state`;
const READ_SETS =
  'SELECT digest, policies, share, since, until, skipped::float8 AS skipped, difference FROM shadow_set ORDER BY until DESC, digest';

interface LockedLog {
  readonly next: number;
  readonly size: number;
  readonly organisation_id: string;
  readonly environment: string;
}

// All times are those of the database: the clock of a worker may be wrong, and another worker continues.
/** Stores the present draft, or the findings that refuse it, with a heartbeat. */
export async function storeShadowState(
  sql: Sql,
  state: { readonly digest: string | undefined; readonly share: number; readonly findings: readonly Finding[] },
): Promise<void> {
  await sql.query(STORE_STATE, [state.digest ?? null, state.share, JSON.stringify(state.findings)]);
}

/** Begins to follow the live logs. Continues where an earlier worker stopped, if that was not long ago. */
export async function beginShadow(sql: Sql): Promise<void> {
  await sql.query(BEGIN, []);
}

/** Moves all cursors to the ends of their logs, so that records without a draft are never evaluated. */
export async function skipToEnds(sql: Sql): Promise<void> {
  await sql.query(SKIP, []);
}

/** The live logs with records after their cursors. */
export async function logsBehind(sql: Sql): Promise<number[]> {
  return (await sql.query<{ log_id: number }>(BEHIND, [])).map((row) => row.log_id);
}

/** Whether a decision is in the evaluated share. Deterministic, so that all processes agree. */
export function isInShare(decisionId: string, share: number): boolean {
  return createHash('sha256').update(decisionId).digest().readUInt32BE(0) < share * 2 ** 32;
}

type StoredDecision = StoredForReplay & { readonly decision_id: string };

/**
 * Evaluates the next records of a log with each draft. Cursor and counts change in one transaction, so that after a crash, or with a
 * second worker, each record counts exactly once.
 */
export function shadowLog(db: Database, logId: number, drafts: readonly ShadowDraft[]): Promise<ShadowCounts> {
  return db.transaction(async (sql) => {
    await sql.query(FOLLOW, [logId]);
    const [log] = await sql.query<LockedLog>(LOCK, [logId]);
    if (log === undefined || log.next >= log.size) return { records: 0, same: 0, different: 0 };
    const from = log.size - log.next > MOST_BEHIND ? log.size - BATCH : log.next;
    const to = Math.min(from + BATCH, log.size);
    const here = drafts.filter(({ organisationIds }) => organisationIds?.includes(log.organisation_id) ?? true);
    const share = Math.max(0, ...here.map((draft) => draft.share));
    const leaves = share === 0 ? [] : await sql.query<{ decision_id: string }>(LEAVES, [logId, from, to]);
    const ids = leaves.map((leaf) => leaf.decision_id).filter((id) => isInShare(id, share));
    const rows =
      ids.length === 0 ? [] : await sql.query<StoredDecision>(DECISIONS, [log.organisation_id, log.environment, ids]);
    const skipped = from - log.next;
    let [same, different] = [0, 0];
    for (const draft of here) {
      const ofDraft = rows.filter((row) => isInShare(row.decision_id, draft.share));
      if (ofDraft.length === 0 && skipped === 0) continue;
      const counts = await count(sql, draft, ofDraft, skipped);
      same += counts.same;
      different += counts.different;
    }
    await sql.query(MOVE, [logId, to]);
    return { records: to - log.next, same, different };
  });
}

async function count(
  sql: Sql,
  draft: ShadowDraft,
  rows: readonly StoredForReplay[],
  skipped: number,
): Promise<{ readonly same: number; readonly different: number }> {
  const outcomes: Replayed[] = [];
  for (const row of rows) outcomes.push(await draft.replayer.replay(row));
  const [stored] = await sql.query<{ difference: string }>(READ_SET, [draft.digest]);
  const difference = createDifference(SHADOW_LIMITS, stored && stateOf(stored.difference));
  const changedBefore = difference.report().changed.decisions;
  for (const outcome of outcomes) {
    if (outcome.kind === 'compared') difference.add(outcome.compared);
    else if (outcome.kind === 'standing') difference.addStanding();
    else difference.addNotEvaluable(outcome.why);
  }
  const different = difference.report().changed.decisions - changedBefore;
  const { digest, policies, share } = draft;
  const text = JSON.stringify(difference.state());
  await sql.query(WRITE_SET, [digest, policies, share, skipped, text]);
  if (stored === undefined) await sql.query(FORGET_SETS, []);
  const evaluated = outcomes.filter(({ kind }) => kind !== 'not_evaluable').length;
  return { same: evaluated - different, different };
}

function stateOf(text: string): DifferenceState {
  // Written by `count`.
  return JSON.parse(text) as DifferenceState;
}

interface StateRow {
  readonly digest: string | null;
  readonly share: number | null;
  readonly findings: string;
  readonly is_alive: boolean;
}

interface SetRow {
  readonly digest: string;
  readonly policies: number;
  readonly share: number;
  readonly since: Date;
  readonly until: Date;
  readonly skipped: number;
  readonly difference: string;
}

/** The results of each draft, latest evaluation first. */
export async function readShadowedDrafts(sql: Sql): Promise<ShadowedDraft[]> {
  const sets = await sql.query<SetRow>(READ_SETS, []);
  return sets.map(({ difference, since, until, ...set }) => ({
    ...set,
    since: since.toISOString(),
    until: until.toISOString(),
    ...createDifference(SHADOW_LIMITS, stateOf(difference)).report(),
  }));
}

/** The present state of shadow mode, and the results of each draft. */
export async function readShadowStatus(sql: Sql): Promise<ShadowStatus> {
  const [state] = await sql.query<StateRow>(READ_STATE, []);
  // Without a folder of drafts there may still be staged sets, which GET /v1/policies/stages shows.
  const findings = state === undefined ? [] : (JSON.parse(state.findings) as Finding[]);
  const running = state?.is_alive === true && (state.digest !== null || findings.length > 0);
  return {
    running,
    draft: running && state.digest !== null ? { digest: state.digest } : null,
    share: running ? state.share : null,
    // Written by storeShadowState.
    findings: running ? findings : [],
    drafts: await readShadowedDrafts(sql),
  };
}
