// What commands that change the set in force share: the service's database or a service over HTTP, and how the result is printed.
import type { SetComparison } from '../../shared/core/policy/compare.ts';
import type { Static } from 'typebox';
import type { PolicyChangeResult } from '../../shared/api/policy-change.ts';
import { type ChangeResult, changePolicySet, type PolicyChange } from '../../shared/domain/policy-sets/change.ts';
import { changeRulesOf } from '../../shared/domain/policy-sets/change-rules.ts';
import { assertLoadable, canonicalOf } from '../../shared/domain/policy-sets/stored-sets.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import { operatorName } from '../admin.ts';
import { loadConfig } from '../context.ts';
import { say, UsageError } from '../exit.ts';
import { printJson, printLine } from '../output.ts';
import { comparisonLines } from './diff-text.ts';
import { callService, type RemoteOptions } from './remote.ts';

export const PUT_NOTES = `Without --url the command works on the service's database, as other commands do: it reads CUSTOS_POLICY_APPROVALS and
CUSTOS_POLICY_SIGNERS, which must be set as for the service. With --url it sends the change to a running service, with the admin key of
CUSTOS_KEY or --key-file.`;

const MAX_REASON = 1_000;

export interface PutOptions extends RemoteOptions {
  readonly reason: string;
  readonly json?: true;
}

type Result = Pick<
  Static<typeof PolicyChangeResult>,
  'status' | 'digest' | 'previousDigest' | 'author' | 'reason' | 'source'
> & { readonly approvalId: string | null; readonly comparison?: SetComparison };

/** @throws {UsageError} */
export function checkReason(reason: string): string {
  if (reason.trim() === '' || [...reason].length > MAX_REASON)
    throw new UsageError(`--reason must have 1 to ${MAX_REASON} characters and not be blank.`);
  return reason;
}

/** Whether a stored set may come into force. @throws {UsageError} there is none @throws {ApiError} E2001: this version can't load it */
export async function checkStored(db: Database, digest: string): Promise<void> {
  if ((await canonicalOf(db, digest)) === undefined)
    throw new UsageError(`No set with the digest ${digest} is stored.`);
  await assertLoadable(db, digest);
}

/** Changes the set in force in the database, as the user of the shell. */
export async function putLocally(db: Database, nowMs: number, change: Omit<PolicyChange, 'author'>): Promise<Result> {
  const rules = changeRulesOf(loadConfig());
  const authored = { ...change, author: operatorName() };
  const result = await db.transaction((sql) => changePolicySet(sql, authored, rules, nowMs));
  const { digest, author, reason, source } = authored;
  const status = result.kind === 'proposed' ? 'waiting' : result.kind;
  return {
    status,
    digest,
    previousDigest: previousOf(result, digest),
    author,
    reason,
    source,
    approvalId: idOf(result),
  };
}

const idOf = (result: ChangeResult): string | null => (result.kind === 'proposed' ? result.proposal.approval_id : null);

function previousOf(result: ChangeResult, digest: string): string | null {
  if (result.kind === 'proposed') return result.proposal.previous_digest;
  return result.kind === 'unchanged' ? digest : result.previousDigest;
}

/** @throws {UsageError} */
export function digestOf(named: string): string {
  if (/^[0-9a-f]{64}$/.test(named)) return named;
  throw new UsageError('The digest must be 64 hex digits.');
}

/** Sends a change to a running service. @throws {RefusedError} */
export async function putRemotely(
  options: RemoteOptions,
  method: 'POST' | 'DELETE',
  path: string,
  body: object,
): Promise<Result> {
  // The service's documented answer.
  const result = (await callService(options, method, path, body)) as Static<typeof PolicyChangeResult>;
  return { ...result, approvalId: result.approval?.approvalId ?? null };
}

const SENTENCES: Readonly<Record<Result['status'], string>> = {
  activated: 'The set is in force; every process evaluates it within two seconds.',
  unchanged: 'The set was in force already; nothing changed.',
  staged: 'The set is staged; "custos policy stages" shows for whom, and what a share has shown.',
  dropped: 'The set is no longer staged.',
  checked: 'Nothing was changed (--dry-run).',
  waiting: 'The change waits for approval by another admin:',
};

/** The digest on standard output, and the rest for a person. */
export function printResult(result: Result, { json }: Pick<PutOptions, 'json'>): void {
  if (json) return printJson(result);
  printLine(result.digest);
  const { status, previousDigest, approvalId, comparison } = result;
  if (comparison !== undefined) for (const line of comparisonLines(comparison)) printLine(line);
  say(SENTENCES[status]);
  if (approvalId !== null) say(`  custos approvals approve ${printable(approvalId)} --reason "..."`);
  // The same after follow-folder, when the set of the folder was in force by a rollback.
  else if (status === 'activated' && previousDigest !== null && previousDigest !== result.digest)
    say(`To go back: custos policy rollback ${printable(previousDigest)} --reason "..."`);
}
