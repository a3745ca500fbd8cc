// Submitted intents in PostgreSQL: inserted in groups with their outbox rows, claimed and finished by workers, read and listed.
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import { columnMap, optionalText, text } from '../../platform/db/columns.ts';
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import { createGroupCommit } from '../../platform/db/group-commit.ts';
import { environmentsOf } from '../keys/environments.ts';
import { loadKey } from '../keys/lookup.ts';
import type { IntentStatus } from '../../kernel/vocabulary.ts';
import { type OwnedFilter, ownedList } from './owned-list.ts';
import { enqueueSql } from '../../platform/queues/outbox.ts';

export interface IntentRow extends Owner {
  readonly intentId: string;
  readonly agentId: string;
  readonly keyId: string;
  readonly action: string;
  readonly resource: string;
  /** JSON text of the tool call that it is; action and resource are then what the catalogue said when it was accepted. */
  readonly tool: string | undefined;
  /** JSON text of the caller's object. */
  readonly context: string | undefined;
  readonly traceparent: string | undefined;
  /** X-Request-Id of the submission. */
  readonly requestId: string;
  /** Of the client that submitted it. */
  readonly address: string;
  readonly submittedAtMs: number;
}

export interface StoredIntent {
  readonly intent_id: string;
  readonly agent_id: string;
  readonly key_id: string;
  readonly action: string;
  readonly resource: string;
  readonly status: IntentStatus;
  /** The approval for which it waits or has waited. */
  readonly approval_id: string | null;
  readonly submitted_at: Date;
  readonly updated_at: Date;
  /** Canonical record of the decision, without its previousHash. */
  readonly record: Buffer | null;
}

/** An intent that a worker evaluates, with members of the key that submitted it. */
export interface ClaimedIntent {
  readonly agent_id: string;
  readonly key_id: string;
  readonly action: string;
  readonly resource: string;
  /** JSON text of the tool call. */
  readonly tool: string | null;
  /** JSON text. */
  readonly context: string | null;
  readonly key_agent_ids: ReadonlySet<string> | null;
  readonly key_tags: readonly string[];
  readonly key_lineage: string;
  /** False: the row of the key or of its organisation was changed outside the service, so nothing may be decided for it. */
  readonly isKeyKnown: boolean;
  readonly organisation_slug: string;
  /** The decided approval, if it has waited for one. */
  readonly approval_id: string | null;
  readonly submitted_at: Date;
  /** X-Request-Id of the submission; null in rows older than this column. */
  readonly request_id: string | null;
  /** Of the client that submitted it; null in rows older than this column. */
  readonly client_address: string | null;
}

export interface IntentFilter extends OwnedFilter {
  readonly status?: IntentStatus | undefined;
}

export interface IntentKey extends Owner {
  readonly intentId: string;
}

export interface IntentStore {
  /** Resolves when the intent and its outbox row are durable. @throws {ApiError} E6002 */
  append(row: IntentRow): Promise<void>;
  /** The same within the caller's transaction. */
  insert(sql: Sql, row: IntentRow): Promise<void>;
  read(owner: Owner, intentId: string): Promise<StoredIntent | undefined>;
  list(filter: IntentFilter, limit: number): Promise<StoredIntent[]>;
  /** Marks an open intent as being evaluated; undefined: it is final. */
  claim(intent: IntentKey, nowMs: number): Promise<ClaimedIntent | undefined>;
  /**
   * Makes an intent final, in the transaction that stores its decision. False: another worker was first, and the transaction must be
   * rolled back.
   */
  finish(
    sql: Sql,
    intent: IntentKey,
    end: { status: 'decided' | 'failed'; decisionId: string; claimedApprovalId: string | null; nowMs: number },
  ): Promise<boolean>;
  /** Makes an intent wait for an approval, in the transaction that stores the ESCALATE. False as in `finish`. */
  wait(
    sql: Sql,
    intent: IntentKey,
    until: { approvalId: string; claimedApprovalId: string | null; nowMs: number },
  ): Promise<boolean>;
  idle(): Promise<void>;
}

const QUEUE_ACCEPTED = enqueueSql(
  'intents',
  'evaluate',
  {
    organisationId: 'organisation_id',
    environment: 'environment',
    intentId: 'intent_id',
    traceparent: 'traceparent',
  },
  'made',
);
const submittedAt = (r: IntentRow): string => new Date(r.submittedAtMs).toISOString();
const INTENTS = columnMap<IntentRow>({
  organisation_id: text((r) => r.organisationId),
  environment: text((r) => r.environment),
  intent_id: text((r) => r.intentId),
  agent_id: text((r) => r.agentId),
  key_id: text((r) => r.keyId),
  action: text((r) => r.action),
  resource: text((r) => r.resource),
  tool: optionalText((r) => r.tool),
  context: optionalText((r) => r.context),
  traceparent: optionalText((r) => r.traceparent),
  submitted_at: text(submittedAt, 'timestamptz'),
  request_id: text((r) => r.requestId),
  client_address: text((r) => r.address),
});
const INSERT = `WITH made AS (
      ${INTENTS.insertInto('intent', `(${INTENTS.rows()}) AS given`, { updated_at: 'submitted_at' })}
      RETURNING organisation_id, environment, intent_id, traceparent
    )
    ${QUEUE_ACCEPTED}`;

