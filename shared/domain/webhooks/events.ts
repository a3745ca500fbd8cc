// The events of webhooks, made from the records of a log. They hold ids, verdicts and levels, never texts or arguments. Pure.
import { createHash } from 'node:crypto';
import type { Owner } from '../../kernel/owner.ts';
import type { WebhookEventType } from '../../kernel/webhook-events.ts';

/** A leaf of a log, with the body of its record. */
export interface LoggedEvent {
  readonly index: number;
  readonly proofId: string;
  readonly event: string;
  readonly entityId: string;
  readonly occurredAt: Date;
  readonly body: Body;
}

/** Members of a body. Each kind of record has some of them; only what this service wrote is read here. */
type Body = Readonly<Record<string, unknown>>;

/** What records do not say about themselves. */
export interface Surroundings {
  /** The submitted intent that a decision ended, by the decision's id. */
  readonly intents: ReadonlyMap<string, { readonly intentId: string; readonly status: string }>;
  /** Decisions that opened their approval; others name one that was open already. */
  readonly openings: ReadonlySet<string>;
  /** An agent's level before the fold of a trust record, by the record's proof id. */
  readonly levels: ReadonlyMap<string, number>;
}

export interface WebhookEvent {
  readonly type: WebhookEventType;
  readonly messageId: string;
  readonly subject: string;
  /** JSON of `{type, timestamp, data}`. */
  readonly payload: string;
  /** For filters: members of a `decision.made`. */
  readonly verdict?: string;
  readonly agentId?: string;
}

/** Event names of the records from which each type is made; null: every record of a caller. */
export const SOURCES: Readonly<Record<WebhookEventType, string | null>> = {
  'decision.made': 'custos.decision',
  'approval.opened': 'custos.decision',
  'approval.decided': 'custos.approval',
  'intent.decided': 'custos.decision',
  'trust.level_changed': 'custos.trust',
  'proof.anchored': null,
  'policy.activated': 'custos.policy_set',
  'policy.refused': 'custos.policy_set',
  'key.created': 'custos.key',
  'key.revoked': 'custos.key',
  // From triggers of the tables log and audit.
  'log.halted': '',
  'audit.failed': '',
};

/** The id of a message: the same however often it is made or sent, and for every endpoint. */
function messageIdOf({ organisationId, environment }: Owner, type: string, proofId: string): string {
  const text = JSON.stringify([organisationId, environment, type, proofId]);
  return `msg_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

type Made = readonly [type: WebhookEventType, data: Body];

function ofDecision({ proofId, body }: LoggedEvent, { intents, openings }: Surroundings): Made[] {
  const { decision_id: decisionId, agent_id: agentId, key_id: keyId, verdict, allowed } = body;
  const { evaluated_at: evaluatedAt, request_id: requestId } = body;
  const approval = body['approval'] as
    | { readonly approval_id: string; readonly expires_at: string; readonly approvers?: unknown }
    | undefined;
  const policySet = (body['policy_set'] as Body)['digest'];
  const approvalId = approval?.approval_id;
  const made: Made[] = [
    [
      'decision.made',
      { decisionId, proofId, agentId, keyId, verdict, allowed, approvalId, policySet, requestId, evaluatedAt },
    ],
  ];
  const intent = intents.get(String(decisionId));
  if (approval !== undefined && openings.has(String(decisionId)))
    made.push([
      'approval.opened',
      { approvalId, decisionId, agentId, keyId, expiresAt: approval.expires_at, approvers: approval.approvers },
    ]);
  if (intent !== undefined) made.push(['intent.decided', { ...intent, decisionId, agentId, keyId, verdict, allowed }]);
  return made;
}

/** States of an approval that end the waiting for it. Its use is a decision. */
const DECIDED = ['approved', 'rejected', 'expired'];

function ofRecord(leaf: LoggedEvent, around: Surroundings): Made[] {
  const { event, proofId, entityId, body, occurredAt } = leaf;
  switch (event) {
    case 'custos.decision':
      return ofDecision(leaf, around);
    case 'custos.approval': {
      const { approvalId, decisionId, intentId, state, by } = body;
      if (!DECIDED.includes(String(state))) return [];
      return [['approval.decided', { approvalId, decisionId, intentId, agentId: entityId, state, by, proofId }]];
    }
    case 'custos.trust': {
      const previousLevel = around.levels.get(proofId);
      const { level, score } = body;
      if (previousLevel === undefined || previousLevel === level) return [];
      return [['trust.level_changed', { agentId: entityId, level, previousLevel, score, proofId }]];
    }
    case 'custos.policy_set': {
      const { change, digest, previousDigest, findings, author, source, approver } = body;
      if (change === 'activated')
        return [['policy.activated', { digest, previousDigest, author, source, approver, proofId }]];
      if (change !== 'refused') return [];
      return [['policy.refused', { findings: Array.isArray(findings) ? findings.length : 0, proofId }]];
    }
    case 'custos.key': {
      const { change, keyId, by, replacedBy, expiresAt } = body;
      if (change === 'created') return [['key.created', { keyId, by, expiresAt, proofId }]];
      // A replaced key is valid until its overlap ends.
      const hasEnded = change === 'replaced' && Date.parse(String(expiresAt)) <= occurredAt.getTime();
      return change === 'revoked' || hasEnded ? [['key.revoked', { keyId, by, replacedBy, proofId }]] : [];
    }
    default:
      return event.startsWith('custos.') ? [] : [['proof.anchored', { proofId, entityId, event, index: leaf.index }]];
  }
}

/** The events of one leaf. All have its entity as their subject. */
export function eventsOf(owner: Owner, leaf: LoggedEvent, around: Surroundings): WebhookEvent[] {
  return ofRecord(leaf, around).map(([type, data]) => ({
    type,
    messageId: messageIdOf(owner, type, leaf.proofId),
    subject: leaf.entityId,
    payload: JSON.stringify({ type, timestamp: leaf.occurredAt.toISOString(), data }),
    ...(type === 'decision.made' ? { verdict: String(data['verdict']), agentId: leaf.entityId } : {}),
  }));
}
