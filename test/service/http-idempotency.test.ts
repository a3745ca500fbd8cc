// Idempotency-Key over HTTP and Postgres: one effect and one answer for repeats, killed processes and late commits.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Type } from 'typebox';
import { type Claim, createIdempotency, type Idempotency } from '../../ingress/request/idempotency.ts';
import { CLAIM, RELEASE } from '../../ingress/request/idempotency-rows.ts';
import { defineRoute, type Reply, type Route } from '../../ingress/route.ts';
import { hasCome } from '../../shared/platform/db/elapsed.ts';
import type { Database, Statement } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { type Heartbeat, startHeartbeat } from '../../shared/platform/process/heartbeat.ts';
import { type Client, type ClientResponse, createClient } from '../support/client.ts';
import { createTestDatabase, openTestDatabase, queryOnce, type TestDatabase } from '../support/database.ts';
import { sampleKey, type Sample, startSample } from '../support/sample-app.ts';
import { waitFor } from '../support/wait.ts';

const ADD = 'INSERT INTO test_effect (name) VALUES ($1)';
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
  let heartbeat: Heartbeat;
  const deps = () => ({
    db,
    pepper: Buffer.alloc(32, 7),
    monotonicMs: () => performance.now(),
    deletionMs: () => deletionMs(),
  });
  /** By which an answer may be old. */
  let deletionMs = Date.now;
  let sample: Sample;
  let client: Client;
  let runs = 0;
  /** The handler waits for this before it ends. */
  let hold: Promise<void> | undefined;
  let fail: (() => unknown) | undefined;
  /** Whether a part of the answer is unfinished, and what is stored instead of the answer. */
  let more: Pick<Reply, 'unfinished' | 'kept'> = {};
  /** What an earlier run passed to the handler. */
  let earlier: unknown;

  const rows = (): Promise<{ status: number | null; answer: Buffer | null; key_hash: Buffer }[]> =>
    db.query('SELECT status, answer, key_hash FROM idempotency', []);
  const effects = async (): Promise<number> => (await db.query('SELECT name FROM test_effect', [])).length;
  const sql = (text: string) => db.query(text, []);

  const plain: Route = defineRoute({
    method: 'POST',
    path: '/v1/plain',
    operationId: 'createPlain',
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
    operationId: 'createEffect',
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
        earlier = request.earlier;
        await tx.query(ADD, [request.body.name]);
        await hold;
        if (fail !== undefined) throw fail();
        return { status: 201, body: { ...request.body, n }, headers: { location: `/v1/effects/${n}` }, ...more };
      }),
  });

  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url, { poolSize: 8 });
    await queryOnce(database.adminUrl, 'CREATE TABLE test_effect (name text); GRANT ALL ON test_effect TO PUBLIC');
    heartbeat = await startHeartbeat({ db, role: 'ingress', version: 'test', onError: () => undefined });
    idempotency = createIdempotency({ ...deps(), processId: heartbeat.processId });
    sample = await startSample({ idempotency, routes: [committing, plain] });
    client = createClient(sample.baseUrl, 'writer', { hasOwnDocument: true });
  });
  beforeEach(async () => {
    runs = 0;
    hold = undefined;
    fail = undefined;
    more = {};
    earlier = 'not run';
    await sql('WITH a AS (DELETE FROM idempotency) DELETE FROM test_effect');
  });
  after(async () => {
    client?.close();
    await sample?.close();
    await heartbeat?.close();
    await db?.close();
    await database?.drop();
  });

  const post = (body: unknown, key: string, by: { key?: string; path?: string } = {}): Promise<ClientResponse> =>
    client.post(by.path ?? '/v1/effects', body, {
      headers: { 'idempotency-key': key },
      ...(by.key === undefined ? {} : { key: by.key }),
    });

  it('replays the same answer, marked as such, without a second effect', async () => {
    const first = await post({ name: 'a' }, 'k1');
    const again = await post({ name: 'a' }, 'k1');
    expect([first.status, first.headers['idempotent-replayed']]).to.deep.equal([201, undefined]);
    expect([again.status, again.headers['idempotent-replayed']]).to.deep.equal([201, 'true']);
    expect(again.text).to.equal(first.text);
    expect(again.headers['location']).to.equal('/v1/effects/1');
    expect([runs, await effects()]).to.deep.equal([1, 1]);
  });
  it('stores the finished part of an unfinished answer, and passes it to the next run', async () => {
    more = { unfinished: true, kept: { done: [1], open: [2] } };
    expect((await post({ name: 'a' }, 'k')).json.n).to.equal(1);
    expect(earlier).to.equal(undefined);
    fail = () => new ApiError('E6002', 'Away.');
    expect((await post({ name: 'a' }, 'k')).json.code, 'a repeat that fails loses nothing').to.equal('E6002');
    fail = undefined;
    expect((await post({ name: 'b' }, 'k')).status, 'another body').to.equal(422);
    more = { kept: { name: 'a', n: 7 } };
    const again = await post({ name: 'a' }, 'k');
    expect([again.status, again.json.n, again.headers['idempotent-replayed']]).to.deep.equal([201, 3, undefined]);
    expect(earlier).to.deep.equal({ done: [1], open: [2] });
    const replayed = await post({ name: 'a' }, 'k');
    expect([replayed.headers['idempotent-replayed'], replayed.json]).to.deep.equal(['true', { name: 'a', n: 7 }]);
    expect([runs, await effects()]).to.deep.equal([3, 2]);
  });
  it('replays what was stored instead of the answer, which is not stored itself', async () => {
    more = { kept: { name: 'a', n: 1 } };
    const first = await post({ name: 'a', secret: 's' }, 'k');
    const again = await post({ name: 'a', secret: 's' }, 'k');
    expect([first.json, again.json]).to.deep.equal([
      { name: 'a', n: 1, secret: 's' },
      { name: 'a', n: 1 },
    ]);
  });
  it('lets exactly one of many concurrent repeats do the unfinished part', async () => {
    more = { unfinished: true, kept: {} };
    await post({ name: 'a' }, 'k');
    more = { kept: { name: 'a', n: 2 } };
    const answers = await Promise.all(Array.from({ length: 12 }, () => post({ name: 'a' }, 'k')));
    for (const answer of answers) expect([201, 409]).to.include(answer.status);
    expect([runs, await effects()]).to.deep.equal([2, 2]);
  });
  it('treats the same JSON in another spelling as the same body', async () => {
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
  it('takes over no claim that was made a moment ago, though its time is stored in milliseconds', async () => {
    const [row] = await db.query<{ early: number }>(
      `SELECT count(*) FILTER (WHERE ${hasCome('until', "interval '30 seconds'", 'at')})::int AS early FROM (
         SELECT at, (at + interval '30 seconds')::timestamptz(3) AS until
         FROM generate_series(now(), now() + interval '3 milliseconds', interval '7 microseconds') AS at) AS made`,
      [],
    );
    expect(row?.early).to.equal(0);
  });

  it('lets exactly one of many concurrent requests run; the others get 409 with Retry-After or the answer', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => post({ name: 'a' }, 'k')));
    for (const answer of answers) {
      expect([201, 409], answer.text).to.include(answer.status);
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
  it('releases the claim when the request is refused, and writes nothing', async () => {
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
  it('releases the claim of a killed process after 30 s, and that process can no longer commit', async () => {
    let release = (): void => undefined;
    hold = new Promise((resolve) => {
      release = resolve;
    });
    const old = post({ name: 'a' }, 'k');
    await waitFor(() => runs === 1, { what: 'the first request to run' });
    expect((await post({ name: 'a' }, 'k')).status).to.equal(409);
    const [claimed] = await sql(
      'SELECT extract(epoch FROM claimed_until - clock_timestamp()) AS left FROM idempotency',
    );
    expect(Number((claimed as { left: string }).left)).to.be.within(25, 30);
    await sql("UPDATE idempotency SET claimed_until = clock_timestamp() - interval '1 second'");
    hold = undefined;
    const next = await post({ name: 'a' }, 'k');
    expect([next.status, next.json.n]).to.deep.equal([201, 2]);
    release();
    const late = await old;
    expect([late.status, late.json.code]).to.deep.equal([409, 'E2010']);
    expect(await effects(), 'the effect of the old owner is rolled back').to.equal(1);
    expect((await post({ name: 'a' }, 'k')).json.n).to.equal(2);
  });
  describe('left claimed', () => {
    const REQUEST = {
      key: sampleKey(),
      route: 'POST /v1/effects',
      path: '/v1/effects',
      idempotencyKey: 'k',
      body: { name: 'a' },
    };
    /** Claims as another process, whose last heartbeat was this many seconds ago; null: it has none. */
    const claimAs = async (silentSeconds: number | null): Promise<Claim> => {
      const processId = randomUUID();
      if (silentSeconds !== null)
        await db.query(
          `INSERT INTO process_heartbeat (process_id, role, version, host, pid, seen_at)
              VALUES ($1, 'ingress', '', '', 0, clock_timestamp() - make_interval(secs => $2))`,
          [processId, silentSeconds],
        );
      const begun = await createIdempotency({ ...deps(), processId }).begin(REQUEST);
      if (begun.kind !== 'claimed') throw new Error('there was an answer');
      return begun.claim;
    };

    for (const [what, silentSeconds] of [
      ['has shut down', null],
      ['has sent no heartbeat for ten seconds', 10.5],
      ['was killed while the clock was a day ahead', -86_400],
    ] as const)
      it(`by a process that ${what}, is taken over by the next request, and a commit of the first process is refused`, async () => {
        const claim = await claimAs(silentSeconds);
        const next = await post({ name: 'a' }, 'k');
        expect([next.status, await effects()]).to.deep.equal([201, 1]);
        const late = await claim
          .commit(
            async (tx) => {
              await tx.query(ADD, ['late']);
              return { status: 201 };
            },
            () => undefined,
          )
          .then(
            () => undefined,
            (e: ApiError) => e,
          );
        expect([late?.status, late?.code]).to.deep.equal([409, 'E2010']);
        expect(await effects()).to.equal(1);
      });
    it('until a time that is ahead, because the clock was set back, is taken over', async () => {
      const claim = await claimAs(0);
      await sql("UPDATE idempotency SET claimed_until = claimed_until + interval '1 day', claimed_by = NULL");
      expect((await post({ name: 'a' }, 'k')).status).to.equal(201);
      await claim.release();
    });
    it('by a process without recent heartbeats, reports in Retry-After when it expires', async () => {
      await claimAs(6);
      const refused = await post({ name: 'a' }, 'k');
      expect([refused.status, refused.json.code]).to.deep.equal([409, 'E2010']);
      expect(Number(refused.headers['retry-after'])).to.be.within(1, 4);
    });

    /** A database that fails one statement, before or after its execution, while it is away. */
    const failing = (failed: Statement, when: 'before' | 'after') => {
      const state = { away: true };
      const query: Database['query'] = async (statement, values) => {
        if (!state.away || statement !== failed) return db.query(statement, values);
        if (when === 'after') await db.query(statement, values);
        throw new ApiError('E6002', 'Away.');
      };
      return { state, db: { query, transaction: db.transaction } };
    };
    it('because the database failed before its release, is released once the database is back', async () => {
      const broken = failing(RELEASE, 'before');
      const own = createIdempotency({ ...deps(), db: broken.db, processId: heartbeat.processId });
      const begun = await own.begin(REQUEST);
      if (begun.kind !== 'claimed') throw new Error('there was an answer');
      await begun.claim.release();
      expect((await post({ name: 'a' }, 'k')).headers['retry-after']).to.equal('1');
      broken.state.away = false;
      await waitFor(async () => (await rows()).length === 0, { what: 'the claim to be released' });
      own.close();
    });
    it('because the answer to the claim itself was lost, is released', async () => {
      const broken = failing(CLAIM, 'after');
      const own = createIdempotency({ ...deps(), db: broken.db, processId: heartbeat.processId });
      const error = await own.begin(REQUEST).then(
        () => undefined,
        (e: ApiError) => e,
      );
      expect(error?.code).to.equal('E6002');
      await waitFor(async () => (await rows()).length === 0, { what: 'the claim to be released' });
      own.close();
    });
  });
  it('keeps an answer of more than 24 hours while one of the clocks may be wrong', async () => {
    await post({ name: 'a' }, 'k');
    await sql("UPDATE idempotency SET created_at = created_at - interval '25 hours'");
    for (const oldMs of [-Infinity, Date.now() - 3_600_000 * 2]) {
      deletionMs = () => oldMs;
      const again = await post({ name: 'a' }, 'k');
      deletionMs = Date.now;
      expect([again.status, again.headers['idempotent-replayed'], runs]).to.deep.equal([201, 'true', 1]);
    }
  });
  it('forgets an answer after 24 hours', async () => {
    await post({ name: 'a' }, 'k');
    await sql("UPDATE idempotency SET created_at = created_at - interval '24 hours 1 second'");
    const fresh = await post({ name: 'b' }, 'k');
    expect([fresh.status, fresh.headers['idempotent-replayed']]).to.deep.equal([201, undefined]);
  });
  it('is unique per organisation, environment, route and line of API keys', async () => {
    await post({ name: 'a' }, 'k');
    expect((await post({ name: 'a' }, 'k', { path: '/v1/plain' })).headers).not.to.have.property('idempotent-replayed');
    const begin = async (more: Partial<AuthenticatedKey> = {}, key = sampleKey(['intents:write'], more)) => {
      const request = { key, route: 'POST /v1/effects', path: '/v1/effects', idempotencyKey: 'k', body: { name: 'a' } };
      const begun = await idempotency.begin(request);
      if (begun.kind === 'claimed') await begun.claim.release();
      return begun.kind;
    };
    expect(await begin()).to.equal('replay');
    for (const other of [
      { environment: 'test' },
      { organisationId: 'org_other' },
      { keyId: 'BBBBBBBB' },
      { keyId: 'AAAAAAAA', lineage: 'BBBBBBBB' },
    ] as const)
      expect(await begin(other), JSON.stringify(other)).to.equal('claimed');
    expect(await begin({ keyId: 'BBBBBBBB', lineage: 'AAAAAAAA' }), 'its key after a rotation').to.equal('replay');
  });
  it('does not replay the stored answer to a key of the line with other permissions', async () => {
    await post({ name: 'a' }, 'k');
    for (const other of [sampleKey(['admin:*']), sampleKey(['intents:write'], { agentIds: new Set(['agent-1']) })]) {
      const error = await idempotency
        .begin({ key: other, route: 'POST /v1/effects', path: '/v1/effects', idempotencyKey: 'k', body: { name: 'a' } })
        .then(
          () => undefined,
          (e: ApiError) => e,
        );
      expect(error?.status).to.equal(422);
    }
  });
  it("stores neither the caller's Idempotency-Key nor the answer in plain text", async () => {
    await post({ name: 'a', secret: 'hunter2-hunter2' }, 'my-very-own-key');
    const [row] = await rows();
    const all = Buffer.concat([row?.answer ?? Buffer.alloc(0), row?.key_hash ?? Buffer.alloc(0)]).toString('latin1');
    expect(all).not.to.match(/hunter2|my-very-own-key/);
    expect(row?.key_hash).to.have.length(32);
    const other = createIdempotency({ ...deps(), pepper: Buffer.alloc(32, 8) });
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
  it('leaves no rows for a reply that was not committed', async () => {
    const first = await post({ name: 'a' }, 'k', { path: '/v1/plain' });
    const again = await post({ name: 'a' }, 'k', { path: '/v1/plain' });
    expect([first.json.n, again.json.n, (await rows()).length]).to.deep.equal([1, 2, 0]);
  });
  it('stores nothing for a request without the header', async () => {
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
