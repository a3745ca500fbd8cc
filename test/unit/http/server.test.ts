// The fast server: requests and responses are created with Express's prototypes, and it closes cleanly.
import http from 'node:http';
import { expect } from 'chai';
import express from 'express';
import { closeServer, createExpressServer, listen, type ServedApp } from '../../../ingress/server.ts';

const served = (app = express()): ServedApp => ({ express: app, handler: app });

describe('createExpressServer', () => {
  it('creates requests and responses with the prototypes of the application before Express handles them', async () => {
    const app = express();
    const server = createExpressServer(served(app));
    const seen: boolean[] = [];
    server.prependListener('request', (req, res) => {
      seen.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response);
      seen.push(req instanceof http.IncomingMessage, res instanceof http.ServerResponse);
    });
    app.get('/', (req, res) => void res.json({ path: req.path, query: req.query }));
    const { port } = await listen(server, '127.0.0.1', 0);
    const answer = await fetch(`http://127.0.0.1:${port}/?a=1`);
    expect(await answer.json()).to.deep.equal({ path: '/', query: { a: '1' } });
    expect(seen).to.deep.equal([true, true, true, true]);
    await closeServer(server, 100);
  });

  it('has deadlines for headers, requests and idle connections', () => {
    const server = createExpressServer(served());
    expect([server.headersTimeout, server.requestTimeout, server.keepAliveTimeout, server.timeout]).to.deep.equal([
      10_000, 30_000, 65_000, 75_000,
    ]);
  });

  it('reports why it cannot listen', async () => {
    const first = createExpressServer(served());
    const { port } = await listen(first, '127.0.0.1', 0);
    const error = await listen(createExpressServer(served()), '127.0.0.1', port).then(
      () => undefined,
      (e: NodeJS.ErrnoException) => e,
    );
    expect(error?.code).to.equal('EADDRINUSE');
    await closeServer(first, 100);
  });

  it('lets a running request finish when it closes, and cuts one that outlives the deadline', async () => {
    const app = express();
    let finish = (): void => undefined;
    app.get('/slow', (_req, res) => {
      finish = () => void res.end('done');
    });
    app.get('/never', () => undefined);
    const server = createExpressServer(served(app));
    const { port } = await listen(server, '127.0.0.1', 0);
    let waiting = 0;
    const arrived = new Promise<void>((resolve) =>
      server.on('request', () => {
        waiting += 1;
        if (waiting === 2) resolve();
      }),
    );
    const slow = fetch(`http://127.0.0.1:${port}/slow`);
    const never = fetch(`http://127.0.0.1:${port}/never`).then(
      () => 'answered',
      () => 'cut',
    );
    await arrived;
    const closing = closeServer(server, 300);
    finish();
    expect(await (await slow).text()).to.equal('done');
    await closing;
    expect(await never).to.equal('cut');
  });
});
