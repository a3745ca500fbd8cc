// For tests of approvals: policies that escalate, and helpers that enforce, approve and read.
import { expect } from 'chai';
import type { Client, ClientResponse } from './client.ts';
import { MAX_OPEN_APPROVALS } from '../../shared/core/decision/approval.ts';
import { asSuperuser } from './database.ts';
import type { PolicyFiles, Service } from './service.ts';

const rule = (id: string, type: string, resources: string[], params: object = {}): object => ({
  id,
  stage: 'enforce',
  description: `${type} for tests`,
  target: { actions: ['delete'], resources },
  rules: [
    {
      name: 'rule',
      conditions: { all: [{ fact: 'intent', path: 'action', operator: 'equal', value: 'delete' }] },
      event: { type, params: { code: id.toUpperCase(), message: id, ...params } },
    },
  ],
});

/** Deletes below db/asked need approval, below db/asked/some only with constraints. Deletes below db/open need none. */
export const ESCALATING: PolicyFiles = {
  'asked.json': rule('asked', 'ESCALATE', ['db/asked/*']),
  'some.json': rule('some', 'DEGRADE', ['db/asked/some/*'], { obligations: [{ type: 'max_rows', limit: 3 }] }),
  'open.json': rule('open', 'ALLOW', ['db/open/*']),
};

/** Deletes below db/asked/several need two keys with the tag finance, and below db/asked/several/both one with legal as well. */
export const QUORUM: PolicyFiles = {
  ...ESCALATING,
  'several.json': rule('several', 'ESCALATE', ['db/asked/several/*'], {
    approvers: { tags: ['finance'], atLeast: 2 },
    ttl: '30m',
  }),
  'both.json': rule('both', 'ESCALATE', ['db/asked/several/both/*'], { approvers: { tags: ['legal'] }, ttl: '20m' }),
};

/** The same, but deletes that needed approval are forbidden. */
export const DENYING: PolicyFiles = { ...ESCALATING, 'denied.json': rule('denied', 'DENY', ['db/asked/*']) };
/** The same, but deletes no longer need approval. */
export const PERMITTING: PolicyFiles = { 'asked.json': rule('asked', 'ALLOW', ['db/asked/*']) };

export interface Asking {
  readonly agent_id: string;
  readonly intent: string;
  readonly [more: string]: unknown;
}

export const ask = async (client: Client, body: Asking, headers: Readonly<Record<string, string>> = {}) =>
  (await client.post('/v1/enforce', body, { headers })).json;

/** Verdict and codes of a decision, as one list. */
export const gist = (decision: { verdict: string; reasons: { code: string }[] }): string[] => [
  decision.verdict,
  ...decision.reasons.map(({ code }) => code),
];

/** Enforces a request that is escalated. @returns the pending approval */
export async function escalate(client: Client, body: Asking): Promise<string> {
  const decision = await ask(client, body);
  expect(decision.verdict, JSON.stringify(decision.reasons)).to.equal('ESCALATE');
  return decision.approval.approval_id;
}

export const approve = (admin: Client, approvalId: string, reason = 'ticket OPS-7'): Promise<ClientResponse> =>
  admin.post(`/v1/approvals/${approvalId}/approve`, { reason });
export const reject = (admin: Client, approvalId: string, reason = 'not today'): Promise<ClientResponse> =>
  admin.post(`/v1/approvals/${approvalId}/reject`, { reason });

/** Deletes what fillApprovals has made. */
export async function clearFilled(service: Service): Promise<void> {
  await asSuperuser(service.db, (sql) => sql.query("DELETE FROM approval WHERE decision_id = 'dec_x'", []));
}

/** Opens approvals for an agent up to the limit, minus `less`. */
export async function fillApprovals(service: Service, agentId: string, less = 0): Promise<void> {
  await service.rows(
    `INSERT INTO approval (organisation_id, environment, approval_id, agent_id, key_id, digest, decision_id, created_at, expires_at)
     SELECT $1, 'live', 'apr_' || left(md5($2 || n), 26), $2, 'AAAAAAAA', lpad(n::text, 64, '0'), 'dec_x', $3, $4 FROM generate_series(1, $5::int) AS n
     ON CONFLICT DO NOTHING`,
    [
      service.operatorId,
      agentId,
      new Date(service.nowMs()),
      new Date(service.nowMs() + 60_000),
      MAX_OPEN_APPROVALS - less,
    ],
  );
}
