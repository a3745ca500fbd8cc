// The health pages of a worker process: /health says that it lives, /ready whether it can work, /metrics what it does.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Readiness {
  readonly ready: boolean;
  /** Why it cannot work. */
  readonly reason?: string;
  /** What is impaired although it can work, as sentences. */
  readonly degraded?: readonly string[];
}

export interface HealthOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Asked for each /ready. */
  readonly check: () => Promise<Readiness>;
  /** Asked for each /metrics. */
  readonly metrics?: () => Promise<{ readonly text: string; readonly contentType: string }>;
}

export interface HealthServer {
  /** Base address, such as http://127.0.0.1:41234. */
  readonly address: string;
  /** From now on /ready is 503. */
  drain(): void;
  close(): Promise<void>;
}

/** @throws when the port is taken. */
export async function serveHealth({ host, port, check, metrics }: HealthOptions): Promise<HealthServer> {
  let draining = false;
  const server: Server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(`${JSON.stringify(body)}\n`);
    };
    const path = request.url?.split('?')[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(405, { status: 'method not allowed' });
    else if (path === '/health') answer(200, { status: 'ok' });
    else if (path === '/metrics' && metrics !== undefined)
      metrics().then(
        ({ text, contentType }) => {
          response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' });
          response.end(text);
        },
        () => answer(503, { status: 'no metrics now' }),
      );
    else if (path !== '/ready') answer(404, { status: 'not found' });
    else if (draining) answer(503, { status: 'stopping' });
    else
      check().then(
        ({ ready, ...rest }) => answer(ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', ...rest }),
        () => answer(503, { status: 'not ready' }),
      );
  });
  server.requestTimeout = 5_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // Listening on a TCP port, so the address is not a pipe's name.
  const { port: chosen } = server.address() as AddressInfo;
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${chosen}`,
    drain: () => {
      draining = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
