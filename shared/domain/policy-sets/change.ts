// Changes of the set in force: checked against what is in force, the signature and the rule of the second person; all under one lock.
import { ApiError, invalidField } from '../../kernel/errors.ts';
import type { EntitySql, Sql } from '../../platform/db/database.ts';
import { genuine, sealedColumns, type SealedRow } from '../../platform/db/seals/rows.ts';
import { checkSignature } from '../../core/policy/signature.ts';
import { areSameHands } from '../approvals/hands.ts';
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
import {
  closeProposal,
  holdProposal,
  proposalOfFolder,
  proposalStatus,
  propose,
  type StoredProposal,
  supersedeProposals,
} from './proposals.ts';

export interface PolicyChange extends Pick<Activation, 'digest' | 'canonical' | 'author' | 'reason' | 'source'> {
  /** The set that the author believes to be in force; absent: any. */
  readonly expectedDigest?: string | undefined;
  /** The line of a signature file. */
  readonly signature?: string | undefined;
}

export type ChangeResult =
  | { readonly kind: 'activated'; readonly previousDigest: string | null; readonly signer: string | null }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'proposed'; readonly proposal: StoredProposal };

const SIGNED = `SELECT ${sealedColumns('policy_activation', 'a')} FROM policy_activation a
    WHERE signed_sequence IS NOT NULL ORDER BY signed_sequence DESC LIMIT 100`;

/** The highest sequence of a signature that was accepted. */
async function lastSequence(sql: Sql): Promise<bigint | undefined> {
  const rows = await sql.query<SealedRow<'policy_activation'>>(SIGNED, []);
  const sequence = genuine(sql, 'policy_activation', rows)[0]?.signed_sequence;
  return typeof sequence === 'string' ? BigInt(sequence) : undefined;
}

/** @throws {ApiError} E2001 at /signature */
async function signatureOf(
  sql: Sql,
  { digest, signature }: PolicyChange,
  { signers }: ChangeRules,
): Promise<Activation['signature']> {
  if (signers === undefined) return undefined;
  const checked = checkSignature(signature, { digest, signers, lastSequence: await lastSequence(sql) });
  if (typeof checked === 'string') throw invalidField('/signature', checked);
  return checked;
}

/** @throws {ApiError} E6002 */
function assertGenuine({ isForged }: HeldState): void {
  if (isForged)
    throw new ApiError('E6002', 'The row of the set in force was changed past the service; a worker restores it.', {
      headers: { 'retry-after': '2' },
    });
}

/**
 * Puts a set into force, or opens an approval where the rules demand one.
 * @param read unsealed columns of the state row that belong to this change: the result of a read of the folder
 * @throws {ApiError} E5002 (`expectedDigest` is not in force), E2001 (the signature), E3001 (too many proposals), E6002
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
  const { digest, canonical, author, reason, source, expectedDigest } = change;
  const previousDigest = held.inForce?.digest ?? null;
  if (expectedDigest !== undefined && expectedDigest !== previousDigest)
    throw new ApiError('E5002', `The set ${expectedDigest} is not in force; ${previousDigest ?? 'none'} is.`);
  if (digest === previousDigest && source === held.inForce?.source) return { kind: 'unchanged' };
  // A push of what the folder has put into force changes nothing either; only the folder takes over from a push.
  if (digest === previousDigest && source !== 'folder') return { kind: 'unchanged' };
  const signature = await signatureOf(sql, change, rules);
  const signed = signature === undefined ? {} : { signature };
  // The first set of an installation cannot wait: until it is in force nothing is decided.
  const isFirst = previousDigest === null && source === 'folder';
  if (rules.needsApproval && !isFirst) {
    if (canonical !== undefined) await storePolicySet(sql, { digest, canonical, atMs: nowMs });
    const known =
      author === FOLDER_AUTHOR && previousDigest !== null
        ? await proposalOfFolder(sql, digest, previousDigest)
        : undefined;
    const proposal = { digest, previousDigest, author, reason, source, ...signed, ttlMs: rules.approvalTtlMs };
    return { kind: 'proposed', proposal: known ?? (await propose(sql, proposal, nowMs)) };
  }
  const stored = canonical === undefined ? {} : { canonical };
  await activatePolicySet(sql, held, { digest, ...stored, author, reason, source, ...signed, atMs: nowMs }, read);
  await supersedeProposals(sql, digest, nowMs);
  return { kind: 'activated', previousDigest, signer: signature?.signer ?? null };
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
  if (await areSameHands(sql, row.author, by))
    throw new ApiError(
      'E1004',
      'The author may not decide about the change, nor may a key that the author created or that created it; another admin must.',
    );
  const status = proposalStatus(row, nowMs);
  if (status !== 'pending') throw new ApiError('E5001', `The approval is closed: it is ${status}.`);
  if (state === 'rejected') return closeProposal(sql, row, { state, by, reason }, nowMs);
  assertGenuine(held);
  const inForce = held.inForce?.digest ?? null;
  if (inForce !== row.previous_digest)
    throw new ApiError(
      'E5002',
      `The change was proposed while ${row.previous_digest} was in force; now ${inForce} is.`,
    );
  if (row.source === 'folder' && held.row.folder_digest !== row.digest)
    throw new ApiError('E5002', 'The policy folder was edited again since; decide about its newest set.');
  const { digest, author, source, signer, signed_sequence: sequence } = row;
  const last = sequence === null ? undefined : await lastSequence(sql);
  if (rules.signers !== undefined && (signer === null || !rules.signers.has(signer)))
    throw new ApiError('E5002', 'The set has no signature of a signer whom this installation trusts now.');
  if (sequence !== null && last !== undefined && BigInt(sequence) <= last)
    throw new ApiError('E5002', 'A newer signed set was put into force since; sign and propose the set again.');
  const signature = signer === null || sequence === null ? {} : { signature: { signer, sequence: BigInt(sequence) } };
  const activation = { digest, author, reason: row.reason, source, approver: by, ...signature, atMs: nowMs };
  const closed = await closeProposal(sql, row, { state: 'used', by, reason }, nowMs);
  await activatePolicySet(sql, held, activation);
  await supersedeProposals(sql, digest, nowMs);
  return closed;
}
