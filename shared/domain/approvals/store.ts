// Approvals in Postgres: read, listed, decided, used and expired. Each change is a `custos.approval` leaf of the agent's chain.
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import { ApiError } from '../../kernel/errors.ts';
import { loadKey } from '../keys/lookup.ts';
import { writeServiceRecord } from '../ledger/service-record.ts';
import { genuine, sealedColumns, type SealedRow, updateSealed } from '../../platform/db/seals/rows.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { maskedArguments } from '../../core/tools/mask.ts';
import type { Facts } from '../../core/policy/types.ts';
import { approvalDigest, type BoundStatement, boundStatement } from '../../core/decision/approval-bound.ts';
import { areSameHands } from './hands.ts';
import { type ApprovalFacts, type ApprovalState, MAX_OPEN_APPROVALS, stateAt } from '../../core/decision/approval.ts';
import { enqueueSql } from '../../platform/queues/outbox.ts';

export interface ApprovalOwner {
  readonly organisationId: string;
  readonly environment: Environment;
}

/** As this service wrote it: every function here treats any other row as absent. */
export type StoredApproval = Omit<SealedRow<'approval'>, 'state' | 'environment'> & {
  readonly state: ApprovalState;
  readonly environment: Environment;
  /** The line of that key; only of a row that is to be used, or looked at as if. */
  readonly used_by_lineage?: string | null;
};

/** With the decision that opened it: its record, and its facts unless retention has erased them. */
export interface ShownApproval extends StoredApproval {
  readonly record: Buffer;
  readonly facts: Buffer | null;
}

