// Changes of the set in force: checked against what is in force, the signature and the rule of the second person; all under one lock.
import { ApiError, invalidField } from '../../kernel/errors.ts';
import type { EntitySql, Sql } from '../../platform/db/database.ts';
import { firstGenuine, sealedColumns, type SealedRow } from '../../platform/db/seals/rows.ts';
import { checkSignature, type SetSignature } from '../../core/policy/signature.ts';
import { MAX_VOTES } from '../../core/policy/approvers.ts';
import { readKeyRelations } from '../approvals/hands.ts';
import { noSuchApproval } from '../approvals/store.ts';
import {
  type Activation,
  activatePolicySet,
  FOLDER_AUTHOR,
  type HeldState,
  holdPolicyState,
  storePolicySet,
} from './activate.ts';
import type { ChangeRules } from './change-rules.ts';
import { assertLoadable } from './stored-sets.ts';
import { areBothShell, mayApprove, missingVotes } from './change-votes.ts';
import { beginStage, changesVerdicts, dropStage, type StageChange, type StageOrder } from './stages.ts';
import {
  changeVotesOf,
  closeProposal,
  holdProposal,
  proposalOfFolder,
  proposalStatus,
  propose,
  readProposal,
  stageOf,
  type StoredProposal,
  storeVote,
  supersedeProposals,
} from './proposals.ts';

export interface PolicyChange extends Pick<Activation, 'digest' | 'canonical' | 'author' | 'reason' | 'source'> {
  /** The set that the author believes to be in force; absent: any. */
  readonly expectedDigest?: string | undefined;
  /** The line of a signature file. */
  readonly signature?: string | undefined;
  /** Only this changes; absent: the set is to be in force for all. */
  readonly stage?: StageChange | undefined;
}

export type ChangeResult =
  | {
      readonly kind: 'staged' | 'dropped';
      readonly previousDigest: string | null;
      readonly organisations: readonly string[];
      readonly signer: string | null;
    }
  | { readonly kind: 'activated'; readonly previousDigest: string | null; readonly signer: string | null }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'proposed'; readonly proposal: StoredProposal };

const SIGNED = `SELECT ${sealedColumns('policy_activation', 'a')} FROM policy_activation a
    WHERE signed_sequence IS NOT NULL AND ($1::bigint IS NULL OR (signed_sequence, seq) < ($1, $2::bigint))
    ORDER BY signed_sequence DESC, seq DESC LIMIT $3`;

/** The highest sequence of a signature that was accepted. */
async function lastSequence(sql: Sql): Promise<bigint | undefined> {
  const highest = await firstGenuine<SealedRow<'policy_activation'>>(sql, 'policy_activation', (last, limit) =>
    sql.query(SIGNED, [last?.signed_sequence ?? null, last?.seq ?? null, limit]),
  );
  const sequence = highest?.signed_sequence;
  return typeof sequence === 'string' ? BigInt(sequence) : undefined;
}

/** The signature of a change where one is needed. @throws {ApiError} E2001 */
export async function checkedSignature(
  sql: Sql,
  change: Pick<PolicyChange, 'digest' | 'signature' | 'stage'>,
  rules: ChangeRules,
): Promise<{ readonly signature?: SetSignature }> {
  const signature = await signatureOf(sql, change, rules);
  if (typeof signature === 'string') throw invalidField('/signature', signature);
  return signature === undefined ? {} : { signature };
}

/** The signature of a change where one is needed, or what is wrong with it, as the end of a sentence about it. */
async function signatureOf(
  sql: Sql,
  { digest, signature, stage }: Pick<PolicyChange, 'digest' | 'signature' | 'stage'>,
  { signers }: ChangeRules,
): Promise<SetSignature | string | undefined> {
  // A share changes no verdict. A dropped stage brings back the set that is in force for all, which was signed then.
  if (signers === undefined || stage === 'drop' || (stage !== undefined && !changesVerdicts(stage))) return undefined;
  return checkSignature(signature, { digest, signers, lastSequence: await lastSequence(sql) });
}

