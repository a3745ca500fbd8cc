// Idempotency-Key over HTTP and Postgres: one effect and one answer, whatever is repeated, killed or late.
import { expect } from 'chai';
import { Type } from 'typebox';
import { createIdempotency, type Idempotency } from '../../ingress/idempotency.ts';
import { defineRoute, type Route } from '../../ingress/route.ts';
import { type Database, openDatabase, type Statement } from '../../shared/db/database.ts';
import { ApiError } from '../../shared/errors.ts';
import { type Client, type ClientResponse, createClient } from '../support/client.ts';
import { createTestDatabase, PATIENCE, queryOnce, type TestDatabase } from '../support/database.ts';
import { sampleKey, type Sample, startSample } from '../support/sample-app.ts';
import { waitFor } from '../support/wait.ts';

const ADD: Statement = { name: 'test-effect', text: 'INSERT INTO test_effect (name) VALUES ($1)' };
const Body = Type.Object(
  { name: Type.String(), secret: Type.Optional(Type.String()) },
  { additionalProperties: false },
);
const Answer = Type.Object(
  { name: Type.String(), n: Type.Integer(), secret: Type.Optional(Type.String()) },
  { additionalProperties: false },
);

describe('Idempotency-Key', () => {
  let database: TestDatabase;
  let db: Database;
  let idempotency: Idempotency;
  let sample: Sample;
  let client: Client;
  let runs = 0;
  /** Awaited by the handler's work before it ends. */
  let hold: Promise<void> | undefined;
  let fail: (() => unknown) | undefined;
  /** Whether a part of the answer failed for a reason that may pass. */
  let passing = false;

  const rows = (): Promise<{ status: number | null; answer: Buffer | null; key_hash: Buffer }[]> =>
    db.query({ name: 'test-rows', text: 'SELECT status, answer, key_hash FROM idempotency' }, []);
  const effects = async (): Promise<number> =>
    (await db.query({ name: 'test-effects', text: 'SELECT name FROM test_effect' }, [])).length;
  const sql = (name: string, text: string) => db.query({ name, text }, []);

  const plain: Route = defineRoute({
    method: 'POST',
    path: '/v1/plain',
    access: ['intents:write'],
    tag: 'T',
    summary: 's',
    request: { body: Body },
    responses: { 201: { description: 'Done', schema: Answer } },
    errors: [],
    idempotent: true,
    handler: ({ body }) => {
      runs += 1;
      return { status: 201, body: { name: body.name, n: runs } };
    },
  });

  const committing: Route = defineRoute({
    method: 'POST',
    path: '/v1/effects',
    access: ['intents:write'],
    tag: 'T',
    summary: 's',
    request: { body: Body },
    responses: { 201: { description: 'Done', schema: Answer } },
    errors: ['E5003'],
    idempotent: true,
    handler: (request) =>
      request.commit(async (tx) => {
        runs += 1;
        const n = runs;
        await tx.query(ADD, [request.body.name]);
        await hold;
        if (fail !== undefined) throw fail();
        return { status: 201, body: { ...request.body, n }, headers: { location: `/v1/effects/${n}` }, passing };
      }),
  });

  before(async function () {
    this.timeout(120_000);
    database = await createTestDatabase();
    db = await openDatabase({
      url: database.url,
      applicationName: 'test',
      ...PATIENCE,
      poolSize: 8,
      onError: () => undefined,
    });
    await queryOnce(database.adminUrl, 'CREATE TABLE test_effect (name text); GRANT ALL ON test_effect TO PUBLIC');
    idempotency = createIdempotency({ db, pepper: Buffer.alloc(32, 7) });
    sample = await startSample({ idempotency, routes: [committing, plain] });
    client = createClient(sample.baseUrl, 'writer');
  });
  beforeEach(async () => {
    runs = 0;
    hold = undefined;
    fail = undefined;
    passing = false;
    await sql('test-clear', 'WITH a AS (DELETE FROM idempotency) DELETE FROM test_effect');
  });
  after(async () => {
    client?.close();
    await sample?.close();
    await db?.close();
    await database?.drop();
  });

  const post = (body: unknown, key: string, more: { key?: string; path?: string } = {}): Promise<ClientResponse> =>
    client.post(more.path ?? '/v1/effects', body, {
      headers: { 'idempotency-key': key },
      ...(more.key === undefined ? {} : { key: more.key }),
    });

  it('gives the same answer again, marked, without a second effect', async () => {
    const first = await post({ name: 'a' }, 'k1');
    const again = await post({ name: 'a' }, 'k1');
    expect([first.status, first.headers['idempotent-replayed']]).to.deep.equal([201, undefined]);
    expect([again.status, again.headers['idempotent-replayed']]).to.deep.equal([201, 'true']);
    expect(again.text).to.equal(first.text);
    expect(again.headers['location']).to.equal('/v1/effects/1');
    expect([runs, await effects()]).to.deep.equal([1, 1]);
  });
  it('does not keep an answer of which a part may work the next time, and keeps what was done', async () => {
    passing = true;
    expect((await post({ name: 'a' }, 'k')).json.n).to.equal(1);
    passing = false;
    const again = await post({ name: 'a' }, 'k');
    expect([again.status, again.json.n, again.headers['idempotent-replayed']]).to.deep.equal([201, 2, undefined]);
    expect((await post({ name: 'a' }, 'k')).headers['idempotent-replayed']).to.equal('true');
    expect([runs, await effects()]).to.deep.equal([2, 2]);
  });
  it('takes the same JSON in another spelling for the same body', async () => {
    await client.request('POST', '/v1/effects', {
      raw: '{"name":"a","secret":"b"}',
      headers: { 'idempotency-key': 'k' },
    });
    const again = await client.request('POST', '/v1/effects', {
      raw: ' { "secret": "\\u0062", "name": "a" }',
      headers: { 'idempotency-key': 'k' },
    });
    expect(again.headers['idempotent-replayed']).to.equal('true');
  });
  it('refuses another body with 422 E2010', async () => {
    await post({ name: 'a' }, 'k');
    const other = await post({ name: 'b' }, 'k');
    expect([other.status, other.json.code, other.json.retryable]).to.deep.equal([422, 'E2010', false]);
    expect(await effects()).to.equal(1);
  });
  it('lets exactly one of many simultaneous requests run; the others get 409 with Retry-After or the answer', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => post({ name: 'a' }, 'k')));
    for (const answer of answers) {
      expect([201, 409]).to.include(answer.status);
      if (answer.status === 409) {
        expect([answer.json.code, answer.headers['retry-after'], answer.json.retryable]).to.deep.equal([
          'E2010',
          '1',
          true,
        ]);
      }
    }
    expect(new Set(answers.filter((a) => a.status === 201).map((a) => a.text)).size).to.equal(1);
    expect([runs, await effects()]).to.deep.equal([1, 1]);
  });
  it('releases the claim when the request is refused, and nothing is written', async () => {
    fail = () => new ApiError('E5003', 'It exists already.');
    expect((await post({ name: 'a' }, 'k')).json.code).to.equal('E5003');
    expect([(await rows()).length, await effects()]).to.deep.equal([0, 0]);
    fail = undefined;
    expect((await post({ name: 'b' }, 'k')).status, 'the key is free for another body').to.equal(201);
  });
  it('releases the claim after an internal error', async () => {
    fail = () => new Error('boom');
    expect((await post({ name: 'a' }, 'k')).status).to.equal(500);
    expect([(await rows()).length, await effects()]).to.deep.equal([0, 0]);
  });
  it('frees the claim of a killed process after 30 s, and that process can no longer commit', async () => {
    let release = (): void => undefined;
    hold = new Promise((resolve) => {
      release = resolve;
    });
    const old = post({ name: 'a' }, 'k');
    await waitFor(() => runs === 1, { what: 'the first request to run' });
    expect((await post({ name: 'a' }, 'k')).status).to.equal(409);
    const [claimed] = await sql(
      'test-left',
      'SELECT extract(epoch FROM claimed_until - clock_timestamp()) AS left FROM idempotency',
    );
    expect(Number((claimed as { left: string }).left)).to.be.within(25, 30);
    await sql('test-expire', "UPDATE idempotency SET claimed_until = clock_timestamp() - interval '1 second'");
    hold = undefined;
    const next = await post({ name: 'a' }, 'k');
    expect([next.status, next.json.n]).to.deep.equal([201, 2]);
    release();
    const late = await old;
    expect([late.status, late.json.code]).to.deep.equal([409, 'E2010']);
    expect(await effects(), 'the effect of the old owner is rolled back').to.equal(1);
    expect((await post({ name: 'a' }, 'k')).json.n).to.equal(2);
  });
  it('forgets an answer after 24 hours', async () => {
    await post({ name: 'a' }, 'k');
    await sql('test-age', "UPDATE idempotency SET created_at = created_at - interval '24 hours 1 second'");
    const fresh = await post({ name: 'b' }, 'k');
    expect([fresh.status, fresh.headers['idempotent-replayed']]).to.deep.equal([201, undefined]);
  });
  it('is unique per organisation, environment and route', async () => {
    await post({ name: 'a' }, 'k');
    expect((await post({ name: 'a' }, 'k', { path: '/v1/plain' })).headers).not.to.have.property('idempotent-replayed');
    const begin = (key = sampleKey()) =>
      idempotency.begin({
        key,
        route: 'POST /v1/effects',
        path: '/v1/effects',
        idempotencyKey: 'k',
        body: { name: 'a' },
      });
    expect((await begin()).kind).to.equal('replay');
    expect((await begin(sampleKey(['intents:write'], { environment: 'test' }))).kind).to.equal('claimed');
    expect((await begin(sampleKey(['intents:write'], { organisationId: 'org_other' }))).kind).to.equal('claimed');
  });
  it('gives the stored answer to no key with other powers', async () => {
    await post({ name: 'a' }, 'k', { key: 'admin' });
    expect((await post({ name: 'a' }, 'k', { key: 'writer' })).status).to.equal(422);
    const bound = sampleKey(['admin:*'], { agentIds: new Set(['agent-1']) });
    const error = await idempotency
      .begin({ key: bound, route: 'POST /v1/effects', path: '/v1/effects', idempotencyKey: 'k', body: { name: 'a' } })
      .then(
        () => undefined,
        (e: ApiError) => e,
      );
    expect(error?.status).to.equal(422);
  });
  it("keeps neither the caller's key nor the answer in the clear", async () => {
    await post({ name: 'a', secret: 'hunter2-hunter2' }, 'my-very-own-key');
    const [row] = await rows();
    const all = Buffer.concat([row?.answer ?? Buffer.alloc(0), row?.key_hash ?? Buffer.alloc(0)]).toString('latin1');
    expect(all).not.to.match(/hunter2|my-very-own-key/);
    expect(row?.key_hash).to.have.length(32);
    const other = createIdempotency({ db, pepper: Buffer.alloc(32, 8) });
    const opened = await other
      .begin({
        key: sampleKey(),
        route: 'POST /v1/effects',
        path: '/v1/effects',
        idempotencyKey: 'my-very-own-key',
        body: { name: 'a', secret: 'hunter2-hunter2' },
      })
      .then(
        () => 'opened',
        () => 'refused',
      );
    expect(opened).to.equal('refused');
  });
  it('leaves nothing behind for a reply that was not committed', async () => {
    const first = await post({ name: 'a' }, 'k', { path: '/v1/plain' });
    const again = await post({ name: 'a' }, 'k', { path: '/v1/plain' });
    expect([first.json.n, again.json.n, (await rows()).length]).to.deep.equal([1, 2, 0]);
  });
  it('spends nothing on a request without the header', async () => {
    expect((await client.post('/v1/effects', { name: 'a' })).status).to.equal(201);
    expect([await effects(), (await rows()).length]).to.deep.equal([1, 0]);
  });
  it('refuses a header that is empty, too long or not printable ASCII', async () => {
    for (const bad of ['', 'x'.repeat(256), 'a\tb', Buffer.from('ä').toString('latin1')]) {
      const answer = await post({ name: 'a' }, bad);
      expect([answer.status, answer.json.code], JSON.stringify(bad)).to.deep.equal([400, 'E2001']);
    }
    expect((await post({ name: 'a' }, 'x'.repeat(255))).status).to.equal(201);
  });
});
