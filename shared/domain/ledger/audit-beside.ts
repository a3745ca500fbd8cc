// Compares rows that no hash covers (trust folds, approvals and operators' actions) with the leaves that record them, when a leaf is audited.
import { anyText, columnMap, numeric } from '../../platform/db/columns.ts';
import type { Sql } from '../../platform/db/database.ts';
import type { Finding, FindingKind } from '../../core/proof/audit-findings.ts';
import type { AuditedRow } from '../../core/proof/audit.ts';
import { quoted } from '../../core/proof/encoding.ts';
import { lowestId } from '../../kernel/ids.ts';
import { digestInTrail } from '../../core/proof/trail-digest.ts';
import { readDroppedBefore } from '../retention/dropped.ts';
import type { AuditHead } from './audit-rows.ts';

const TRUST_EVENT = 'custos.trust';
const APPROVAL_EVENT = 'custos.approval';
const ACTION_EVENT = 'custos.dashboard';
const APPROVALS = `SELECT approval_id, state, decision_id, digest, decided_by, reason, used_by, used_decision_id, votes FROM approval
    WHERE organisation_id = $1 AND environment = $2 AND approval_id = ANY ($3::text[])`;

const ACTIONS = `SELECT seq::float8 AS seq, at, request_id, key_id, organisation_id, environment, address, action, subject, outcome, status, code, change
    FROM dashboard_audit WHERE seq = ANY ($1::bigint[])`;

interface ActionRow {
  seq: number;
  at: Date;
  request_id: string;
  key_id: string | null;
  organisation_id: string | null;
  environment: string | null;
  address: string;
  action: string;
  subject: string;
  outcome: string;
  status: number | null;
  code: string | null;
  change: string | null;
}

interface ApprovalRow {
  approval_id: string;
  state: string;
  decision_id: string;
  digest: string;
  decided_by: string | null;
  reason: string | null;
  used_by: string | null;
  used_decision_id: string | null;
  /** JSON of them all. */
  votes: string | null;
}

interface Leaf {
  readonly row: AuditedRow;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly occurredAt: string;
}

const ASKED = columnMap<Leaf>({
  agent_id: anyText(({ row }) => row.entityId),
  last_n: numeric('bigint', ({ body }) => Number((body['asOf'] as { signals?: unknown } | undefined)?.signals ?? 0)),
});
const FOLDS = `SELECT asked.ordinal::int AS nth, fold.signals, fold.proof_id FROM (${ASKED.rows(3)}) AS asked
    JOIN trust_fold AS fold ON fold.organisation_id = $1 AND fold.environment = $2 AND fold.agent_id = asked.agent_id AND fold.last_n = asked.last_n`;

/** The bodies of the records of one event. A record that is not JSON has its own finding. */
function leavesOf(rows: readonly AuditedRow[], event: string): Leaf[] {
  return rows.flatMap((row) => {
    if (row.event !== event || row.source === undefined) return [];
    const text = row.source.record.toString();
    try {
      const { payload, occurredAt } = JSON.parse(`${text}}`) as {
        payload: { body: Leaf['body'] };
        occurredAt: string;
      };
      return [{ row, text, body: payload.body, occurredAt }];
    } catch {
      return [];
    }
  });
}

function findingAt({ row }: Leaf, kind: FindingKind, what: string): Finding {
  const sentence = `Leaf ${row.index} (proof ${quoted(row.proofId)}): ${what}`;
  return { kind, leafIndex: row.index, proofId: row.proofId, sentence };
}

async function auditFolds(sql: Sql, head: AuditHead, rows: readonly AuditedRow[]): Promise<Finding[]> {
  const leaves = leavesOf(rows, TRUST_EVENT);
  if (leaves.length === 0) return [];
  const folds = await sql.query<{ nth: number; signals: string; proof_id: string }>(FOLDS, [
    head.organisationId,
    head.environment,
    ...ASKED.values(leaves),
  ]);
  const known = new Map(folds.map((fold) => [fold.nth, fold]));
  return leaves.flatMap((leaf, i) => {
    const fold = known.get(i + 1);
    if (fold === undefined) return findingAt(leaf, 'trust-altered', 'the fold of signals that it records is missing.');
    const isSame = fold.proof_id === leaf.row.proofId && leaf.text.includes(`"signals":${fold.signals},"uncertainty"`);
    return isSame ? [] : findingAt(leaf, 'trust-altered', 'the fold of signals is not the one that it records.');
  });
}

/** States that an approval may have after a record of the key's state. */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  // The vote of one of several approvers.
  pending: ['pending', 'approved', 'rejected', 'used', 'expired'],
  approved: ['approved', 'used', 'rejected', 'expired'],
  rejected: ['rejected'],
  used: ['used'],
  expired: ['expired'],
};

