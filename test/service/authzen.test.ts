// The AuthZEN Authorization API 1.0 as a gateway uses it: evaluations, batches, searches, discovery, approvals and obligations.
import { expect } from 'chai';
import type { Client, ClientResponse } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import { BASE, BATCHES, EVALUATIONS, FIXTURE, GATEWAY, record, user, WRONG } from './authzen-cases.ts';

const EVALUATION = '/access/v1/evaluation';
const EVALUATIONS_PATH = '/access/v1/evaluations';

describe('AuthZEN', () => {
  let service: Service;
  let client: Client;
  before(async () => {
    service = await startService({
      policies: FIXTURE,
      words: 'few',
      env: { CUSTOS_PUBLIC_URL: 'https://custos.example.com' },
    });
    client = await service.client();
    for (const id of ['alice', 'bob']) await service.admin.post('/v1/agents', { agentId: `user:${id}`, name: id });
  });
  after(() => service.close());

  const decisions = async (): Promise<number> =>
    (await service.rows<{ n: number }>('SELECT count(*)::int AS n FROM decision'))[0]?.n ?? -1;

  describe('answers an evaluation', () => {
    for (const { name, body, decision } of [...EVALUATIONS, ...GATEWAY])
      it(name, async () => {
        const { status, json } = await client.post(EVALUATION, body);
        expect(status).to.equal(200);
        expect(json.decision, JSON.stringify(json.context.reasons)).to.equal(decision);
        const { verdict, agent_id } = (await service.admin.get(`/v1/decisions/${json.context.decision_id}`)).json;
        expect(verdict).to.equal(json.context.verdict);
        const asked = (body as typeof BASE).subject;
        expect(agent_id).to.equal(`${asked.type}:${asked.id}`);
      });
    it('alike each time that it is asked', async () => {
      const answers = await Promise.all([1, 2, 3].map(() => client.post(EVALUATION, BASE)));
      expect(answers.map(({ json }) => json.decision)).to.deep.equal([true, true, true]);
    });
  });

  describe('answers 400, records nothing', () => {
    for (const { name, body } of WRONG)
      it(name, async () => {
        const before = await decisions();
        expect((await client.post(EVALUATION, body)).status).to.equal(400);
        expect(await decisions()).to.equal(before);
      });
    it('another content type', async () => {
      const headers = { 'content-type': 'text/plain' };
      const { status, json } = await client.request('POST', EVALUATION, { raw: JSON.stringify(BASE), headers });
      expect([status, json.detail]).to.deep.equal([400, 'The content type must be application/json, in UTF-8.']);
    });
    it('what is no JSON, and nothing at all', async () => {
      for (const raw of ['{', ''])
        expect((await client.request('POST', EVALUATION, { raw })).status, raw).to.equal(400);
    });
    it('a semantic that does not exist', async () => {
      const body = { ...BASE, evaluations: [{}], options: { evaluations_semantic: 'any' } };
      expect((await client.post(EVALUATIONS_PATH, body)).status).to.equal(400);
    });
  });

  it('echoes X-Request-ID as it came, also one that its own log does not take over', async () => {
    for (const id of ['9d1b7a44-0c6e-4d2e-8a52-000000000001', 'gateway 7/{x}']) {
      // The document promises ids as the log takes them over.
      const { headers } = await client.post(EVALUATION, BASE, { headers: { 'x-request-id': id }, check: false });
      expect(headers['x-request-id']).to.equal(id);
    }
    expect((await client.post(EVALUATION, BASE)).headers['x-request-id']).to.match(/^req_/);
  });

  it('needs a key that may ask, and one that is bound asks for its agents alone', async () => {
    expect((await client.withKey(undefined).post(EVALUATION, BASE)).status).to.equal(401);
    const bound = await service.client({ agentIds: ['user:bob'] });
    expect((await bound.post(EVALUATION, BASE)).status).to.equal(403);
    expect((await bound.post(EVALUATION, { ...BASE, subject: user('bob') })).json.decision).to.equal(true);
  });

  describe('answers several evaluations', () => {
    for (const { name, body, decisions: expected } of BATCHES)
      it(name, async () => {
        const { status, json } = await client.post(EVALUATIONS_PATH, body);
        expect(status).to.equal(200);
        const made = json.evaluations.map(({ decision }: { decision: boolean }) => decision);
        expect(made).to.deep.equal(expected.map((one, i) => one ?? made[i]));
      });
    it('as a single one when there is no list, or an empty one', async () => {
      for (const body of [BASE, { ...BASE, evaluations: [] }])
        expect((await client.post(EVALUATIONS_PATH, body)).json.decision).to.equal(true);
    });
    for (const [semantic, stopsAfter] of [
      ['execute_all', 3],
      ['deny_on_first_deny', 2],
      ['permit_on_first_permit', 1],
    ] as const)
      it(`${semantic}: ${stopsAfter} of 3 are evaluated and recorded`, async () => {
        const before = await decisions();
        const names = ['read', 'write', 'read'];
        const { json } = await client.post(EVALUATIONS_PATH, {
          subject: user('bob'),
          resource: record('record-1'),
          evaluations: names.map((name) => ({ action: { name } })),
          options: { evaluations_semantic: semantic },
        });
        expect(json.evaluations.map(({ decision }: { decision: boolean }) => decision)).to.deep.equal(
          [true, false, true].slice(0, stopsAfter),
        );
        expect((await decisions()) - before).to.equal(stopsAfter);
      });
  });

  it('takes DEGRADE for permitted only from a key that keeps its obligations', async () => {
    const body = { ...BASE, resource: { type: 'masked', id: 'list' } };
    const without = (await client.post(EVALUATION, body)).json;
    expect(without).to.deep.include({ decision: false });
    expect(without.context).to.include({ verdict: 'DEGRADE', reason: 'OBLIGATIONS_NOT_KEPT' });
    const other = await service.client({ keepsObligations: ['max_rows'] });
    expect((await other.post(EVALUATION, body)).json.decision).to.equal(false);
    const keeping = await service.client({ keepsObligations: ['max_rows', 'redact_fields'] });
    const kept = (await keeping.post(EVALUATION, body)).json;
    expect(kept.decision).to.equal(true);
    expect(kept.context.obligations).to.deep.equal([{ type: 'redact_fields', fields: ['name'] }]);
  });

  /** The question again with its approval, which a human has given. */
  const approved = async (body: object): Promise<object> => {
    const { id } = (await client.post(EVALUATION, body)).json.context.approval;
    await service.admin.post(`/v1/approvals/${id}/approve`, { reason: 'fine' });
    return { ...body, context: { approval: { id } } };
  };

  describe('gives a repeat under its Idempotency-Key the first answer, and records nothing anew:', () => {
    let n = 0;
    /** The same request three times, of which two come together. */
    const thrice = async (path: string, body: object): Promise<{ answers: ClientResponse[]; recorded: number }> => {
      const headers = { 'idempotency-key': `once-${(n += 1)}` };
      const before = await decisions();
      const send = (): Promise<ClientResponse> => client.post(path, body, { headers });
      const answers = [...(await Promise.all([send(), send()])), await send()];
      return { answers, recorded: (await decisions()) - before };
    };
    const isSame = ({ answers }: { answers: ClientResponse[] }): unknown => {
      const given = answers.filter(({ status }) => status !== 409);
      expect(given.map(({ status }) => status)).to.deep.equal(given.map(() => 200));
      for (const { json } of given) expect(json).to.deep.equal(given[0]?.json);
      expect(given.at(-1)?.headers['idempotent-replayed']).to.equal('true');
      return given[0]?.json;
    };

    for (const { name, body } of EVALUATIONS)
      it(`the evaluation "${name}"`, async () => {
        const answer = await thrice(EVALUATION, body);
        isSame(answer);
        expect(answer.recorded).to.equal(1);
      });

    for (const { name, body, decisions: expected } of BATCHES)
      it(`the batch "${name}"`, async () => {
        const answer = await thrice(EVALUATIONS_PATH, body);
        const { evaluations } = isSame(answer) as { evaluations: { decision: boolean; context: object }[] };
        const made = evaluations.map(({ decision }) => decision);
        expect(made).to.deep.equal(expected.map((one, i) => one ?? made[i]));
        expect(answer.recorded).to.equal(evaluations.filter(({ context }) => 'decision_id' in context).length);
      });

    // Reading is permitted, writing denied, and the empty name a fault of the caller.
    for (const [semantic, names, expected] of [
      ['execute_all', ['read', '', 'write', 'read'], [true, false, false, true]],
      ['deny_on_first_deny', ['read', 'read', 'write', 'read'], [true, true, false]],
      ['deny_on_first_deny', ['read', '', 'write', 'read'], [true, false]],
      ['deny_on_first_deny', ['read', 'read'], [true, true]],
      ['permit_on_first_permit', ['write', '', 'read', '', 'read'], [false, false, true]],
      ['permit_on_first_permit', ['', ''], [false, false]],
    ] as const)
      it(`${semantic} of ${names.map((name) => name || 'a fault').join(', ')}`, async () => {
        const body = {
          subject: user('bob'),
          resource: record('record-1'),
          evaluations: names.map((name) => ({ action: { name } })),
          options: { evaluations_semantic: semantic },
        };
        const answer = await thrice(EVALUATIONS_PATH, body);
        const { evaluations } = isSame(answer) as { evaluations: { decision: boolean }[] };
        expect(evaluations.map(({ decision }) => decision)).to.deep.equal(expected);
        const faults = names.slice(0, expected.length).filter((name) => name === '').length;
        expect(answer.recorded).to.equal(expected.length - faults);
      });

    it('one that an approval permits, while another request with the approval is refused', async () => {
      const asked = await approved({ ...BASE, resource: { type: 'asked', id: 'again' } });
      const answer = await thrice(EVALUATION, asked);
      expect(isSame(answer)).to.include({ decision: true });
      expect(answer.recorded).to.equal(1);
      const { json } = await client.post(EVALUATION, asked, { headers: { 'idempotency-key': 'another' } });
      expect([json.decision, json.context.reason]).to.deep.equal([false, 'APPROVAL_USED']);
      const five = { evaluations: [1, 2, 3, 4, 5].map(() => asked) };
      const batch = await thrice(EVALUATIONS_PATH, five);
      const { evaluations } = isSame(batch) as { evaluations: { decision: boolean }[] };
      expect(evaluations.map(({ decision }) => decision)).to.deep.equal([false, false, false, false, false]);
    });

    it('and makes none of the decisions of a batch when one fails on our side', async () => {
      const headers = { 'idempotency-key': 'of-a-failure' };
      const asked = [record('record-1'), { type: 'record', id: 'refused' }];
      const body = { ...BASE, evaluations: asked.map((resource) => ({ resource })) };
      await service.rows(
        `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF position('refused' IN convert_from(NEW.record, 'UTF8')) > 0 THEN RAISE EXCEPTION 'no' USING ERRCODE = 'lock_not_available'; END IF; RETURN NEW; END $$`,
      );
      await service.rows('CREATE TRIGGER refuse BEFORE INSERT ON decision FOR EACH ROW EXECUTE FUNCTION refuse()');
      const before = await decisions();
      try {
        expect((await client.post(EVALUATIONS_PATH, body, { headers })).json.code).to.equal('E6002');
        expect(await decisions()).to.equal(before);
      } finally {
        await service.rows('DROP TRIGGER refuse ON decision');
      }
      const { status, json } = await client.post(EVALUATIONS_PATH, body, { headers });
      expect([status, json.evaluations.length]).to.deep.equal([200, 2]);
      expect(await decisions()).to.equal(before + 2);
    });

    it('and another request under the same key is refused', async () => {
      const headers = { 'idempotency-key': 'of-one' };
      await client.post(EVALUATION, BASE, { headers });
      const other = { ...BASE, action: { name: 'write' } };
      const { status, json } = await client.post(EVALUATION, other, { headers });
      expect([status, json.code]).to.deep.equal([422, 'E2010']);
    });

    it('unless it permits what does not stand any more', async () => {
      const asked = { ...BASE, subject: user('bob') };
      const headers = { 'idempotency-key': 'of-bob' };
      const batch = { evaluations: [asked] };
      expect((await client.post(EVALUATION, asked, { headers })).json.decision).to.equal(true);
      expect((await client.post(EVALUATIONS_PATH, batch, { headers })).json.evaluations[0].decision).to.equal(true);
      const become = (status: string): Promise<ClientResponse> =>
        service.admin.request('PATCH', '/v1/agents/user%3Abob', { body: { status } });
      await become('PAUSED');
      const { status, json } = await client.post(EVALUATION, asked, { headers });
      expect([status, json.code]).to.deep.equal([409, 'E5004']);
      const [member] = (await client.post(EVALUATIONS_PATH, batch, { headers })).json.evaluations;
      expect([member.decision, member.context.error.code]).to.deep.equal([false, 'E5004']);
      await become('ACTIVE');
    });
  });

  it('gives one true for each approval, to repeats within a minute and to all members of a batch together', async () => {
    const question = { ...BASE, resource: { type: 'asked', id: 'once' } };
    const five = (asked: object): object => ({ evaluations: [asked, asked, asked, asked, asked] });
    const askings: readonly ((asked: object) => Promise<{ decision: boolean; context: object }[]>)[] = [
      async (asked) => [(await client.post(EVALUATION, asked)).json, (await client.post(EVALUATION, asked)).json],
      async (asked) => (await Promise.all([1, 2, 3].map(() => client.post(EVALUATION, asked)))).map(({ json }) => json),
      async (asked) => (await client.post(EVALUATIONS_PATH, five(asked))).json.evaluations,
      async (asked) => {
        const options = { evaluations_semantic: 'deny_on_first_deny' };
        return (await client.post(EVALUATIONS_PATH, { ...five(asked), options })).json.evaluations;
      },
    ];
    for (const asking of askings) {
      const asked = await approved(question);
      const answers = [...(await asking(asked)), (await client.post(EVALUATION, asked)).json];
      expect(answers.filter(({ decision }) => decision)).to.have.length(1);
      for (const { decision, context } of answers)
        if (!decision) expect(context).to.include({ verdict: 'DENY', reason: 'APPROVAL_USED' });
    }
  });

  it('names the approval of an ESCALATE, and permits the question once when it is approved', async () => {
    const body = { ...BASE, resource: { type: 'asked', id: 'one' }, context: { ip: '192.0.2.7' } };
    const { json } = await client.post(EVALUATION, body);
    expect(json.decision).to.equal(false);
    expect(json.context).to.include({ verdict: 'ESCALATE', reason: 'approval_required' });
    expect(json.context.evaluation_id).to.equal(json.context.decision_id);
    expect(json.context.access_request.form_url).to.equal('https://custos.example.com/dashboard/approvals');
    const { id } = json.context.approval;
    const again = { ...body, context: { ...body.context, approval: { id } } };
    expect((await client.post(EVALUATION, again)).json.decision).to.equal(false);
    expect((await service.admin.post(`/v1/approvals/${id}/approve`, { reason: 'fine' })).status).to.equal(200);
    const other = { ...again, context: { ip: '192.0.2.8', approval: { id } } };
    expect((await client.post(EVALUATION, other)).json.decision).to.equal(false);
    expect((await client.post(EVALUATION, again)).json.decision).to.equal(true);
  });

  describe('reads names', () => {
    for (const [name, action] of [
      ['can_read_user', 'read'],
      ['canDeleteRecord', 'delete'],
      ['users.read', 'unknown'],
      ['read_and_delete', 'unknown'],
      ['frobnicate', 'unknown'],
      ['', undefined],
      ['get', 'read'],
      ['can', 'unknown'],
      ['unknown', 'unknown'],
      ['__proto__', 'unknown'],
    ] as const)
      it(`${JSON.stringify(name)} as ${action ?? 'wrong'}`, async () => {
        const { json } = await client.post(EVALUATION, { ...BASE, action: { name } });
        if (action === undefined) return expect(json.code).to.equal('E2001');
        const decision = await service.admin.get(`/v1/decisions/${json.context.decision_id}`);
        return expect(decision.json.intent.action).to.equal(action);
      });
    it('an asterisk in an id as text, and slashes alone as the type itself', async () => {
      const resourceOf = async (id: string): Promise<string> => {
        const { json } = await client.post(EVALUATION, { ...BASE, resource: { type: 'route', id } });
        return (await service.admin.get(`/v1/decisions/${json.context.decision_id}`)).json.intent.resource;
      };
      expect(await resourceOf('/todos/*')).to.equal('route/todos/\u2217');
      expect(await resourceOf('/')).to.equal('route');
    });
  });

  describe('searches', () => {
    const search = (kind: string, body: object, by: Client = service.admin) =>
      by.post(`/access/v1/search/${kind}`, body);
    const ids = (results: { id: string }[]): string[] => results.map(({ id }) => id).sort();

    it('the subjects that may do something, without recording anything', async () => {
      const before = await decisions();
      const read = await search('subject', { ...BASE, subject: { type: 'user' }, context: { ip: '192.0.2.1' } });
      expect(read.json).to.deep.equal({
        results: [user('alice'), user('bob')],
        page: { next_token: '' },
      });
      const write = await search('subject', { ...BASE, subject: { type: 'user' }, action: { name: 'write' } });
      expect(ids(write.json.results)).to.deep.equal(['alice']);
      expect(await decisions()).to.equal(before);
    });
    it('page by page', async () => {
      const first = await search('subject', { ...BASE, subject: { type: 'user' }, page: { limit: 1 } });
      expect(ids(first.json.results)).to.deep.equal(['alice']);
      const token = first.json.page.next_token;
      const second = await search('subject', { ...BASE, subject: { type: 'user' }, page: { limit: 1, token } });
      expect(ids(second.json.results)).to.deep.equal(['bob']);
      expect(second.json.page.next_token).to.equal('');
      const wrong = await search('subject', { ...BASE, subject: { type: 'user' }, page: { token: 'x' } });
      expect(wrong.status).to.equal(400);
    });
    it('only the subjects that a bound key may name', async () => {
      const bound = await service.client({ scopes: ['admin:*'], agentIds: ['user:bob'] });
      const { status, json } = await search('subject', { ...BASE, subject: { type: 'user' } }, bound);
      expect([status, json.results]).to.deep.equal([200, [user('bob')]]);
    });
    it('the actions that a subject may perform', async () => {
      const { json } = await search('action', { subject: user('alice'), resource: record('record-1') });
      expect(json.results).to.deep.equal([
        { name: 'GET' },
        { name: 'PUT' },
        { name: 'read' },
        { name: 'update' },
        { name: 'write' },
      ]);
    });
    it('the resources of the registry with which a subject may do something, page by page', async () => {
      for (const name of ['record/record-1', 'record/record-2', 'record/*', 'other/x'])
        await service.admin.request('PUT', `/v1/resources/${encodeURIComponent(name)}`, { body: { owner: 'x' } });
      const before = await decisions();
      const body = { ...BASE, resource: { type: 'record' } };
      const { json } = await search('resource', body);
      expect(json).to.deep.equal({ results: [record('record-1'), record('record-2')], page: { next_token: '' } });
      const first = (await search('resource', { ...body, page: { limit: 1 } })).json;
      expect(ids(first.results)).to.deep.equal(['record-1']);
      const rest = (await search('resource', { ...body, page: { limit: 1, token: first.page.next_token } })).json;
      expect([ids(rest.results), rest.page.next_token]).to.deep.equal([['record-2'], '']);
      expect((await search('resource', { ...body, action: { name: 'delete' } })).json.results).to.deep.equal([]);
      expect((await search('resource', { ...body, resource: { type: 'spaceship' } })).json.results).to.deep.equal([]);
      expect(await decisions()).to.equal(before);
    });
    it('finds nothing for those that it does not know', async () => {
      const results = [
        await search('action', { subject: user('nobody'), resource: record('record-1') }),
        await search('subject', { ...BASE, subject: { type: 'spaceship' } }),
      ];
      for (const { status, json } of results) {
        expect(status).to.equal(200);
        expect(json.results).to.deep.equal([]);
      }
    });
    it('needs admin:*, as a dry run does, and complete questions', async () => {
      expect((await search('subject', { ...BASE, subject: { type: 'user' } }, client)).status).to.equal(403);
      for (const [kind, body] of [
        ['subject', { subject: { type: 'user' }, resource: record('record-1') }],
        ['subject', { ...BASE, subject: { type: 'user' }, resource: { type: 'record' } }],
        ['action', { subject: user('alice') }],
        ['action', { subject: { type: 'user' }, resource: record('record-1') }],
      ] as const)
        expect((await search(kind, body)).status, JSON.stringify(body)).to.equal(400);
    });
  });

  it('publishes its addresses under the public one, and nothing without it', async () => {
    const { status, json } = await client.withKey(undefined).get('/.well-known/authzen-configuration');
    expect(status).to.equal(200);
    expect(json.policy_decision_point).to.equal('https://custos.example.com');
    for (const [name, url] of Object.entries(json))
      if (name.endsWith('_endpoint')) expect(url, name).to.match(/^https:\/\/custos\.example\.com\/access\/v1\//);
  });
});
