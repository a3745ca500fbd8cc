// The examples of the OpenAPI document: a request for each operation with a body, and the answer of a new service.
import {
  DIGEST,
  acceptedProof,
  AGENT,
  RESOURCE,
  ALLOWED,
  AT,
  newKey,
  nightPolicy,
  PARSE,
  RECEIPT,
  WEBHOOK,
  webhookBody,
} from './example-answers.ts';
import { READ_EXAMPLES } from './read-examples.ts';
import type { Route } from '../route.ts';

export interface Example {
  readonly request: unknown;
  /** Absent where the answer is long and its schema is enough. */
  readonly answer?: { readonly status: number; readonly body: unknown };
}

const answered = (request: unknown, status: number, body: unknown): Example => ({ request, answer: { status, body } });

const READ = { intent: 'data.read.user_profile', agent_id: 'agent-7' };
const REASON = { reason: 'Ticket OPS-7, backup verified' };
const HALT = { reason: 'Runaway agent, incident 42' };
const nights = (before: unknown): string => JSON.stringify(nightPolicy(before));
const FINDING = {
  file: 'nights.json',
  line: 1,
  column: 241,
  pointer: '/rules/0/conditions/all/0/value',
  code: 'BAD_VALUE',
  message: 'must be a number',
};

/** An evaluation as AuthZEN defines it. */
const EVALUATION = {
  subject: { type: 'user', id: 'alice' },
  action: { name: 'can_read' },
  resource: { type: 'record', id: 'record-1' },
};

