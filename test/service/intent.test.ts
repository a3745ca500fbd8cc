// POST /v1/intent: the result of a parse, its binding, and that it is read back as it was answered.
import { expect } from 'chai';
import type { Client } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import { expectReading, textSet } from '../support/text-cases.ts';

describe('a parse of free text', () => {
  let service: Service;
  let client: Client;
  before(async () => {
    service = await startService();
    client = await service.client();
  });
  after(() => service.close());

  const parse = (raw_intent: string, more: object = {}) =>
    client.post('/v1/intent', { agent_id: 'parser', raw_intent, ...more });
  const outcome = (answer: { status: number; json: { code?: string } }) => [answer.status, answer.json.code];

  it('of "Read user profile data" is data.read.user_profile, and its preview is ALLOW', async () => {
    const { status, json } = await parse('Read user profile data');
    expect(status).to.equal(200);
    expect(json).to.include({
      agent_id: 'parser',
      normalized: 'data.read.user_profile',
      domain: 'data',
      action: 'read',
      verb: 'read',
      object: 'user_profile',
      effect: 'read',
      verdict_preview: 'ALLOW',
    });
    expect(json.intent_id).to.match(/^int_[0-9a-z]{26}$/);
    expect(json.risk.level).to.equal('low');
    expect(json.trust).to.deep.equal({
      claimed: null,
      recorded: { score: 250, level: 1 },
      effective: { score: 250, level: 1 },
    });
    expect(json.policy_set.digest).to.equal((await service.admin.get('/v1/policies')).json.digest);
  });

  it('previews DENY for destroying production data, with a high or medium risk', async () => {
    const { json } = await parse('Drop all tables of the production database');
    expect(json).to.include({ effect: 'destructive', action: 'delete', verdict_preview: 'DENY' });
    expect(json.risk.level).not.to.equal('low');
    expect(json.risk.factors).not.to.have.lengthOf(0);
  });

  for (const [claimed, counted, effective] of [
    [0, { score: 0, level: 0 }, { score: 0, level: 0 }],
    [199.999, { score: 199, level: 0 }, { score: 199, level: 0 }],
    [249.5, { score: 249, level: 1 }, { score: 249, level: 1 }],
    [250, { score: 250, level: 1 }, { score: 250, level: 1 }],
    [1_000, { score: 1_000, level: 7 }, { score: 250, level: 1 }],
  ] as const)
    it(`counts a claimed score of ${claimed} as ${counted.score}, and uses ${effective.score}`, async () => {
      const { json } = await parse('Read user profile data', { trust_score: claimed });
      expect(json.trust).to.deep.equal({ claimed: counted, recorded: { score: 250, level: 1 }, effective });
    });

  for (const [what, body, pointer] of [
    ['a negative claim', { agent_id: 'a', raw_intent: 'x', trust_score: -0.1 }, '/trust_score'],
    ['a claim above 1000', { agent_id: 'a', raw_intent: 'x', trust_score: 1000.1 }, '/trust_score'],
    ['a claim as text', { agent_id: 'a', raw_intent: 'x', trust_score: '500' }, '/trust_score'],
    ['no text', { agent_id: 'a', raw_intent: '' }, '/raw_intent'],
    ['10,001 characters', { agent_id: 'a', raw_intent: 'x'.repeat(10_001) }, '/raw_intent'],
    ['no agent', { raw_intent: 'x' }, ''],
    ['an agent with a control character', { agent_id: 'a\tb', raw_intent: 'x' }, '/agent_id'],
    ['a context that is a list', { agent_id: 'a', raw_intent: 'x', context: [] }, '/context'],
    ['an unknown member', { agent_id: 'a', raw_intent: 'x', trust: 7 }, '/trust'],
  ] as const)
    it(`is refused with ${what}: E2001 at ${pointer || 'the body'}`, async () => {
      const answer = await client.post('/v1/intent', body);
      expect(outcome(answer)).to.deep.equal([400, 'E2001']);
      expect(answer.json.errors[0].pointer.startsWith(pointer)).to.equal(true);
    });

  for (const [what, text] of [
    ['10,000 characters', `Read user profile data ${'and more '.repeat(2_000)}`.slice(0, 10_000)],
    ['10,000 characters beyond the basic plane', '\u{1F600}'.repeat(10_000)],
    ['NUL and other control characters', 'Read\u0000 the \u0007report\r\nand\u2028 the log'],
    ['right-to-left text and its overrides', 'اقرأ الملف \u202eecifed\u202c delete'],
    ['only white space', ' \t\n '],
    ['JSON-like text', '{"agent_id":"x","raw_intent":"\\u0000"}'],
    ['line separators', 'a\u2028b\u2029c\nd'],
  ] as const)
    it(`accepts ${what}, and returns the same bytes when read`, async () => {
      const answer = await parse(text);
      expect(answer.status).to.equal(200);
      const again = await client.get(`/v1/intent/${answer.json.intent_id}`);
      expect(again.text).to.equal(answer.text);
      const [row] = await service.rows<{ raw_intent: string }>(
        'SELECT raw_intent FROM intent_parse WHERE intent_id = $1',
        [answer.json.intent_id],
      );
      expect(JSON.parse(row?.raw_intent ?? '')).to.equal(text);
    });

  for (const one of textSet('parse', 'not-understood'))
    it(`never guesses that a text is a read, and never allows it: ${one.title}`, async () => {
      const { status, json } = await parse(one.text);
      expect(status).to.equal(200);
      expectReading(one, json);
      expect(['DENY', 'ESCALATE']).to.include(json.verdict_preview);
    });

  it('is refused with a lone surrogate, escaped or as bytes: E2006', async () => {
    const raw = Buffer.concat([
      Buffer.from('{"agent_id":"a","raw_intent":"'),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('"}'),
    ]);
    for (const body of ['{"agent_id":"a","raw_intent":"\\ud800"}', '{"agent_id":"a","raw_intent":"\\udc00x"}', raw])
      expect(outcome(await client.request('POST', '/v1/intent', { raw: body }))).to.deep.equal([400, 'E2006']);
  });

  it('keeps concurrent texts separate', async () => {
    const names = Array.from({ length: 60 }, (_, i) => `agent-${i}`);
    const answers = await Promise.all(
      names.map((agent_id) => client.post('/v1/intent', { agent_id, raw_intent: `Read report ${agent_id}\n"quoted"` })),
    );
    const read = await Promise.all(answers.map(({ json }) => client.get(`/v1/intent/${json.intent_id}`)));
    expect(read.map(({ json }) => json.agent_id)).to.deep.equal(names);
    expect(read.map(({ text }) => text)).to.deep.equal(answers.map(({ text }) => text));
  });

  it('is not found from another organisation or environment: the same E4001 as for an id that never existed', async () => {
    const { json } = await parse('Read user profile data');
    const organisationId = await service.addOrganisation('stranger');
    const absent = await client.get('/v1/intent/int_00000000000000000000000000');
    expect(outcome(absent)).to.deep.equal([404, 'E4001']);
    expect((await client.get('/v1/intent/no%20id')).json.detail).to.equal(absent.json.detail);
    for (const other of [
      await service.client({ organisationId }),
      await service.client({ organisationId, scopes: ['admin:*'] }),
      await service.client({ environment: 'test' }),
      await service.client({ agentIds: ['somebody-else'] }),
    ]) {
      const answer = await other.get(`/v1/intent/${json.intent_id}`);
      expect([outcome(answer), answer.json.detail]).to.deep.equal([[404, 'E4001'], absent.json.detail]);
    }
  });

  it('may be requested by a bound key for its own agents only', async () => {
    const bound = await service.client({ agentIds: ['mine'] });
    expect((await bound.post('/v1/intent', { agent_id: 'mine', raw_intent: 'Read it' })).status).to.equal(200);
    const answer = await bound.post('/v1/intent', { agent_id: 'other', raw_intent: 'Read it' });
    expect(outcome(answer)).to.deep.equal([403, 'E1004']);
    expect(answer.json.errors[0].pointer).to.equal('/agent_id');
  });

  it('is stored once for one Idempotency-Key and any number of repeats', async () => {
    const before = await service.rows<{ n: number }>('SELECT count(*)::int AS n FROM intent_parse');
    const headers = { 'idempotency-key': 'parse-once' };
    const first = await client.post('/v1/intent', { agent_id: 'once', raw_intent: 'Read it' }, { headers });
    const again = await client.post('/v1/intent', { raw_intent: 'Read it', agent_id: 'once' }, { headers });
    expect([again.status, again.text]).to.deep.equal([200, first.text]);
    const other = await client.post('/v1/intent', { agent_id: 'once', raw_intent: 'Read that' }, { headers });
    expect(outcome(other)).to.deep.equal([422, 'E2010']);
    const after = await service.rows<{ n: number }>('SELECT count(*)::int AS n FROM intent_parse');
    expect((after[0]?.n ?? 0) - (before[0]?.n ?? 0)).to.equal(1);
  });
});
