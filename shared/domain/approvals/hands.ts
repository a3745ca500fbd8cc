// How keys are related: which belong to the same person, who may not decide an approval of their own, and which votes count.
import type { Sql } from '../../platform/db/database.ts';
import { isKeyId } from '../keys/format.ts';
import { genuine, sealedColumns, type SealedRow } from '../../platform/db/seals/rows.ts';
import type { Voters } from '../../core/policy/approvers.ts';

/**
 * The closure of each of some keys upwards: its creator, that one's creator and so on, and from each of them its predecessors and
 * successors in rotations. Two keys are in the same hands when one is reached from the other. Keys with a common creator are not:
 * otherwise the first admin key of an installation, which created all others, would leave nobody who may decide.
 */
const ABOVE = `WITH RECURSIVE above AS (
      SELECT key_id AS first_id, key_id FROM api_key WHERE key_id = ANY ($1)
      UNION SELECT above.first_id, next.key_id FROM above
      JOIN api_key AS one ON one.key_id = above.key_id
      CROSS JOIN LATERAL (
        SELECT one.created_by AS key_id WHERE one.created_by IS NOT NULL
        UNION ALL SELECT one.replaced_by WHERE one.replaced_by IS NOT NULL
        UNION ALL SELECT before.key_id FROM api_key AS before WHERE before.replaced_by = one.key_id
      ) AS next
    )
    SELECT above.first_id, ${sealedColumns('api_key', 'k')} FROM above JOIN api_key k ON k.key_id = above.key_id`;

type Above = SealedRow<'api_key'> & { readonly first_id: string };

export interface KeyRelations extends Pick<Voters, 'tagsOf' | 'areSameHands'> {
  /** As the voters of an approval at this time. */
  votersAt(nowMs: number): Voters;
}

/** The relations of these keys, with one query. A key that is not among them has no tags and is not valid. */
export async function readKeyRelations(sql: Sql, keyIds: readonly string[]): Promise<KeyRelations> {
  const rows = keyIds.length === 0 ? [] : await sql.query<Above>(ABOVE, [[...new Set(keyIds)]]);
  const genuineRows = genuine(sql, 'api_key', rows);
  const known = new Map(genuineRows.map((row) => [row.key_id, row]));
  const isDoubtful = doubtIn(rows, genuineRows);
  const closures = new Map<string, Map<string, Above>>();
  for (const row of rows) {
    const closure = closures.get(row.first_id);
    if (closure === undefined) closures.set(row.first_id, new Map([[row.key_id, row]]));
    else closure.set(row.key_id, row);
  }
  const closureOf = (keyId: string): Above[] => [...(closures.get(keyId)?.values() ?? [])];
  const reaches = (from: string, to: string): boolean => closures.get(from)?.has(to) === true;
  /** The shell and the policy folder have no key. */
  const isMissing = (by: string): boolean => isKeyId(by) && !closures.has(by);
  const areSameHands = (one: string, other: string): boolean =>
    one === other ||
    [one, other].some(isMissing) ||
    reaches(one, other) ||
    reaches(other, one) ||
    isDoubtful([...closureOf(one), ...closureOf(other)]);
  const tagsOf = (keyId: string): readonly string[] => known.get(keyId)?.tags ?? [];
  /** A rotation without overlap revokes the old key, whose holder has its successor. */
  const isValid = (keyId: string, nowMs: number): boolean => {
    const seen = new Set<string>();
    for (
      let row = known.get(keyId);
      row !== undefined && !seen.has(row.key_id);
      row = known.get(row.replaced_by ?? '')
    ) {
      if (row.revoked_at === null && (row.expires_at === null || row.expires_at.getTime() > nowMs)) return true;
      seen.add(row.key_id);
    }
    return false;
  };
  return {
    areSameHands,
    tagsOf,
    votersAt: (nowMs) => ({ areSameHands, tagsOf, isValid: (keyId) => isValid(keyId, nowMs) }),
  };
}

/**
 * Whether two keys are equal, rotations of each other, or one created the other, directly or through keys in between. A decision from
 * the shell has no key, and is never in the same hands. When a row of theirs or between them is missing or was changed outside the service, the
 * safe answer is yes: the approval stays undecided.
 */
export async function areSameHands(sql: Sql, one: string, other: string): Promise<boolean> {
  return (await sameHandsAs(sql, other, [one])).has(one);
}

/** The keys among `ones` that are in the same hands as `other`, with one query for all of them. */
export async function sameHandsAs(sql: Sql, other: string, ones: readonly string[]): Promise<ReadonlySet<string>> {
  const isAsked = ones.some((one) => one !== other);
  const relations = isAsked ? await readKeyRelations(sql, [other, ...ones]) : undefined;
  return new Set(ones.filter((one) => one === other || relations?.areSameHands(one, other) === true));
}

/** Whether rows of two closures contain a row that is not genuine, or name a key whose row is missing. */
function doubtIn(all: readonly Above[], genuineRows: readonly Above[]): (rows: readonly Above[]) => boolean {
  const trusted = new Set(genuineRows);
  const known = new Set(all.map((row) => row.key_id));
  const isMissing = (keyId: string | null): boolean => keyId !== null && !known.has(keyId);
  return (rows) => rows.some((row) => !trusted.has(row) || isMissing(row.created_by) || isMissing(row.replaced_by));
}