/** By method and path. Ids, times, digests and signatures differ each time. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  'POST /v1/intent': answered({ agent_id: 'agent-7', raw_intent: 'Read user profile data' }, 200, PARSE),
  'POST /v1/enforce': answered(READ, 200, ALLOWED),
  'POST /v1/enforce/batch': {
    request: { requests: [READ, { intent: 'delete:db/production/users', agent_id: 'agent-7' }] },
  },
  'POST /v1/intents': answered({ agentId: 'agent-7', action: 'read', resource: 'db/customers/*' }, 202, {
    intentId: 'int_01jq3k5v7w9x1y3z5b7d9f1h3p',
    status: 'queued',
  }),
  'POST /v1/approvals/{id}/approve': { request: REASON },
  'POST /v1/approvals/{id}/reject': { request: REASON },
  'POST /v1/decisions/{id}/outcome': answered(
    { outcome: 'not_carried_out', detail: 'The tool server refused it' },
    200,
    {
      decisionId: 'dec_01jq3k5v7w9x1y3z5b7d9f1h3p',
      outcome: 'not_carried_out',
      detail: 'The tool server refused it',
      reportedAt: AT.now,
    },
  ),
  'POST /v1/proofs': answered(
    { event: 'invoice.approved', entityId: 'invoice-INV-7', payload: { invoice: 'INV-7', amount: 120 } },
    202,
    acceptedProof('prf_01jq3k5v7w9x1y3z5b7d9f1h3q'),
  ),
  'POST /v1/proofs/batch': answered(
    { proofs: [{ event: 'invoice.paid', entityId: 'invoice-INV-7', payload: { amount: 120 } }] },
    202,
    { proofs: [acceptedProof('prf_01jq3k5v7w9x1y3z5b7d9f1h3r')] },
  ),
  'POST /v1/proofs/verify': { request: RECEIPT },
  'POST /v1/agents': answered(
    { agentId: 'agent-7', name: 'Invoice agent', capabilities: ['invoicing'], tags: ['billing'] },
    201,
    AGENT,
  ),
  'PUT /v1/resources/{name}': answered({ class: 'confidential', owner: 'sales' }, 201, RESOURCE),
  'PATCH /v1/agents/{agentId}': answered({ tags: ['billing', 'night shift'] }, 200, {
    ...AGENT,
    tags: ['billing', 'night shift'],
  }),
  'POST /v1/trust/signals': answered(
    { signalId: 'run-2231/step-4', agentId: 'agent-7', type: 'success', source: 'ci' },
    202,
    { signalIds: ['run-2231/step-4'] },
  ),
  'POST /v1/auth/keys': answered(
    { name: 'billing gateway', scopes: ['intents:write'], expiresIn: '90d', agentIds: ['agent-7'], tags: ['finance'] },
    201,
    newKey('4fZ0q9Lm'),
  ),
  'POST /v1/auth/keys/{keyId}/rotate': answered({ overlap: '24h' }, 201, {
    ...newKey('7hB2s5Xw'),
    replaces: { keyId: '4fZ0q9Lm', expiresAt: AT.tomorrow },
  }),
  'POST /access/v1/evaluation': { request: EVALUATION },
  'POST /access/v1/evaluations': {
    request: {
      subject: EVALUATION.subject,
      action: EVALUATION.action,
      evaluations: [{ resource: { type: 'record', id: 'record-1' } }, { resource: { type: 'record', id: 'record-2' } }],
      options: { evaluations_semantic: 'deny_on_first_deny' },
    },
  },
  'POST /access/v1/search/subject': { request: { ...EVALUATION, subject: { type: 'user' }, page: { limit: 50 } } },
  'POST /access/v1/search/resource': {
    request: { subject: EVALUATION.subject, action: EVALUATION.action, resource: { type: 'record' } },
  },
  'POST /access/v1/search/action': { request: { subject: EVALUATION.subject, resource: EVALUATION.resource } },
  'POST /v1/halt': answered(HALT, 200, {
    environment: 'live',
    halted: true,
    ...HALT,
    keyId: '4fZ0q9Lm',
    since: AT.now,
  }),
  'DELETE /v1/halt': answered({ reason: 'The agent is fixed, incident 42' }, 200, {
    environment: 'live',
    halted: false,
    reason: null,
    keyId: null,
    since: null,
  }),
  'POST /v1/webhooks': answered(WEBHOOK, 201, {
    ...webhookBody(WEBHOOK),
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  }),
  'PATCH /v1/webhooks/{webhookId}': answered({ enabled: false }, 200, {
    ...webhookBody(WEBHOOK),
    enabled: false,
    disabledReason: 'operator',
    disabledAt: AT.now,
  }),
  'POST /v1/webhooks/{webhookId}/rotate': { request: { overlap: '24h' } },
  'POST /v1/policies/approvals/{approvalId}/approve': { request: { reason: 'Ticket SEC-12, difference read' } },
  'POST /v1/policies/approvals/{approvalId}/reject': { request: { reason: 'The rule is too wide' } },
  'POST /v1/policies/rollback': { request: { digest: DIGEST, reason: 'Incident 42: the new rule denies too much' } },
  'POST /v1/policies/replay': {
    request: { since: '7d', files: [{ path: 'nights.json', text: nights(6) }] },
  },
  'POST /v1/policies/validate': answered({ files: [{ path: 'nights.json', text: nights('six') }] }, 200, {
    valid: false,
    digest: null,
    findings: [FINDING],
  }),
  'POST /v1/policies': {
    request: {
      files: [{ path: 'nights.json', text: nights(6) }],
      reason: 'Ticket SEC-12: nobody works at night',
    },
  },
  'POST /v1/policies/follow-folder': { request: { reason: 'The change is in the folder now' } },
  'DELETE /v1/policies': { request: { reason: 'The installation refuses the same now' } },
  'POST /v1/policies/promote': { request: { digest: DIGEST, reason: 'A week without a complaint at acme' } },
  'DELETE /v1/policies/stages/{digest}': { request: { reason: 'It refused the nightly backup' } },
};

type Operation = Pick<Route, 'method' | 'path'>;
const exampleOf = ({ method, path }: Operation): Example | undefined => EXAMPLES[`${method} ${path}`];

function readExample({ method, path }: Operation): Example['answer'] {
  const body = READ_EXAMPLES[`${method} ${path}`];
  return body === undefined ? undefined : { status: 200, body };
}

/** The member `example` of a request's content: reference pages pre-fill requests with it. */
export function requestExample(operation: Operation): { readonly example?: unknown } {
  const found = exampleOf(operation);
  return found === undefined ? {} : { example: found.request };
}

/** The member `example` of an answer's content. */
export function answerExample(operation: Operation, status: string): { readonly example?: unknown } {
  const answer = exampleOf(operation)?.answer ?? readExample(operation);
  return answer?.status === Number(status) ? { example: answer.body } : {};
}
