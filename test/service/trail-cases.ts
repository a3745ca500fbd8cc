// One request for each route of the dashboard that changes something, with the change that the operator trail must show.
import type { RecordedChange } from '../../shared/kernel/recorded-change.ts';
import { newId } from '../../shared/kernel/ids.ts';
import type { Signed } from '../support/dashboard.ts';
import { approve } from '../support/escalations.ts';
import type { Service } from '../support/service.ts';

/** What earlier requests made, by name. */
type Made = Record<string, string>;

interface TrailCase {
  readonly path: string;
  readonly body?: object;
  /** Absent: the request changed nothing. */
  readonly change?: Omit<RecordedChange, 'id'> & { readonly id?: string };
  /** Keeps an id of the answer for later cases; such a member is the id of the change, too, when that names none. */
  readonly keep?: readonly [name: string, member: string];
}

type CaseOf = (made: Made) => TrailCase | Promise<TrailCase>;

const AGENT = '/v1/agents/trail-agent';
const QUESTION = { agent_id: 'trail-agent', intent: 'data.read.user_profile' };
const EVALUATION = {
  subject: { type: 'agent', id: 'trail' },
  action: { name: 'read' },
  resource: { type: 'file', id: 'x' },
};
const HOOK = { url: 'https://example.com/hook', events: ['decision.made'] };
const one = (subject: string, id?: string) => ({
  subject,
  ...(id === undefined ? {} : { id }),
  fields: [{ name: 'stored', to: '1' }],
});
const signal = (signalId: string) => ({ signalId, agentId: 'trail-agent', type: 'success' });
const proof = (proofId: string) => ({ proofId, event: 'e', entityId: 'trail-agent', payload: {} });

