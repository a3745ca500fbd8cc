// Approvals that need named or several approvers: their demands and votes, and what is missing.
import {
  type ApprovalDemands,
  type ApproverDemand,
  type DemandProgress,
  furtherDemands,
  isNamedBy,
  MAX_VOTES,
  progressOf,
  type Voters,
} from '../../core/policy/approvers.ts';
import { canonicalize } from '../../core/proof/canonical.ts';
import { ownerColumns } from '../../kernel/owner.ts';
import type { Sql } from '../../platform/db/database.ts';
import { genuine, sealedColumns, type SealedRow } from '../../platform/db/seals/rows.ts';
import type { AuthenticatedKey } from '../keys/types.ts';
import { readKeyRelations } from './hands.ts';
import type { StoredApproval } from './store.ts';

/** One approval by one key. */
export interface Vote {
  readonly by: string;
  /** RFC 3339. */
  readonly at: string;
  readonly reason: string;
}

type Demanding = Pick<StoredApproval, 'approvers' | 'votes'>;

/** Undefined: any admin key may approve. The row is sealed, so its JSON is the service's own. */
export function demandsOf({ approvers }: Pick<Demanding, 'approvers'>): ApproverDemand[] | undefined {
  return approvers === null ? undefined : (JSON.parse(approvers) as ApproverDemand[]);
}

/** As the row has it. */
export const approversText = ({ approvers }: Pick<ApprovalDemands, 'approvers'>): string | null =>
  approvers === undefined ? null : canonicalize(approvers);

export function votesOf({ votes }: Pick<Demanding, 'votes'>): Vote[] {
  return votes === null ? [] : (JSON.parse(votes) as Vote[]);
}

/** Whether what an approval was opened with suffices for these demands. */
export function coversDemands(row: StoredApproval, demands: ApprovalDemands): boolean {
  const further = furtherDemands({ approvers: demandsOf(row) }, demands);
  return further.length === 0 && row.expires_at.getTime() - row.created_at.getTime() <= demands.lifetimeMs;
}

/**
 * Whether an approval that was given may be used where the policies demand this now, which may be more than when it was opened. For
 * further approvers its votes count once more, as of now.
 */
export async function meetsDemands(
  sql: Sql,
  row: StoredApproval,
  demands: ApprovalDemands,
  atMs: number,
): Promise<boolean> {
  if (atMs - row.created_at.getTime() >= demands.lifetimeMs) return false;
  const further = furtherDemands({ approvers: demandsOf(row) }, demands);
  if (further.length === 0) return true;
  const given = row.decided_by === null ? [] : [row.decided_by];
  const votes = [...new Set([...votesOf(row).map(({ by }) => by), ...given])];
  // The shell has no key, and so no vote.
  const relations = await readKeyRelations(sql, [row.key_id, ...votes]);
  const progress = progressOf(further, { askedBy: row.key_id, votes }, relations.votersAt(atMs));
  return progress.every(({ missing }) => missing === 0);
}

/** Whether the rules name this key, or name nobody. The agent holds the keys that are bound to it, and approves nothing for itself. */
export function isApprover(row: Demanding, key: Pick<AuthenticatedKey, 'keyId' | 'tags' | 'agentIds'>): boolean {
  if (key.agentIds !== null) return false;
  const demands = demandsOf(row);
  return demands === undefined || demands.some((demand) => isNamedBy(demand, key.keyId, key.tags));
}

/** What an approval demands, and how far that is met. */
export type ApprovalProgress = readonly DemandProgress[] | undefined;

const keysOf = (row: StoredApproval): string[] => [row.key_id, ...votesOf(row).map(({ by }) => by)];

/**
 * The progress of approvals, with one query, and none when they demand nothing or have no votes. The votes of a decided
 * approval count as they did when it was decided, also when a key was revoked later.
 */
export async function readProgress(
  sql: Sql,
  rows: readonly StoredApproval[],
  nowMs: number,
): Promise<(row: StoredApproval) => ApprovalProgress> {
  const voted = rows.filter((row) => row.approvers !== null && row.votes !== null);
  const voters = (await readKeyRelations(sql, voted.flatMap(keysOf))).votersAt(nowMs);
  const decided: Voters = { tagsOf: voters.tagsOf, areSameHands: (a, b) => a === b, isValid: () => true };
  return (row) => {
    const demands = demandsOf(row);
    const cast = { askedBy: row.key_id, votes: votesOf(row).map(({ by }) => by) };
    return demands && progressOf(demands, cast, row.state === 'pending' ? voters : decided);
  };
}

/** $1, $2: the organisation and environment; live keys may act in the others. $3: keys, $4: tags, $5: now. */
const CANDIDATES = `SELECT ${sealedColumns('api_key', 'k')} FROM api_key k
    WHERE organisation_id = $1 AND environment IN ($2, 'live') AND 'admin:*' = ANY (scopes) AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > $5) AND agent_ids IS NULL
      AND (key_id = ANY ($3) OR tags && $4::text[])
    ORDER BY seq LIMIT ${MAX_VOTES}`;

/** Whether keys exist, revoked and expired ones apart, that can meet what a pending approval demands. */
export async function canBeMet(sql: Sql, row: StoredApproval, nowMs: number): Promise<boolean> {
  const demands = demandsOf(row);
  if (demands === undefined || row.state !== 'pending') return true;
  const named = [demands.flatMap(({ keys }) => keys), demands.flatMap(({ tags }) => tags)];
  const owner = ownerColumns({ organisationId: row.organisation_id, environment: row.environment });
  const values = [...owner, ...named, new Date(nowMs)];
  const rows = genuine(sql, 'api_key', await sql.query<SealedRow<'api_key'>>(CANDIDATES, values));
  // Among so many there are enough.
  if (rows.length === MAX_VOTES) return true;
  const votes = [...new Set([...rows.map(({ key_id: keyId }) => keyId), ...votesOf(row).map(({ by }) => by)])];
  const relations = await readKeyRelations(sql, [row.key_id, ...votes]);
  const progress = progressOf(demands, { askedBy: row.key_id, votes }, relations.votersAt(nowMs));
  return progress.every(({ missing }) => missing === 0);
}
