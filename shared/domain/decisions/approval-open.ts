// Opening approvals: an ESCALATE and the approval that it names are written by one statement, so that neither is without the other.
import { createColumnWriter, textColumn } from '../../platform/db/columns.ts';
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import { createGroupCommit } from '../../platform/db/group-commit.ts';
import { wakeLogs } from '../ledger/inbox.ts';
import type { Seals } from '../../platform/db/seals/seals.ts';
import { type DecisionRow, decisionColumns, INSERT_DECISIONS, TO_LOG } from './decision-store.ts';

/** An ESCALATE and what it opens. */
export interface OpeningRow {
  readonly decision: DecisionRow;
  readonly approvalId: string;
  readonly digest: string;
  readonly intentId: string | null;
  readonly expiresAtMs: number;
}

export interface ApprovalOpener {
  /**
   * Resolves once both are durable. False: another request has opened one for the same action and key meanwhile, and
   * nothing was written. @throws {ApiError} E6002
   */
  append(row: OpeningRow): Promise<boolean>;
  /** The same within the caller's transaction, which must not commit when this is false. */
  insert(sql: Sql, rows: readonly OpeningRow[]): Promise<boolean>;
  idle(): Promise<void>;
}

/**
 * Sorted, because two statements that wait for each other's rows must take them in one order. No id is '-', which stands
 * for none: a column of empty texts could not be told from no rows.
 */
const INSERT: Statement = {
  name: 'approvals-open',
  text: `WITH asked AS (
      SELECT * FROM unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n'), string_to_array($3, E'\\n'), string_to_array($4, E'\\n'), string_to_array($5, E'\\n'),
        string_to_array($6, E'\\n'), string_to_array($7, E'\\n'), string_to_array($8, E'\\n'), string_to_array($9, E'\\n'), string_to_array($10, E'\\n'), string_to_array($11, E'\\n'),
        string_to_array($13, E'\\n'), string_to_array($14, E'\\n'), string_to_array($15, E'\\n'), string_to_array($16, E'\\n'), string_to_array($17, E'\\n'),
        string_to_array($18, E'\\n'), string_to_array($19, E'\\n'))
        AS row (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, policy_digest, proof_id, record, facts, salt,
          traceparent, approval_id, digest, intent_id, expires_at, seal)
    ), opened AS (
      INSERT INTO approval (organisation_id, environment, approval_id, agent_id, key_id, digest, intent_id, decision_id, created_at, expires_at, seal)
      SELECT organisation_id, environment, approval_id, agent_id, key_id, digest, nullif(intent_id, '-'), decision_id, evaluated_at::timestamptz, expires_at::timestamptz, decode(seal, 'hex')
      FROM asked ORDER BY organisation_id, environment, digest, key_id
      ON CONFLICT (organisation_id, environment, digest, key_id) WHERE state IN ('pending', 'approved') DO NOTHING
      RETURNING decision_id
    ), made AS (${INSERT_DECISIONS}
      FROM asked WHERE decision_id IN (SELECT decision_id FROM opened)
      RETURNING organisation_id, environment, decision_id
    ), waiting AS (${TO_LOG}),
    woken AS (${wakeLogs('made')})
    SELECT decision_id FROM made`,
};

type Column = (values: readonly string[]) => string | Buffer;

/** As the statement writes it: pending, and nothing of a decision yet. */
function sealOf(seals: Seals, { decision, approvalId, digest, intentId, expiresAtMs }: OpeningRow): string {
  const row = {
    organisation_id: decision.organisationId,
    environment: decision.environment,
    approval_id: approvalId,
    state: 'pending',
    agent_id: decision.agentId,
    key_id: decision.keyId,
    digest,
    intent_id: intentId,
    decision_id: decision.decisionId,
    created_at: new Date(decision.evaluatedAt),
    expires_at: new Date(expiresAtMs),
    decided_at: null,
    decided_by: null,
    reason: null,
    used_at: null,
    used_by: null,
    used_decision_id: null,
    version: 1,
  };
  return seals.sealOf('approval', row).toString('hex');
}

function columns(
  rows: readonly OpeningRow[],
  seals: Seals,
  processId: string,
  record: Column,
  facts: Column,
): unknown[] {
  const of = (pick: (row: OpeningRow) => string): string => textColumn(rows.map(pick));
  return [
    ...decisionColumns(
      rows.map(({ decision }) => decision),
      processId,
      record,
      facts,
    ),
    of((r) => r.approvalId),
    of((r) => r.digest),
    of((r) => r.intentId ?? '-'),
    of((r) => new Date(r.expiresAtMs).toISOString()),
    of((r) => sealOf(seals, r)),
  ];
}

const MAX_ROWS = 200;
const MAX_WAITING = 5_000;

/** A group of its own: what ALLOW and DENY cost is not changed, and they never wait for a row that somebody holds. */
export function createApprovalOpener(deps: { db: Database; processId: string }): ApprovalOpener {
  const { db, processId } = deps;
  const [record, facts] = [createColumnWriter(), createColumnWriter()];
  const group = createGroupCommit<OpeningRow, ReadonlySet<string>>({
    db,
    statement: INSERT,
    columns: (rows) => columns(rows, db.seals, processId, record, facts),
    // Rows of the statement above.
    result: (rows) => new Set((rows as { decision_id: string }[]).map((row) => row.decision_id)),
    sizeOf: ({ decision }) => decision.record.length + decision.facts.length,
    maxRows: MAX_ROWS,
    maxWaiting: MAX_WAITING,
  });
  return {
    append: async (row) => (await group.add(row)).has(row.decision.decisionId),
    insert: async (sql, rows) =>
      (await sql.query(INSERT, columns(rows, sql.seals, processId, textColumn, textColumn))).length === rows.length,
    idle: () => group.idle(),
  };
}
