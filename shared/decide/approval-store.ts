// Approvals in Postgres: read, listed, decided, used and expired. Each change is a `custos.approval` leaf of the agent's chain.
import type { Database, Sql, Statement } from '../db/database.ts';
import { ApiError } from '../errors.ts';
import { lineageSql } from '../keys/lineage.ts';
import { writeServiceRecord } from '../log/service-record.ts';
import type { Environment } from '../vocabulary.ts';
import type { Facts } from '../policy/types.ts';
import { approvalDigest, type BoundStatement, boundStatement } from './approval-bound.ts';
import { areSameHands } from './approval-hands.ts';
import { type ApprovalFacts, type ApprovalState, MAX_OPEN_APPROVALS, stateAt } from './approval.ts';

export interface ApprovalOwner {
  readonly organisationId: string;
  readonly environment: Environment;
}

export interface StoredApproval {
  readonly approval_id: string;
  readonly organisation_id: string;
  readonly environment: Environment;
  readonly state: ApprovalState;
  readonly agent_id: string;
  readonly key_id: string;
  readonly digest: string;
  readonly intent_id: string | null;
  readonly decision_id: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly decided_at: Date | null;
  readonly decided_by: string | null;
  readonly reason: string | null;
  readonly used_at: Date | null;
  readonly used_by: string | null;
  /** The line of that key; only of a row that is to be used, or looked at as if. */
  readonly used_by_lineage?: string | null;
  readonly used_decision_id: string | null;
}

/** With the decision that opened it: its record, and its facts unless retention has erased them. */
export interface ShownApproval extends StoredApproval {
  readonly record: Buffer;
  readonly facts: Buffer | null;
}

const OPEN = `state IN ('pending', 'approved')`;
const COLUMNS = `approval_id, organisation_id, environment, state, agent_id, key_id, digest, intent_id, decision_id, created_at, expires_at, decided_at, decided_by, reason, used_at, used_by, used_decision_id, ${lineageSql('used_by')} AS used_by_lineage`;
const OF = 'organisation_id = $1 AND environment = $2';
const LOCK: Statement = {
  name: 'approval-lock',
  text: `SELECT ${COLUMNS} FROM approval WHERE ${OF} AND approval_id = $3 FOR UPDATE`,
};
const PEEK: Statement = {
  name: 'approval-peek',
  text: `SELECT ${COLUMNS} FROM approval WHERE ${OF} AND approval_id = $3`,
};
const FIND_OPEN: Statement = {
  name: 'approval-find-open',
  text: `SELECT ${COLUMNS} FROM approval WHERE ${OF} AND digest = $3 AND key_id = $4 AND ${OPEN}`,
};
const READ: Statement = {
  name: 'approval-read',
  text: `SELECT a.*, d.record, d.facts FROM approval a
    JOIN decision d ON d.organisation_id = a.organisation_id AND d.environment = a.environment AND d.decision_id = a.decision_id
    WHERE a.organisation_id = $1 AND a.environment = $2 AND a.approval_id = $3`,
};
const COUNT_OPEN: Statement = {
  name: 'approval-count-open',
  text: `SELECT count(*)::int AS n FROM (SELECT FROM approval WHERE ${OF} AND agent_id = $3 AND ${OPEN} AND expires_at > $4 LIMIT ${MAX_OPEN_APPROVALS}) AS counted`,
};
const DECIDE: Statement = {
  name: 'approval-decide',
  text: `UPDATE approval SET state = $4, decided_by = $5, reason = $6, decided_at = $7 WHERE ${OF} AND approval_id = $3 RETURNING ${COLUMNS}`,
};
const USE: Statement = {
  name: 'approval-use',
  text: `UPDATE approval SET state = 'used', used_by = $4, used_decision_id = $5, used_at = $6 WHERE ${OF} AND approval_id = $3 AND state = 'approved' RETURNING ${COLUMNS}`,
};
/** Approvals of one transaction, so that no row is held for long. */
const BATCH = 100;
const EXPIRE: Statement = {
  name: 'approvals-expire',
  text: `UPDATE approval SET state = 'expired' WHERE (organisation_id, environment, approval_id) IN (
      SELECT organisation_id, environment, approval_id FROM approval WHERE ${OPEN} AND expires_at <= $1
      ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
    ) RETURNING ${COLUMNS}`,
};
const EXPIRE_ONE: Statement = {
  name: 'approval-expire',
  text: `UPDATE approval SET state = 'expired' WHERE ${OF} AND approval_id = $3 AND ${OPEN} AND expires_at <= $4 RETURNING ${COLUMNS}`,
};
/** A submitted intent that waits goes on: the sweeper finds it again should this outbox row be lost. */
const RESUME: Statement = {
  name: 'intent-resume',
  text: `WITH waiting AS (
      UPDATE intent SET status = 'evaluating', updated_at = $5, queued_at = now()
      WHERE ${OF} AND intent_id = $3 AND approval_id = $4 AND status = 'waiting_approval'
      RETURNING organisation_id, environment, intent_id, approval_id, traceparent
    )
    INSERT INTO outbox (queue, name, payload)
    SELECT 'intents', 'evaluate', json_strip_nulls(json_build_object('v', 1, 'organisationId', organisation_id, 'environment', environment,
      'intentId', intent_id, 'approvalId', approval_id, 'traceparent', traceparent))::text FROM waiting`,
};

