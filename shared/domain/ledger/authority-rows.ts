// The queries of the audit of authority: its records in the log and in the inbox, and the rows that give authority now.
import { leafOf, proofOf } from '../../platform/db/leaf-sql.ts';
import { waitingIds } from './inbox.ts';
import type { Sql } from '../../platform/db/database.ts';
import type { OwnerColumns } from '../../kernel/owner.ts';
import type { SealedValues } from '../../platform/db/seals/tables.ts';
import { otherLeafHash } from '../../core/proof/audit-tree.ts';
import { unpackRecord } from '../../core/decision/packed-record.ts';
import { sealRecord } from '../../core/proof/record.ts';
import { AUTHORITY_EVENTS, type AuthorityRecord } from './authority.ts';

// The events are literals in the text, because only then the planner can use the partial index leaf_of_authority.
const EVENTS = AUTHORITY_EVENTS.map((event) => `'${event}'`).join(', ');

/** One snapshot for the whole comparison. Must be the first statement of the transaction. */
export const ONE_MOMENT = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY';
const PAGE = 2_000;
const LOGGED = `SELECT leaf.leaf_index::float8 AS leaf_index, leaf.proof_id, leaf.event, leaf.occurred_at, encode(leaf.previous_hash, 'hex') AS previous_hash, leaf.leaf_hash, found.record
    FROM (SELECT * FROM leaf WHERE log_id = $1 AND leaf_index >= $2 AND event IN (${EVENTS}) ORDER BY log_id, leaf_index LIMIT ${PAGE}) AS leaf
    LEFT JOIN LATERAL (
      SELECT record FROM record WHERE organisation_id = (SELECT organisation_id FROM log WHERE log_id = $1) AND environment = (SELECT environment FROM log WHERE log_id = $1)
        AND proof_id >= leaf.proof_id AND proof_id <= leaf.proof_id ORDER BY organisation_id, environment, proof_id LIMIT 1
    ) AS found ON true
    ORDER BY leaf.leaf_index`;
const WAITING = `SELECT found.event, found.occurred_at, found.record
    FROM log_inbox AS waiting CROSS JOIN LATERAL (
      SELECT event, occurred_at, record FROM record WHERE organisation_id = $1 AND environment = $2
        AND proof_id >= waiting.source_id AND proof_id <= waiting.source_id ORDER BY organisation_id, environment, proof_id LIMIT 1
    ) AS found
    WHERE waiting.organisation_id = $1 AND waiting.environment = $2 AND waiting.source = 'record' AND found.event IN (${EVENTS})
    ORDER BY waiting.seq`;
const LOGS =
  'SELECT log_id, size::float8 AS size FROM log WHERE organisation_id = $1 AND environment = $2 ORDER BY generation';
const KEYS = `SELECT key_id, name, scopes, agent_ids, keeps_obligations, tags, tier, created_by, expires_at, revoked_at, replaced_by FROM api_key
    WHERE organisation_id = $1 AND environment = $2`;
const AGENTS =
  'SELECT agent_id, status, capabilities, tags, attributes FROM agent WHERE organisation_id = $1 AND environment = $2';
const SESSIONS = `SELECT encode(token_hash, 'hex') AS session_id, session.key_id, session.expires_at, session.environment FROM dashboard_session AS session
    JOIN api_key ON api_key.key_id = session.key_id WHERE organisation_id = $1 AND api_key.environment = $2`;
const HALT = 'SELECT key_id, reason FROM halt WHERE organisation_id = $1 AND environment = $2 AND lifted_at IS NULL';
const POLICY =
  'SELECT coalesce(own.active_digest, state.active_digest) AS active_digest FROM policy_state AS state LEFT JOIN organisation_policy AS own ON own.organisation_id = $1';
