// Approvals in PostgreSQL: read, decided, used and expired. Each change has a `custos.approval` record on the agent's chain.
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import { ApiError, droppedByRetention } from '../../kernel/errors.ts';
import { assertUnbound, mayName } from '../keys/bound.ts';
import { loadKey } from '../keys/lookup.ts';
import type { AuthenticatedKey } from '../keys/types.ts';
import { writeServiceRecord } from '../ledger/service-record.ts';
import { readDroppedBefore } from '../retention/dropped.ts';
import { genuine, sealedColumns, type SealedRow, updateSealed } from '../../platform/db/seals/rows.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { maskArguments, type Masked } from '../../core/tools/mask.ts';
import type { Facts } from '../../core/policy/types.ts';
import { unpackFacts } from '../../core/decision/packed-facts.ts';
import { approvalDigest, type BoundStatement, boundStatement } from '../../core/decision/approval-bound.ts';
import { type ApprovalDemands, isNamedBy, MAX_VOTES, progressOf } from '../../core/policy/approvers.ts';
import { type KeyRelations, readKeyRelations } from './hands.ts';
import { approversText, demandsOf, type Vote, votesOf } from './votes.ts';
import { wakeIntents } from './wake-intents.ts';
import { type ApprovalFacts, type ApprovalState, MAX_OPEN_APPROVALS, stateAt } from '../../core/decision/approval.ts';
import { notifySettledIn } from '../../platform/db/settled-notice.ts';

/** A row with a genuine seal. Every function here treats any other row as absent. */
export type StoredApproval = Omit<SealedRow<'approval'>, 'state' | 'environment'> & {
  readonly state: ApprovalState;
  readonly environment: Environment;
  /** The lineage of `used_by`; only in rows that are read for a use. */
  readonly used_by_lineage?: string | null;
};

/** With the record of the decision that opened it, and its facts unless retention has erased them. */
export interface ShownApproval extends StoredApproval {
  readonly record: Buffer;
  /** As they are stored: see packed-facts.ts. */
  readonly facts: Buffer | null;
}

const OPEN = `state IN ('pending', 'approved')`;
const SELECT = `SELECT ${sealedColumns('approval', 'a')} FROM approval a`;
const OF = 'organisation_id = $1 AND environment = $2';
const LOCK = `SELECT FROM approval WHERE ${OF} AND approval_id = $3 FOR UPDATE`;
const PEEK = `${SELECT} WHERE ${OF} AND approval_id = $3`;
const FIND_OPEN = `${SELECT} WHERE ${OF} AND digest = $3 AND key_id = $4 AND ${OPEN}
    AND approvers IS NOT DISTINCT FROM $5 AND expires_at - created_at = $6 * interval '1 millisecond'`;
const READ = `SELECT ${sealedColumns('approval', 'a')}, d.record, d.facts FROM approval a
    JOIN decision d ON d.organisation_id = a.organisation_id AND d.environment = a.environment AND d.decision_id = a.decision_id
    WHERE a.organisation_id = $1 AND a.environment = $2 AND a.approval_id = $3`;
const COUNT_OPEN = `SELECT count(*)::int AS n FROM (SELECT FROM approval WHERE ${OF} AND agent_id = $3 AND ${OPEN} AND expires_at > $4 LIMIT ${MAX_OPEN_APPROVALS}) AS counted`;
/** Approvals of one transaction, so that no row is held for long. */
const BATCH = 100;
const LOCK_DUE = `SELECT organisation_id, environment, approval_id, intent_id, expires_at FROM approval
    WHERE ${OPEN} AND expires_at <= $1 AND (expires_at, approval_id) > ($2, $3)
    ORDER BY expires_at, approval_id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`;
/** Resumes a submitted intent that waits. If the job is lost, the sweeper finds the intent. */
const RESUME = `WITH waiting AS (
      UPDATE intent SET status = 'evaluating', updated_at = $5, queued_at = now(), open_since = now(), attempts = 0
      WHERE ${OF} AND intent_id = $3 AND approval_id = $4 AND status = 'waiting_approval'
      RETURNING organisation_id, environment
    )
    ${wakeIntents('waiting')}`;