function isAsRecorded(row: ApprovalRow, { body, occurredAt }: Leaf): boolean {
  const { state, by, reason } = body;
  const isSameAction = row.decision_id === body['decisionId'] && row.digest === body['digest'];
  const isSameState = AFTER[String(state)]?.includes(row.state) === true;
  if (!isSameAction || !isSameState) return false;
  // As it is stored (shared/domain/approvals/votes.ts).
  if (state === 'pending') return row.votes?.includes(JSON.stringify({ by, at: occurredAt, reason })) === true;
  if (state === 'used') return row.used_by === by && row.used_decision_id === body['usedDecisionId'];
  // A row names the last decision: who approved what was withdrawn later is in the log alone.
  const isWithdrawn = state === 'approved' && row.state === 'rejected';
  return isWithdrawn || state === 'expired' || (row.decided_by === by && row.reason === reason);
}

async function auditApprovals(sql: Sql, head: AuditHead, rows: readonly AuditedRow[]): Promise<Finding[]> {
  const leaves = leavesOf(rows, APPROVAL_EVENT);
  if (leaves.length === 0) return [];
  const ids = leaves.map(({ body }) => String(body['approvalId']));
  const found = await sql.query<ApprovalRow>(APPROVALS, [head.organisationId, head.environment, ids]);
  const known = new Map(found.map((row) => [row.approval_id, row]));
  // Read after the rows: a deletion between two statements must not look like damage.
  const droppedBefore = ids.every((id) => known.has(id)) ? '' : await readDroppedBefore(sql, head, 'approvals');
  return leaves.flatMap((leaf, i) => {
    const id = ids[i] ?? '';
    const row = known.get(id);
    if (row === undefined && id.startsWith('apr_') && id < droppedBefore) return [];
    if (row === undefined) return findingAt(leaf, 'approval-missing', 'the approval that it is about does not exist.');
    if (isAsRecorded(row, leaf)) return [];
    return findingAt(leaf, 'approval-altered', `the approval that it is about is ${row.state}, and not as it records.`);
  });
}

function isRecordedAction(row: ActionRow, { body }: Leaf): boolean {
  const { request_id: requestId, key_id: keyId, organisation_id: organisationId, seq, at, address, change } = row;
  const { environment, action, subject, outcome, status, code } = row;
  const stored = { requestId, keyId, organisationId, environment, action, subject, outcome, status, code };
  const salt = { requestId, seq };
  return (
    body['at'] === at.toISOString() &&
    Object.entries(stored).every(([name, value]) => body[name] === value) &&
    body['addressHash'] === digestInTrail(salt, address) &&
    body['changeHash'] === (change === null ? undefined : digestInTrail(salt, change))
  );
}

async function auditActions(sql: Sql, head: AuditHead, rows: readonly AuditedRow[]): Promise<Finding[]> {
  // Every record of an action has the number of its row; another record of this event has none.
  const leaves = leavesOf(rows, ACTION_EVENT).filter(({ body }) => Number.isSafeInteger(body['seq']));
  if (leaves.length === 0) return [];
  const found = await sql.query<ActionRow>(ACTIONS, [leaves.map(({ body }) => body['seq'])]);
  const known = new Map<unknown, ActionRow>(found.map((row) => [row.seq, row]));
  const areAll = leaves.every(({ body }) => known.has(body['seq']));
  const droppedBefore = areAll ? '' : await readDroppedBefore(sql, head, 'actions');
  return leaves.flatMap((leaf) => {
    const row = known.get(leaf.body['seq']);
    const atMs = Date.parse(String(leaf.body['at']));
    if (row === undefined && atMs >= 0 && lowestId('act', atMs) < droppedBefore) return [];
    if (row === undefined)
      return findingAt(leaf, 'action-missing', "the operator's action that it records is missing.");
    if (isRecordedAction(row, leaf)) return [];
    return findingAt(leaf, 'action-altered', "the operator's action is not the one that it records.");
  });
}

/** Whether a leaf of this event records rows that are compared here. */
export const isBesideEvent = (event: string): boolean => [TRUST_EVENT, APPROVAL_EVENT, ACTION_EVENT].includes(event);

/** Findings for rows that differ from these leaves. */
export async function auditBeside(sql: Sql, head: AuditHead, rows: readonly AuditedRow[]): Promise<Finding[]> {
  return [
    ...(await auditFolds(sql, head, rows)),
    ...(await auditApprovals(sql, head, rows)),
    ...(await auditActions(sql, head, rows)),
  ];
}