// One look-up by key for each row, as in the other statements of the audit: a join would read all leaves of the log.
const OPEN_APPROVALS = `SELECT approval.approval_id, approval.state, approval.agent_id, approval.key_id, approval.digest, approval.decision_id, approval.expires_at,
      approval.decided_by, approval.reason, approval.approvers, opening.record, approval.votes, EXISTS (SELECT FROM ${leafOf('$1', '$2', 'opening.proof_id')} AS logged) AS is_logged
    FROM approval
    LEFT JOIN LATERAL (
      SELECT record, ${proofOf('decision')} AS proof_id FROM decision WHERE organisation_id = $1 AND environment = $2
        AND decision_id >= approval.decision_id AND decision_id <= approval.decision_id ORDER BY organisation_id, environment, decision_id LIMIT 1
    ) AS opening ON true
    WHERE approval.organisation_id = $1 AND approval.environment = $2 AND approval.state IN ('pending', 'approved')`;
const APPROVAL_STATES =
  'SELECT approval_id, state FROM approval WHERE organisation_id = $1 AND environment = $2 AND approval_id = ANY ($3::text[])';
const WAITING_DECISIONS = `SELECT id AS source_id FROM log_inbox CROSS JOIN unnest(${waitingIds('log_inbox')}) AS id
    WHERE organisation_id = $1 AND environment = $2 AND source = 'decision' AND id = ANY ($3::text[])`;

/** Without the secret and the organisation. */
export type KeyRow = Pick<
  SealedValues<'api_key'>,
  | 'key_id'
  | 'name'
  | 'scopes'
  | 'agent_ids'
  | 'keeps_obligations'
  | 'tags'
  | 'tier'
  | 'created_by'
  | 'expires_at'
  | 'revoked_at'
  | 'replaced_by'
>;
export type AgentRow = Pick<SealedValues<'agent'>, 'agent_id' | 'status' | 'capabilities' | 'tags' | 'attributes'>;
export type SessionRow = Pick<SealedValues<'dashboard_session'>, 'key_id' | 'expires_at' | 'environment'> & {
  session_id: string;
};
export type HaltRow = Pick<SealedValues<'halt'>, 'key_id' | 'reason'>;
export interface ApprovalRow {
  approval_id: string;
  state: string;
  agent_id: string;
  key_id: string;
  digest: string;
  decision_id: string;
  expires_at: Date;
  decided_by: string | null;
  reason: string | null;
  /** JSON; null: any admin key may approve. */
  approvers: string | null;
  /** JSON; null: none. */
  votes: string | null;
  /** Record of the decision that opened it, up to its previousHash; null: there is none. */
  record: Buffer | null;
  is_logged: boolean;
}

export interface AuthorityRows {
  readonly keys: readonly KeyRow[];
  readonly agents: readonly AgentRow[];
  readonly sessions: readonly SessionRow[];
  readonly halt: HaltRow | undefined;
  readonly activeDigest: string | null;
  readonly openApprovals: readonly ApprovalRow[];
}

export async function readAuthorityRows(sql: Sql, owner: OwnerColumns): Promise<AuthorityRows> {
  const [halt] = await sql.query<HaltRow>(HALT, owner);
  const [policy] = await sql.query<{ active_digest: string | null }>(POLICY, [owner[0]]);
  return {
    keys: await sql.query<KeyRow>(KEYS, owner),
    agents: await sql.query<AgentRow>(AGENTS, owner),
    sessions: await sql.query<SessionRow>(SESSIONS, owner),
    halt,
    activeDigest: policy?.active_digest ?? null,
    openApprovals: await sql.query<ApprovalRow>(OPEN_APPROVALS, owner),
  };
}

/** The states of these approvals that have a row. */
export async function readApprovalStates(
  sql: Sql,
  owner: OwnerColumns,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await sql.query<{ approval_id: string; state: string }>(APPROVAL_STATES, [...owner, ids]);
  return new Map(rows.map((row) => [row.approval_id, row.state]));
}

