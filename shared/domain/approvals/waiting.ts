// The approvals that wait for a person: grouped by what they have in common, soonest expiry first, and what was decided before.
import { MAX_PACKED_BYTES } from '../../core/decision/packed-facts.ts';
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { Sql } from '../../platform/db/database.ts';
import { genuine, sealedColumns } from '../../platform/db/seals/rows.ts';
import type { ShownApproval, StoredApproval } from './store.ts';

export interface WaitingFilter extends Owner {
  /** Undefined: all agents. */
  readonly agentIds?: readonly string[] | undefined;
  readonly nowMs: number;
}

/** A place in a list that is sorted by expiry. */
export interface ExpiryPlace {
  readonly expiresAt: Date;
  /** Of a group or an approval. */
  readonly id: string;
}

/** Pending approvals that are alike. */
export interface WaitingGroup extends ExpiryPlace {
  readonly count: number;
  /** Its first members, soonest expiry first. */
  readonly approvalIds: readonly string[];
}

/** $1, $2: the owner; $3: now; $4: agents. An approval without a group is a group of its own. */
const WAITING = `organisation_id = $1 AND environment = $2 AND state = 'pending' AND expires_at > $3
    AND ($4::text[] IS NULL OR agent_id = ANY ($4))`;
const GROUPS = `SELECT coalesce(alike, approval_id) AS id, count(*)::int AS count, min(expires_at) AS "expiresAt",
      (array_agg(approval_id ORDER BY expires_at, approval_id))[1:$7::int] AS "approvalIds"
    FROM approval WHERE ${WAITING} GROUP BY 1
    HAVING $5::timestamptz IS NULL OR (min(expires_at), coalesce(alike, approval_id)) > ($5, $6)
    ORDER BY 3, 1 LIMIT $8`;
const MEMBERS = `SELECT approval_id AS id, expires_at AS "expiresAt" FROM approval WHERE ${WAITING}
    AND ($5::timestamptz IS NULL OR (expires_at, approval_id) > ($5, $6))
    AND (alike = $7 OR alike IS NULL AND approval_id = $7) ORDER BY expires_at, approval_id LIMIT $8`;

const NEWEST = `SELECT approval_id AS id FROM approval WHERE ${WAITING} ORDER BY approval_id DESC LIMIT 1`;

function values({ agentIds, nowMs, ...owner }: WaitingFilter, after: ExpiryPlace | undefined): unknown[] {
  return [...ownerColumns(owner), new Date(nowMs), agentIds ?? null, after?.expiresAt ?? null, after?.id ?? null];
}

/** Reads every pending approval of the tenant: about 20 ms for 10,000. @param members of each group */
export function readGroups(
  sql: Sql,
  filter: WaitingFilter,
  page: { readonly after: ExpiryPlace | undefined; readonly members: number; readonly limit: number },
): Promise<WaitingGroup[]> {
  return sql.query<WaitingGroup>(GROUPS, [...values(filter, page.after), page.members, page.limit]);
}

/** The newest pending approval. */
export async function readNewest(sql: Sql, { agentIds, nowMs, ...owner }: WaitingFilter): Promise<string | null> {
  const [row] = await sql.query<{ id: string }>(NEWEST, [...ownerColumns(owner), new Date(nowMs), agentIds ?? null]);
  return row?.id ?? null;
}

/** The members of one group, soonest expiry first. */
export function readMembers(
  sql: Sql,
  filter: WaitingFilter,
  page: { readonly group: string; readonly after: ExpiryPlace | undefined; readonly limit: number },
): Promise<ExpiryPlace[]> {
  return sql.query<ExpiryPlace>(MEMBERS, [...values(filter, page.after), page.group, page.limit]);
}

/** Larger facts, which are never packed, are not read for a list: a call may have a megabyte of arguments, and a page has many calls. */
const MAX_FACTS_BYTES = MAX_PACKED_BYTES;

/** An approval with what a person reads to decide it. */
export interface WaitingApproval extends ShownApproval {
  /** The text of which the request's intent was read, as JSON; null: there was none, or retention has erased it. */
  readonly raw_intent: string | null;
  /** The parse of that text as it was answered, JSON. */
  readonly parse: string | null;
  /** Whether the facts are there but too large for a list. */
  readonly is_large: boolean;
}

const READ = `SELECT ${sealedColumns('approval', 'a')}, d.record, p.raw_intent, p.answer AS parse,
      CASE WHEN octet_length(d.facts) <= ${MAX_FACTS_BYTES} THEN d.facts END AS facts,
      coalesce(octet_length(d.facts) > ${MAX_FACTS_BYTES}, false) AS is_large
    FROM approval a
    JOIN decision d ON d.organisation_id = a.organisation_id AND d.environment = a.environment AND d.decision_id = a.decision_id
    LEFT JOIN intent_parse p ON p.intent_id = a.intent_id AND p.organisation_id = a.organisation_id AND p.environment = a.environment
      AND p.agent_id = a.agent_id
    WHERE a.organisation_id = $1 AND a.environment = $2 AND a.approval_id = ANY ($3)`;

/** Those with a genuine seal, by id. */
export async function readWaiting(
  sql: Sql,
  owner: Owner,
  approvalIds: readonly string[],
): Promise<ReadonlyMap<string, WaitingApproval>> {
  const rows = await sql.query<WaitingApproval>(READ, [...ownerColumns(owner), approvalIds]);
  return new Map(genuine(sql, 'approval', rows).map((row) => [row.approval_id, row]));
}

/** How many earlier approvals of a group are read. */
export const MAX_EARLIER = 20;

const EARLIER = `SELECT part.*, one.alike FROM unnest($3::text[]) AS one (alike) CROSS JOIN LATERAL (
      SELECT ${sealedColumns('approval', 'a')} FROM approval a
      WHERE a.organisation_id = $1 AND a.environment = $2 AND a.alike = one.alike AND a.state <> 'pending'
      ORDER BY a.approval_id DESC LIMIT ${MAX_EARLIER}) AS part`;

/** The newest approvals of each group that do not wait any more, newest first. */
export async function readEarlier(
  sql: Sql,
  owner: Owner,
  groups: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredApproval[]>> {
  type Row = StoredApproval & { readonly alike: string };
  const rows = genuine(sql, 'approval', await sql.query<Row>(EARLIER, [...ownerColumns(owner), groups]));
  const earlier = new Map<string, Row[]>();
  for (const row of rows) earlier.set(row.alike, [...(earlier.get(row.alike) ?? []), row]);
  return earlier;
}
