// Raw sockets against the HTTP edge: broken requests, slow and vanished clients. No crash, no missing answer, no leak.
import net from 'node:net';
import { expect } from 'chai';
import { type Sample, startSample } from '../support/sample-app.ts';
import { waitFor } from '../support/wait.ts';

/** Sends bytes and resolves with everything received until the connection ends or `until` matches. */
function exchange(port: number, bytes: string | Buffer, until?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    let text = '';
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer in time, so far: ${text}`));
    }, 30_000);
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      if (until?.test(text)) finish();
    });
    socket.on('error', finish);
    socket.on('close', finish);
    socket.write(bytes);
  });
}

const POST =
  'POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\nContent-Type: application/json\r\n';

describe('the HTTP edge under raw bytes', () => {
  let sample: Sample;
  before(async () => {
    sample = await startSample();
  });
  after(() => sample.close());

  const alive = async (): Promise<void> => {
    expect(await exchange(sample.port, 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).to.contain(
      '"alive"',
    );
  };

  const broken: [string, string][] = [
    ['bytes that are not HTTP', 'hello\r\n\r\n'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a TLS ClientHello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    [
      'Content-Length with Transfer-Encoding',
      `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['two Content-Length headers', `${POST}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`],
    ['a negative length', `${POST}Content-Length: -5\r\n\r\n`],
    ['a bad chunk', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['headers over 16 kB', `GET /health HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['a folded header', 'GET /health HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n'],
    ['a NUL in a header', 'GET /health HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n'],
    ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['two Host headers', 'GET /health HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n'],
    ['the same Host twice', 'GET /nowhere HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n'],
    [
      'two Authorization headers',
      `${POST}authorization: Bearer reader\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    ['two content types', `${POST}Content-Type: text/plain\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`],
    [
      'two Idempotency-Keys',
      `${POST}Idempotency-Key: a\r\nidempotency-key: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    [
      'a second Host behind 2,000 headers',
      `GET /health HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(2_000)}Host: y\r\nConnection: close\r\n\r\n`,
    ],
    ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ];
  for (const [what, bytes] of broken) {
    it(`answers ${what} with 400 and a problem document, and keeps running`, async () => {
      const answer = await exchange(sample.port, bytes);
      if (what === 'a folded header' && answer.startsWith('HTTP/1.1 200')) return;
      expect(answer).to.match(/^HTTP\/1\.1 400 /);
      expect(answer).to.match(/content-type: application\/problem\+json/i);
      expect(answer).to.match(/x-request-id: /i);
      const problem = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as { code: string; requestId: string };
      expect(problem.code).to.equal('E2001');
      await alive();
    });
  }

  for (const url of ['http://[::1/nothing', 'http://[/v1/nothing'])
    for (const method of ['GET', 'POST', 'OPTIONS'])
      it(`counts and logs ${method} of the malformed URL ${url} like any other request`, async () => {
        const logged = sample.logged.length;
        const left = sample.anonymousLeft;
        const head = `${method} ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
        const answer = await exchange(sample.port, head);
        expect(answer).to.match(/^HTTP\/1\.1 404 /);
        expect(answer).to.match(/content-type: application\/problem\+json/i);
        expect(answer).to.match(/x-request-id: /i);
        expect(sample.anonymousLeft).to.equal(left - 1);
        expect(sample.logged.slice(logged).map(({ fields }) => fields['status'])).to.deep.equal([404]);
      });

  it('answers an unknown Expect header and an absolute-form target as usual', async () => {
    const expecting = 'GET /health HTTP/1.1\r\nHost: x\r\nExpect: the-unexpected\r\nConnection: close\r\n\r\n';
    expect(await exchange(sample.port, expecting)).to.match(/^HTTP\/1\.1 200 /);
    const absolute = (method: string): string =>
      `${method} http://x/health HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
    expect(await exchange(sample.port, absolute('GET'))).to.match(/^HTTP\/1\.1 200 /);
    expect(await exchange(sample.port, absolute('POST'))).to.match(/^HTTP\/1\.1 405 /);
    expect(await exchange(sample.port, 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).to.match(
      /^HTTP\/1\.1 404 /,
    );
    expect(await exchange(sample.port, 'GET //[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).to.match(
      /^HTTP\/1\.1 404 /,
    );
  });

  it('answers pipelined requests in order', async () => {
    const one = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\n`;
    const answer = await exchange(
      sample.port,
      `${one('/v1/things/a')}\r\n${one('/v1/nothing')}\r\n${one('/v1/things/b')}Connection: close\r\n\r\n`,
    );
    expect([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map((m) => m[1])).to.deep.equal(['200', '404', '200']);
  });

  it('answers early that a body is too large, and discards the rest', async () => {
    const size = 4 * 1_048_576;
    const answer = await exchange(
      sample.port,
      Buffer.concat([
        Buffer.from(`${POST}Content-Length: ${size}\r\nConnection: close\r\n\r\n`),
        Buffer.alloc(size, 0x20),
      ]),
      /E2005/,
    );
    expect(answer).to.match(/^HTTP\/1\.1 413 /);
  });

  it('closes the connection of a client that keeps sending a refused body', async () => {
    const socket = net.connect(sample.port, '127.0.0.1');
    let closed = false;
    let sent = 0;
    socket.on('close', () => (closed = true));
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(`${POST}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = Buffer.concat([Buffer.from('40000\r\n'), Buffer.alloc(0x40000, 0x20), Buffer.from('\r\n')]);
    const pump = (): void => {
      while (!closed && sent < 128 * 1_048_576) {
        sent += chunk.length;
        if (!socket.write(chunk)) {
          socket.once('drain', pump);
          return;
        }
      }
    };
    pump();
    await waitFor(() => closed, { what: 'the connection to be closed' });
    expect(sent).to.be.below(64 * 1_048_576);
    await alive();
  });

  it('frees the resources of clients that vanish in the middle of headers, of a body, or before their answer', async () => {
    const pieces = [
      'POST /v1/th',
      `${POST}Content-Length: 100\r\n\r\n{"name"`,
      `${POST}Content-Length: 12\r\n\r\n{"name":"a"}`,
      `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"na`,
    ];
    for (let i = 0; i < 40; i += 1) {
      await new Promise<void>((resolve) => {
        const socket = net.connect(sample.port, '127.0.0.1', () => {
          socket.write(pieces[i % pieces.length] ?? '', () => {
            if (i % 2 === 0) socket.resetAndDestroy();
            else socket.destroy();
            resolve();
          });
        });
        socket.on('error', () => undefined);
      });
    }
    await waitFor(async () => (await connections()) === 0, { what: 'all connections to be gone' });
    expect(sample.logged.filter((line) => line.level === 'error')).to.deep.equal([]);
    await alive();
  });

  const connections = (): Promise<number> =>
    new Promise((resolve, reject) => sample.server.getConnections((error, n) => (error ? reject(error) : resolve(n))));

  it('closes connections whose headers or body are not complete in time', async () => {
    // The production deadlines are 10 and 30 s: this is the same server with shorter ones.
    const impatient = await startSample();
    impatient.server.headersTimeout = 200;
    impatient.server.requestTimeout = 400;
    try {
      const [nothing, headers, body] = await Promise.all([
        exchange(impatient.port, ''),
        exchange(impatient.port, 'GET /health HTTP/1.1\r\nHost: x\r\n'),
        exchange(impatient.port, `${POST}Content-Length: 100\r\n\r\n{"name"`),
      ]);
      expect(nothing, 'a client would take it for the answer to a request that it sends at this moment').to.equal('');
      expect(headers).to.match(/^HTTP\/1\.1 400 .*did not arrive in time/s);
      expect(body).to.match(/^HTTP\/1\.1 400 .*did not arrive in time/s);
    } finally {
      await impatient.close();
    }
  });
});
