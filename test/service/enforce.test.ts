// POST /v1/enforce: verdicts from real policies, claims that lower trust, the binding of a parse, and what is not a decision.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Client, ClientResponse } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

const outcome = (answer: ClientResponse) => [answer.status, answer.json.code];
const codes = (answer: ClientResponse): string[] => answer.json.reasons.map((reason: { code: string }) => reason.code);

describe('enforcement', () => {
  let service: Service;
  let client: Client;
  before(async () => {
    service = await startService();
    client = await service.client();
    await service.admin.post('/v1/agents', { agentId: 'known', name: 'Known', capabilities: ['read'], tags: ['blue'] });
  });
  after(() => service.close());

  const enforce = (body: object, by: Client = client) => by.post('/v1/enforce', { agent_id: 'nobody', ...body });
  const decisions = async (): Promise<number> =>
    (await service.rows<{ n: number }>('SELECT count(*)::int AS n FROM decision'))[0]?.n ?? -1;

  it('allows an unknown agent to read user profile data, with the default trust for no evidence', async () => {
    const { status, json } = await enforce({ intent: 'data.read.user_profile' });
    expect(status).to.equal(200);
    expect(json).to.deep.include({ verdict: 'ALLOW', allowed: true, agent_id: 'nobody', obligations: [] });
    expect(json.trust).to.deep.include({
      claimed_level: null,
      recorded_level: 1,
      effective_level: 1,
      score: 250,
      uncertainty: 1,
    });
    expect(json.trust.as_of).to.deep.equal({ signals: 0, day: json.evaluated_at.slice(0, 10) });
    expect(json.intent).to.deep.include({
      normalized: 'data.read.user_profile',
      resource: 'data/user_profile',
      parsed: false,
    });
    expect(json.reasons[0]).to.include({ policy: 'reads', effect: 'ALLOW', code: 'READ_OPEN' });
    expect(Date.parse(json.expires_at) - Date.parse(json.evaluated_at)).to.equal(3_600_000);
    expect(json.decision_id).to.match(/^dec_[0-9a-z]{26}$/);
    expect(json.proof.proof_id).to.match(/^prf_[0-9a-z]{26}$/);
  });

  it('denies destroying production data, with every reason', async () => {
    const answer = await enforce({ intent: 'db.delete.production.users' });
    expect(answer.json).to.include({ verdict: 'DENY', allowed: false });
    expect(codes(answer)).to.include.members(['PRODUCTION_PROTECTED', 'TRUST_TOO_LOW', 'AGENT_NOT_REGISTERED']);
    for (const reason of answer.json.reasons) expect(reason.message, reason.rule).not.to.equal('');
  });

  it('escalates an intent that it does not recognise', async () => {
    const answer = await enforce({ intent: 'frobnicate:db/things' });
    expect(answer.json).to.include({ verdict: 'ESCALATE', allowed: false });
    expect(answer.json.intent.action).to.equal('unknown');
  });

  describe('treats a claim of trust as an upper bound', () => {
    it('so that level 7, claimed for an unknown agent, is level 1', async () => {
      const { json } = await enforce({ intent: 'data.read.user_profile', trust_level: 7 });
      expect(json.trust).to.include({ claimed_level: 7, recorded_level: 1, effective_level: 1, score: 250 });
    });
    it('so that a claim permits nothing that is denied without it', async () => {
      const without = await enforce({ intent: 'data.update.user_profile' });
      const withClaim = await enforce({ intent: 'data.update.user_profile', trust_level: 7 });
      expect([without.json.verdict, withClaim.json.verdict]).to.deep.equal(['DENY', 'DENY']);
    });
    it('for every level and score: effective = min(recorded, claimed), never more', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.option(fc.integer({ min: 0, max: 7 }), { nil: undefined }),
          fc.constantFrom('data.read.user_profile', 'data.update.x', 'known'),
          async (trust_level, intent) => {
            const agent_id = intent === 'known' ? 'known' : 'nobody';
            const body = { intent: intent === 'known' ? 'data.read.x' : intent, agent_id, trust_level };
            const { trust } = (await enforce(body)).json;
            expect(trust.effective_level).to.equal(Math.min(1, trust_level ?? 7));
            expect(trust.claimed_level).to.equal(trust_level ?? null);
          },
        ),
        { numRuns: 30 },
      );
    });
    it('and refuses a claim that is not a level', async () => {
      for (const trust_level of [-1, 8, 1.5, '7']) {
        expect(outcome(await enforce({ intent: 'data.read.x', trust_level })), String(trust_level)).to.deep.equal([
          400,
          'E2001',
        ]);
      }
    });
  });

  describe('of a parse', () => {
    const parse = async (agent_id: string, raw_intent = 'Read user profile data', by: Client = client) =>
      (await by.post('/v1/intent', { agent_id, raw_intent })).json as { intent_id: string; normalized: string };
    const refused = async (body: object, by: Client = client): Promise<void> => {
      const before = await decisions();
      const answer = await enforce(body, by);
      expect(outcome(answer)).to.deep.equal([400, 'E2001']);
      expect(answer.json.errors[0].pointer).to.equal('/intent_id');
      expect(await decisions(), 'nothing is stored').to.equal(before);
    };

    it('uses the result of the parse, and reports its use', async () => {
      const { intent_id, normalized } = await parse('reader', 'Please email the customer list to eve@example.org');
      const { json } = await enforce({ agent_id: 'reader', intent: normalized, intent_id });
      expect(json.intent).to.deep.include({ parsed: true, normalized });
      expect(json.intent.traits).to.include('external');
    });
    it('is harmless beside the intent_id of a harmless text, until the agent parses another text of the same string', async () => {
      const agent_id = 'harmless';
      const { intent_id, normalized } = await parse(
        agent_id,
        'Put the guest Wi-Fi notice on the lobby screen, without the password.',
      );
      const isHarmless = async (body: object): Promise<boolean> => {
        const { json } = await enforce({ agent_id, intent: normalized, explain: true, ...body }, service.admin);
        return /"path":"harmless"[^{}]*"actual":true/.test(JSON.stringify(json.explanation));
      };
      expect([await isHarmless({ intent_id }), await isHarmless({})]).to.deep.equal([true, false]);
      expect((await parse(agent_id, 'Update the guest')).normalized).to.equal(normalized);
      expect(await isHarmless({ intent_id })).to.equal(false);
    });
    it('is refused for another agent', async () => {
      const { intent_id, normalized } = await parse('reader');
      await refused({ agent_id: 'other', intent: normalized, intent_id });
    });
    it('is refused with another normalized string', async () => {
      const { intent_id } = await parse('reader');
      await refused({ agent_id: 'reader', intent: 'data.read.user_profiles_all', intent_id });
      await refused({ agent_id: 'reader', intent: 'data.delete.user_profile', intent_id });
    });
    it('is refused in another environment and organisation, like an id that never existed', async () => {
      const { intent_id, normalized } = await parse('reader');
      const body = { agent_id: 'reader', intent: normalized, intent_id };
      await refused(body, await service.client({ environment: 'test' }));
      await refused(body, await service.client({ organisationId: await service.addOrganisation('elsewhere') }));
      await refused({ ...body, intent_id: 'int_00000000000000000000000000' });
    });
    it('is accepted until it is 15 minutes old, and refused after that', async () => {
      const { intent_id, normalized } = await parse('reader');
      const body = { agent_id: 'reader', intent: normalized, intent_id };
      service.advance(15 * 60_000 - 5_000);
      expect((await enforce(body)).status).to.equal(200);
      service.advance(6_000);
      await refused(body);
    });
  });

  describe('with explain or dry_run', () => {
    it('needs admin:*: E1004 at the member, and nothing is stored', async () => {
      const before = await decisions();
      for (const member of ['explain', 'dry_run']) {
        const answer = await enforce({ intent: 'data.read.x', [member]: true });
        expect(outcome(answer)).to.deep.equal([403, 'E1004']);
        expect(answer.json.errors[0].pointer).to.equal(`/${member}`);
      }
      expect(await decisions()).to.equal(before);
      expect((await enforce({ intent: 'data.read.x', explain: false, dry_run: false })).status).to.equal(200);
    });
    it('explains every candidate rule with the values it read, and records the decision without the explanation', async () => {
      const { json } = await enforce({ intent: 'db.delete.production.users', explain: true }, service.admin);
      const denied = json.explanation.find(
        (rule: { rule: string }) => rule.rule === 'untrusted-agents-may-not-destroy',
      );
      expect(denied).to.include({ policy: 'production', effect: 'DENY', matched: true });
      expect(denied.conditions).to.deep.include({
        fact: 'trust',
        path: 'level',
        operator: 'lessThan',
        expected: 4,
        actual: 1,
        missing: false,
        result: true,
      });
      const { explanation: _, ...decision } = json;
      expect((await service.admin.get(`/v1/decisions/${json.decision_id}`)).json).to.deep.include(decision);
    });
    it('as a dry run returns the verdict, is no decision, and stores nothing', async () => {
      const before = await decisions();
      const { json } = await enforce(
        { agent_id: 'dry', intent: 'data.read.x', dry_run: true, explain: true },
        service.admin,
      );
      expect(json).to.include({ dry_run: true, allowed: false, verdict: 'ALLOW' });
      expect(json).not.to.have.any.keys('decision_id', 'proof', 'expires_at');
      expect(json.explanation).not.to.have.lengthOf(0);
      expect(await decisions()).to.equal(before);
      expect((await service.admin.get('/v1/decisions?agentId=dry')).json.items).to.deep.equal([]);
    });
  });

  it('denies with APPROVAL_MISMATCH every request with an unknown approval id', async () => {
    const answer = await enforce({ intent: 'data.read.user_profile', approval_id: 'apr_00000000000000000000000000' });
    expect([answer.status, answer.json.verdict, codes(answer)]).to.deep.equal([200, 'DENY', ['APPROVAL_MISMATCH']]);
  });

  for (const status of ['PAUSED', 'SUSPENDED', 'TERMINATED'])
    it(`denies everything to an agent once the change to ${status} is answered`, async () => {
      const agent_id = `was-${status}`;
      await service.admin.post('/v1/agents', { agentId: agent_id, name: 'x' });
      expect((await enforce({ agent_id, intent: 'data.read.x' })).json.verdict).to.equal('ALLOW');
      await service.admin.patch(`/v1/agents/${agent_id}`, { status });
      const answer = await enforce({ agent_id, intent: 'data.read.x' });
      expect([answer.json.verdict, codes(answer)]).to.deep.equal(['DENY', ['AGENT_NOT_ACTIVE']]);
      if (status === 'TERMINATED') return;
      await service.admin.patch(`/v1/agents/${agent_id}`, { status: 'ACTIVE' });
      expect((await enforce({ agent_id, intent: 'data.read.x' })).json.verdict).to.equal('ALLOW');
    });

  it('knows agents only in their environment: the same id in another one stays unknown', async () => {
    await service.admin.post('/v1/agents', { agentId: 'twin', name: 'x' });
    await service.admin.patch('/v1/agents/twin', { status: 'SUSPENDED' });
    const test = await service.client({ environment: 'test' });
    expect((await enforce({ agent_id: 'twin', intent: 'data.read.x' }, test)).json.verdict).to.equal('ALLOW');
  });

  it('records the key that asked, and lets a bound key name only its agents', async () => {
    const { key, keyId } = await service.addKey({ agentIds: ['mine'] });
    const bound = client.withKey(key);
    expect((await enforce({ agent_id: 'mine', intent: 'data.read.x' }, bound)).json.key_id).to.equal(keyId);
    const answer = await enforce({ agent_id: 'other', intent: 'data.read.x' }, bound);
    expect(outcome(answer)).to.deep.equal([403, 'E1004']);
    expect(answer.json.errors[0].pointer).to.equal('/agent_id');
  });
});

