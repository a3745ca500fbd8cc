// Compares the rows that give authority with the records of the log. Pure.
import type { Finding } from '../../core/proof/audit-findings.ts';
import {
  agentValue,
  approvalOf,
  authorityFinding,
  differingMembers,
  haltValue,
  keyValue,
  type Ledger,
  nameOf,
  ONLY,
  REVOKED,
  sessionValue,
} from './authority.ts';
import { type ApprovalRow, type AuthorityRows, type KeyRow, openingOf, votersIn } from './authority-rows.ts';

const AS_LOGGED = 'as its last record in the log says';

function compareKey(row: KeyRow, ledger: Ledger): Finding | undefined {
  const name = nameOf('The key', row.key_id);
  const recorded = ledger.get('key', row.key_id);
  if (recorded === undefined || recorded === null)
    return authorityFinding('key-unrecorded', `${name} stands in the database, and no record in the log made it.`);
  if (recorded === REVOKED)
    return row.revoked_at === null
      ? authorityFinding('key-altered', `${name} is in force, and the log has it revoked.`)
      : undefined;
  const stored = keyValue({
    name: row.name,
    scopes: row.scopes,
    agentIds: row.agent_ids,
    keepsObligations: row.keeps_obligations ?? [],
    tags: row.tags ?? [],
    tier: row.tier,
    expiresAt: row.expires_at?.toISOString() ?? null,
    replacedBy: row.replaced_by,
    createdBy: row.created_by,
  });
  if (stored !== recorded)
    return authorityFinding('key-altered', `${name} has not ${differingMembers(stored, recorded)} ${AS_LOGGED}.`);
  // A rotation without overlap revokes the old key, with the end in its record.
  if (row.revoked_at !== null && row.replaced_by === null)
    return authorityFinding('key-altered', `${name} is revoked, and no record in the log revoked it.`);
  return undefined;
}

function compareKeys({ keys }: AuthorityRows, ledger: Ledger): Finding[] {
  const rows = new Set(keys.map((row) => row.key_id));
  return [
    ...keys.flatMap((row) => compareKey(row, ledger) ?? []),
    ...ledger
      .present('key')
      .filter((id) => !rows.has(id))
      .map((id) => authorityFinding('key-missing', `${nameOf('The key', id)} is in the log, and its row is missing.`)),
  ];
}

function compareAgents({ agents }: AuthorityRows, ledger: Ledger): Finding[] {
  const rows = new Set(agents.map((row) => row.agent_id));
  return [
    ...agents.flatMap((row) => {
      const name = nameOf('The agent', row.agent_id);
      const recorded = ledger.get('agent', row.agent_id);
      if (recorded === undefined || recorded === null)
        return authorityFinding(
          'agent-unrecorded',
          `${name} stands in the database, and no record in the log registered it.`,
        );
      const stored = agentValue(row);
      if (stored === recorded) return [];
      return authorityFinding('agent-altered', `${name} has not ${differingMembers(stored, recorded)} ${AS_LOGGED}.`);
    }),
    ...ledger
      .present('agent')
      .filter((id) => !rows.has(id))
      .map((id) =>
        authorityFinding('agent-missing', `${nameOf('The agent', id)} is in the log, and its row is missing.`),
      ),
  ];
}

/** An expired session gives no authority. */
function compareSessions({ sessions }: AuthorityRows, ledger: Ledger, nowMs: number): Finding[] {
  return sessions.flatMap((row) => {
    if (row.expires_at.getTime() <= nowMs) return [];
    const name = `A session of ${nameOf('the key', row.key_id)}`;
    const recorded = ledger.get('session', row.session_id);
    if (recorded === undefined || recorded === null)
      return authorityFinding(
        'session-unrecorded',
        `${name} is open, and the log has no record that somebody signed in.`,
      );
    const stored = sessionValue(row.key_id, row.expires_at.toISOString(), row.environment);
    if (stored === recorded) return [];
    return authorityFinding(
      'session-altered',
      `${name} has not ${differingMembers(stored, recorded)} as its record in the log says.`,
    );
  });
}

function compareHalt({ halt }: AuthorityRows, ledger: Ledger): Finding[] {
  const recorded = ledger.get('halt', ONLY) ?? null;
  const stored = halt === undefined ? null : haltValue(halt.key_id, halt.reason);
  if (stored === recorded) return [];
  if (stored === null)
    return [authorityFinding('halt-missing', 'The log has a halt that no record has lifted, and its row is missing.')];
  if (recorded === null)
    return [authorityFinding('halt-unrecorded', 'The environment is halted, and by the log it is not.')];
  return [authorityFinding('halt-altered', `The halt has not ${differingMembers(stored, recorded)} as the log says.`)];
}

