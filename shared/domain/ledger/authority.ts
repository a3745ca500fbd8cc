// Derives the authority of keys, agents, sessions, halts and approvals from the records of the log alone. Pure.
import type { Finding, FindingKind } from '../../core/proof/audit-findings.ts';
import { canonicalize } from '../../core/proof/canonical.ts';
import { quoted } from '../../core/proof/encoding.ts';

/** Events of records that give or revoke authority. The index leaf_of_authority has the same list. */
export const AUTHORITY_EVENTS = [
  'custos.key',
  'custos.halt',
  'custos.policy_set',
  'custos.agent',
  'custos.session',
  'custos.approval',
] as const;

export type SubjectKind = 'key' | 'agent' | 'session' | 'halt' | 'policy' | 'approval';

/** The content that a row must have, as JSON; null: there must be no row. */
type Value = string | null;
export type Subjects = Readonly<Record<SubjectKind, Map<string, Value>>>;

export interface AuthorityRecord {
  readonly event: string;
  /** RFC 3339. */
  readonly occurredAt: string;
  readonly body: unknown;
}

export function noSubjects(): Subjects {
  const none = (): Map<string, Value> => new Map();
  return { key: none(), agent: none(), session: none(), halt: none(), policy: none(), approval: none() };
}

/** The authority by the records in the log, overridden by those in the inbox. */
export interface Ledger {
  get(kind: SubjectKind, id: string): Value | undefined;
  /** All ids that must have a row. */
  present(kind: SubjectKind): string[];
}

export function ledgerOf(logged: Subjects, waiting: Subjects): Ledger {
  const get = (kind: SubjectKind, id: string): Value | undefined =>
    waiting[kind].has(id) ? waiting[kind].get(id) : logged[kind].get(id);
  return {
    get,
    present(kind) {
      const ids = new Set([...logged[kind].keys(), ...waiting[kind].keys()]);
      return [...ids].filter((id) => get(kind, id) !== null);
    },
  };
}

export type ApprovalRecordState = 'pending' | 'approved' | 'rejected' | 'expired' | 'used';