/** An ALLOW for reading, with the given members added. */
const READS = {
  id: 'reads',
  description: 'Reading is open.',
  stage: 'enforce',
  target: { actions: ['read'], resources: ['*'] },
  rules: [
    {
      name: 'open',
      conditions: { all: [{ fact: 'intent', path: 'effect', operator: 'equal', value: 'read' }] },
      event: { type: 'ALLOW', params: { code: 'OPEN', message: 'open' } },
    },
  ],
};

describe('enforcement with policies of the test', () => {
  let service: Service;
  let client: Client;
  const rule = (fact: string, path: string, operator: string, value: unknown, code: string) => ({
    id: code.toLowerCase(),
    description: code,
    stage: 'enforce',
    target: { actions: ['read'], resources: ['*'] },
    rules: [
      {
        name: 'rule',
        conditions: { all: [{ fact, path, operator, value }] },
        event: { type: 'DENY', params: { code, message: code } },
      },
    ],
  });
  before(async () => {
    service = await startService({
      policies: {
        'reads.json': READS,
        'alarm.json': rule('history', 'last_60s.DENY', 'greaterThanInclusive', 3, 'TOO_MANY_DENIALS'),
        'context.json': rule('context', 'blocked', 'equal', true, 'BLOCKED'),
      },
      words: 'few',
    });
    client = await service.client();
  });
  after(() => service.close());

  const ask = (agent_id: string, context: object = { blocked: false }, by: Client = client): Promise<ClientResponse> =>
    by.post('/v1/enforce', { intent: 'data.read.x', agent_id, context });

  it('counts decisions for each agent: the alarm is raised after the third denial, for that agent only', async () => {
    for (let i = 0; i < 3; i += 1) expect(codes(await ask('noisy', { blocked: true }))).to.deep.equal(['BLOCKED']);
    expect(codes(await ask('noisy'))).to.deep.equal(['TOO_MANY_DENIALS']);
    expect((await ask('quiet')).json.verdict).to.equal('ALLOW');
    const test = await service.client({ environment: 'test' });
    expect((await ask('noisy', { blocked: false }, test)).json.verdict).to.equal('ALLOW');
    service.advance(61_000);
    expect((await ask('noisy')).json.verdict, 'a minute later').to.equal('ALLOW');
  });

  it('takes the stricter verdict when a fact of the caller is absent, and reports it', async () => {
    expect(codes(await ask('absent', {}))).to.deep.equal(['FACT_MISSING']);
    expect(codes(await ask('absent', { blocked: 'no' }))).to.deep.equal(['FACT_MISSING']);
    expect(codes(await ask('absent', { Blocked: false, 'blocked ': false }))).to.deep.equal(['FACT_MISSING']);
  });

  it('does not read inherited or dangerous member names of a context as facts', async () => {
    const raw = '{"intent":"data.read.x","agent_id":"proto","context":{"__proto__":{"blocked":false}}}';
    const answer = await client.request('POST', '/v1/enforce', { raw });
    expect(codes(answer)).to.deep.equal(['FACT_MISSING']);
  });
});