/** By method and path below /dashboard/api, in the order in which they are sent. */
export function trailCases(service: Service, signed: Signed): ReadonlyMap<string, CaseOf> {
  const asking = service.client();
  const escalated = async (): Promise<string> => {
    const tool = { server: 'unknown', name: 'run', arguments: {} };
    const body = { agent_id: newId('agt', service.nowMs()), tool };
    const { json } = await (await asking).post('/v1/enforce', body);
    return json.approval.approval_id;
  };
  const dead = async (): Promise<string> => {
    const [row] = await service.rows<{ id: string }>(
      `INSERT INTO dead_job (organisation_id, environment, queue, name, payload, error, failed_at)
       VALUES ($1, 'live', 'intents', 'evaluate', '{"v":1}', 'Error: x', now()) RETURNING dead_job_id::text AS id`,
      [service.operatorId],
    );
    return row?.id ?? '';
  };
  const decided = (word: string, from: 'pending' | 'approved', to: string): CaseOf => {
    return async () => {
      const id = await escalated();
      if (from === 'approved') await approve(service.admin, id);
      const fields = [{ name: 'state', from, to }];
      return {
        path: `/v1/approvals/${id}/${word}`,
        body: { reason: 'OPS-7' },
        change: { subject: 'approval', id, fields, reason: 'OPS-7' },
      };
    };
  };
  const resolved = (word: string, state: string, reason: string): CaseOf => {
    return async () => {
      const id = await dead();
      const fields = [{ name: 'state', from: 'dead', to: state }];
      return {
        path: `/dead-jobs/${id}/${word}`,
        body: { reason },
        change: { subject: 'dead job', id, fields, reason },
      };
    };
  };
  const halted = (from: string, to: string) => ({
    subject: 'environment',
    id: 'live',
    fields: [{ name: 'halted', from, to }],
  });
  return new Map<string, CaseOf>([
    [
      'POST /v1/agents',
      () => ({
        path: '/v1/agents',
        body: { agentId: 'trail-agent', name: 'Trail', tags: ['blue', 'red'] },
        change: {
          subject: 'agent',
          id: 'trail-agent',
          fields: [
            { name: 'name', to: 'Trail' },
            { name: 'status', to: 'ACTIVE' },
            { name: 'tags', to: 'blue, red' },
          ],
        },
      }),
    ],
    [
      'PATCH /v1/agents/{agentId}',
      () => ({
        path: AGENT,
        body: { status: 'PAUSED', reason: 'incident 42', tags: [] },
        change: {
          subject: 'agent',
          id: 'trail-agent',
          fields: [
            { name: 'status', from: 'ACTIVE', to: 'PAUSED' },
            { name: 'tags', from: 'blue, red' },
          ],
          reason: 'incident 42',
        },
      }),
    ],
    [
      'DELETE /v1/agents/{agentId}',
      () => ({
        path: AGENT,
        change: {
          subject: 'agent',
          id: 'trail-agent',
          fields: [{ name: 'status', from: 'PAUSED', to: 'TERMINATED' }],
        },
      }),
    ],
    [
      'POST /v1/auth/keys',
      () => ({
        path: '/v1/auth/keys',
        body: { name: 'ci', scopes: ['agents:read', 'proofs:read'] },
        keep: ['key', 'keyId'],
        change: {
          subject: 'key',
          fields: [
            { name: 'name', to: 'ci' },
            { name: 'scopes', to: 'agents:read, proofs:read' },
            { name: 'tier', to: '4' },
          ],
        },
      }),
    ],
    [
      'POST /v1/auth/keys/{keyId}/rotate',
      ({ key = '' }) => ({
        path: `/v1/auth/keys/${key}/rotate`,
        body: { overlap: '1h' },
        keep: ['key', 'keyId'],
        change: {
          subject: 'key',
          id: key,
          fields: [
            { name: 'expiresAt', to: '<time>' },
            { name: 'replacedBy', to: '<key>' },
          ],
        },
      }),
    ],
    [
      'DELETE /v1/auth/keys/{keyId}',
      ({ key = '' }) => ({
        path: `/v1/auth/keys/${key}`,
        change: { subject: 'key', id: key, fields: [{ name: 'revokedAt', to: '<time>' }] },
      }),
    ],
    [
      'POST /v1/webhooks',
      () => ({
        path: '/v1/webhooks',
        body: HOOK,
        keep: ['webhook', 'webhookId'],
        change: {
          subject: 'webhook',
          fields: [
            { name: 'url', to: HOOK.url },
            { name: 'events', to: 'decision.made' },
            { name: 'enabled', to: 'true' },
          ],
        },
      }),
    ],
    [
      'PATCH /v1/webhooks/{webhookId}',
      ({ webhook = '' }) => ({
        path: `/v1/webhooks/${webhook}`,
        body: { url: 'https://example.com/other' },
        change: {
          subject: 'webhook',
          id: webhook,
          fields: [{ name: 'url', from: HOOK.url, to: 'https://example.com/other' }],
        },
      }),
    ],
    [
      'POST /v1/webhooks/{webhookId}/rotate',
      ({ webhook = '' }) => ({
        path: `/v1/webhooks/${webhook}/rotate`,
        body: {},
        change: { subject: 'webhook', id: webhook, fields: [{ name: 'signing key', to: 'a new one' }] },
      }),
    ],
    [
      'POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay',
      async ({ webhook = '' }) => {
        await service.rows(
          `INSERT INTO webhook_delivery (endpoint_id, message_id, type, subject, payload, created_at, due_at)
           VALUES ($1, 'msg_trail', 'decision.made', 's', '{}', now(), now())`,
          [webhook],
        );
        return {
          path: `/v1/webhooks/${webhook}/deliveries/msg_trail/replay`,
          change: { subject: 'delivery', id: 'msg_trail', fields: [{ name: 'state', to: 'pending' }] },
        };
      },
    ],
    [
      'DELETE /v1/webhooks/{webhookId}',
      ({ webhook = '' }) => ({
        path: `/v1/webhooks/${webhook}`,
        change: {
          subject: 'webhook',
          id: webhook,
          fields: [
            { name: 'url', from: 'https://example.com/other' },
            { name: 'events', from: 'decision.made' },
            { name: 'enabled', from: 'true' },
          ],
        },
      }),
    ],
    ['POST /v1/approvals/{id}/approve', decided('approve', 'pending', 'approved')],
    ['POST /v1/approvals/{id}/reject', decided('reject', 'approved', 'rejected')],
    ['POST /dead-jobs/{id}/retry', resolved('retry', 'retried', 'the cause is mended')],
    ['POST /dead-jobs/{id}/discard', resolved('discard', 'discarded', 'not needed')],
    [
      'POST /v1/halt',
      () => ({ path: '/v1/halt', body: { reason: 'drill' }, change: { ...halted('false', 'true'), reason: 'drill' } }),
    ],
    [
      'DELETE /v1/halt',
      () => ({
        path: '/v1/halt',
        body: { reason: 'over' },
        change: { ...halted('true', 'false'), reason: 'over' },
      }),
    ],
    [
      'POST /v1/enforce',
      () => ({
        path: '/v1/enforce',
        body: QUESTION,
        change: one('decision', '<decision>'),
      }),
    ],
    // By an agent that nobody has paused or terminated.
    [
      'POST /v1/decisions/{id}/outcome',
      async () => {
        const permitted = await signed.send('POST', '/v1/enforce', { ...QUESTION, agent_id: 'another' });
        return {
          path: `/v1/decisions/${permitted.json.decision_id}/outcome`,
          body: { outcome: 'done' },
          change: { subject: 'decision', id: '<decision>', fields: [{ name: 'outcome', to: 'done' }] },
        };
      },
    ],
    [
      'PUT /v1/resources/{name}',
      () => ({
        path: '/v1/resources/db%2Ftrail',
        body: { class: 'internal' },
        change: { subject: 'resource', id: 'db/trail', fields: [{ name: 'class', to: 'internal' }] },
      }),
    ],
    [
      'DELETE /v1/resources/{name}',
      () => ({
        path: '/v1/resources/db%2Ftrail',
        change: { subject: 'resource', id: 'db/trail', fields: [{ name: 'class', from: 'internal' }] },
      }),
    ],
    [
      'POST /v1/enforce/batch',
      () => ({
        path: '/v1/enforce/batch',
        body: { requests: [{ ...QUESTION, dry_run: true }] },
      }),
    ],
    [
      'POST /v1/intent',
      () => ({
        path: '/v1/intent',
        body: { agent_id: 'trail-agent', raw_intent: 'read the profile' },
        keep: ['parse', 'intent_id'],
        change: one('parsed intent'),
      }),
    ],
    [
      'POST /v1/intents',
      () => ({
        path: '/v1/intents',
        body: { agentId: 'trail-agent', action: 'read', resource: 'file/x' },
        keep: ['intent', 'intentId'],
        change: one('intent'),
      }),
    ],
    [
      'POST /access/v1/evaluation',
      () => ({
        path: '/access/v1/evaluation',
        body: EVALUATION,
        change: one('decision', '<decision>'),
      }),
    ],
    [
      'POST /access/v1/evaluations',
      () => ({
        path: '/access/v1/evaluations',
        body: { ...EVALUATION, evaluations: [{}] },
        change: one('decision', '<decision>'),
      }),
    ],
    [
      'POST /v1/trust/signals',
      () => ({
        path: '/v1/trust/signals',
        body: { signals: ['s1', 's2', 's3', 's4'].map(signal) },
        change: { subject: 'trust signal', id: 's1, s2, s3 and 1 more', fields: [{ name: 'stored', to: '4' }] },
      }),
    ],
    ['POST /v1/proofs', () => ({ path: '/v1/proofs', body: proof('p1'), change: one('proof', 'p1') })],
    [
      'POST /v1/proofs/batch',
      () => ({ path: '/v1/proofs/batch', body: { proofs: [proof('p2')] }, change: one('proof', 'p2') }),
    ],
    // Few decisions are replayed at once, and nothing is stored.
    [
      'POST /v1/policies/replay',
      async () => {
        const { digest } = (await service.admin.get('/v1/policies')).json;
        return { path: '/v1/policies/replay', body: { digest } };
      },
    ],
  ]);
}

