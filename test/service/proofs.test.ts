// POST /v1/proofs and its batch: payloads are recorded as sent, once per proofId, and a batch is stored as a whole or not at all.
import { createHash } from 'node:crypto';
import canonicalizeIndependently from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Client, ClientResponse } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

const outcome = (answer: ClientResponse) => [answer.status, answer.json.code];
const pointers = (answer: ClientResponse) => answer.json.errors.map((error: { pointer: string }) => error.pointer);

/** Any JSON that the service accepts: it refuses integer literals beyond 2^53 - 1. */
const arbitraryJson = fc
  .jsonValue({ stringUnit: 'grapheme', maxDepth: 4 })
  .filter((value) => !/\d{16,}/.test(JSON.stringify(value)));

describe('submitted proofs', () => {
  let service: Service;
  let client: Client;
  before(async () => {
    service = await startService();
    client = await service.client();
  });
  after(() => service?.close());

  const BODY = { event: 'invoice.approved', entityId: 'INV-7', payload: { amount: 120 } };
  const post = (body: object = {}, by: Client = client) => by.post('/v1/proofs', { ...BODY, ...body });
  const batch = (proofs: readonly object[], by: Client = client, headers = {}) =>
    by.post('/v1/proofs/batch', { proofs: proofs.map((proof) => ({ ...BODY, ...proof })) }, { headers });
  const count = async (table: string): Promise<number> =>
    (await service.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n ?? -1;
  const stored = () => Promise.all(['record', 'log_inbox'].map(count));
  const recordText = async (proofId: string): Promise<string> => {
    const [row] = await service.rows<{ record: Buffer }>('SELECT record FROM record WHERE proof_id = $1', [proofId]);
    return `${row?.record.toString('utf8')}`;
  };

  it('are accepted with 202, a Location that leads to them, and the digest of the stored record', async () => {
    const before = await stored();
    const answer = await post();
    expect(answer.status).to.equal(202);
    const { proofId, recordDigest, promise } = answer.json;
    expect(answer.json).to.deep.equal({ proofId, status: 'pending', recordDigest, promise });
    expect(promise).to.include({ proofId, recordDigest });
    expect(proofId).to.match(/^prf_[0-9a-z]{26}$/);
    expect(answer.headers['location']).to.equal(`/v1/proofs/${proofId}`);
    const text = await recordText(proofId);
    expect(recordDigest).to.equal(createHash('sha256').update(`${text}}`).digest('hex'));
    const record = JSON.parse(`${text}}`);
    expect(record).to.deep.equal({
      agentId: 'INV-7',
      eventType: 'invoice.approved',
      occurredAt: record.occurredAt,
      payload: { body: { amount: 120 }, environment: 'live', organisation: record.payload.organisation, proofId },
    });
    expect(record.occurredAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await stored()).to.deep.equal(before.map((n) => n + 1));
    const [row] = await service.rows<{ payload: string }>(
      "SELECT payload FROM outbox WHERE queue = 'proofs' ORDER BY seq DESC LIMIT 1",
    );
    expect(JSON.parse(row?.payload ?? '')).to.deep.equal({
      v: 1,
      organisationId: service.operatorId,
      environment: 'live',
    });
  });

  describe('keep their payload as it was sent:', () => {
    const PAYLOADS: readonly (readonly [string, string])[] = [
      ['characters beyond ASCII', '{"text":"é 漢 😀 \\ud83d\\ude00 ﬁ \\u2028\\u2029 \\u200b"}'],
      ['control characters and NUL', '{"text":"a\\u0000b\\n\\t\\"\\\\ \\u001f\\u007f"}'],
      ['numbers at the edges', '{"n":[1E30,-0,0.1,1e-7,5e-324,1.7976931348623157e308,9007199254740991,-1.50]}'],
      ['names of inherited object members', '{"__proto__":{"a":1},"constructor":2,"":3,"toString":4}'],
      ['names whose order is by UTF-16 code units', '{"\\ufb33":1,"\\ud83d\\ude00":2,"\\u20ac":3,"\\r":4,"1":5,"a":6}'],
      ['depth', `{"a":${'['.repeat(60)}${']'.repeat(60)}}`],
      ['nothing', '{}'],
      ['a long text', JSON.stringify({ text: 'x\n'.repeat(200_000) })],
    ];
    for (const [what, payload] of PAYLOADS)
      it(what, async () => {
        const answer = await client.request('POST', '/v1/proofs', {
          raw: `{"event":"e","entityId":"bytes","payload":${payload}}`,
        });
        expect(answer.status, answer.text.slice(0, 300)).to.equal(202);
        const text = await recordText(answer.json.proofId);
        // An independent implementation of RFC 8785, over the sender's own text.
        const body = canonicalizeIndependently(JSON.parse(payload) as object) ?? '';
        expect(text).to.include(`"payload":{"body":${body},"environment":"live","organisation":`);
        expect(`${text}}`).to.equal(canonicalizeIndependently(JSON.parse(`${text}}`) as object));
      });

    it('any JSON objects, alone and in a batch', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 5 }), arbitraryJson, { maxKeys: 4 }), {
            minLength: 1,
            maxLength: 4,
          }),
          async (payloads) => {
            const { json } = await batch(payloads.map((payload) => ({ payload })));
            for (const [i, { proofId }] of json.proofs.entries()) {
              const body = canonicalizeIndependently(payloads[i]) ?? '';
              expect(await recordText(proofId)).to.include(`"payload":{"body":${body},"environment"`);
            }
          },
        ),
        { numRuns: 40 },
      );
    });
  });

  describe('are refused with E2001 at the pointer, and nothing is stored:', () => {
    const REFUSED: readonly (readonly [string, object, string])[] = [
      ["an event of the service's own", { event: 'custos.decision' }, '/event'],
      ['an empty event', { event: '' }, '/event'],
      ['an event with a control character', { event: 'a\u0007' }, '/event'],
      ["an entity of the service's own", { entityId: 'custos:policies' }, '/entityId'],
      ['an entityId that is a dot', { entityId: '..' }, '/entityId'],
      ['an entityId that is too long', { entityId: 'x'.repeat(257) }, '/entityId'],
      ["a proofId of the service's own", { proofId: 'custos:x' }, '/proofId'],
      ['a proofId of the form that the service makes', { proofId: `prf_${'0'.repeat(26)}` }, '/proofId'],
      ['a proofId that is a dot', { proofId: '.' }, '/proofId'],
      ['a payload that is a list', { payload: [] }, '/payload'],
      ['a payload that is null', { payload: null }, '/payload'],
      ['an unknown member', { signature: 'x' }, '/signature'],
    ];
    for (const [what, change, pointer] of REFUSED)
      it(what, async () => {
        const before = await stored();
        const single = await post(change);
        expect(outcome(single), single.text).to.deep.equal([400, 'E2001']);
        expect(pointers(single)).to.deep.equal([pointer]);
        const last = await batch([{}, {}, change]);
        expect(outcome(last), last.text).to.deep.equal([400, 'E2001']);
        expect(pointers(last)).to.deep.equal([`/proofs/2${pointer}`]);
        expect(await stored()).to.deep.equal(before);
      });

    it('an empty batch, and one of 1,001', async () => {
      for (const proofs of [[], Array.from({ length: 1_001 }, () => ({}))])
        expect(outcome(await batch(proofs))).to.deep.equal([400, 'E2001']);
    });

    it('a lone surrogate, an invalid number and a duplicate member, as invalid JSON', async () => {
      for (const payload of [
        '{"a":"\\ud800"}',
        '{"a":1e400}',
        '{"a":1,"a":2}',
        `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
      ])
        expect(
          outcome(
            await client.request('POST', '/v1/proofs', { raw: `{"event":"e","entityId":"x","payload":${payload}}` }),
          ),
        ).to.deep.equal([400, 'E2006']);
    });
  });

  it('may be anchored by an observer, which may ask for nothing', async () => {
    const observer = await service.client({ scopes: ['trust:write'] });
    const proof = { event: 'tool.called', entityId: 'observed', payload: { outcome: 'success' } };
    expect((await observer.post('/v1/proofs', proof)).status).to.equal(202);
    for (const [path, body] of [
      ['/v1/proofs/batch', { proofs: [proof] }],
      ['/v1/enforce', { intent: 'data.read.x', agent_id: 'observed' }],
    ] as const)
      expect(outcome(await observer.post(path, body)), path).to.deep.equal([403, 'E1004']);
  });

  describe('with a proofId', () => {
    it('repeated return the first answer and stay one record, in any spelling of the same JSON', async () => {
      const proofId = 'mine/1?é #%41';
      const first = await post({ proofId, payload: { a: 1, b: 100 } });
      service.advance(1_500);
      const before = await stored();
      const again = await client.request('POST', '/v1/proofs', {
        raw: `{"proofId":${JSON.stringify(proofId)},"payload":{"b":1e2,"a":1.0},"entityId":"INV-7","event":"invoice.approved"}`,
      });
      expect([again.status, again.text]).to.deep.equal([202, first.text]);
      expect(again.headers['location']).to.equal(`/v1/proofs/${encodeURIComponent(proofId)}`);
      expect((await batch([{ proofId, payload: { a: 1, b: 100 } }])).json.proofs).to.deep.equal([first.json]);
      expect(await stored()).to.deep.equal(before);
    });

    it('with other content are refused with 422 at the pointer, and change nothing', async () => {
      await post({ proofId: 'taken' });
      const before = await stored();
      for (const change of [{ payload: { amount: 121 } }, { event: 'other' }, { entityId: 'other' }]) {
        const single = await post({ proofId: 'taken', ...change });
        expect(outcome(single)).to.deep.equal([422, 'E2010']);
        expect(pointers(single)).to.deep.equal(['/proofId']);
      }
      expect(await stored()).to.deep.equal(before);
    });

    it('are separate in each environment and organisation', async () => {
      const organisationId = await service.addOrganisation('proofs-apart');
      const others = [{ environment: 'test' }, { environment: 'dev' }, { organisationId }] as const;
      await post({ proofId: 'apart' });
      for (const [i, spec] of others.entries()) {
        const answer = await post({ proofId: 'apart', payload: { i } }, await service.client(spec));
        expect(answer.status, answer.text).to.equal(202);
      }
    });

    it('sent at once with different payloads: exactly one payload is stored, and all others are refused', async () => {
      for (let round = 0; round < 5; round += 1) {
        const proofId = `race-${round}`;
        const answers = await Promise.all(
          Array.from({ length: 12 }, (_, i) => {
            const body = { proofId, payload: { i: Math.floor(i / 2) } };
            return i % 3 === 0 ? batch([body, {}]) : post(body);
          }),
        );
        const [row] = await service.rows<{ record: Buffer }>('SELECT record FROM record WHERE proof_id = $1', [
          proofId,
        ]);
        const winner = JSON.parse(`${row?.record.toString('utf8')}}`).payload.body.i;
        const digest = createHash('sha256')
          .update(`${row?.record.toString('utf8')}}`)
          .digest('hex');
        for (const [i, answer] of answers.entries()) {
          if (Math.floor(i / 2) === winner) {
            expect(answer.status, answer.text).to.equal(202);
            expect((answer.json.proofs?.[0] ?? answer.json).recordDigest).to.equal(digest);
          } else expect(outcome(answer)).to.deep.equal([422, 'E2010']);
        }
        expect(await service.rows('SELECT seq FROM log_inbox WHERE source_id = $1', [proofId])).to.have.lengthOf(1);
      }
    });

    it('sent at once with the same payload at different times all get the digest of the one record', async () => {
      const send = (): Promise<ClientResponse> => {
        service.advance(7);
        return post({ proofId: 'same-at-once' });
      };
      const answers = await Promise.all(Array.from({ length: 20 }, send));
      const digest = createHash('sha256')
        .update(`${await recordText('same-at-once')}}`)
        .digest('hex');
      for (const answer of answers) expect([answer.status, answer.json.recordDigest]).to.deep.equal([202, digest]);
    });

    it('and an Idempotency-Key both apply: the key decides the answer, the proofId the record', async () => {
      const send = (key: string, change: object = {}) =>
        client.post('/v1/proofs', { ...BODY, proofId: 'both', ...change }, { headers: { 'idempotency-key': key } });
      const first = await send('proof-a');
      const before = await stored();
      const replay = await send('proof-a');
      expect([replay.text, replay.headers['idempotent-replayed']]).to.deep.equal([first.text, 'true']);
      // The first answer and its repetition are told from those to other requests by the key.
      for (const { headers } of [first, replay]) expect(headers['idempotency-key']).to.equal('proof-a');
      expect((await send('proof-b')).json).to.deep.equal(first.json);
      expect(outcome(await send('proof-a', { event: 'other' }))).to.deep.equal([422, 'E2010']);
      const conflict = await send('proof-c', { event: 'other' });
      expect([...outcome(conflict), pointers(conflict)]).to.deep.equal([422, 'E2010', ['/proofId']]);
      // The refused request claimed nothing: its key is free for a valid one.
      expect((await send('proof-c')).json).to.deep.equal(first.json);
      expect(await stored()).to.deep.equal(before);
    });
  });

  describe('in a batch', () => {
    it('are answered in order and queued for the log in order', async () => {
      const proofs = Array.from({ length: 120 }, (_, i) => ({
        payload: { i },
        ...(i % 3 === 0 ? { proofId: `ordered-${i}` } : {}),
      }));
      for (const members of [proofs, proofs.map(({ payload }) => ({ payload }))]) {
        const { json } = await batch(members);
        expect(json.proofs).to.have.lengthOf(120);
        const ids = json.proofs.map((proof: { proofId: string }) => proof.proofId);
        const waiting = await service.rows<{ source_id: string }>(
          'SELECT source_id FROM log_inbox WHERE source_id = ANY ($1) ORDER BY seq',
          [ids],
        );
        expect(waiting.map((row) => row.source_id)).to.deep.equal(ids);
        expect(JSON.parse(`${await recordText(ids[77])}}`).payload.body).to.deep.equal({ i: 77 });
      }
    });

    it('are all refused if one conflicts, even the very last one', async () => {
      await post({ proofId: 'known' });
      const before = await stored();
      const members = [
        ...Array.from({ length: 199 }, (_, i) => ({ proofId: `all-or-none-${i}` })),
        { proofId: 'known', event: 'x' },
      ];
      for (const headers of [{}, { 'idempotency-key': 'all-or-none' }]) {
        const answer = await batch(members, client, headers);
        expect([...outcome(answer), pointers(answer)]).to.deep.equal([422, 'E2010', ['/proofs/199/proofId']]);
      }
      expect(await stored()).to.deep.equal(before);
      const good = await batch(members.slice(0, 199), client, { 'idempotency-key': 'all-or-none' });
      expect(good.status).to.equal(202);
      expect(await stored()).to.deep.equal(before.map((n) => n + 199));
    });

    it('may contain one proofId twice with the same content, and are refused if the contents differ', async () => {
      const before = await stored();
      const same = await batch([{ proofId: 'twice' }, {}, { proofId: 'twice' }]);
      const [first, , last] = same.json.proofs.map((one: { promise: object }) => {
        const { batch: _, ...promise } = one.promise as { batch?: object };
        return { ...one, promise };
      });
      expect(last).to.deep.equal(first);
      expect(await stored()).to.deep.equal(before.map((n) => n + 2));
      const different = await batch([{ proofId: 'at-odds' }, {}, { proofId: 'at-odds', event: 'x' }]);
      expect([...outcome(different), pointers(different)]).to.deep.equal([422, 'E2010', ['/proofs/2/proofId']]);
      expect(await stored()).to.deep.equal(before.map((n) => n + 2));
    });

    it('repeated as a whole return the same answer and store nothing new, with and without an Idempotency-Key', async () => {
      const members = Array.from({ length: 30 }, (_, i) => ({ proofId: `whole-${i}` }));
      const first = await batch(members);
      const before = await stored();
      expect((await batch(members)).json).to.deep.equal(first.json);
      expect((await batch(members, client, { 'idempotency-key': 'whole' })).json).to.deep.equal(first.json);
      expect(await stored()).to.deep.equal(before);
    });

    it('sent at once with the same proofIds in opposite orders all succeed, without a deadlock', async () => {
      for (let round = 0; round < 3; round += 1) {
        const members = Array.from({ length: 150 }, (_, i) => ({ proofId: `circle-${round}-${i}` }));
        const reversed = [...members].reverse();
        const answers = await Promise.all(
          Array.from({ length: 6 }, (_, i) =>
            batch(i % 2 === 0 ? members : reversed, client, i < 4 ? {} : { 'idempotency-key': `circle-${round}-${i}` }),
          ),
        );
        for (const answer of answers) expect(answer.status, answer.text.slice(0, 300)).to.equal(202);
        const digests = (answer: ClientResponse) =>
          answer.json.proofs.map((proof: { recordDigest: string }) => proof.recordDigest).sort();
        for (const answer of answers) expect(digests(answer)).to.deep.equal(digests(answers[0] as ClientResponse));
      }
    });
  });

  it('need intents:write, and a bound key may submit only for its agents', async () => {
    const reader = await service.client({ scopes: ['proofs:read'] });
    for (const answer of [await post({}, reader), await batch([{}], reader)])
      expect(outcome(answer)).to.deep.equal([403, 'E1004']);
    const bound = await service.client({ agentIds: ['bound'] });
    expect((await post({ entityId: 'bound' }, bound)).status).to.equal(202);
    const before = await stored();
    expect(pointers(await post({}, bound))).to.deep.equal(['/entityId']);
    const answer = await batch([{ entityId: 'bound' }, {}], bound);
    expect([...outcome(answer), pointers(answer)]).to.deep.equal([403, 'E1004', ['/proofs/1/entityId']]);
    expect(await stored()).to.deep.equal(before);
  });
});