/** The members on which its use depends. */
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
  // Written by canonicalFacts.
  return facts === null ? undefined : (JSON.parse(unpackFacts(facts).toString('utf8')) as Facts);
}

/** What people may see of the statement to which an approval is bound. */
export interface ShownBound {
  /** Null: erased, or opened by an earlier version, which bound approvals to less. */
  readonly bound: BoundStatement | null;
  /** The masked arguments of its tool call. */
  readonly masked: readonly Masked[];
}

export function boundOf(row: Pick<ShownApproval, 'facts' | 'intent_id' | 'digest'>): ShownBound {
  const facts = factsOf(row);
  if (facts === undefined || approvalDigest(facts, row.intent_id) !== row.digest) return { bound: null, masked: [] };
  const { tool } = facts;
  if (tool === undefined) return { bound: boundStatement(facts, row.intent_id), masked: [] };
  const { masked, ...call } = maskArguments(tool.arguments);
  return { bound: boundStatement({ ...facts, tool: { ...tool, ...call } }, row.intent_id), masked };
}

/** The first row of a statement if its seal is genuine. */
async function one<Row extends StoredApproval = StoredApproval>(
  sql: Sql,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row | undefined> {
  return genuine(sql, 'approval', await sql.query<Row>(statement, values))[0];
}

/** Locks the row until the transaction ends. */
export async function lockApproval(sql: Sql, owner: Owner, approvalId: string): Promise<StoredApproval | undefined> {
  await sql.query(LOCK, [...ownerColumns(owner), approvalId]);
  return peekApproval(sql, owner, approvalId);
}

export async function peekApproval(sql: Sql, owner: Owner, approvalId: string): Promise<StoredApproval | undefined> {
  const row = await one(sql, PEEK, [...ownerColumns(owner), approvalId]);
  return row === undefined || row.used_by === null ? row : withLineage(sql, row, row.used_by);
}

/** A key without a genuine seal has no lineage, so that no key can repeat the use. */
async function withLineage(sql: Sql, row: StoredApproval, usedBy: string): Promise<StoredApproval> {
  return { ...row, used_by_lineage: (await loadKey(sql, usedBy))?.key.lineage ?? null };
}

/**
 * The approval that this key has opened for this action with these demands; it may have expired. `forged`: there is a row without a
 * genuine seal, which cannot be used, and while it exists no other one can be opened.
 */
export async function findOpenApproval(
  sql: Sql,
  owner: Owner,
  { digest, keyId, demands }: { readonly digest: string; readonly keyId: string; readonly demands: ApprovalDemands },
): Promise<StoredApproval | 'forged' | undefined> {
  const values = [...ownerColumns(owner), digest, keyId, approversText(demands), demands.lifetimeMs];
  const rows = await sql.query<StoredApproval>(FIND_OPEN, values);
  return rows.length === 0 ? undefined : (genuine(sql, 'approval', rows)[0] ?? 'forged');
}

/** Whether the agent has fewer than the maximum of open approvals. */
export async function hasRoom(sql: Sql, owner: Owner, agentId: string, nowMs: number): Promise<boolean> {
  const [row] = await sql.query<{ n: number }>(COUNT_OPEN, [...ownerColumns(owner), agentId, new Date(nowMs)]);
  return row !== undefined && row.n < MAX_OPEN_APPROVALS;
}

export function readApproval(sql: Sql, owner: Owner, approvalId: string): Promise<ShownApproval | undefined> {
  return one(sql, READ, [...ownerColumns(owner), approvalId]);
}

/** Stores the record of a change; `change` contains `state` and the members of that state. */
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
  /** The deciding key; undefined: the shell. For a key that is bound to agents, approvals of other agents do not exist. */
  readonly key?: Pick<AuthenticatedKey, 'agentIds'> | undefined;
}

