// Every code of the error table is provoked over HTTP, on the whole service; a code without a provocation fails here.
import { expect } from 'chai';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ERROR_TABLE, type ErrorCode } from '../../shared/kernel/errors.ts';
import { type ClientRequest, type ClientResponse, createClient } from '../support/client.ts';
import { lowestId } from '../../shared/kernel/ids.ts';
import { writeServiceRecord } from '../../shared/domain/ledger/service-record.ts';
import { writeSealedDrop } from '../../shared/domain/retention/dropped.ts';
import { type Service, startService } from '../support/service.ts';

interface Provocation {
  readonly code: ErrorCode;
  /** Default: the first status of the code in the table. */
  readonly status?: number;
  readonly send: (service: Service) => Promise<ClientResponse>;
}

const PATH = '/v1/agents';
const post = (service: Service, request: ClientRequest): Promise<ClientResponse> =>
  service.admin.request('POST', PATH, request);

/** Codes of parts that are not built yet, with the reason; a test fails when one of them becomes reachable. */
const UNREACHABLE: Partial<Record<ErrorCode, string>> = {};

const PROVOCATIONS: readonly Provocation[] = [
  { code: 'E1001', send: (s) => s.admin.get(PATH, { key: null }) },
  { code: 'E1002', send: (s) => s.admin.get(PATH, { key: 'cst_live_nonsense' }) },
  {
    code: 'E1003',
    async send(s) {
      const { key } = await s.addKey({ scopes: ['agents:read'], expiresAtMs: s.nowMs() - 1_000 });
      return s.admin.get(PATH, { key });
    },
  },
  { code: 'E1004', send: async (s) => (await s.client({ scopes: ['trust:read'] })).get(PATH) },
  { code: 'E2001', send: (s) => post(s, { body: { name: 7 } }) },
  {
    code: 'E2001',
    status: 422,
    send: (s) => s.admin.post('/v1/policies', { files: [{ path: 'x.json', text: '{}' }], reason: 'wrong' }),
  },
  { code: 'E2005', send: (s) => post(s, { raw: ' '.repeat(1_048_577) }) },
  { code: 'E2006', send: (s) => post(s, { raw: '{"name":"a","name":"b"}' }) },
  {
    code: 'E2009',
    send: (s) => post(s, { raw: 'name=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  },
  {
    code: 'E2010',
    status: 422,
    async send(s) {
      await post(s, { body: { name: 'one' }, headers: { 'idempotency-key': 'reused' } });
      return post(s, { body: { name: 'two' }, headers: { 'idempotency-key': 'reused' } });
    },
  },
  {
    code: 'E2010',
    status: 409,
    async send(s) {
      // A claim left by a process that was killed while it worked.
      await post(s, { body: { name: 'held' }, headers: { 'idempotency-key': 'held' } });
      await s.rows(
        "UPDATE idempotency SET status = NULL, answer = NULL, claim = 'gone', claimed_until = now() + interval '20 s' WHERE created_at = (SELECT max(created_at) FROM idempotency)",
      );
      return post(s, { body: { name: 'held' }, headers: { 'idempotency-key': 'held' } });
    },
  },
  { code: 'E4001', send: (s) => s.admin.get('/v1/decisions/dec_nothing') },
  { code: 'E4002', send: (s) => s.admin.get(`${PATH}/nobody`) },
  { code: 'E4003', send: (s) => s.admin.get('/v1/proofs/nothing') },
  { code: 'E4004', send: (s) => s.admin.get('/v1/nothing') },
  { code: 'E4005', send: (s) => s.admin.request('PUT', PATH) },
  {
    code: 'E4006',
    async send(s) {
      // What the job `retain` leaves behind; test/service/retention.test.ts runs the job itself.
      const body = {
        what: 'decisions',
        beforeId: lowestId('dec', s.nowMs() - 86_400_000),
      } as const;
      const owner = { organisationId: s.operatorId, environment: 'live' } as const;
      await s.db.transaction(async (sql) => {
        await writeServiceRecord(sql, { ...owner, event: 'custos.retention', body }, s.nowMs());
        await writeSealedDrop(sql, body);
      });
      return s.admin.get(`/v1/decisions/${lowestId('dec', s.nowMs() - 2 * 86_400_000)}`);
    },
  },
  {
    code: 'E5001',
    async send(s) {
      const client = await s.client();
      const { json } = await client.post('/v1/enforce', { agent_id: 'a', intent: 'data.unknown.thing' });
      const path = `/v1/approvals/${json.approval.approval_id}/reject`;
      await s.admin.post(path, { reason: 'no' });
      return s.admin.post(path, { reason: 'no' });
    },
  },
  {
    code: 'E5002',
    async send(s) {
      await post(s, { body: { agentId: 'ended', name: 'ended' } });
      await s.admin.delete(`${PATH}/ended`);
      return s.admin.patch(`${PATH}/ended`, { status: 'ACTIVE' });
    },
  },
  {
    code: 'E5003',
    async send(s) {
      await post(s, { body: { agentId: 'twice', name: 'twice' } });
      return post(s, { body: { agentId: 'twice', name: 'twice' } });
    },
  },
  {
    code: 'E5004',
    async send(s) {
      const headers = { 'idempotency-key': 'lapses' };
      const client = await s.client();
      const ask = () => client.post('/v1/enforce', { agent_id: 'a', intent: 'data.read.x' }, { headers });
      await ask();
      await s.admin.post('/v1/halt', { reason: 'stop' });
      try {
        return await ask();
      } finally {
        await s.admin.delete('/v1/halt');
      }
    },
  },
  {
    code: 'E6001',
    async send(s) {
      // A table that differs from what the program expects is an internal error.
      await s.rows('ALTER TABLE agent RENAME TO agent_elsewhere');
      try {
        return await s.admin.get(PATH);
      } finally {
        await s.rows('ALTER TABLE agent_elsewhere RENAME TO agent');
      }
    },
  },
  {
    code: 'E6002',
    async send(s) {
      // Locked by another session: the statement times out, as when the database does not answer.
      const held = s.db.transaction(async (sql) => {
        await sql.query('LOCK TABLE agent IN ACCESS EXCLUSIVE MODE', []);
        return s.admin.get(PATH);
      });
      return held;
    },
  },
];

describe('error codes over HTTP', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(async () => {
    await service?.close();
  });

  for (const { code, status = ERROR_TABLE[code].statuses[0], send } of PROVOCATIONS) {
    it(`${code} (${status}): ${ERROR_TABLE[code].when}`, async () => {
      const answer = await send(service);
      expect([answer.status, answer.json?.code], answer.text).to.deep.equal([status, code]);
      const entry = ERROR_TABLE[code];
      expect(answer.json).to.include({
        title: entry.title,
        category: entry.category,
        type: `/v1/reference/errors#${code}`,
      });
      if ([429, 503].includes(status) || (code === 'E2010' && status === 409))
        expect(Number(answer.headers['retry-after'])).to.be.above(0);
    });
  }

  it('E3001 (429): the rate limit is exceeded, with Retry-After, and the limit resets after it', async () => {
    const limited = await startService({ env: { CUSTOS_RATE_LIMIT: 'on' } });
    try {
      const client = await limited.client({ scopes: ['agents:read'], tier: 0 });
      const answers = await Promise.all(Array.from({ length: 4 }, () => client.get(PATH)));
      const refused = answers.filter((answer) => answer.status === 429);
      expect(refused.length).to.be.within(1, 3);
      expect(refused[0]?.json.code).to.equal('E3001');
      expect(Number(refused[0]?.headers['retry-after'])).to.be.above(0);
      for (const answer of answers) expect(answer.headers).to.include.keys('ratelimit', 'ratelimit-policy');
    } finally {
      await limited.close();
    }
  });

  it('every code of the table is provoked here, with each of its statuses', () => {
    const provoked = new Set([
      ...PROVOCATIONS.map((p) => `${p.code} ${p.status ?? ERROR_TABLE[p.code].statuses[0]}`),
      'E3001 429',
    ]);
    const codes = Object.keys(ERROR_TABLE) as ErrorCode[];
    const missing = codes
      .filter((code) => !(code in UNREACHABLE))
      .flatMap((code) => ERROR_TABLE[code].statuses.map((status) => `${code} ${status}`));
    expect(missing.filter((entry) => !provoked.has(entry))).to.deep.equal([]);
    for (const code of Object.keys(UNREACHABLE))
      expect(
        [...provoked].some((entry) => entry.startsWith(code)),
        code,
      ).to.equal(false);
  });

  it('the description of the whole service is valid OpenAPI 3.1, and documents every code', async () => {
    const client = createClient(service.ingress.address);
    const document = (await client.get('/openapi.json')).json;
    client.close();
    const result = await new Validator().validate(document);
    expect(result.valid, JSON.stringify(result.errors)).to.equal(true);
    const documented = JSON.stringify(document.components.responses);
    for (const code of Object.keys(ERROR_TABLE)) expect(documented).to.include(`${code}: `);
  });
});
