// Proposals: changes of the policy set that wait until a second person approves them. Only one for the set in force can be carried out.
import { ApiError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { EntitySql, Sql } from '../../platform/db/database.ts';
import {
  find,
  firstGenuine,
  genuine,
  genuinePage,
  insertSealed,
  sealedColumns,
  type SealedRow,
  updateSealed,
} from '../../platform/db/seals/rows.ts';
import type { SetSignature } from '../../core/policy/signature.ts';
import { writeServiceRecord } from '../ledger/service-record.ts';
import type { Activation, ActivationSource } from './activate.ts';
import type { StageChange } from './stages.ts';

/** A row with a genuine seal. */
export type StoredProposal = Omit<SealedRow<'policy_proposal'>, 'state' | 'source'> & {
  readonly state: 'pending' | 'used' | 'rejected' | 'superseded';
  readonly source: ActivationSource;
};

export type ProposalStatus = StoredProposal['state'] | 'expired';

const MAX_PENDING = 20;
/** Pending ones of which the newest are looked at; most have expired. */
const MAX_READ = 1000;
const SELECT = `SELECT ${sealedColumns('policy_proposal', 'p')} FROM policy_proposal p`;
const LOCK = 'SELECT FROM policy_proposal WHERE approval_id = $1 FOR UPDATE';
const READ = `${SELECT} WHERE approval_id = $1`;
const PENDING = `${SELECT} WHERE state = 'pending' AND approval_id < $1 ORDER BY approval_id DESC LIMIT $2`;
const PAGE = `${SELECT} WHERE approval_id < $1 ORDER BY approval_id DESC LIMIT $2`;
const FROM_FOLDER = `${SELECT} WHERE source = 'folder' AND approval_id < $1 AND digest = $3 AND previous_digest = $4
    ORDER BY approval_id DESC LIMIT $2`;
/** Greater than all ids. */
const NEWEST = `apr_${'z'.repeat(26)}`;

/** @param nowMs the time at which the status holds: a pending proposal past its end has expired */
export function proposalStatus({ state, expires_at: expiresAt }: StoredProposal, nowMs: number): ProposalStatus {
  return state === 'pending' && expiresAt.getTime() <= nowMs ? 'expired' : state;
}

export async function readProposal(sql: Sql, approvalId: string): Promise<StoredProposal | undefined> {
  return genuine(sql, 'policy_proposal', await sql.query<StoredProposal>(READ, [approvalId]))[0];
}

/** The key that proposed a change, as it is now. */
export interface ProposingKey {
  readonly name: string;
  readonly tags: readonly string[];
}

/** The keys among the authors of changes, by id. The folder and users of the shell have none. */
export async function proposingKeys(
  sql: EntitySql,
  rows: readonly Pick<StoredProposal, 'author'>[],
): Promise<ReadonlyMap<string, ProposingKey>> {
  const authors = [...new Set(rows.map(({ author }) => author))];
  const keys = authors.length === 0 ? [] : await find(sql, 'api_key', { key_id: authors });
  return new Map(keys.map(({ key_id: keyId, name, tags }) => [keyId, { name, tags: tags ?? [] }]));
}

/** Newest first. */
export function listProposals(sql: Sql, before: string | undefined, limit: number): Promise<StoredProposal[]> {
  return genuinePage<StoredProposal>(sql, 'policy_proposal', limit, (last) =>
    sql.query(PAGE, [last?.approval_id ?? before ?? NEWEST, limit]),
  );
}

export async function pendingProposals(sql: Sql, nowMs: number): Promise<StoredProposal[]> {
  const rows = await genuinePage<StoredProposal>(sql, 'policy_proposal', MAX_READ, (last) =>
    sql.query(PENDING, [last?.approval_id ?? NEWEST, MAX_READ]),
  );
  return rows.filter((row) => proposalStatus(row, nowMs) === 'pending');
}

/** The last proposal of this edit of the folder, in whatever state: an edit is proposed once. */
export async function proposalOfFolder(
  sql: Sql,
  digest: string,
  previousDigest: string,
): Promise<StoredProposal | undefined> {
  return firstGenuine<StoredProposal>(sql, 'policy_proposal', (last, limit) =>
    sql.query(FROM_FOLDER, [last?.approval_id ?? NEWEST, limit, digest, previousDigest]),
  );
}

/** Only the operator decides about policies, so the records are in the live log of the operator's organisation. */
async function record(sql: EntitySql, body: object, nowMs: number): Promise<void> {
  const [operator] = await find(sql, 'organisation', { is_operator: true });
  if (operator === undefined) return;
  const owner = { organisationId: operator.id, environment: 'live' as const };
  await writeServiceRecord(sql, { ...owner, event: 'custos.policy_set', body }, nowMs);
}

export interface NewProposal extends Pick<Activation, 'digest' | 'author' | 'reason' | 'source'> {
  /** As it was checked. It is checked again when the change is carried out. */
  readonly signature?: SetSignature;
  readonly previousDigest: string | null;
  /** Absent: the set is to be in force for all. */
  readonly stage?: StageChange | undefined;
  readonly ttlMs: number;
}

/** A vote for a change that needs several. */
export interface ChangeVote {
  readonly by: string;
  /** RFC 3339. */
  readonly at: string;
  readonly reason: string;
}

// The rows are sealed, so their JSON is the service's own.
export function stageOf({ stage }: Pick<StoredProposal, 'stage'>): StageChange | undefined {
  return stage === null ? undefined : (JSON.parse(stage) as StageChange);
}

export function changeVotesOf({ votes }: Pick<StoredProposal, 'votes'>): ChangeVote[] {
  return votes === null ? [] : (JSON.parse(votes) as ChangeVote[]);
}

/**
 * Stores a proposal, unless the same author has proposed the same already. The caller holds the state row.
 * @throws {ApiError} E3001 when too many are open
 */
export async function propose(sql: EntitySql, proposal: NewProposal, nowMs: number): Promise<StoredProposal> {
  const { digest, previousDigest, author, reason, source, signature, ttlMs } = proposal;
  const stage = proposal.stage === undefined ? null : JSON.stringify(proposal.stage);
  const open = await pendingProposals(sql, nowMs);
  const same = open.find(
    (row) =>
      row.digest === digest &&
      row.previous_digest === previousDigest &&
      row.author === author &&
      row.source === source &&
      row.stage === stage,
  );
  if (same !== undefined) return same;
  if (open.length >= MAX_PENDING)
    throw new ApiError('E3001', `${MAX_PENDING} changes of policies wait for approval; have them decided first.`, {
      headers: { 'retry-after': '60' },
    });
  const approvalId = newId('apr', nowMs);
  await insertSealed(sql, 'policy_proposal', {
    approval_id: approvalId,
    digest,
    previous_digest: previousDigest,
    author,
    reason,
    source,
    signer: signature?.signer ?? null,
    signed_sequence: signature === undefined ? null : String(signature.sequence),
    state: 'pending',
    created_at: new Date(nowMs),
    expires_at: new Date(nowMs + ttlMs),
    decided_at: null,
    decided_by: null,
    decision_reason: null,
    stage,
    votes: null,
    signature: signature?.line ?? null,
  });
  const staged = proposal.stage === undefined ? {} : { stage: proposal.stage };
  const about = { approvalId, digest, previousDigest, author, reason, source, ...staged };
  await record(sql, { change: 'proposed', ...about }, nowMs);
  const stored = await readProposal(sql, approvalId);
  if (stored === undefined) throw new Error('a proposal was not stored');
  return stored;
}

/** Locks a proposal until the transaction ends. */
export async function holdProposal(sql: Sql, approvalId: string): Promise<StoredProposal | undefined> {
  await sql.query(LOCK, [approvalId]);
  return readProposal(sql, approvalId);
}

export interface ProposalDecision {
  readonly state: 'used' | 'rejected' | 'superseded';
  /** Null: it was superseded. */
  readonly by: string | null;
  readonly reason: string | null;
}

/** For a row that is held. A use is recorded by the activation. */
export async function closeProposal(
  sql: EntitySql,
  row: StoredProposal,
  { state, by, reason }: ProposalDecision,
  nowMs: number,
): Promise<StoredProposal> {
  const closed = await updateSealed<'policy_proposal', StoredProposal>(sql, 'policy_proposal', row, {
    state,
    decided_by: by,
    decision_reason: reason,
    decided_at: new Date(nowMs),
  });
  const { approval_id: approvalId, digest } = row;
  if (state !== 'used') await record(sql, { change: state, approvalId, digest, by, reason }, nowMs);
  return closed;
}

/** Stores a vote that does not decide yet, for a row that is held. */
export async function storeVote(
  sql: EntitySql,
  row: StoredProposal,
  { by, reason }: Pick<ChangeVote, 'by' | 'reason'>,
  nowMs: number,
): Promise<StoredProposal> {
  const votes = JSON.stringify([...changeVotesOf(row), { by, at: new Date(nowMs).toISOString(), reason }]);
  const voted = await updateSealed<'policy_proposal', StoredProposal>(sql, 'policy_proposal', row, { votes });
  await record(sql, { change: 'vote', approvalId: row.approval_id, digest: row.digest, by, reason }, nowMs);
  return voted;
}

/** Closes the proposals for a set that is no longer in force. The caller holds the state row. */
export async function supersedeProposals(sql: EntitySql, activeDigest: string, nowMs: number): Promise<void> {
  for (const row of await pendingProposals(sql, nowMs)) {
    if (row.previous_digest === activeDigest) continue;
    const held = await holdProposal(sql, row.approval_id);
    if (held?.state === 'pending')
      await closeProposal(sql, held, { state: 'superseded', by: null, reason: null }, nowMs);
  }
}