/** The states that a decision may end. Rejecting what was approved withdraws it. */
const MAY_BECOME: Readonly<Record<ApprovalDecision['state'], readonly ApprovalState[]>> = {
  approved: ['pending'],
  rejected: ['pending', 'approved'],
};

export interface DecidedApproval {
  readonly before: StoredApproval;
  /** The same when a vote was repeated. */
  readonly after: StoredApproval;
}

/**
 * Approves or rejects in the caller's transaction, with its record, and resumes the intent that waits for it. An approval that
 * needs several approvers stays pending until there are enough. One rejection rejects, also what was approved and is not used yet: the
 * row's lock is that of a use (`lockApproval`), so whichever comes first counts.
 * @returns the approval before and after
 * @throws {ApiError} E4001, E4006, E1004 (the same hands as the key that asked, bound to the agent, or not among the approvers), E5001 (closed),
 * E5002
 */
export async function decideApproval(
  sql: Sql,
  owner: Owner,
  approvalId: string,
  decision: ApprovalDecision,
): Promise<DecidedApproval> {
  const { state, by, key, nowMs } = decision;
  const row = await lockApproval(sql, owner, approvalId);
  if (row === undefined) throw await absentApproval(sql, owner, approvalId);
  if (key !== undefined && !mayName(key, row.agent_id)) throw noSuchApproval();
  if (key !== undefined && state === 'approved') assertUnbound(key, 'approve what its agents ask for');
  const relations = await readKeyRelations(sql, [row.key_id, by, ...votesOf(row).map((vote) => vote.by)]);
  if (relations.areSameHands(row.key_id, by))
    throw new ApiError(
      'E1004',
      'The key that asked may not decide its own approval, nor may a key that it created or that created it; another admin key must.',
    );
  const current = stateAt(approvalFactsOf(row), nowMs);
  if (!MAY_BECOME[state].includes(current)) throw new ApiError('E5001', `The approval is closed: it is ${current}.`);
  const voted = state === 'approved' ? votedOf(row, decision, relations) : undefined;
  if (voted?.isMet === false) {
    return { before: row, after: voted.isNew ? await storeVote(sql, row, voted.votes, decision) : row };
  }
  const { reason } = decision;
  const decided = await updateSealed<'approval', StoredApproval>(sql, 'approval', row, {
    state,
    decided_by: by,
    reason,
    decided_at: new Date(nowMs),
    ...(voted === undefined ? {} : { votes: JSON.stringify(voted.votes) }),
  });
  await recordChange(sql, decided, { state, by, reason }, nowMs);
  await resume(sql, decided, nowMs);
  await notifySettledIn(sql);
  return { before: row, after: decided };
}

/**
 * The votes of an approval with one more, and whether they meet its demands; undefined: it demands nothing. The vote of a key
 * that has voted changes nothing. @throws {ApiError} E1004 when no rule names the key, E5002 when there are too many votes
 */
function votedOf(
  row: StoredApproval,
  { by, reason, nowMs }: ApprovalDecision,
  relations: KeyRelations,
): { readonly votes: readonly Vote[]; readonly isNew: boolean; readonly isMet: boolean } | undefined {
  const demands = demandsOf(row);
  if (demands === undefined) return undefined;
  if (!demands.some((demand) => isNamedBy(demand, by, relations.tagsOf(by))))
    throw new ApiError(
      'E1004',
      'Only the keys that the policies name for this request may approve it; GET /v1/approvals/{id} shows which.',
    );
  const before = votesOf(row);
  const isNew = before.every((vote) => vote.by !== by);
  if (isNew && before.length === MAX_VOTES)
    throw new ApiError('E5002', `The approval has ${MAX_VOTES} votes, and takes no more.`);
  const votes = isNew ? [...before, { by, at: new Date(nowMs).toISOString(), reason }] : before;
  const cast = { askedBy: row.key_id, votes: votes.map((vote) => vote.by) };
  const isMet = progressOf(demands, cast, relations.votersAt(nowMs)).every(({ missing }) => missing === 0);
  return { votes, isNew, isMet };
}

