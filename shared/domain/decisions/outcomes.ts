// Outcomes of permitted decisions, as the enforcing side reports them: stored once, recorded in the log; one gives budgets back.
import { permits } from '../../kernel/vocabulary.ts';
import type { Verdict } from '../../kernel/vocabulary.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { Sql } from '../../platform/db/database.ts';
import type { AuthenticatedKey } from '../keys/types.ts';
import { hasAsked } from '../keys/line.ts';
import { writeServiceRecord } from '../ledger/service-record.ts';
import { giveBackCharges } from './budget-store.ts';

export const OUTCOMES = ['done', 'failed', 'not_carried_out'] as const;
export type DecisionOutcome = (typeof OUTCOMES)[number];

/** An outcome as it was first reported. */
export interface ReportedOutcome {
  readonly outcome: DecisionOutcome;
  readonly detail: string | null;
  readonly reportedAt: Date;
}

const ABOUT =
  'SELECT agent_id, key_id, verdict FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id = $3';
const INSERT = `INSERT INTO decision_outcome (organisation_id, environment, decision_id, outcome, detail, key_id, reported_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING decision_id`;
const READ = `SELECT outcome, detail, reported_at AS "reportedAt" FROM decision_outcome
    WHERE organisation_id = $1 AND environment = $2 AND decision_id = $3`;
const NOT_CARRIED_OUT = `SELECT decision_id FROM decision_outcome
    WHERE organisation_id = $1 AND environment = $2 AND decision_id = ANY($3) AND outcome = 'not_carried_out'`;

/**
 * Stores the outcome of a decision, in the caller's transaction.
 * @returns the outcome as it was first reported
 * @throws {ApiError} E4001: the key has asked for no such decision; E5002: it permits nothing, or has another outcome
 */
export async function reportOutcome(
  sql: Sql,
  key: AuthenticatedKey,
  decisionId: string,
  report: { readonly outcome: DecisionOutcome; readonly detail?: string | undefined; readonly nowMs: number },
): Promise<ReportedOutcome> {
  const { outcome, detail = null, nowMs } = report;
  const { organisationId, environment, keyId } = key;
  const id = [...ownerColumns(key), decisionId];
  const [decision] = await sql.query<{ agent_id: string; key_id: string; verdict: Verdict }>(ABOUT, id);
  const mayName = decision !== undefined && (key.agentIds?.has(decision.agent_id) ?? true);
  if (decision === undefined || !mayName || !(await hasAsked(sql, key, decision.key_id)))
    throw new ApiError('E4001', 'This key has asked for no such decision.');
  if (!permits(decision.verdict))
    throw new ApiError('E5002', `The verdict is ${decision.verdict}: a decision that permits nothing has no outcome.`);
  const reportedAt = new Date(nowMs);
  const [made] = await sql.query<object>(INSERT, [...id, outcome, detail, keyId, reportedAt]);
  if (made === undefined) {
    const [known] = await sql.query<ReportedOutcome>(READ, id);
    if (known === undefined) throw new Error('an outcome was deleted while it was reported again');
    if (known.outcome !== outcome)
      throw new ApiError('E5002', `The outcome ${known.outcome} of this decision was reported before.`);
    return known;
  }
  if (outcome === 'not_carried_out') await giveBackCharges(sql, decisionId);
  const body = { decisionId, keyId, outcome, ...(detail === null ? {} : { detail }) };
  const record = { organisationId, environment, event: 'custos.outcome', agentId: decision.agent_id, body } as const;
  await writeServiceRecord(sql, record, nowMs);
  return { outcome, detail, reportedAt };
}

/** Which of these decisions were reported as not carried out. */
export async function notCarriedOut(
  sql: Sql,
  owner: Owner,
  decisionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ decision_id: string }>(NOT_CARRIED_OUT, [...ownerColumns(owner), decisionIds]);
  return new Set(rows.map((row) => row.decision_id));
}