const COLUMNS = `intent.intent_id, intent.agent_id, intent.key_id, intent.action, intent.resource, intent.status, intent.approval_id, intent.submitted_at, intent.updated_at, found.record`;
// By primary key, one row at a time, with any plan.
const JOIN = `LEFT JOIN LATERAL (
    SELECT record FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id = intent.decision_id LIMIT 1
  ) AS found ON true`;
const READ = `SELECT ${COLUMNS} FROM intent ${JOIN} WHERE intent.organisation_id = $1 AND intent.environment = $2 AND intent.intent_id = $3`;
/** Newest first. Each combination of filters is a range scan. */
export function listIntents(filter: IntentFilter, limit: number): [statement: Statement, values: unknown[]] {
  const { status } = filter;
  const [page, values] = ownedList({
    ...filter,
    table: 'intent',
    columns: '*',
    id: 'intent_id',
    limit,
    // A literal in the text, so that the planner can use the partial index of undecided intents (migration 0009).
    more: status === undefined ? [] : [[[], () => `status = '${status}'`]],
  });
  return [`SELECT ${COLUMNS} FROM (${page}) AS intent ${JOIN} ORDER BY intent.intent_id DESC`, values];
}

const CLAIM = `UPDATE intent SET status = 'evaluating', updated_at = $4
    WHERE intent.organisation_id = $1 AND intent.environment = $2 AND intent.intent_id = $3 AND intent.status IN ('queued', 'evaluating')
    RETURNING intent.agent_id, intent.key_id, intent.action, intent.resource, intent.tool, intent.context, intent.approval_id, intent.submitted_at, intent.request_id, intent.client_address,
      (SELECT slug FROM organisation WHERE id = $1) AS organisation_slug`;
// Optimistic concurrency: still open, and its approval unchanged since the claim. A late worker must not undo a human's decision.
const AS_CLAIMED = `organisation_id = $1 AND environment = $2 AND intent_id = $3 AND status IN ('queued', 'evaluating') AND approval_id IS NOT DISTINCT FROM $4`;
const FINISH = `UPDATE intent SET status = $5, decision_id = $6, updated_at = $7, tool = NULL, client_address = NULL WHERE ${AS_CLAIMED} RETURNING intent_id`;
const WAIT = `UPDATE intent SET status = 'waiting_approval', approval_id = $5, updated_at = $6 WHERE ${AS_CLAIMED} RETURNING intent_id`;

const MAX_ROWS = 500;
const MAX_WAITING = 20_000;

export function createIntentStore(deps: { db: Database }): IntentStore {
  const { db } = deps;
  const group = createGroupCommit<IntentRow>({
    db,
    statement: INSERT,
    columns: INTENTS.values,
    result: () => undefined,
    sizeOf: ({ context, tool }) => (context?.length ?? 0) + (tool?.length ?? 0),
    maxRows: MAX_ROWS,
    maxWaiting: MAX_WAITING,
  });
  return {
    append: (row) => group.add(row),
    insert: async (sql, row) => void (await sql.query(INSERT, INTENTS.values([row]))),
    read: async (owner, intentId) => (await db.query<StoredIntent>(READ, [...ownerColumns(owner), intentId]))[0],
    list: (filter, limit) => db.query<StoredIntent>(...listIntents(filter, limit)),
    async claim({ organisationId, environment, intentId }, nowMs) {
      const values = [organisationId, environment, intentId, new Date(nowMs)];
      const [row] = await db.query<Omit<ClaimedIntent, 'key_agent_ids' | 'key_tags' | 'key_lineage' | 'isKeyKnown'>>(
        CLAIM,
        values,
      );
      if (row === undefined) return undefined;
      const key = (await loadKey(db, row.key_id))?.key;
      const isKeyKnown = key?.organisationId === organisationId && environmentsOf(key).includes(environment);
      if (!isKeyKnown) return { ...row, key_agent_ids: new Set(), key_tags: [], key_lineage: row.key_id, isKeyKnown };
      const {
        agentIds: key_agent_ids,
        tags: key_tags,
        lineage: key_lineage,
        organisationSlug: organisation_slug,
      } = key;
      return { ...row, organisation_slug, key_agent_ids, key_tags, key_lineage, isKeyKnown };
    },
    async finish(sql, intent, { status, decisionId, claimedApprovalId, nowMs }) {
      const key = [...ownerColumns(intent), intent.intentId];
      const values = [...key, claimedApprovalId, status, decisionId, new Date(nowMs)];
      return (await sql.query(FINISH, values)).length === 1;
    },
    async wait(sql, intent, { approvalId, claimedApprovalId, nowMs }) {
      const key = [...ownerColumns(intent), intent.intentId];
      const values = [...key, claimedApprovalId, approvalId, new Date(nowMs)];
      return (await sql.query(WAIT, values)).length === 1;
    },
    idle: () => group.idle(),
  };
}