const OPEN = `state IN ('pending', 'approved')`;
const SELECT = `SELECT ${sealedColumns('approval', 'a')} FROM approval a`;
const OF = 'organisation_id = $1 AND environment = $2';
const LOCK: Statement = {
  name: 'approval-lock',
  text: `SELECT FROM approval WHERE ${OF} AND approval_id = $3 FOR UPDATE`,
};
const PEEK: Statement = {
  name: 'approval-peek',
  text: `${SELECT} WHERE ${OF} AND approval_id = $3`,
};
const FIND_OPEN: Statement = {
  name: 'approval-find-open',
  text: `${SELECT} WHERE ${OF} AND digest = $3 AND key_id = $4 AND ${OPEN}`,
};
const READ: Statement = {
  name: 'approval-read',
  text: `SELECT ${sealedColumns('approval', 'a')}, d.record, d.facts FROM approval a
    JOIN decision d ON d.organisation_id = a.organisation_id AND d.environment = a.environment AND d.decision_id = a.decision_id
    WHERE a.organisation_id = $1 AND a.environment = $2 AND a.approval_id = $3`,
};
const COUNT_OPEN: Statement = {
  name: 'approval-count-open',
  text: `SELECT count(*)::int AS n FROM (SELECT FROM approval WHERE ${OF} AND agent_id = $3 AND ${OPEN} AND expires_at > $4 LIMIT ${MAX_OPEN_APPROVALS}) AS counted`,
};
/** Approvals of one transaction, so that no row is held for long. */
const BATCH = 100;
const LOCK_DUE: Statement = {
  name: 'approvals-lock-due',
  text: `SELECT organisation_id, environment, approval_id, intent_id, expires_at FROM approval
    WHERE ${OPEN} AND expires_at <= $1 AND (expires_at, approval_id) > ($2, $3)
    ORDER BY expires_at, approval_id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
};
const QUEUE_RESUMED = enqueueSql(
  'intents',
  'evaluate',
  {
    organisationId: 'organisation_id',
    environment: 'environment',
    intentId: 'intent_id',
    approvalId: 'approval_id',
    traceparent: 'traceparent',
  },
  'waiting',
);
/** A submitted intent that waits goes on: the sweeper finds it again should this outbox row be lost. */
const RESUME: Statement = {
  name: 'intent-resume',
  text: `WITH waiting AS (
      UPDATE intent SET status = 'evaluating', updated_at = $5, queued_at = now()
      WHERE ${OF} AND intent_id = $3 AND approval_id = $4 AND status = 'waiting_approval'
      RETURNING organisation_id, environment, intent_id, approval_id, traceparent
    )
    ${QUEUE_RESUMED}`,
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
  const { tool } = facts;
  const shown =
    tool === undefined ? facts : { ...facts, tool: { ...tool, arguments: maskedArguments(tool.arguments) } };
  return boundStatement(shown, row.intent_id);
}

/** The first row of a statement, if this service wrote it. */
async function one<Row extends StoredApproval = StoredApproval>(
  sql: Sql,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row | undefined> {
  return genuine(sql, 'approval', await sql.query<Row>(statement, values))[0];
}

const place = ({ organisationId, environment }: ApprovalOwner): [string, string] => [organisationId, environment];

/** Holds the row until the transaction ends. */
export async function lockApproval(
  sql: Sql,
  owner: ApprovalOwner,
  approvalId: string,
): Promise<StoredApproval | undefined> {
  await sql.query(LOCK, [...place(owner), approvalId]);
  return peekApproval(sql, owner, approvalId);
}

export async function peekApproval(
  sql: Sql,
  owner: ApprovalOwner,
  approvalId: string,
): Promise<StoredApproval | undefined> {
  const row = await one(sql, PEEK, [...place(owner), approvalId]);
  return row === undefined || row.used_by === null ? row : withLineage(sql, row, row.used_by);
}

/** Of a key that this service did not write, no line is known: then nobody repeats the use. */
async function withLineage(sql: Sql, row: StoredApproval, usedBy: string): Promise<StoredApproval> {
  return { ...row, used_by_lineage: (await loadKey(sql, usedBy))?.key.lineage ?? null };
}

/**
 * The approval that this key has opened for this action; it may have expired. `forged`: there is a row that this service
 * did not write, which can't be used, and while it is there no other one can be opened.
 */
export async function findOpenApproval(
  sql: Sql,
  owner: ApprovalOwner,
  digest: string,
  keyId: string,
): Promise<StoredApproval | 'forged' | undefined> {
  const rows = await sql.query<StoredApproval>(FIND_OPEN, [...place(owner), digest, keyId]);
  return rows.length === 0 ? undefined : (genuine(sql, 'approval', rows)[0] ?? 'forged');
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

type Resumed = Pick<StoredApproval, 'organisation_id' | 'environment' | 'approval_id' | 'intent_id'>;

async function resume(sql: Sql, row: Resumed, nowMs: number): Promise<void> {
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
  const decided = await updateSealed<'approval', StoredApproval>(sql, 'approval', row, {
    state,
    decided_by: by,
    reason,
    decided_at: new Date(nowMs),
  });
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
  if (row.state !== 'approved') throw new Error('an approval that is held is not approved any more');
  const used = await updateSealed<'approval', StoredApproval>(sql, 'approval', row, {
    state: 'used',
    used_by: keyId,
    used_decision_id: decisionId,
    used_at: new Date(nowMs),
  });
  await recordChange(sql, used, { state: 'used', by: keyId, usedDecisionId: decisionId }, nowMs);
  return withLineage(sql, used, keyId);
}

/** Of a row that the transaction holds. */
async function expireHeld(sql: Sql, row: StoredApproval, nowMs: number): Promise<void> {
  const expired = await updateSealed<'approval', StoredApproval>(sql, 'approval', row, { state: 'expired' });
  await recordChange(sql, expired, { state: 'expired' }, nowMs);
  await resume(sql, expired, nowMs);
}

function isDue(row: StoredApproval, nowMs: number): boolean {
  return row.state !== 'expired' && stateAt(approvalFactsOf(row), nowMs) === 'expired';
}

/** Expires one that is due, if nobody has yet. */
export function expireApproval(db: Database, row: StoredApproval, nowMs: number): Promise<void> {
  return db.transaction(async (sql) => {
    const { organisation_id: organisationId, environment } = row;
    const held = await lockApproval(sql, { organisationId, environment }, row.approval_id);
    if (held !== undefined && isDue(held, nowMs)) await expireHeld(sql, held, nowMs);
  });
}

type Due = Resumed & Pick<StoredApproval, 'expires_at'>;

/**
 * Expires all that are due, batch by batch. Of a row that this service did not write, only the intent that waits for it
 * goes on: it finds that there is no such approval. @returns how many have expired
 */
export async function expireApprovals(db: Database, nowMs: number): Promise<number> {
  let total = 0;
  let last: Pick<Due, 'expires_at' | 'approval_id'> = { expires_at: new Date(0), approval_id: '' };
  for (;;) {
    const due = await db.transaction(async (sql) => {
      const rows = await sql.query<Due>(LOCK_DUE, [new Date(nowMs), last.expires_at, last.approval_id]);
      for (const row of rows) {
        const { organisation_id: organisationId, environment, approval_id: approvalId } = row;
        // Read after it is held: see sealedColumns.
        const held = await peekApproval(sql, { organisationId, environment }, approvalId);
        if (held === undefined) await resume(sql, row, nowMs);
        else {
          await expireHeld(sql, held, nowMs);
          total += 1;
        }
      }
      return rows;
    });
    const end = due.at(-1);
    if (end === undefined || due.length < BATCH) return total;
    last = end;
  }
}