/** The decisions among these that are in the inbox of the log. */
export async function readWaitingDecisions(
  sql: Sql,
  owner: OwnerColumns,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  return new Set(
    (await sql.query<{ source_id: string }>(WAITING_DECISIONS, [...owner, ids])).map((row) => row.source_id),
  );
}

/** Generations of a log, oldest first. */
export async function readLogs(sql: Sql, owner: OwnerColumns): Promise<{ logId: number; size: number }[]> {
  const rows = await sql.query<{ log_id: number; size: number }>(LOGS, owner);
  return rows.map(({ log_id: logId, size }) => ({ logId, size }));
}

/** A leaf of authority. Its record is undefined when the bytes are not those that were hashed. */
export interface LoggedAuthority {
  readonly index: number;
  readonly proofId: string;
  readonly record: AuthorityRecord | undefined;
}

/** The next leaves of authority from an index on; a page that is not full is the last. */
export async function readLogged(
  sql: Sql,
  logId: number,
  from: number,
): Promise<{ leaves: LoggedAuthority[]; isLast: boolean }> {
  const rows = await sql.query<{
    leaf_index: number;
    proof_id: string;
    event: string;
    occurred_at: Date;
    previous_hash: string;
    leaf_hash: Buffer;
    record: Buffer | null;
  }>(LOGGED, [logId, from]);
  const leaves = rows.map(
    ({ leaf_index: index, proof_id: proofId, event, occurred_at, previous_hash, leaf_hash, record }) => {
      const isHashed = record !== null && otherLeafHash(sealRecord(record, previous_hash).bytes).equals(leaf_hash);
      return { index, proofId, record: isHashed ? recordOf(event, occurred_at, record) : undefined };
    },
  );
  return { leaves, isLast: rows.length < PAGE };
}

/** Records of authority in the inbox of the log, in order. */
export async function readWaiting(sql: Sql, owner: OwnerColumns): Promise<AuthorityRecord[]> {
  const rows = await sql.query<{ event: string; occurred_at: Date; record: Buffer }>(WAITING, owner);
  return rows.flatMap(({ event, occurred_at, record }) => recordOf(event, occurred_at, record) ?? []);
}

/** Uses the event and time of the record itself. A column that differs is a finding of its leaf. */
function recordOf(event: string, occurredAt: Date, prefix: Buffer): AuthorityRecord | undefined {
  const value = parse(`${prefix.toString('utf8')}}`) as
    | { eventType?: string; occurredAt?: string; payload?: { body?: unknown } }
    | undefined;
  if (value === undefined) return undefined;
  return {
    event: value.eventType ?? event,
    occurredAt: value.occurredAt ?? occurredAt.toISOString(),
    body: value.payload?.body,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The approval that a decision opened. @param record as stored */
export function openingOf(record: Buffer): {
  approvalId: unknown;
  expiresAt: unknown;
  agentId: unknown;
  keyId: unknown;
  /** JSON; null: none. */
  approvers: string | null;
} {
  type Opened = { approval_id?: unknown; expires_at?: unknown; approvers?: unknown };
  type Body = { approval?: Opened; agent_id?: unknown; key_id?: unknown };
  const value = parse(`${unpackRecord(record).toString('utf8')}}`) as { payload?: { body?: Body } } | undefined;
  const body = value?.payload?.body ?? {};
  return {
    approvalId: body.approval?.approval_id,
    expiresAt: body.approval?.expires_at,
    agentId: body.agent_id,
    keyId: body.key_id,
    approvers: body.approval?.approvers === undefined ? null : JSON.stringify(body.approval.approvers),
  };
}

/** The keys that voted, of the column of votes. A text that the service did not write equals no recorded votes. */
export function votersIn(votes: string | null): unknown[] {
  const parsed = votes === null ? [] : parse(votes);
  return Array.isArray(parsed) ? parsed.map((vote: { readonly by?: unknown } | null) => vote?.by) : [votes];
}
