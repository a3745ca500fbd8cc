// Submitted intents in PostgreSQL: inserted in groups with the job that wakes a worker, read and listed. intent-batch.ts decides them.
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import { columnMap, fixedBytes, optionalText, text } from '../../platform/db/columns.ts';
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import { submissionSeal } from '../../platform/db/seals/submissions.ts';
import { createGroupCommit } from '../../platform/db/group-commit.ts';
import { wakeIntents } from '../approvals/wake-intents.ts';
import type { IntentStatus } from '../../kernel/vocabulary.ts';
import { type IntentColumns, isStoredDecisionOfIntent } from '../../core/decision/of-intent.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type OwnedFilter, ownedList } from './owned-list.ts';

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

export interface StoredIntent extends IntentColumns {
  readonly intent_id: string;
  readonly status: IntentStatus;
  /** The approval for which it waits or has waited. */
  readonly approval_id: string | null;
  readonly submitted_at: Date;
  readonly updated_at: Date;
  /** The record of the decision as stored. */
  readonly record: Buffer | null;
}

export interface IntentFilter extends OwnedFilter {
  readonly status?: IntentStatus | undefined;
}

export interface IntentStore {
  /** Resolves when the intent is durable, with the outbox row that wakes a worker. @throws {ApiError} E6002 */
  append(row: IntentRow): Promise<void>;
  /** The same within the caller's transaction. */
  insert(sql: Sql, row: IntentRow): Promise<void>;
  /** @throws {ApiError} E6001 when its row names a decision that was made for another question; E6002 */
  read(owner: Owner, intentId: string): Promise<StoredIntent | undefined>;
  /** @throws as `read` */
  list(filter: IntentFilter, limit: number): Promise<StoredIntent[]>;
  idle(): Promise<void>;
}

const submittedAt = (r: IntentRow): string => new Date(r.submittedAtMs).toISOString();
interface SealedIntent extends IntentRow {
  readonly seal: Buffer;
}
const INTENTS = columnMap<SealedIntent>({
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
  submission_seal: fixedBytes(32, (r) => r.seal),
});
const INSERT = `WITH made AS (
      ${INTENTS.insertInto('intent', `(${INTENTS.rows()}) AS given`, { updated_at: 'submitted_at' })}
      RETURNING organisation_id, environment
    )
    ${wakeIntents('made')}`;

const COLUMNS = `intent.intent_id, intent.agent_id, intent.key_id, intent.action, intent.resource, intent.request_id, intent.status, intent.approval_id, intent.submitted_at, intent.updated_at, found.record`;
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

/** These intents, whose decisions are theirs. @throws {ApiError} E6001 */
function withOwnDecisions(rows: StoredIntent[]): StoredIntent[] {
  for (const row of rows)
    if (row.record !== null && !isStoredDecisionOfIntent(row, row.record))
      throw new ApiError('E6001', `The stored intent ${row.intent_id} names a decision that was not made for it.`);
  return rows;
}

const MAX_ROWS = 500;
const MAX_WAITING = 20_000;

export function createIntentStore(deps: { db: Database }): IntentStore {
  const { db } = deps;
  const sealed = (row: IntentRow): SealedIntent => {
    const seal = submissionSeal(db.seals, {
      organisation_id: row.organisationId,
      environment: row.environment,
      intent_id: row.intentId,
      agent_id: row.agentId,
      key_id: row.keyId,
      action: row.action,
      resource: row.resource,
      tool: row.tool ?? null,
      context: row.context ?? null,
      traceparent: row.traceparent ?? null,
      request_id: row.requestId,
      client_address: row.address,
      submitted_at: new Date(row.submittedAtMs),
    });
    return { seal, ...row };
  };
  const group = createGroupCommit<SealedIntent>({
    db,
    statement: INSERT,
    columns: INTENTS.values,
    result: () => undefined,
    sizeOf: ({ context, tool }) => (context?.length ?? 0) + (tool?.length ?? 0),
    maxRows: MAX_ROWS,
    maxWaiting: MAX_WAITING,
  });
  return {
    append: (row) => group.add(sealed(row)),
    insert: async (sql, row) => void (await sql.query(INSERT, INTENTS.values([sealed(row)]))),
    read: async (owner, intentId) =>
      withOwnDecisions(await db.query<StoredIntent>(READ, [...ownerColumns(owner), intentId]))[0],
    list: async (filter, limit) => withOwnDecisions(await db.query<StoredIntent>(...listIntents(filter, limit))),
    idle: () => group.idle(),
  };
}