/** Sends the request of a case. @returns the change that its row must have, with placeholders for times and new ids */
export async function sendCase(signed: Signed, method: string, of: TrailCase, made: Made): Promise<object | null> {
  const answer = await signed.send(method, of.path, of.body);
  if (answer.status >= 300) throw new Error(`${method} ${of.path}: ${answer.status} ${answer.text}`);
  const { keep, change } = of;
  if (keep !== undefined) made[keep[0]] = answer.json[keep[1]];
  if (change === undefined) return null;
  return { id: keep === undefined ? '' : made[keep[0]], ...change };
}

/** The members whose values differ from run to run, and what stands for them. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  expiresAt: '<time>',
  revokedAt: '<time>',
  replacedBy: '<key>',
};

export function withPlaceholders(change: RecordedChange | null): object | null {
  if (change === null) return null;
  const fields = change.fields.map((field) => {
    const placeholder = PLACEHOLDERS[field.name];
    return placeholder === undefined || field.to === undefined ? field : { ...field, to: placeholder };
  });
  return { ...change, ...(change.id.startsWith('dec_') ? { id: '<decision>' } : {}), fields };
}

/** Changes of policy sets follow one another, so another test makes them (dashboard-audit.test.ts). */
export const MADE_ELSEWHERE: ReadonlySet<string> = new Set([
  'POST /v1/policies',
  'DELETE /v1/policies',
  'POST /v1/policies/rollback',
  'POST /v1/policies/follow-folder',
  'POST /v1/policies/promote',
  'DELETE /v1/policies/stages/{digest}',
  'POST /v1/policies/approvals/{approvalId}/approve',
  'POST /v1/policies/approvals/{approvalId}/reject',
]);
