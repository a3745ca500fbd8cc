// Replays as rows: queued over HTTP, claimed by one worker at a time, deleted after a week.
import { type Owner, ownerOf } from '../../kernel/owner.ts';
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import type { ReplayRange } from './replay-store.ts';
import { isRecent } from '../../platform/db/elapsed.ts';
import { enqueueSql } from '../../platform/queues/outbox.ts';

export const REPLAY_STATUSES = ['queued', 'running', 'done', 'failed'] as const;
export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

/** Limit of queued and running replays in the installation: each takes a worker for minutes. */
export const MAX_OPEN_REPLAYS = 5;
/** Limit of the count while the caller waits; the worker counts longer ranges. */
export const COUNTED_AT_ONCE = 100_000;
/** A run without progress for this long counts as dead. */
const ABANDONED_AFTER = '30 seconds';
/** Runs of one replay that may end early (killed, out of memory) before it fails. */
const MAX_RUNS = 5;
const KEPT_FOR = '7 days';
const FORGET_BATCH = 100;

export interface NewReplay extends Owner {
  readonly replayId: string;
  readonly agentId?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs: number;
  readonly keyId: string;
  readonly draft: { readonly canonical: string; readonly digest: string };
  readonly total: number;
  readonly createdAtMs: number;
}

export interface ReplayRow {
  readonly replay_id: string;
  readonly status: ReplayStatus;
  readonly draft_digest: string;
  readonly replayed: number;
  readonly total: number;
  /** JSON text of a ReplayReport. */
  readonly report: string | null;
  readonly error: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

export interface ClaimedReplay {
  readonly replayId: string;
  readonly canonical: string;
  readonly range: ReplayRange;
  /** Number of decisions as far as they were counted. */
  readonly total: number;
  readonly runs: number;
}

const INSERT = `WITH made AS (INSERT INTO replay (replay_id, organisation_id, environment, agent_id, from_at, to_at, key_id, draft, draft_digest, total, created_at)
      SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
      WHERE (SELECT count(*) FROM replay WHERE status IN ('queued', 'running')) < ${MAX_OPEN_REPLAYS} RETURNING replay_id),
    woken AS (${enqueueSql('upkeep', 'replay', {}, 'made')})
    SELECT replay_id FROM made`;
const READ = `SELECT replay_id, status, draft_digest, replayed::float8 AS replayed, total::float8 AS total, report, error, created_at, finished_at
    FROM replay WHERE organisation_id = $1 AND replay_id = $2`;
const CLAIM = `UPDATE replay SET status = 'running', claim = $1, runs = runs + 1, replayed = 0, updated_at = now() WHERE replay_id = (
      SELECT replay_id FROM replay WHERE status = 'queued' OR (status = 'running' AND NOT ${isRecent('updated_at', `interval '${ABANDONED_AFTER}'`)})
      ORDER BY created_at, replay_id LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING replay_id AS "replayId", organisation_id AS "organisationId", environment, agent_id AS "agentId", from_at AS "fromAt", to_at AS "toAt",
      draft, total::float8 AS total, runs`;
const OF_CLAIM = "WHERE replay_id = $1 AND claim = $2 AND status = 'running' RETURNING replay_id";
const PROGRESS = `UPDATE replay SET replayed = $3, total = greatest(total, $3), updated_at = now() ${OF_CLAIM}`;
const TOTAL = `UPDATE replay SET total = $3, updated_at = now() ${OF_CLAIM}`;
const FINISH = `UPDATE replay SET status = 'done', claim = NULL, draft = NULL, report = $3, replayed = $4, total = $4, finished_at = $5, updated_at = now() ${OF_CLAIM}`;
const FAIL = `UPDATE replay SET status = 'failed', claim = NULL, draft = NULL, error = $3, finished_at = $4, updated_at = now() ${OF_CLAIM}`;
const RELEASE = `UPDATE replay SET status = 'queued', claim = NULL, runs = runs - 1, updated_at = now() ${OF_CLAIM}`;
const FORGET = `DELETE FROM replay WHERE replay_id IN (SELECT replay_id FROM replay WHERE created_at < least(now(), to_timestamp($1::float8 / 1000)) - interval '${KEPT_FOR}' ORDER BY created_at LIMIT ${FORGET_BATCH}) RETURNING replay_id`;

interface ClaimRow extends Owner, Pick<ClaimedReplay, 'replayId' | 'total' | 'runs'> {
  readonly agentId: string | null;
  readonly fromAt: Date | null;
  readonly toAt: Date;
  readonly draft: Buffer;
}

/** The run counted as dead, and another one has begun. */
export class ClaimLost extends Error {}

/** Queues a replay in the caller's transaction. @returns false when too many are open */
export async function queueReplay(sql: Sql, replay: NewReplay): Promise<boolean> {
  const { replayId, organisationId, environment, agentId, fromMs, toMs, keyId, draft, total, createdAtMs } = replay;
  const made = await sql.query(INSERT, [
    replayId,
    organisationId,
    environment,
    agentId ?? null,
    fromMs === undefined ? null : new Date(fromMs),
    new Date(toMs),
    keyId,
    Buffer.from(draft.canonical, 'utf8'),
    draft.digest,
    total,
    new Date(createdAtMs),
  ]);
  return made.length > 0;
}

export async function readReplay(sql: Sql, organisationId: string, replayId: string): Promise<ReplayRow | undefined> {
  const [row] = await sql.query<ReplayRow>(READ, [organisationId, replayId]);
  return row;
}

/** The worker's operations on replays; `claim` identifies its run. */
export interface ReplayClaims {
  /** Claims the oldest replay without a live run. Undefined: there is none. */
  next(claim: string): Promise<ClaimedReplay | undefined>;
  /** @throws {ClaimLost} */
  progress(replayId: string, claim: string, replayed: number): Promise<void>;
  /** Stores the count of the decisions. @throws {ClaimLost} */
  total(replayId: string, claim: string, total: number): Promise<void>;
  /** @param report JSON text @throws {ClaimLost} */
  finish(replayId: string, claim: string, report: string, replayed: number): Promise<void>;
  /** @param error a sentence for the caller @throws {ClaimLost} */
  fail(replayId: string, claim: string, error: string): Promise<void>;
  /** Returns the replay to the queue. The run does not count as ended early. */
  release(replayId: string, claim: string): Promise<void>;
}

export function createReplayClaims(deps: { readonly db: Database; readonly nowMs: () => number }): ReplayClaims {
  const { db, nowMs } = deps;
  const change = async (statement: Statement, values: readonly unknown[]): Promise<void> => {
    if ((await db.query(statement, values)).length === 0) throw new ClaimLost('another run has taken the replay over');
  };
  const claims: ReplayClaims = {
    async next(claim) {
      const [row] = await db.query<ClaimRow>(CLAIM, [claim]);
      if (row === undefined) return undefined;
      const { replayId, total, runs, draft, agentId, fromAt, toAt } = row;
      if (runs > MAX_RUNS) {
        await claims.fail(replayId, claim, `The replay failed: ${MAX_RUNS} runs ended early.`);
        return claims.next(claim);
      }
      const range = { ...ownerOf(row), agentId: agentId ?? undefined, fromMs: fromAt?.getTime(), toMs: toAt.getTime() };
      return { replayId, canonical: draft.toString('utf8'), total, runs, range };
    },
    progress: (replayId, claim, replayed) => change(PROGRESS, [replayId, claim, replayed]),
    total: (replayId, claim, total) => change(TOTAL, [replayId, claim, total]),
    finish: (replayId, claim, report, replayed) =>
      change(FINISH, [replayId, claim, report, replayed, new Date(nowMs())]),
    fail: (replayId, claim, error) => change(FAIL, [replayId, claim, error, new Date(nowMs())]),
    release: (replayId, claim) => change(RELEASE, [replayId, claim]),
  };
  return claims;
}

/** Deletes replays that are older than a week. @param deletionMs the time by which data may be deleted for its age */
export async function forgetReplays(db: Database, deletionMs: number): Promise<void> {
  while ((await db.query(FORGET, [deletionMs])).length === FORGET_BATCH);
}