/** What its use depends on. */
export function approvalFactsOf(row: StoredApproval): ApprovalFacts {
  return {
    approvalId: row.approval_id,
    state: row.state,
    agentId: row.agent_id,
    digest: row.digest,
    expiresAtMs: row.expires_at.getTime(),
    decidedBy: row.decided_by,
    reason: row.reason,
    usedByLineage: row.used_by_lineage ?? null,
    usedAtMs: row.used_at?.getTime() ?? null,
    usedDecisionId: row.used_decision_id,
  };
}

/** The facts of the decision that opened it; undefined: retention has erased them. */
export function factsOf({ facts }: Pick<ShownApproval, 'facts'>): Facts | undefined {
  // Written by ourselves.
  return facts === null ? undefined : (JSON.parse(facts.toString('utf8')) as Facts);
}

/** All that it is bound to; null: erased, or it was opened by an earlier version, which bound approvals to less. */
export function boundOf(row: Pick<ShownApproval, 'facts' | 'intent_id' | 'digest'>): BoundStatement | null {
  const facts = factsOf(row);
  if (facts === undefined || approvalDigest(facts, row.intent_id) !== row.digest) return null;
  return boundStatement(facts, row.intent_id);
}

async function one<Row extends object>(
  sql: Sql,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row | undefined> {
  const [row] = await sql.query<Row>(statement, values);
  return row;
}

const place = ({ organisationId, environment }: ApprovalOwner): [string, string] => [organisationId, environment];

/** Holds the row until the transaction ends. */
export function lockApproval(sql: Sql, owner: ApprovalOwner, approvalId: string): Promise<StoredApproval | undefined> {
  return one(sql, LOCK, [...place(owner), approvalId]);
}

export function peekApproval(sql: Sql, owner: ApprovalOwner, approvalId: string): Promise<StoredApproval | undefined> {
  return one(sql, PEEK, [...place(owner), approvalId]);
}

/** The approval that this key has opened for this action; it may have expired. */
export function findOpenApproval(
  sql: Sql,
  owner: ApprovalOwner,
  digest: string,
  keyId: string,
): Promise<StoredApproval | undefined> {
  return one(sql, FIND_OPEN, [...place(owner), digest, keyId]);
}

/** Whether one more may be opened for this agent. */
export async function hasRoom(sql: Sql, owner: ApprovalOwner, agentId: string, nowMs: number): Promise<boolean> {
  const [row] = await sql.query<{ n: number }>(COUNT_OPEN, [...place(owner), agentId, new Date(nowMs)]);
  return row !== undefined && row.n < MAX_OPEN_APPROVALS;
}

export function readApproval(sql: Sql, owner: ApprovalOwner, approvalId: string): Promise<ShownApproval | undefined> {
  return one(sql, READ, [...place(owner), approvalId]);
}

/** One more leaf about an approval; `change` holds `state` and what belongs to it. */
async function recordChange(sql: Sql, row: StoredApproval, change: object, atMs: number): Promise<void> {
  const { organisation_id: organisationId, environment, agent_id: agentId } = row;
  const body = {
    approvalId: row.approval_id,
    decisionId: row.decision_id,
    digest: row.digest,
    intentId: row.intent_id,
    ...change,
  };
  await writeServiceRecord(sql, { organisationId, environment, event: 'custos.approval', agentId, body }, atMs);
}

async function resume(sql: Sql, row: StoredApproval, nowMs: number): Promise<void> {
  if (row.intent_id === null) return;
  await sql.query(RESUME, [row.organisation_id, row.environment, row.intent_id, row.approval_id, new Date(nowMs)]);
}

export interface ApprovalDecision {
  readonly state: 'approved' | 'rejected';
  /** A key id, or `cli:<user>`. */
  readonly by: string;
  readonly reason: string;
  readonly nowMs: number;
  /** Whether whoever decides may speak for an agent; another one's approvals do not exist for them. Default: for all. */
  readonly mayName?: ((agentId: string) => boolean) | undefined;
}

/**
 * Approves or rejects, in the caller's transaction: with its leaf, and the intent that waits for it goes on.
 * @throws {ApiError} E4001, E1004 (the same hands as the key that asked), E5001 (closed)
 */
export async function decideApproval(
  sql: Sql,
  owner: ApprovalOwner,
  approvalId: string,
  decision: ApprovalDecision,
): Promise<StoredApproval> {
  const { state, by, reason, nowMs, mayName } = decision;
  const row = await lockApproval(sql, owner, approvalId);
  if (row === undefined || mayName?.(row.agent_id) === false) throw noSuchApproval();
  if (await areSameHands(sql, row.key_id, by))
    throw new ApiError(
      'E1004',
      'The key that asked may not decide its own approval, nor may a key that it made or that made it; another admin key must.',
    );
  const current = stateAt(approvalFactsOf(row), nowMs);
  if (current !== 'pending') throw new ApiError('E5001', `The approval is closed: it is ${current}.`);
  const decided = await one<StoredApproval>(sql, DECIDE, [
    ...place(owner),
    approvalId,
    state,
    by,
    reason,
    new Date(nowMs),
  ]);
  if (decided === undefined) throw new Error('an approval that is held has gone');
  await recordChange(sql, decided, { state, by, reason }, nowMs);
  await resume(sql, decided, nowMs);
  return decided;
}

/** The same whether there is none, or not one that the key may see. */
export function noSuchApproval(): ApiError {
  return new ApiError('E4001', 'There is no such approval in this organisation and environment.');
}

/**
 * Marks a held, approved row as used by a decision that the same transaction records. To be called before that decision
 * is inserted: then a log that has the decision has the leaf of its use, too, wherever an export ends.
 */
export async function markUsed(
  sql: Sql,
  row: StoredApproval,
  use: { readonly keyId: string; readonly decisionId: string; readonly nowMs: number },
): Promise<StoredApproval> {
  const { keyId, decisionId, nowMs } = use;
  const values = [row.organisation_id, row.environment, row.approval_id, keyId, decisionId, new Date(nowMs)];
  const used = await one<StoredApproval>(sql, USE, values);
  if (used === undefined) throw new Error('an approval that is held is not approved any more');
  await recordChange(sql, used, { state: 'used', by: keyId, usedDecisionId: decisionId }, nowMs);
  return used;
}

async function recordExpired(sql: Sql, rows: readonly StoredApproval[], nowMs: number): Promise<void> {
  for (const row of rows) {
    await recordChange(sql, row, { state: 'expired' }, nowMs);
    await resume(sql, row, nowMs);
  }
}

/** Expires one that is due, if nobody has yet. */
export function expireApproval(db: Database, row: StoredApproval, nowMs: number): Promise<void> {
  return db.transaction(async (sql) => {
    const values = [row.organisation_id, row.environment, row.approval_id, new Date(nowMs)];
    await recordExpired(sql, await sql.query<StoredApproval>(EXPIRE_ONE, values), nowMs);
  });
}

/** Expires all that are due, batch by batch. @returns how many */
export async function expireApprovals(db: Database, nowMs: number): Promise<number> {
  let total = 0;
  for (;;) {
    const expired = await db.transaction(async (sql) => {
      const rows = await sql.query<StoredApproval>(EXPIRE, [new Date(nowMs)]);
      await recordExpired(sql, rows, nowMs);
      return rows.length;
    });
    total += expired;
    if (expired < BATCH) return total;
  }
}
