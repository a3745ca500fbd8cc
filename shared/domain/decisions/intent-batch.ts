// Claims submitted intents in batches and stores how they end. All statements of a batch run in one transaction, which holds the
// claimed rows locked: they are free again as soon as the session of a killed worker is gone.
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import { columnMap, optionalText, text } from '../../platform/db/columns.ts';
import { BY_INDEX_ONLY } from '../../platform/db/plans.ts';
import type { Sql } from '../../platform/db/database.ts';
import type { SubmissionRow } from '../../platform/db/seals/submissions.ts';
import { hasCome } from '../../platform/db/elapsed.ts';
import { keyActingIn } from '../keys/environments.ts';
import { loadKey } from '../keys/lookup.ts';
import { validKeys } from '../keys/validity.ts';
import type { Principal } from './decider.ts';

export interface IntentKey extends Owner {
  readonly intentId: string;
}

/** A claimed intent: what was submitted, with its seal. */
export interface ClaimedIntent extends Omit<SubmissionRow, 'organisation_id' | 'environment'> {
  /** Where its row is (ctid). The lock keeps it there until the transaction ends or changes it. */
  readonly at: string;
  /** The decided approval, if it has waited for one. */
  readonly approval_id: string | null;
  /** Evaluations that failed by its own fault. */
  readonly attempts: number;
  readonly submission_seal: Buffer | null;
}

/** A batch of claimed intents, in the order of submission. */
export interface IntentBatch {
  readonly intents: readonly ClaimedIntent[];
  /** With what the next batch begins: an agent, or none. Undefined: nothing is left. */
  readonly next: string | undefined;
}

/** Most intents of a batch. More than are accepted in the 50 ms between two wake-ups; one takes some 50 ms. */
export const INTENTS_PER_BATCH = 200;
/** Contexts and tool calls of a batch in bytes: each may be a megabyte. A single larger intent is a batch of its own. */
const MAX_BYTES = 4_000_000;

/** Agents that share a batch while more wait than it takes. */
const AGENTS_PER_BATCH = 100;

const OPEN = `status IN ('queued', 'evaluating')`;
const OF = `organisation_id = $1 AND environment = $2 AND ${OPEN}`;
const ORDER = 'organisation_id, environment, agent_id COLLATE "C"';
const COLUMNS =
  'ctid::text AS at, intent_id, agent_id, key_id, action, resource, tool, context, traceparent, approval_id, submitted_at, request_id, client_address, attempts, submission_seal';

// For the statements of the transaction, whose plans are cached while the tables are empty or have no statistics yet: each look-up is by
// an index.
const PLAN_BY_INDEX = `SELECT ${BY_INDEX_ONLY}, set_config('enable_sort', 'off', true),
    set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`;

/** The longest wait before another evaluation, as a power of two of seconds. */
const LONGEST_WAIT = 5;
/** How far ahead an intent may be queued. */
export const QUEUED_AHEAD = `interval '${2 ** LONGEST_WAIT} seconds'`;
const MINE = `SELECT ${COLUMNS} FROM intent WHERE ${OF} AND ${hasCome('queued_at', QUEUED_AHEAD)}`;
const CLAIMED = 'FOR NO KEY UPDATE SKIP LOCKED';
/** Rows of `taken` that fit into a batch, with the number of all. Only their long values leave the table. */
const PLACED = `placed AS (
      SELECT *, count(*) OVER () AS found, row_number() OVER submitted AS place,
        sum(coalesce(octet_length(context), 0) + coalesce(octet_length(tool), 0)) OVER submitted AS bytes
      FROM taken WINDOW submitted AS (ORDER BY intent_id COLLATE "C")
    )`;
const FITS = `(place = 1 OR bytes <= ${MAX_BYTES})`;

/** $3: most rows, in the order of the index, which is by agent. When few wait it takes all. */
const TAKE_FIRST = `WITH taken AS MATERIALIZED (
      ${MINE} ORDER BY ${ORDER}, intent_id COLLATE "C" LIMIT $3 ${CLAIMED}
    ), ${PLACED}
    SELECT * FROM placed WHERE ${FITS} ORDER BY place`;

