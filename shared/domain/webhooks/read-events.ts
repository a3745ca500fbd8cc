// Reads events from a log: a range of its leaves with their records, and what the records do not say about themselves.
import { decisionIdOfProof } from '../../kernel/ids.ts';
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { WebhookEventType } from '../../kernel/webhook-events.ts';
import { type IntentColumns, isDecisionOfIntent } from '../../core/decision/of-intent.ts';
import { unpackRecord } from '../../core/decision/packed-record.ts';
import { bodyOfPrefix } from '../../core/proof/record.ts';
import { levelOf, NO_EVIDENCE } from '../../core/trust/score.ts';
import { anyText, columnMap, numeric } from '../../platform/db/columns.ts';
import type { Sql } from '../../platform/db/database.ts';
import { DECISION_EVENT } from '../../platform/db/leaf-sql.ts';
import { peekApproval } from '../approvals/store.ts';
import { eventsOf, type LoggedEvent, SOURCES, type Surroundings, type WebhookEvent } from './events.ts';

/** What is read of a log at different times: callers' proofs once they are anchored, and everything else. */
export type Stream = 'records' | 'proofs';

export const streamOf = (type: WebhookEventType): Stream => (SOURCES[type] === null ? 'proofs' : 'records');

export interface LeafRange {
  readonly logId: number;
  readonly stream: Stream;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Leaves that were appended earlier are left out. */
  readonly since: Date;
  /** Types that are needed; others may be missing. */
  readonly types: ReadonlySet<WebhookEventType>;
}

const LEAVES = `SELECT leaf_index::float8 AS index, proof_id, event, entity_id, occurred_at FROM leaf
    WHERE log_id = $1 AND leaf_index >= $2 AND leaf_index < $3 AND appended_at >= $4
      AND CASE WHEN $5 = 'proofs' THEN event NOT LIKE 'custos.%' ELSE event = ANY ($6) END
    ORDER BY leaf_index`;
const DECISIONS =
  'SELECT decision_id AS id, record FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id = ANY ($3)';
const RECORDS =
  'SELECT proof_id AS id, record FROM record WHERE organisation_id = $1 AND environment = $2 AND proof_id = ANY ($3)';
const INTENTS =
  'SELECT intent_id, decision_id, status, agent_id, key_id, action, resource, request_id FROM intent WHERE organisation_id = $1 AND environment = $2 AND decision_id = ANY ($3)';
const FOLDS = columnMap<LoggedEvent>({
  agent_id: anyText(({ entityId }) => entityId),
  last_n: numeric('bigint', ({ body }) => (body['asOf'] as { readonly signals: number }).signals),
});
// The fold before each of these, which ended with the signal before its first one.
const FOLDS_BEFORE = `SELECT fold.proof_id, earlier.score FROM (${FOLDS.rows(3)}) AS given
      JOIN trust_fold fold ON fold.organisation_id = $1 AND fold.environment = $2 AND fold.agent_id = given.agent_id AND fold.last_n = given.last_n
      LEFT JOIN trust_fold earlier
      ON earlier.organisation_id = $1 AND earlier.environment = $2 AND earlier.agent_id = fold.agent_id AND earlier.last_n = fold.first_n - 1`;

interface LeafRow {
  readonly index: number;
  readonly proof_id: string;
  readonly event: string;
  readonly entity_id: string;
  readonly occurred_at: Date;
}

/** The id of the decision that a leaf is about; undefined: its record is in the table of records. */
const decisionOf = (row: LeafRow): string | undefined =>
  row.event === DECISION_EVENT ? decisionIdOfProof(row.proof_id) : undefined;