/** An approval according to its records. */
export interface RecordedApproval {
  readonly state: ApprovalRecordState;
  readonly decisionId: string;
  readonly digest: string;
  /** Who approved or rejected it, and the reason given; null: undecided. */
  readonly by: string | null;
  readonly reason: string | null;
  /** The keys that approved, in order; several only where the rules name approvers. */
  readonly votes: readonly string[];
  readonly usedBy: string | null;
  readonly usedDecisionId: string | null;
  readonly atMs: number;
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
  // Any member of an object may be read.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The content of a row of api_key. */
export interface KeyPower {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly agentIds: readonly string[] | null;
  readonly keepsObligations: readonly string[];
  readonly tags: readonly string[];
  readonly tier: number;
  /** RFC 3339. */
  readonly expiresAt: string | null;
  readonly replacedBy: string | null;
  readonly createdBy: string | null;
}
export const keyValue = (power: KeyPower): string => {
  const { name, scopes, agentIds, keepsObligations, tags, tier, expiresAt, replacedBy, createdBy } = power;
  return JSON.stringify({ name, scopes, agentIds, keepsObligations, tags, tier, expiresAt, replacedBy, createdBy });
};
/** The value of a revoked key, whose other content does not matter. */
export const REVOKED = 'revoked';

/** The content of a row of agent; attributes as JCS, null: none. */
export interface AgentPower {
  readonly status: string;
  readonly capabilities: readonly string[];
  readonly tags: readonly string[];
  readonly attributes: string | null;
}
export const agentValue = ({ status, capabilities, tags, attributes }: AgentPower): string =>
  JSON.stringify({ status, capabilities, tags, attributes });
/** @param environment in which the session acts; null: that of its key */
export const sessionValue = (keyId: string, expiresAt: string, environment: string | null): string =>
  JSON.stringify({ keyId, expiresAt, environment });
export const haltValue = (keyId: string, reason: string): string => JSON.stringify({ keyId, reason });

function openedSession({ keyId, expiresAt, environment }: Readonly<Record<string, unknown>>): string {
  return sessionValue(String(keyId), String(expiresAt), typeof environment === 'string' ? environment : null);
}

/** The id of subjects of which a log has only one. */
export const ONLY = '';

/** Applies one more record, in the order of the log. */
export function takeRecord(subjects: Subjects, ledger: Pick<Ledger, 'get'>, record: AuthorityRecord): void {
  const body = membersOf(record.body);
  const { change } = body;
  const put = (kind: SubjectKind, id: unknown, value: Value): void => {
    if (typeof id === 'string') subjects[kind].set(id, value);
  };
  switch (record.event) {
    case 'custos.key':
      put('key', body['keyId'], keyAfter(body, ledger));
      break;
    case 'custos.agent':
      put(
        'agent',
        body['agentId'],
        agentValue({
          status: String(body['status']),
          capabilities: listOf(body['capabilities']),
          tags: listOf(body['tags']),
          // Absent in records of versions before attributes, and of agents without any.
          attributes: body['attributes'] === undefined ? null : canonicalize(body['attributes']),
        }),
      );
      break;
    case 'custos.session':
      put('session', body['sessionId'], change === 'opened' ? openedSession(body) : null);
      break;
    case 'custos.halt':
      put('halt', ONLY, change === 'halted' ? haltValue(String(body['keyId']), String(body['reason'])) : null);
      break;
    case 'custos.policy_set':
      // Refused folders and proposals change nothing.
      if (change === 'activated' || change === 'in_force') put('policy', ONLY, textOf(body['digest']));
      break;
    case 'custos.approval':
      put('approval', body['approvalId'], JSON.stringify(approvalAfter(body, record.occurredAt, ledger)));
      break;
  }
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function keyAfter(body: Members, ledger: Pick<Ledger, 'get'>): string {
  const before = ledger.get('key', String(body['keyId']));
  if (body['change'] === 'revoked' || before === REVOKED) return REVOKED;
  const createdBy =
    body['change'] === 'created' ? textOf(body['by']) : textOf(membersOf(JSON.parse(before ?? '{}'))['createdBy']);
  return keyValue({
    name: String(body['name']),
    scopes: listOf(body['scopes']),
    agentIds: body['agentIds'] === null ? null : listOf(body['agentIds']),
    keepsObligations: listOf(body['keepsObligations']),
    tags: listOf(body['tags']),
    tier: Number(body['tier']),
    expiresAt: textOf(body['expiresAt']),
    replacedBy: textOf(body['replacedBy']),
    createdBy,
  });
}

function approvalAfter(body: Members, occurredAt: string, ledger: Pick<Ledger, 'get'>): RecordedApproval {
  const before = approvalOf(ledger.get('approval', String(body['approvalId'])));
  const state = body['state'] as ApprovalRecordState;
  const isDecided = state === 'approved' || state === 'rejected';
  const isVote = state === 'pending' || state === 'approved';
  const votes = before?.votes ?? [];
  return {
    state,
    decisionId: String(body['decisionId']),
    digest: String(body['digest']),
    by: isDecided ? textOf(body['by']) : (before?.by ?? null),
    reason: isDecided ? textOf(body['reason']) : (before?.reason ?? null),
    votes: isVote ? [...votes, String(body['by'])] : votes,
    usedBy: state === 'used' ? textOf(body['by']) : null,
    usedDecisionId: textOf(body['usedDecisionId']),
    atMs: Date.parse(occurredAt),
  };
}

export function approvalOf(value: Value | undefined): RecordedApproval | undefined {
  // Written by takeRecord alone.
  return value === undefined || value === null ? undefined : (JSON.parse(value) as RecordedApproval);
}

/** Drops expired sessions, and approvals that were closed longer ago than the longest lifetime of an approval. */
export function forgetOver(subjects: Subjects, nowMs: number, approvalMs: number): void {
  for (const [id, value] of subjects.session) {
    const expiresAt = value === null ? undefined : textOf(membersOf(JSON.parse(value))['expiresAt']);
    if (typeof expiresAt !== 'string' || Date.parse(expiresAt) <= nowMs) subjects.session.delete(id);
  }
  for (const [id, value] of subjects.approval) {
    const approval = approvalOf(value);
    if (approval !== undefined && approval.state !== 'approved' && approval.atMs < nowMs - approvalMs)
      subjects.approval.delete(id);
  }
}

/** A finding of authority, which belongs to no leaf. */
export function authorityFinding(kind: FindingKind, sentence: string): Finding {
  return { kind, leafIndex: null, proofId: null, sentence };
}

/** The members in which two JSON texts differ, for a sentence. */
export function differingMembers(stored: string, recorded: string): string {
  const [a, b] = [membersOf(JSON.parse(stored)), membersOf(JSON.parse(recorded))];
  return Object.keys(b)
    .filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]))
    .join(', ');
}

export const nameOf = (what: string, id: string): string => `${what} ${quoted(id)}`;
