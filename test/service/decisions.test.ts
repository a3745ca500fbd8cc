// Recorded decisions: the answered bytes, their canonical record, and who may read them.
import { createHash } from 'node:crypto';
import canonicalizeIndependently from 'canonicalize';
import { expect } from 'chai';
import { VOCABULARY } from '../../shared/core/policy/vocabulary.ts';
import { asAnswered, type Client } from '../support/client.ts';
import { factsText } from '../support/stored-facts.ts';
import { recordText } from '../support/stored-records.ts';
import { type Service, startService } from '../support/service.ts';

interface DecisionRow {
  record: Buffer;
  facts: Buffer;
  facts_salt: Buffer;
}

describe('decisions', () => {
  let service: Service;
  let client: Client;
  before(async () => {
    service = await startService();
    client = await service.client();
  });
  after(() => service.close());

  const enforce = (body: object = {}, by: Client = client) =>
    by.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'reader', ...body });
  const rowOf = async (decisionId: string): Promise<DecisionRow> => {
    const [row] = await service.rows<DecisionRow>(
      'SELECT record, facts, facts_salt FROM decision WHERE decision_id = $1',
      [decisionId],
    );
    if (row === undefined) throw new Error('the decision is not on record');
    return row;
  };

  const UNUSUAL = [
    {},
    { agent_id: 'quote " backslash \\ slash / é \u{1F916} \u2028 \u202e' },
    { trust_level: 0 },
    { intent: 'delete:db/production/users' },
    { intent: 'grant:admin/ünïcode/日本' },
    { intent: 'frobnicate:a/b' },
    { intent: 'data.read.*' },
    { approval_id: 'apr_1' },
    { context: { z: 1e21, a: [0.1, -0, 1e-7, null, { '\u0000': '\n\u2028' }], é: '\ud83e\udd16', __proto__x: 1 } },
  ];

  for (const [i, body] of UNUSUAL.entries())
    it(`are read back byte for byte (${i}: ${JSON.stringify(body).slice(0, 60)})`, async () => {
      const answer = await enforce(body);
      expect(answer.status).to.equal(200);
      const again = await client.get(`/v1/decisions/${answer.json.decision_id}`);
      expect(asAnswered(again.text)).to.equal(answer.text);
      expect(again.json.stands).to.equal(answer.json.allowed);
      const list = await client.get(`/v1/decisions?limit=1&agentId=${encodeURIComponent(answer.json.agent_id)}`);
      expect(list.text).to.contain(`${answer.text.slice(0, -1)},"stands":`);
    });

  for (const [i, body] of UNUSUAL.entries())
    it(`have a record in RFC 8785 form, whose digest commits to the facts (${i})`, async () => {
      const { json } = await enforce(body);
      const row = await rowOf(json.decision_id);
      const record = `${recordText(row.record)}}`;
      const parsed = JSON.parse(record);
      expect(canonicalizeIndependently(parsed)).to.equal(record);
      const facts = factsText(row.facts);
      expect(canonicalizeIndependently(JSON.parse(facts))).to.equal(facts);
      expect(row.facts_salt).to.have.lengthOf(16);
      const digest = createHash('sha256').update(row.facts_salt).update(facts).digest('hex');
      expect(parsed.payload.body.factsDigest).to.equal(digest);
      const { factsDigest: _, ...payloadBody } = parsed.payload.body;
      const { proof, ...answered } = json;
      expect(payloadBody).to.deep.equal(answered);
      expect(parsed).to.deep.include({
        agentId: json.agent_id,
        eventType: 'custos.decision',
        occurredAt: json.evaluated_at,
      });
      expect(parsed.payload).to.include({ environment: 'live', organisation: 'default', proofId: proof.proof_id });
    });

  it('store every fact of the vocabulary, used or not', async () => {
    const keptOf = async (question: Record<string, unknown>): Promise<Record<string, unknown>> => {
      const { json } = await enforce({ trust_level: 3, context: { ticket: 'T-1' }, ...question });
      return JSON.parse(factsText((await rowOf(json.decision_id)).facts));
    };
    const text = await keptOf({});
    const annotations = {
      title: 'Read',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    };
    const call = { server: 'files', name: 'read', arguments: { path: '/a' }, annotations };
    const tool = await keptOf({ intent: undefined, tool: call });
    const absent = VOCABULARY.map((entry) => (entry.path === undefined ? entry.fact : `${entry.fact}.${entry.path}`))
      // Not stored: it follows from the presence of the tool call.
      .filter((path) => path !== 'tool.present')
      // Absent without a second reader (second-reader.test.ts), and without a text that is surely harmless (enforce.test.ts).
      .filter((path) => path !== 'intent.second_reading' && path !== 'intent.harmless')
      // Absent as long as nothing is registered.
      .filter((path) => !path.startsWith('resource.'))
      .filter((path) => {
        let value: unknown = path.startsWith('tool.') ? tool : text;
        for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key];
        return value === undefined;
      });
    expect(absent).to.deep.equal([]);
    expect(text['context']).to.deep.equal({ ticket: 'T-1' });
    expect(text).not.to.have.property('tool');
    expect(tool['tool']).to.deep.include({ arguments: call.arguments });
  });

  it('each have their own salt', async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, () => enforce({ agent_id: 'salted' })));
    const rows = await service.rows<{ n: number }>(
      "SELECT count(DISTINCT facts_salt)::int AS n FROM decision WHERE agent_id = 'salted'",
    );
    expect(rows[0]?.n).to.equal(answers.length);
  });

  it('cannot be changed or deleted in the database; only their facts can be erased', async () => {
    const { json } = await enforce();
    const run = (text: string) =>
      service.rows(`${text} WHERE decision_id = $1`, [json.decision_id]).then(
        () => 'done',
        (error: unknown) => (error as { code: string }).code,
      );
    expect(await run("UPDATE decision SET verdict = 'DENY'")).to.equal('23000');
    expect(await run("UPDATE decision SET request_id = 'another'")).to.equal('23000');
    expect(await run('DELETE FROM decision')).to.equal('23000');
    expect(await run("UPDATE decision SET facts = 'x'")).to.equal('23000');
    expect(await run('UPDATE decision SET facts = NULL, facts_salt = NULL')).to.equal('done');
    expect((await client.get(`/v1/decisions/${json.decision_id}`)).json).to.deep.equal({ ...json, stands: true });
  });

  describe('are listed', () => {
    const ids = (answer: { json: { items: { decision_id: string }[] } }) =>
      answer.json.items.map((item) => item.decision_id);

    it('newest first, page by page, without duplicates or gaps while others are added', async () => {
      const lister = await service.client({ environment: 'dev' });
      const made: string[] = [];
      for (let i = 0; i < 9; i += 1) made.push((await enforce({}, lister)).json.decision_id);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? '' : `&cursor=${cursor}`;
        const page = await lister.get(`/v1/decisions?limit=3${query}`);
        seen.push(...ids(page));
        cursor = page.json.nextCursor;
        await enforce({}, lister);
      } while (cursor !== null);
      expect([...seen].sort()).to.deep.equal([...made].sort());
      expect(seen).to.deep.equal([...seen].sort().reverse());
    });

    it('by agent, by verdict, and by time: from inclusive, to exclusive', async () => {
      const reader = await service.client({ scopes: ['proofs:read'] });
      const allowed = (await enforce({ agent_id: 'filtered' })).json;
      service.advance(10);
      const denied = (await enforce({ agent_id: 'filtered', intent: 'data.delete.x' })).json;
      const list = async (query: string) => ids(await reader.get(`/v1/decisions?agentId=filtered${query}`));
      expect(await list('')).to.deep.equal([denied.decision_id, allowed.decision_id]);
      expect(await list('&verdict=ALLOW')).to.deep.equal([allowed.decision_id]);
      expect(await list('&verdict=DEGRADE')).to.deep.equal([]);
      expect(await list(`&from=${denied.evaluated_at}`)).to.deep.equal([denied.decision_id]);
      expect(await list(`&to=${denied.evaluated_at}`)).to.deep.equal([allowed.decision_id]);
      expect(await list(`&from=${allowed.evaluated_at}&to=${allowed.evaluated_at}`)).to.deep.equal([]);
      const offset = denied.evaluated_at.replace('Z', '%2B00:00');
      expect(await list(`&from=${offset}`)).to.deep.equal([denied.decision_id]);
    });

    for (const query of [
      'verdict=allow',
      'from=yesterday',
      'from=2026-02-30T00:00:00Z',
      'limit=0',
      'limit=201',
      'limit=1.5',
      'cursor=nonsense',
      'agentId=..',
      'requestId=',
      'requestId=a%20b',
      'unknown=1',
      'limit=1&limit=2',
    ])
      it(`refuse ${query}: E2001`, async () => {
        const answer = await client.get(`/v1/decisions?${query}`);
        expect([answer.status, answer.json.code]).to.deep.equal([400, 'E2001']);
      });

    for (const query of [
      'from=0001-01-01T00:00:00Z',
      'to=9999-12-31T23:59:59.999999999-23:59',
      'from=0000-01-01T00:00:00Z',
    ])
      it(`accept a time at the end of the range: ${query}`, async () => {
        expect((await client.get(`/v1/decisions?limit=1&${query}`)).status).to.equal(200);
      });
  });

  describe('may be read', () => {
    it('with intents:write only by the key that asked, with proofs:read by any key of the organisation and environment', async () => {
      const { json } = await enforce({ agent_id: 'private' });
      const path = `/v1/decisions/${json.decision_id}`;
      const organisationId = await service.addOrganisation('others');
      const outcomes: [string, number, number][] = [];
      for (const [who, spec] of [
        ['the key itself', undefined],
        ['proofs:read', { scopes: ['proofs:read'] }],
        ['admin', { scopes: ['admin:*'] }],
        ['proofs:read bound to the agent', { scopes: ['proofs:read'], agentIds: ['private'] }],
        ['another key with intents:write', {}],
        ['proofs:read bound to another agent', { scopes: ['proofs:read'], agentIds: ['other'] }],
        ['proofs:read of another environment', { scopes: ['proofs:read'], environment: 'test' }],
        ['admin of another organisation', { scopes: ['admin:*'], organisationId }],
        ['agents:read', { scopes: ['agents:read'] }],
      ] as const) {
        const by = spec === undefined ? client : await service.client(spec);
        const list = await by.get('/v1/decisions?limit=200');
        const listed = list.status === 200 ? list.text.includes(json.decision_id) : false;
        outcomes.push([who, (await by.get(path)).status, listed ? 1 : 0]);
      }
      expect(outcomes).to.deep.equal([
        ['the key itself', 200, 1],
        ['proofs:read', 200, 1],
        ['admin', 200, 1],
        ['proofs:read bound to the agent', 200, 1],
        ['another key with intents:write', 404, 0],
        ['proofs:read bound to another agent', 404, 0],
        ['proofs:read of another environment', 404, 0],
        ['admin of another organisation', 404, 0],
        ['agents:read', 403, 0],
      ]);
    });

    it('by nobody when they do not exist: E4001, with the same message as for those of others', async () => {
      const { json } = await enforce({}, await service.client({ environment: 'test' }));
      const hidden = await client.get(`/v1/decisions/${json.decision_id}`);
      const absent = await client.get('/v1/decisions/dec_00000000000000000000000000');
      const odd = await client.get('/v1/decisions/%F0%9F%A4%96');
      for (const answer of [hidden, absent, odd])
        expect([answer.status, answer.json.code, answer.json.detail]).to.deep.equal([404, 'E4001', absent.json.detail]);
    });

    it('not of an agent outside the binding of the key: naming it in a filter is E1004', async () => {
      const bound = await service.client({ scopes: ['proofs:read'], agentIds: ['mine'] });
      const answer = await bound.get('/v1/decisions?agentId=other');
      expect([answer.status, answer.json.code]).to.deep.equal([403, 'E1004']);
    });
  });
});
