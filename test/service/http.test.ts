// The HTTP edge over sample routes: the order of errors, their messages, and the headers of every answer.
import { expect } from 'chai';
import { type Client, type ClientResponse, createClient } from '../support/client.ts';
import { type Sample, startSample } from '../support/sample-app.ts';

function expectProblem(answer: ClientResponse, status: number, code: string): void {
  expect([answer.status, answer.json?.code], answer.text).to.deep.equal([status, code]);
  expect(answer.headers['content-type']).to.match(/^application\/problem\+json/);
}

for (const slow of [false, true]) {
  describe(`the HTTP edge, keys and limits ${slow ? 'after a wait' : 'at once'}`, () => {
    let sample: Sample;
    let client: Client;
    before(async () => {
      sample = await startSample({ slow });
      client = createClient(sample.baseUrl, 'writer', { hasOwnDocument: true });
    });
    beforeEach(() => {
      sample.limit = { ...sample.limit, allowed: true, retryAfterSeconds: 0 };
      sample.anonymousLeft = 1_000_000;
      sample.lookups = 0;
      sample.stopping = false;
      sample.costs.length = 0;
      sample.logged.length = 0;
    });
    after(async () => {
      client.close();
      await sample.close();
    });

    describe('the order of refusals', () => {
      it('answers E4004 for an unknown path before it asks for a key', async () => {
        expectProblem(await client.get('/v1/nothing', { key: null }), 404, 'E4004');
        expectProblem(await client.get('/v1/things/', { key: null }), 404, 'E4004');
        expectProblem(await client.get('/V1/things/a', { key: null }), 404, 'E4004');
        expectProblem(await client.get('/', { key: null }), 404, 'E4004');
      });
      it('answers E4005 with Allow for a wrong method before it asks for a key', async () => {
        const answer = await client.request('DELETE', '/v1/things', { key: null });
        expectProblem(answer, 405, 'E4005');
        expect(answer.headers['allow']).to.equal('OPTIONS, POST');
        expect((await client.request('PUT', '/v1/things/a', { key: null })).headers['allow']).to.equal(
          'GET, HEAD, OPTIONS',
        );
        expectProblem(await client.request('POST', '/docs'), 405, 'E4005');
      });
      it('answers E1001, E1002, E1003 by what is wrong with the key, before it reads the body', async () => {
        expectProblem(await client.post('/v1/things', 'junk', { key: null }), 401, 'E1001');
        expectProblem(await client.post('/v1/things', 'junk', { key: 'wrong' }), 401, 'E1002');
        expectProblem(await client.post('/v1/things', 'junk', { key: 'expired' }), 401, 'E1003');
        expectProblem(await client.post('/v1/things', 'junk', { headers: { 'x-api-key': 'admin' } }), 400, 'E2001');
      });
      it('answers E1004 for a missing scope before the body and within the rate limit, and admin:* includes every scope', async () => {
        const answer = await client.post('/v1/things', 'junk', { key: 'reader' });
        expectProblem(answer, 403, 'E1004');
        expect(answer.json.detail).to.contain('intents:write');
        sample.limit = { ...sample.limit, allowed: false, retryAfterSeconds: 3 };
        for (const path of ['/v1/things', '/v1/batch'])
          expectProblem(await client.post(path, 'junk', { key: 'reader' }), 429, 'E3001');
        sample.limit = { ...sample.limit, allowed: true };
        expect((await client.post('/v1/things', { name: 'a' }, { key: 'admin' })).status).to.equal(201);
      });
      it('answers E3001 with Retry-After before the content type and the body', async () => {
        sample.limit = { ...sample.limit, allowed: false, retryAfterSeconds: 3 };
        const answer = await client.request('POST', '/v1/things', {
          raw: 'junk',
          headers: { 'content-type': 'text/plain' },
        });
        expectProblem(answer, 429, 'E3001');
        expect(answer.headers['retry-after']).to.equal('3');
        expect(answer.json.retryable).to.equal(true);
        expectProblem(await client.request('POST', '/v1/batch', { raw: '{"items":[]}' }), 429, 'E3001');
      });
      it('answers E2009 for anything but JSON in UTF-8 before it reads the body', async () => {
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/merge-patch+json',
          'application/json; charset=latin1',
          'application/jsonp',
        ]) {
          expectProblem(
            await client.request('POST', '/v1/things', { raw: '{', headers: { 'content-type': type } }),
            415,
            'E2009',
          );
        }
        const zipped = { 'content-encoding': 'gzip' };
        expectProblem(await client.post('/v1/things', { name: 'a' }, { headers: zipped }), 415, 'E2009');
        for (const type of [
          'application/json',
          'application/json; charset=utf-8',
          'Application/JSON;charset="UTF-8"',
        ]) {
          expect(
            (await client.request('POST', '/v1/things', { raw: '{"name":"a"}', headers: { 'content-type': type } }))
              .status,
          ).to.equal(201);
        }
      });
    });

    describe('bodies', () => {
      const invalid: [string, string | Buffer, RegExp][] = [
        ['an empty body', '', /line 1, column 1/],
        ['a truncated body', '{"name":\n "a"', /unexpected end \(line 2, column 5\)/],
        ['a duplicate member', '{"name":"a","name":"b"}', /duplicate member "name"/],
        ['a lone surrogate', '{"name":"\\ud800"}', /lone surrogate/],
        ['an integer beyond 2^53-1', '{"count":9007199254740993}', /integer beyond/],
        ['an overflow', '{"count":1e400}', /out of range/],
        ['depth over 64', `${'['.repeat(65)}${']'.repeat(65)}`, /deeper than 64/],
        [
          'bytes that are not UTF-8',
          Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
          /not valid UTF-8 \(line 1, column 3\)/,
        ],
        ['a byte order mark', '\ufeff{"name":"a"}', /column 1/],
        ['something after the value', '{"name":"a"} x', /unexpected text/],
      ];
      for (const [what, raw, message] of invalid) {
        it(`refuses ${what} with E2006 and its position`, async () => {
          const answer = await client.request('POST', '/v1/things', { raw });
          expectProblem(answer, 400, 'E2006');
          expect(answer.json.errors[0].message).to.match(message);
        });
      }
      it('accepts a body of 1 MB and refuses one byte more with E2005, with or without Content-Length', async () => {
        const body = (bytes: number): string => `{"name":"a"${' '.repeat(bytes - 12)}}`;
        expect((await client.request('POST', '/v1/things', { raw: body(1_048_576) })).status).to.equal(201);
        expectProblem(await client.request('POST', '/v1/things', { raw: body(1_048_577) }), 413, 'E2005');
        const chunked = { 'transfer-encoding': 'chunked', 'content-length': [] as string[] };
        expectProblem(
          await client.request('POST', '/v1/things', { raw: body(3_000_000), headers: chunked }),
          413,
          'E2005',
        );
        expect((await client.request('POST', '/v1/things', { raw: body(500_000), headers: chunked })).status).to.equal(
          201,
        );
      });
      it('names every member that fails the schema, by JSON Pointer', async () => {
        const answer = await client.post('/v1/things', {
          count: 10.5,
          kind: 'blue',
          note: 3,
          parts: [{ id: 'ok' }, { id: '..' }, {}],
          extra: 1,
        });
        expectProblem(answer, 400, 'E2001');
        const errors = answer.json.errors.map((e: { pointer: string; message: string }) => `${e.pointer} ${e.message}`);
        expect(errors).to.include('/name is required');
        expect(errors).to.include('/extra is not known here');
        expect(errors).to.include('/kind must be one of "red", "green"');
        expect(errors).to.include('/note must be a string or null');
        expect(errors).to.include('/count must be an integer');
        expect(errors).to.include('/count must be at most 9');
        expect(errors).to.include('/parts/2/id is required');
        expect(
          errors.some((e: string) => e.startsWith('/parts/1/id must match') && e.includes('control characters')),
        ).to.equal(true);
      });
      it('lists at most 20 errors, and only the first for a large body', async () => {
        const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x${i}`, 1]));
        expect((await client.post('/v1/things', many)).json.errors).to.have.length(20);
        const large = { name: 'a', parts: Array.from({ length: 40_000 }, () => 1) };
        expect((await client.post('/v1/things', large)).json.errors).to.have.length(1);
      });
      it('coerces nothing in bodies', async () => {
        expectProblem(await client.post('/v1/things', { name: 'a', count: '1' }), 400, 'E2001');
        expectProblem(await client.post('/v1/things', { name: 1 }), 400, 'E2001');
        expectProblem(await client.post('/v1/things', null), 400, 'E2001');
      });
    });

    describe('parameters', () => {
      it('coerces query parameters by their schema and fills in defaults', async () => {
        const { json } = await client.get('/v1/things/a%2Fb?deep=true&limit=7&from=2026-01-31T12:00:00%2B01:00');
        expect(json).to.deep.equal({ id: 'a/b', query: { limit: 7, deep: true, from: '2026-01-31T12:00:00+01:00' } });
        expect((await client.get('/v1/things/a')).json.query).to.deep.equal({ limit: 50 });
      });
      const bad: [string, string][] = [
        ['?limit=x', '?limit must be an integer'],
        ['?limit=1.5', '?limit must be an integer'],
        ['?limit=0x10', '?limit must be an integer'],
        ['?limit=', '?limit must be an integer'],
        ['?limit=0', '?limit must be at least 1'],
        ['?limit=201', '?limit must be at most 200'],
        ['?deep=yes', '?deep must be a boolean'],
        ['?kind=blue', '?kind must be one of "red", "green"'],
        ['?from=2026-02-30T00:00:00Z', '?from must be an RFC 3339 time such as 2026-01-31T12:00:00.000Z'],
        ['?limit=1&limit=1', '?limit must be given only once'],
        ['?what=1', '?what is not known here'],
        ['?kind=%ff', '?kind is not valid percent-encoded UTF-8'],
        ['?kind=%00', '?kind must not contain the character U+0000'],
        ['?__proto__=1', '?__proto__ is not known here'],
      ];
      for (const [query, message] of bad) {
        it(`refuses ${query}: ${message}`, async () => {
          const answer = await client.get(`/v1/things/a${query}`);
          expectProblem(answer, 400, 'E2001');
          const [error] = answer.json.errors;
          expect(`${error.pointer} ${error.message}`).to.equal(message);
        });
      }
      it('refuses query parameters on a route that has none', async () => {
        expectProblem(await client.get('/v1/reference/tiers?x=1', { key: null }), 400, 'E2001');
      });
      it('refuses a path that cannot be decoded with 400, not 500', async () => {
        expectProblem(await client.get('/v1/things/%ff'), 400, 'E2001');
        expectProblem(await client.get('/v1/things/%'), 400, 'E2001');
      });
      it('refuses a path parameter by its schema, naming it', async () => {
        const answer = await client.get('/v1/things/a%0Ab');
        expectProblem(answer, 400, 'E2001');
        expect(answer.json.errors[0].pointer).to.equal('{id}');
        expectProblem(await client.get('/v1/trouble/%00'), 400, 'E2001');
      });
    });

    describe('limits', () => {
      it('sends RateLimit-Policy and RateLimit with every answer to a keyed request', async () => {
        const answers = [
          await client.get('/v1/things/a'),
          await client.post('/v1/things', { name: '' }),
          await client.post('/v1/things', { name: 'a' }, { key: 'reader' }),
          await client.get('/v1/nothing'),
          await client.request('DELETE', '/v1/things'),
          await client.get('/v1/reference/tiers'),
          await client.request('POST', '/v1/batch', { raw: '{' }),
          await client.get('/v1/trouble/secret'),
          await client.get('/docs', { check: false }),
        ];
        for (const { headers, status } of answers) {
          expect(headers['ratelimit-policy'], String(status)).to.equal('"second";q=50;w=1');
          expect(headers['ratelimit'], String(status)).to.equal('"second";r=49;t=1');
        }
        expect((await client.get('/v1/reference/tiers', { key: null })).headers).not.to.have.property('ratelimit');
      });
      it('charges a batch its cost, and an invalid batch one', async () => {
        await client.post('/v1/batch', { items: Array.from({ length: 25 }, () => 1) });
        await client.post('/v1/batch', { items: [1] });
        await client.post('/v1/batch', { items: [] });
        await client.post('/v1/things', { name: 'a' });
        expect(sample.costs).to.deep.equal([3, 1, 1, 1]);
      });
      it('counts a request for what there is not once, also below the pages', async () => {
        for (const path of ['/v1/nothing', '/docs/nothing'])
          expectProblem(await client.get(path, { check: false }), 404, 'E4004');
        expect(sample.costs).to.deep.equal([1, 1]);
      });
      it('counts requests without a valid key by address, and stops the look-up of their keys', async () => {
        sample.anonymousLeft = 3;
        expectProblem(await client.get('/v1/things/a', { key: null }), 401, 'E1001');
        expectProblem(await client.get('/v1/things/a', { key: 'wrong' }), 401, 'E1002');
        expectProblem(await client.get('/v1/nothing', { key: null }), 404, 'E4004');
        expect(sample.lookups).to.equal(1);
        const refused = await client.get('/v1/things/a', { key: 'wrong' });
        expectProblem(refused, 429, 'E3001');
        expect(refused.headers['retry-after']).to.equal('1');
        expectProblem(await client.get('/v1/reference/tiers', { key: null }), 429, 'E3001');
        expect((await client.request('GET', '/docs', { key: null, check: false })).status).to.equal(429);
        expect(sample.lookups).to.equal(1);
        expect((await client.get('/v1/things/a')).status, 'a known key is not locked out').to.equal(200);
        expect((await client.get('/health', { key: null })).status, 'probes are not counted').to.equal(200);
      });
    });

    describe('every answer', () => {
      it('echoes a valid X-Request-Id and replaces any other', async () => {
        for (const path of ['/v1/things/a', '/v1/nothing', '/docs', '/health']) {
          const echoed = await client.get(path, { headers: { 'x-request-id': 'My.id:1_2-3' }, check: false });
          expect(echoed.headers['x-request-id'], path).to.equal('My.id:1_2-3');
          for (const bad of ['a b', 'x'.repeat(129), 'ä', '']) {
            const replaced = await client.get(path, {
              headers: { 'x-request-id': Buffer.from(bad).toString('latin1') },
              check: false,
            });
            expect(replaced.headers['x-request-id'], path).to.match(/^req_[0-9a-z]{26}$/);
          }
        }
      });
      it('must not be cached, sniffed, framed or run', async () => {
        const { headers } = await client.get('/v1/things/a');
        expect(headers['cache-control']).to.equal('no-store');
        expect(headers['x-content-type-options']).to.equal('nosniff');
        expect(headers['content-security-policy']).to.equal("default-src 'none'; frame-ancestors 'none'");
        expect(headers).not.to.have.property('x-powered-by');
        expect(headers).not.to.have.property('strict-transport-security');
      });
      it('to HEAD equals that to GET without a body, and to OPTIONS is 204 with Allow', async () => {
        const get = await client.get('/v1/things/a');
        const head = await client.request('HEAD', '/v1/things/a');
        expect(head.status).to.equal(200);
        expect(head.headers['content-length']).to.equal(get.headers['content-length']);
        const options = await client.request('OPTIONS', '/v1/things/a', { key: null });
        expect([options.status, options.headers['allow']]).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
        expect((await client.request('OPTIONS', '/v1/nothing', { key: null, check: false })).status).to.equal(404);
        expect((await client.request('HEAD', '/v1/things')).status).to.equal(405);
      });
      it('is 304 when the caller has the current version', async () => {
        const { headers } = await client.get('/openapi.json');
        const again = await client.get('/openapi.json', {
          headers: { 'if-none-match': `"other", W/${headers['etag']}` },
        });
        expect([again.status, again.text, again.headers['etag']]).to.deep.equal([304, '', headers['etag']]);
      });
      it('closes its connection during shutdown', async () => {
        sample.stopping = true;
        expect((await client.get('/v1/things/a')).headers['connection']).to.equal('close');
      });
      it('is logged once, with ids and without the key or the body', async () => {
        await client.post('/v1/things', { name: 'secret-body' }, { headers: { 'x-request-id': 'logged-1' } });
        const lines = sample.logged.filter((line) => line.fields['requestId'] === 'logged-1');
        expect(lines).to.have.length(1);
        expect(lines[0]?.fields).to.include({
          method: 'POST',
          route: '/v1/things',
          status: 201,
          keyId: 'AAAAAAAA',
          organisation: 'sample',
        });
        expect(JSON.stringify(lines)).not.to.match(/secret-body|writer/);
      });
    });

    describe('internal errors', () => {
      it('are E6001 without internal details, which are logged with the request id', async () => {
        for (const kind of ['secret', 'cycle', 'header', 'other']) {
          const answer = await client.get(`/v1/trouble/${kind}`);
          expectProblem(answer, 500, 'E6001');
          // The random request id may contain any of these by chance.
          const { requestId, ...said } = answer.json;
          expect(JSON.stringify(said)).not.to.match(/hunter2|\/srv|\.ts\b|circular|not even/i);
          const logged = sample.logged.find((line) => line.level === 'error' && line.fields['requestId'] === requestId);
          expect(logged, kind).not.to.equal(undefined);
        }
      });
      it('are E6002 with Retry-After when the database is unreachable', async () => {
        const answer = await client.get('/v1/trouble/down');
        expectProblem(answer, 503, 'E6002');
        expect(answer.headers['retry-after']).to.equal('1');
        expect(answer.text).not.to.contain('10.0.0.3');
      });
    });

    it('forwards a valid traceparent and drops an invalid one', async () => {
      const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
      const bad = [
        '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
        `${trace}-more`,
        trace.replace('00-', 'ff-'),
        trace.toUpperCase(),
      ];
      // A later version may append fields of any length: the fields of version 00 are kept.
      const later = [
        [`${trace.replace('00-', '01-')}-${'x'.repeat(5_000)}`, trace],
        [trace.replace('00-', '7f-').replace(/01$/, 'fa'), trace.replace(/01$/, '00')],
      ];
      for (const [given, kept] of [[trace, trace], ...later, ...bad.map((value) => [value, undefined])]) {
        sample.logged.length = 0;
        await client.get('/v1/things/a', { headers: { traceparent: String(given) } });
        expect(sample.logged.at(-1)?.fields['traceparent']).to.equal(kept);
      }
    });
  });
}
