// Opens approvals: one statement stores an ESCALATE and its approval, so that neither exists without the other.
import type { ApproverDemand } from '../../core/policy/approvers.ts';
import { columnMap, hex, optionalText, text } from '../../platform/db/columns.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
import { createGroupCommit } from '../../platform/db/group-commit.ts';
import { approversText } from '../approvals/votes.ts';
import { wakeLogs } from '../ledger/inbox.ts';
import type { Seals } from '../../platform/db/seals/seals.ts';
import { addedColumns, type DecisionRow, DECISIONS, RETURNING_MADE, TO_LOG } from './decision-store.ts';

/** An ESCALATE and what it opens. */
export interface OpeningRow {
  readonly decision: DecisionRow;
  readonly approvalId: string;
  readonly digest: string;
  /** Groups the list of waiting approvals (approval-alike.ts). */
  readonly alike: string;
  readonly intentId: string | null;
  readonly expiresAtMs: number;
  /** Who must approve; undefined: any admin key. */
  readonly approvers?: readonly ApproverDemand[] | undefined;
}

export interface ApprovalOpener {
  /**
   * Resolves when both are durable. False: another request has opened one for the same action, key and demands, and nothing was
   * stored.
   * @throws {ApiError} E6002
   */
  append(row: OpeningRow): Promise<boolean>;
  /** The same within the caller's transaction, which must not commit when this is false. */
  insert(sql: Sql, rows: readonly OpeningRow[]): Promise<boolean>;
  idle(): Promise<void>;
}

/** The seal of the row that the statement inserts: pending and undecided. */
function sealOf(seals: Seals, opening: OpeningRow): string {
  const { decision, approvalId, digest, intentId, expiresAtMs } = opening;
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
    approvers: approversText(opening),
    votes: null,
  };
  return seals.sealOf('approval', row).toString('hex');
}

/** A row of the statement. */
type SealedOpening = DecisionRow & OpeningRow & { readonly seal: string };

const sealed = (rows: readonly OpeningRow[], seals: Seals): SealedOpening[] =>
  rows.map((row) => ({ ...row.decision, ...row, seal: sealOf(seals, row) }));

const OPENINGS = columnMap<SealedOpening>({
  ...DECISIONS.columns,
  approval_id: text((r) => r.approvalId),
  digest: text((r) => r.digest),
  alike: text((r) => r.alike),
  intent_id: optionalText((r) => r.intentId),
  expires_at: text((r) => new Date(r.expiresAtMs).toISOString(), 'timestamptz'),
  approvers: optionalText(approversText),
  seal: hex((r) => r.seal),
});

/**
 * Sorted: two statements that wait for each other's rows must take them in one order. Names no index, so that a later version may
 * replace it while this one runs.
 */
const INSERT = `WITH asked AS (${OPENINGS.rows()}), opened AS (
      INSERT INTO approval (organisation_id, environment, approval_id, agent_id, key_id, digest, alike, intent_id, decision_id, created_at, expires_at, approvers, seal)
      SELECT organisation_id, environment, approval_id, agent_id, key_id, digest, alike, intent_id, decision_id, evaluated_at, expires_at, approvers, seal
      FROM asked ORDER BY organisation_id, environment, digest, key_id, approvers, expires_at - evaluated_at
      ON CONFLICT DO NOTHING
      RETURNING decision_id
    ), made AS (
      ${DECISIONS.insertInto('decision', 'asked', addedColumns(`$${OPENINGS.size + 1}`))}
      WHERE decision_id IN (SELECT decision_id FROM opened)
      ${RETURNING_MADE}
    ), waiting AS (${TO_LOG}),
    woken AS (${wakeLogs('made')})
    SELECT decision_id FROM made`;

const MAX_ROWS = 200;
const MAX_WAITING = 5_000;

/** A separate group commit, so that ALLOW and DENY cost the same as before and never wait for a row lock. */
export function createApprovalOpener(deps: { db: Database; processId: string }): ApprovalOpener {
  const { db, processId } = deps;
  const write = OPENINGS.createWriter();
  const group = createGroupCommit<OpeningRow, ReadonlySet<string>>({
    db,
    statement: INSERT,
    columns: (rows) => [...write(sealed(rows, db.seals)), processId],
    // Rows of the statement above.
    result: (rows) => new Set((rows as { decision_id: string }[]).map((row) => row.decision_id)),
    sizeOf: ({ decision }) => decision.record.length + decision.facts.length,
    maxRows: MAX_ROWS,
    maxWaiting: MAX_WAITING,
  });
  return {
    append: async (row) => (await group.add(row)).has(row.decision.decisionId),
    insert: async (sql, rows) =>
      (await sql.query(INSERT, [...OPENINGS.values(sealed(rows, sql.seals)), processId])).length === rows.length,
    idle: () => group.idle(),
  };
}