/** Stores a vote that does not decide yet, with its record. */
async function storeVote(
  sql: Sql,
  row: StoredApproval,
  votes: readonly Vote[],
  { by, reason, nowMs }: ApprovalDecision,
): Promise<StoredApproval> {
  const voted = await updateSealed<'approval', StoredApproval>(sql, 'approval', row, { votes: JSON.stringify(votes) });
  await recordChange(sql, voted, { state: 'pending', by, reason }, nowMs);
  return voted;
}

/** The same error whether it does not exist or the key may not see it. */
export function noSuchApproval(): ApiError {
  return new ApiError('E4001', 'There is no such approval in this organisation and environment.');
}

const APPROVAL_ID = /^apr_[0-9a-z]{26}$/;

/**
 * Why an approval can't be shown: retention erased it, or the decision that opened it, at the same time. Only the age in the id tells, so
 * nobody learns whether it existed. @throws {ApiError} E6002
 */
export async function absentApproval(sql: Sql, owner: Owner, approvalId: string): Promise<ApiError> {
  if (!APPROVAL_ID.test(approvalId)) return noSuchApproval();
  const isErased =
    approvalId < (await readDroppedBefore(sql, owner, 'approvals')) ||
    `dec${approvalId.slice(3)}` < (await readDroppedBefore(sql, owner));
  return isErased ? droppedByRetention('This approval') : noSuchApproval();
}

/**
 * Marks a locked, approved row as used by a decision of the same transaction. Call it before the decision is inserted, so that in
 * every prefix of the log a decision comes after the record of the use.
 */
export async function markUsed(
  sql: Sql,
  row: StoredApproval,
  use: { readonly keyId: string; readonly decisionId: string; readonly nowMs: number },
): Promise<StoredApproval> {
  const { keyId, decisionId, nowMs } = use;
  if (row.state !== 'approved') throw new Error('a locked approval is not approved any more');
  const used = await updateSealed<'approval', StoredApproval>(sql, 'approval', row, {
    state: 'used',
    used_by: keyId,
    used_decision_id: decisionId,
    used_at: new Date(nowMs),
  });
  await recordChange(sql, used, { state: 'used', by: keyId, usedDecisionId: decisionId }, nowMs);
  return withLineage(sql, used, keyId);
}

/** For a locked row. */
async function expireHeld(sql: Sql, row: StoredApproval, nowMs: number): Promise<void> {
  const expired = await updateSealed<'approval', StoredApproval>(sql, 'approval', row, { state: 'expired' });
  await recordChange(sql, expired, { state: 'expired' }, nowMs);
  await resume(sql, expired, nowMs);
}

function isDue(row: StoredApproval, nowMs: number): boolean {
  return row.state !== 'expired' && stateAt(approvalFactsOf(row), nowMs) === 'expired';
}

/** Expires an approval that is due, unless another transaction already has. */
export function expireApproval(db: Database, row: StoredApproval, nowMs: number): Promise<void> {
  return db.transaction(async (sql) => {
    const { organisation_id: organisationId, environment } = row;
    const held = await lockApproval(sql, { organisationId, environment }, row.approval_id);
    if (held !== undefined && isDue(held, nowMs)) await expireHeld(sql, held, nowMs);
  });
}

type Due = Resumed & Pick<StoredApproval, 'expires_at'>;

/**
 * Expires all that are due, batch by batch. For a row without a genuine seal only the waiting intent is resumed, which finds no
 * approval. @returns the number of expired approvals
 */
export async function expireApprovals(db: Database, nowMs: number): Promise<number> {
  let total = 0;
  let last: Pick<Due, 'expires_at' | 'approval_id'> = { expires_at: new Date(0), approval_id: '' };
  for (;;) {
    const due = await db.transaction(async (sql) => {
      const rows = await sql.query<Due>(LOCK_DUE, [new Date(nowMs), last.expires_at, last.approval_id]);
      for (const row of rows) {
        const { organisation_id: organisationId, environment, approval_id: approvalId } = row;
        // Read after it is locked: see sealedColumns.
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