/** @throws {ApiError} E6002 */
function assertGenuine({ isForged }: HeldState): void {
  if (isForged)
    throw new ApiError('E6002', 'The row of the set in force was changed past the service; a worker restores it.', {
      headers: { 'retry-after': '2' },
    });
}

/**
 * A process may know the set of an earlier read of the folder. It must not come into force: the folder would count as followed, and the worker
 * would not look at it again before its next edit. @throws {ApiError} E5002
 */
function assertOfFolder({ row }: HeldState, digest: string): void {
  if (row.folder_digest === digest) return;
  throw new ApiError('E5002', 'The policy folder was edited again since, or has errors now; see GET /v1/policies.');
}

/**
 * Puts a set into force, or opens an approval where the rules demand one.
 * @param read unsealed columns of the state row that belong to this change: the result of a read of the folder
 * @throws {ApiError} E5002 (`expectedDigest` is not in force, or the folder has another set), E2001 (the signature), E3001 (too many proposals), E6002
 */
export async function changePolicySet(
  sql: EntitySql,
  change: PolicyChange,
  rules: ChangeRules,
  nowMs: number,
  read: Readonly<Record<string, unknown>> = {},
): Promise<ChangeResult> {
  const held = await holdPolicyState(sql);
  assertGenuine(held);
  const { digest, canonical, author, reason, source, expectedDigest, stage } = change;
  const previousDigest = held.inForce?.digest ?? null;
  if (expectedDigest !== undefined && expectedDigest !== previousDigest)
    throw new ApiError('E5002', `The set ${expectedDigest} is not in force; ${previousDigest ?? 'none'} is.`);
  if (stage === undefined && digest === previousDigest) {
    // Only the folder takes over from a push: a push of what the folder has put into force changes nothing.
    if (source === held.inForce?.source || source !== 'folder') return { kind: 'unchanged' };
  }
  // The worker that reads the folder has its text.
  if (source === 'folder' && canonical === undefined) assertOfFolder(held, digest);
  const signed = await checkedSignature(sql, change, rules);
  if (canonical !== undefined) await storePolicySet(sql, { digest, canonical, atMs: nowMs });
  // The first set of an installation cannot wait: until it is in force nothing is decided.
  const isFirst = previousDigest === null && source === 'folder';
  const changesAny = stage === undefined || changesVerdicts(stage);
  if (rules.needsApproval && changesAny && !isFirst) {
    const known =
      author === FOLDER_AUTHOR && previousDigest !== null
        ? await proposalOfFolder(sql, digest, previousDigest)
        : undefined;
    const proposal = { digest, previousDigest, author, reason, source, stage, ...signed, ttlMs: rules.approvalTtlMs };
    return { kind: 'proposed', proposal: known ?? (await propose(sql, proposal, nowMs)) };
  }
  if (stage !== undefined) {
    const order = { digest, author, reason: reason ?? '', ...signed, atMs: nowMs };
    return changeStage(sql, held, order, stage);
  }
  await activatePolicySet(sql, held, { digest, author, reason, source, ...signed, atMs: nowMs }, read);
  await supersedeProposals(sql, digest, nowMs);
  return { kind: 'activated', previousDigest, signer: signed.signature?.signer ?? null };
}

/** @throws {ApiError} E2001, E4001, E5002, E6002 (no set is in force) */
async function changeStage(
  sql: EntitySql,
  { inForce }: HeldState,
  order: StageOrder,
  stage: StageChange,
): Promise<ChangeResult> {
  if (inForce === undefined)
    throw new ApiError('E6002', 'No policy set is in force.', { headers: { 'retry-after': '2' } });
  const { digest: previousDigest } = inForce;
  const signer = order.signature?.signer ?? null;
  if (stage === 'drop')
    return {
      kind: 'dropped',
      previousDigest,
      signer,
      organisations: await dropStage(sql, previousDigest, order),
    };
  const organisations = await beginStage(sql, previousDigest, order, stage);
  return { kind: 'staged', previousDigest, signer, organisations };
}

