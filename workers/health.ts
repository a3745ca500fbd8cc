// The health pages of a worker process: /health (it runs), /ready (it can work), /metrics.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Readiness {
  readonly ready: boolean;
  /** The reason when it is not ready. */
  readonly reason?: string;
  /** Impaired parts of a process that is ready. */
  readonly degraded?: readonly Impaired[];
}

export interface Impaired {
  readonly part: 'clock' | 'logs' | 'queue';
  /** A sentence for operators; it may name organisations. */
  readonly detail: string;
}

export interface HealthOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Called for each request of /ready. */
  readonly check: () => Promise<Readiness>;
  /** Whether a request has a key of the operator. Other callers get the state without reasons. */
  readonly isOperator: (headers: IncomingHttpHeaders) => Promise<boolean>;
  /** Whether /metrics needs no key. */
  readonly metricsArePublic: boolean;
  /** Called for each request of /metrics. */
  readonly metrics?: () => Promise<{ readonly text: string; readonly contentType: string }>;
}

export interface HealthServer {
  /** Base address, such as http://127.0.0.1:41234. */
  readonly address: string;
  /** Makes /ready answer 503. */
  drain(): void;
  close(): Promise<void>;
}

/** The body of /ready: state and names of parts for every caller, reasons for the operator only. */
function bodyOf({ ready, reason, degraded }: Readiness, isOperators: boolean): object {
  const details = [...(reason === undefined ? [] : [reason]), ...(degraded ?? []).map(({ detail }) => detail)];
  return {
    status: ready ? 'ready' : 'not ready',
    ...(degraded !== undefined && { degraded: [...new Set(degraded.map(({ part }) => part))] }),
    ...(isOperators && { details }),
  };
}

/** @throws when the port is taken. */
export async function serveHealth(options: HealthOptions): Promise<HealthServer> {
  const { host, port, check, isOperator, metricsArePublic, metrics } = options;
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
      Promise.resolve(metricsArePublic || isOperator(request.headers))
        .then(async (allowed) => {
          if (!allowed)
            return answer(401, { status: "metrics need a live admin:* key of the operator's organisation" });
          const { text, contentType } = await metrics();
          response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' });
          response.end(text);
        })
        .catch(() => answer(503, { status: 'no metrics now' }));
    else if (path !== '/ready') answer(404, { status: 'not found' });
    else if (draining) answer(503, { status: 'stopping' });
    else
      Promise.all([check(), isOperator(request.headers)]).then(
        ([readiness, isOperators]) => answer(readiness.ready ? 200 : 503, bodyOf(readiness, isOperators)),
        () => answer(503, { status: 'not ready' }),
      );
  });
  server.requestTimeout = 5_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // It listens on a TCP port, so the address is not the name of a pipe.
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