const nextAgent = (after: string): string =>
  `SELECT agent_id COLLATE "C" AS agent_id FROM intent WHERE ${OF} AND agent_id COLLATE "C" > ${after} ORDER BY ${ORDER} LIMIT 1`;
/**
 * $3: the agent after which to begin. $4: most rows. Each of the next agents with open intents gives an equal share of the batch: an agent
 * with very many does not delay the others.
 */
const TAKE_SHARES = `WITH RECURSIVE agent AS (
      SELECT first.agent_id COLLATE "C" AS agent_id, 1 AS n FROM (${nextAgent('$3')}) AS first
      UNION ALL
      SELECT next.agent_id COLLATE "C", agent.n + 1 FROM agent CROSS JOIN LATERAL (${nextAgent('agent.agent_id')}) AS next
      WHERE agent.n < least(${AGENTS_PER_BATCH}, $4)
    ), share AS MATERIALIZED (
      SELECT count(*)::int AS agents, max(agent_id) AS last, ceil($4::numeric / greatest(1, count(*)))::int AS rows FROM agent
    ), taken AS MATERIALIZED (
      SELECT mine.* FROM agent CROSS JOIN LATERAL (
        ${MINE} AND agent_id COLLATE "C" = agent.agent_id ORDER BY ${ORDER}, intent_id COLLATE "C" LIMIT (SELECT rows FROM share) ${CLAIMED}
      ) AS mine
    ), ${PLACED}
    SELECT share.agents, share.last,
      EXISTS (SELECT FROM taken GROUP BY agent_id HAVING count(*) >= (SELECT rows FROM share)) AS "hasFullShare", placed.*
    FROM share LEFT JOIN placed ON ${FITS} ORDER BY place`;
const TAKE_ONE = `SELECT ${COLUMNS} FROM intent WHERE ${OF} AND intent_id = $3 FOR NO KEY UPDATE`;

interface FoundRow extends ClaimedIntent {
  /** Claimed rows, also those that do not fit into the batch. */
  readonly found: string;
}

/** At least one; without intents all their members are null. */
type SharedRow = { readonly [Member in keyof FoundRow]: FoundRow[Member] | null } & {
  readonly agents: number;
  readonly last: string | null;
  readonly hasFullShare: boolean;
};

const isFound = (row: SharedRow): row is SharedRow & FoundRow => row.found !== null;

/**
 * Claims intents that are due, and that no other worker has claimed.
 * @param after `next` of the batch before, when it left some; absent: there was none
 */
export async function takeIntents(
  sql: Sql,
  owner: Owner,
  after: string | undefined,
  most: number,
): Promise<IntentBatch> {
  await sql.query(PLAN_BY_INDEX, []);
  if (after === undefined) {
    const intents = await sql.query<FoundRow>(TAKE_FIRST, [...ownerColumns(owner), most]);
    const found = Number(intents[0]?.found ?? 0);
    return { intents, next: found === most || intents.length < found ? '' : undefined };
  }
  const rows = await sql.query<SharedRow>(TAKE_SHARES, [...ownerColumns(owner), after, most]);
  const [first] = rows;
  if (first === undefined) throw new Error('a statement without a condition returned no row');
  const intents = rows.filter(isFound);
  // After the last agent it goes on with the first one.
  if (first.agents === Math.min(AGENTS_PER_BATCH, most) && first.last !== null) return { intents, next: first.last };
  const isAll = after === '' && !first.hasFullShare && intents.length >= Number(first.found ?? 0);
  return { intents, next: isAll ? undefined : '' };
}

/** Claims one open intent, also before it is due; waits while another transaction holds it. Undefined: it is final or unknown. */
export async function takeIntent(sql: Sql, intent: IntentKey): Promise<ClaimedIntent | undefined> {
  await sql.query(PLAN_BY_INDEX, []);
  return (await sql.query<ClaimedIntent>(TAKE_ONE, [...ownerColumns(intent), intent.intentId]))[0];
}

/** The key that submitted an intent. */
export interface Submitter {
  readonly principal: Principal;
  /** False: its row or that of its organisation was changed outside the service, so nothing may be decided for it. */
  readonly isGenuine: boolean;
  /** Whether it, or its successor after a rotation, is valid now. */
  readonly isValid: boolean;
}