/**
 * Refuses an approval that would put a set into force that this version can't load: it may have been proposed before an update. To be called
 * before `decideChange`, outside of its transaction. @throws {ApiError} E2001 (422)
 */
export async function assertApprovable(sql: Sql, approvalId: string): Promise<void> {
  const row = await readProposal(sql, approvalId);
  if (row?.state === 'pending' && stageOf(row) !== 'drop')
    await assertLoadable(sql, row.digest, { pointer: '{approvalId}' });
}

export interface ChangeDecision {
  readonly state: 'approved' | 'rejected';
  /** A key id, or `cli:` and the name of the shell's user. */
  readonly by: string;
  readonly reason: string;
  readonly nowMs: number;
}

/**
 * Approves or rejects a proposal. An approval puts its set into force in the same transaction, if the set that was in force when it was
 * proposed still is.
 * @throws {ApiError} E4001, E1004 (the same hands as the author), E5001 (closed), E5002 (another set is in force), E2001, E6002
 */
export async function decideChange(
  sql: EntitySql,
  approvalId: string,
  { state, by, reason, nowMs }: ChangeDecision,
  rules: ChangeRules,
): Promise<StoredProposal> {
  const held = await holdPolicyState(sql);
  const row = await holdProposal(sql, approvalId);
  if (row === undefined) throw noSuchApproval();
  const votes = changeVotesOf(row);
  const relations = await readKeyRelations(sql, [row.author, by, ...votes.map((vote) => vote.by)]);
  if (relations.areSameHands(row.author, by))
    throw new ApiError(
      'E1004',
      'The author may not decide about the change, nor may a key that the author created or that created it; another admin must.',
    );
  const status = proposalStatus(row, nowMs);
  if (status !== 'pending') throw new ApiError('E5001', `The approval is closed: it is ${status}.`);
  if (state === 'rejected') return closeProposal(sql, row, { state, by, reason }, nowMs);
  if (areBothShell(row.author, by))
    throw new ApiError(
      'E1004',
      'The change was proposed from the shell, whose users count as one person; an admin must approve it with a key.',
    );
  if (!mayApprove(rules, by, relations.tagsOf(by)))
    throw new ApiError('E1004', 'Only the keys that CUSTOS_POLICY_APPROVERS names may approve changes of policies.');
  assertGenuine(held);
  const inForce = held.inForce?.digest ?? null;
  if (inForce !== row.previous_digest)
    throw new ApiError(
      'E5002',
      `The change was proposed while ${row.previous_digest} was in force; now ${inForce} is.`,
    );
  if (row.source === 'folder') assertOfFolder(held, row.digest);
  const stage = stageOf(row);
  const { digest, author, source } = row;
  // Checked anew: the signer's key may have been replaced since, or a newer signed set put into force.
  const signature = await signatureOf(sql, { digest, signature: row.signature ?? undefined, stage }, rules);
  if (typeof signature === 'string')
    throw new ApiError('E5002', `The signature of the proposed set ${signature}. Propose the set again.`);
  const voters = [...new Set([...votes.map((vote) => vote.by), by])];
  if (missingVotes(rules, { author: row.author, votes: voters }, relations.votersAt(nowMs)) > 0) {
    if (voters.length === votes.length) return row;
    if (votes.length >= MAX_VOTES) throw new ApiError('E5002', `The approval has ${MAX_VOTES} votes.`);
    return storeVote(sql, row, { by, reason }, nowMs);
  }
  const closed = await closeProposal(sql, row, { state: 'used', by, reason }, nowMs);
  const signed = signature === undefined ? {} : { signature };
  const approved = { digest, author, approver: voters.join(', '), ...signed, atMs: nowMs };
  if (stage !== undefined) await changeStage(sql, held, { ...approved, reason: row.reason ?? '' }, stage);
  else {
    await activatePolicySet(sql, held, { ...approved, reason: row.reason, source });
    await supersedeProposals(sql, digest, nowMs);
  }
  return closed;
}