function comparePolicy({ activeDigest }: AuthorityRows, ledger: Ledger): Finding[] {
  const recorded = ledger.get('policy', ONLY);
  if (recorded === undefined || recorded === activeDigest) return [];
  const sentence = `The policy set ${String(activeDigest).slice(0, 12)} is in force, and by the log ${String(recorded).slice(0, 12)} was activated last.`;
  return [authorityFinding('policy-unrecorded', sentence)];
}

/** Further inputs for the comparison of approvals. */
export interface ApprovalContext {
  /** Decisions in the inbox of the log. */
  readonly waiting: ReadonlySet<string>;
  /** States of approvals that are approved in the log and whose rows are closed. */
  readonly closed: ReadonlyMap<string, string>;
  readonly nowMs: number;
}

function compareApproval(row: ApprovalRow, ledger: Ledger, { waiting }: ApprovalContext): Finding | undefined {
  const name = nameOf('The approval', row.approval_id);
  const altered = (what: string): Finding => authorityFinding('approval-altered', `${name} ${what}`);
  if (row.record === null || (!row.is_logged && !waiting.has(row.decision_id)))
    return authorityFinding(
      'approval-unrecorded',
      `${name} is ${row.state}, and the decision that opened it is not in the log.`,
    );
  const opening = openingOf(row.record);
  if (opening.approvalId !== row.approval_id)
    return authorityFinding(
      'approval-unrecorded',
      `${name} is ${row.state}, and the decision that it names opened another one or none.`,
    );
  const isSame =
    opening.agentId === row.agent_id &&
    opening.keyId === row.key_id &&
    opening.expiresAt === row.expires_at.toISOString();
  if (!isSame) return altered('has another agent, another key or another end than the decision that opened it.');
  const recorded = approvalOf(ledger.get('approval', row.approval_id));
  if (opening.approvers !== row.approvers) return altered('has other approvers than the decision that opened it.');
  // Without approvers a row has no votes.
  const votes = row.approvers === null && row.votes === null ? undefined : votersIn(row.votes);
  if (votes !== undefined && JSON.stringify(votes) !== JSON.stringify(recorded?.votes ?? []))
    return altered('has other votes than its records in the log.');
  if (row.state === 'pending')
    return recorded === undefined || recorded.state === 'pending'
      ? undefined
      : altered(`is pending, and the log has it as ${recorded.state}.`);
  if (recorded === undefined) return altered('is approved, and no record in the log approves it.');
  if (recorded.state !== 'approved') return altered(`is approved, and the log has it as ${recorded.state}.`);
  const isAsDecided =
    recorded.by === row.decided_by &&
    recorded.reason === row.reason &&
    recorded.digest === row.digest &&
    recorded.decisionId === row.decision_id;
  return isAsDecided
    ? undefined
    : altered('was approved by somebody else, or for something else, than its record in the log says.');
}

/** Approvals that are approved and unused in the log and have no open row. */
export function approvedWithoutRow({ openApprovals }: AuthorityRows, ledger: Ledger): string[] {
  const open = new Set(openApprovals.map((row) => row.approval_id));
  return ledger
    .present('approval')
    .filter((id) => !open.has(id) && approvalOf(ledger.get('approval', id))?.state === 'approved');
}

function compareApprovals(rows: AuthorityRows, ledger: Ledger, context: ApprovalContext): Finding[] {
  return [
    ...rows.openApprovals.flatMap((row) =>
      // An expired approval gives no authority, and upkeep closes it.
      row.expires_at.getTime() <= context.nowMs ? [] : (compareApproval(row, ledger, context) ?? []),
    ),
    ...approvedWithoutRow(rows, ledger).map((id) => {
      const [name, state] = [nameOf('The approval', id), context.closed.get(id)];
      return state === undefined
        ? authorityFinding('approval-missing', `${name} is approved in the log, and its row is missing.`)
        : authorityFinding('approval-altered', `${name} is ${state}, and no record in the log says so.`);
    }),
  ];
}

/** Every difference between the rows and the log. */
export function compareAuthority(rows: AuthorityRows, ledger: Ledger, context: ApprovalContext): Finding[] {
  return [
    ...compareKeys(rows, ledger),
    ...compareSessions(rows, ledger, context.nowMs),
    ...compareAgents(rows, ledger),
    ...compareHalt(rows, ledger),
    ...compareApprovals(rows, ledger, context),
    ...comparePolicy(rows, ledger),
  ];
}