const SLUG = 'SELECT slug FROM organisation WHERE id = $1';

async function submitterOf(
  sql: Sql,
  { organisationId, environment }: Owner,
  keyId: string,
  isValid: boolean,
): Promise<Submitter> {
  const key = (await loadKey(sql, keyId))?.key;
  const acting = key?.organisationId === organisationId ? keyActingIn(key, environment) : undefined;
  if (acting !== undefined) return { principal: acting, isGenuine: true, isValid };
  const [organisation] = await sql.query<{ slug: string }>(SLUG, [organisationId]);
  if (organisation === undefined) throw new Error(`the organisation ${organisationId} of an intent does not exist`);
  const { slug: organisationSlug } = organisation;
  const nothing = { lineage: keyId, agentIds: new Set<string>(), tags: [] };
  const principal = { ...nothing, keyId, organisationId, organisationSlug, environment };
  return { principal, isGenuine: false, isValid };
}

/** The keys that submitted the intents, by id; also those that are not valid any more: what was accepted gets a decision. */
export async function submittersOf(
  sql: Sql,
  owner: Owner,
  intents: readonly ClaimedIntent[],
  nowMs: number,
): Promise<ReadonlyMap<string, Submitter>> {
  const submitters = new Map<string, Submitter>();
  const keyIds = [...new Set(intents.map((intent) => intent.key_id))];
  const valid = await validKeys(sql, owner, keyIds, nowMs);
  for (const keyId of keyIds) submitters.set(keyId, await submitterOf(sql, owner, keyId, valid.has(keyId)));
  return submitters;
}

/** How an evaluation ended. */
export type IntentEnd = { readonly claimed: ClaimedIntent } & (
  | { readonly status: 'decided' | 'failed'; readonly decisionId: string }
  | { readonly status: 'waiting_approval'; readonly approvalId: string }
);

const ENDS = columnMap<IntentEnd>({
  at: text(({ claimed }) => claimed.at, 'tid'),
  intent_id: text(({ claimed }) => claimed.intent_id),
  status: text((end) => end.status),
  decision_id: optionalText((end) => ('decisionId' in end ? end.decisionId : undefined)),
  approval_id: optionalText((end) => ('approvalId' in end ? end.approvalId : undefined)),
});
const KEPT_FOR_APPROVAL = (column: string): string =>
  `${column} = CASE WHEN ended.status = 'waiting_approval' THEN intent.${column} END`;
// By the places of the rows and without a condition that an index has: with one, a plan made while few intents waited read all that wait
// for each row.
const END = `UPDATE intent SET status = ended.status, decision_id = ended.decision_id, approval_id = coalesce(ended.approval_id, intent.approval_id),
      updated_at = $1, ${KEPT_FOR_APPROVAL('tool')}, ${KEPT_FOR_APPROVAL('client_address')}
    FROM (${ENDS.rows(2)}) AS ended
    WHERE intent.ctid = ended.at AND intent.intent_id = ended.intent_id
    RETURNING intent.intent_id`;

/** Stores the states of claimed intents, in the transaction that stores their decisions. */
export async function endIntents(sql: Sql, ends: readonly IntentEnd[], nowMs: number): Promise<void> {
  if (ends.length === 0) return;
  const ended = await sql.query(END, [new Date(nowMs), ...ENDS.values(ends)]);
  if (ended.length !== ends.length) throw new Error('a claimed intent was ended by another transaction');
}

/** The wait before the next evaluation doubles from a second to about half a minute. */
const SET_ASIDE = `UPDATE intent SET attempts = greatest(least(attempts + 1, 100), $2::smallint), queued_at = now() + interval '1 second' * 2 ^ least(attempts, ${LONGEST_WAIT})
    WHERE ctid = ANY ($1::tid[])`;

/** Counts a failed evaluation of claimed intents, as this many at least, and lets others go first for a while. */
export async function setIntentsAside(sql: Sql, intents: readonly ClaimedIntent[], atLeast: number): Promise<void> {
  if (intents.length > 0) await sql.query(SET_ASIDE, [intents.map(({ at }) => at), atLeast]);
}