async function withBodies(sql: Sql, owner: Owner, rows: readonly LeafRow[]): Promise<LoggedEvent[]> {
  const bodies = new Map<string, LoggedEvent['body']>();
  for (const source of ['decision', 'record'] as const) {
    const ids = rows.flatMap((row) => {
      const decisionId = decisionOf(row);
      return (decisionId !== undefined) === (source === 'decision') ? [decisionId ?? row.proof_id] : [];
    });
    if (ids.length === 0) continue;
    const statement = source === 'decision' ? DECISIONS : RECORDS;
    const found = await sql.query<{ id: string; record: Buffer }>(statement, [...ownerColumns(owner), ids]);
    for (const { id, record } of found) {
      // Its shape follows from its event.
      bodies.set(`${source} ${id}`, bodyOfPrefix(unpackRecord(record)) as LoggedEvent['body']);
    }
  }
  return rows.flatMap((row) => {
    const { index, proof_id: proofId, event, entity_id: entityId, occurred_at: occurredAt } = row;
    const decisionId = decisionOf(row);
    const body = bodies.get(decisionId === undefined ? `record ${proofId}` : `decision ${decisionId}`);
    // A deleted row is the auditor's finding and must not stop all events after it.
    return body === undefined ? [] : [{ index, proofId, event, entityId, occurredAt, body }];
  });
}

interface IntentRow extends IntentColumns {
  readonly intent_id: string;
  readonly decision_id: string;
  readonly status: string;
}

/** The intents that these decisions ended, by decision. A row that names another one's decision is the auditor's finding. */
async function intentsOf(sql: Sql, owner: Owner, leaves: readonly LoggedEvent[]): Promise<Surroundings['intents']> {
  const bodies = new Map(leaves.map(({ body }) => [body['decision_id'], body]));
  const rows = await sql.query<IntentRow>(INTENTS, [...ownerColumns(owner), [...bodies.keys()]]);
  const own = rows.filter((row) => isDecisionOfIntent(row, bodies.get(row.decision_id)));
  return new Map(own.map((row) => [row.decision_id, { intentId: row.intent_id, status: row.status }]));
}

async function openingsOf(sql: Sql, owner: Owner, leaves: readonly LoggedEvent[]): Promise<Surroundings['openings']> {
  const openings = new Set<string>();
  for (const { body } of leaves) {
    const { decision_id: decisionId, approval } = body as { decision_id?: string; approval?: { approval_id: string } };
    if (approval === undefined || decisionId === undefined) continue;
    const row = await peekApproval(sql, owner, approval.approval_id);
    if (row?.decision_id === decisionId) openings.add(decisionId);
  }
  return openings;
}

async function levelsBefore(sql: Sql, owner: Owner, leaves: readonly LoggedEvent[]): Promise<Surroundings['levels']> {
  const trust = leaves.filter(({ event }) => event === 'custos.trust');
  if (trust.length === 0) return new Map();
  const rows = await sql.query<{ proof_id: string; score: number | null }>(FOLDS_BEFORE, [
    ...ownerColumns(owner),
    ...FOLDS.values(trust),
  ]);
  return new Map(rows.map((row) => [row.proof_id, levelOf(row.score ?? NO_EVIDENCE.score)]));
}

/** The events of these leaves, in the log's order. */
export async function readEvents(sql: Sql, owner: Owner, range: LeafRange): Promise<WebhookEvent[]> {
  const { types, stream } = range;
  const sources = [...types].flatMap((type) => SOURCES[type] ?? []);
  const { logId, from, to, since } = range;
  const rows = await sql.query<LeafRow>(LEAVES, [logId, from, to, since, stream, sources]);
  if (rows.length === 0) return [];
  const leaves = await withBodies(sql, owner, rows);
  const decided = leaves.filter(({ event }) => event === DECISION_EVENT);
  const around: Surroundings = {
    intents: types.has('intent.decided') ? await intentsOf(sql, owner, decided) : new Map(),
    openings: types.has('approval.opened') ? await openingsOf(sql, owner, leaves) : new Set(),
    levels: await levelsBefore(sql, owner, leaves),
  };
  return leaves.flatMap((leaf) => eventsOf(owner, leaf, around));
}
