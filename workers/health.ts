// The health pages of a worker process: /health (it runs), /ready (it can work), /metrics.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from '../shared/kernel/operator-error.ts';

export type WorkerPart = 'clock' | 'logs' | 'policies' | 'queue';

export interface Readiness {
  readonly ready: boolean;
  /** The reason when it is not ready. */
  readonly reason?: string;
  /** Impaired parts of a process that is ready. */
  readonly degraded?: readonly Impaired[];
  /** Parts whose state could not be read. */
  readonly unknown?: readonly WorkerPart[];
}

export interface Impaired {
  readonly part: WorkerPart;
  /** A sentence for operators; it may name organisations. */
  readonly detail: string;
}

/** The content of the pages. */
export interface HealthPages {
  /** Called for /ready; one call answers all requests that arrive until it ends. */
  check(): Promise<Readiness>;
  /** Whether a request has a key of the operator. Other callers get the state without reasons. */
  isOperator(headers: IncomingHttpHeaders): Promise<boolean>;
  /** Called for each request of /metrics. */
  metrics(): Promise<{ readonly text: string; readonly contentType: string }>;
}

export interface HealthOptions {
  readonly host: string;
  /** 0 picks a free port. Undefined: DEFAULT_PORT, or a free one when that is in use. */
  readonly port: number | undefined;
  /** Whether /metrics needs no key. */
  readonly metricsArePublic: boolean;
  /** Called when the default port was in use. */
  readonly onOtherPort: (port: number, preferred: number) => void;
}

export interface HealthServer {
  /** Base address, such as http://127.0.0.1:3001. */
  readonly address: string;
  readonly port: number;
  /** The process has started: serves its pages. Until then /ready answers 503. */
  begin(pages: HealthPages): void;
  /** Makes /ready answer 503. */
  drain(): void;
  close(): Promise<void>;
}

/** A scraper needs a fixed port. The first worker process of a machine has it. */
export const DEFAULT_PORT = 3_001;
/** /ready answers within this time, whatever its checks do. */
const CHECK_DEADLINE_MS = 1_900;

/** The body of /ready: state and names of parts for every caller, reasons for the operator only. */
function bodyOf({ ready, reason, degraded, unknown }: Readiness, isOperators: boolean): object {
  const details = [...(reason === undefined ? [] : [reason]), ...(degraded ?? []).map(({ detail }) => detail)];
  return {
    status: ready ? 'ready' : 'not ready',
    ...(degraded !== undefined && { degraded: [...new Set(degraded.map(({ part }) => part))] }),
    ...(unknown !== undefined && { unknown }),
    ...(isOperators && { details }),
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}

async function serveMetrics(request: IncomingMessage, response: ServerResponse, pages: HealthPages, isPublic: boolean) {
  if (!isPublic && !(await pages.isOperator(request.headers)))
    return answer(response, 401, { status: "metrics need a live admin:* key of the operator's organisation" });
  const { text, contentType } = await pages.metrics();
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' });
  response.end(text);
}

/** A check that is shared by all who ask while it runs, because everybody may ask. One that hangs is begun again. */
function sharedCheck(check: HealthPages['check']): HealthPages['check'] {
  let running: Promise<Readiness> | undefined;
  return () => {
    if (running !== undefined) return running;
    const begun = check();
    const end = (): void => {
      if (running === begun) running = undefined;
    };
    begun.then(end, end);
    void delay(CHECK_DEADLINE_MS, undefined, { ref: false }).then(end);
    return (running = begun);
  };
}

async function serveReadiness(request: IncomingMessage, response: ServerResponse, pages: HealthPages): Promise<void> {
  const late = delay(CHECK_DEADLINE_MS, undefined, { ref: false });
  const readiness =
    (await Promise.race([pages.check(), late])) ?? ({ ready: false, reason: 'the checks take too long' } as const);
  const isOperators = (await Promise.race([pages.isOperator(request.headers), late])) ?? false;
  answer(response, readiness.ready ? 200 : 503, bodyOf(readiness, isOperators));
}

/** @throws {OperatorError} when the port is in use, and it is not the default one */
export async function serveHealth({ host, port, metricsArePublic, onOtherPort }: HealthOptions): Promise<HealthServer> {
  let draining = false;
  let pages: HealthPages | undefined;
  const server: Server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(response, 405, { status: 'method not allowed' });
    else if (path === '/health') answer(response, 200, { status: 'ok' });
    else if (path !== '/ready' && path !== '/metrics') answer(response, 404, { status: 'not found' });
    else if (pages === undefined) answer(response, 503, { status: 'starting' });
    else if (path === '/metrics')
      serveMetrics(request, response, pages, metricsArePublic).catch(() =>
        answer(response, 503, { status: 'no metrics now' }),
      );
    else if (draining) answer(response, 503, { status: 'stopping' });
    else serveReadiness(request, response, pages).catch(() => answer(response, 503, { status: 'not ready' }));
  });
  server.requestTimeout = 5_000;
  await listenOn(server, host, port);
  // It listens on a TCP port, so the address is not the name of a pipe.
  const { port: chosen } = server.address() as AddressInfo;
  if (port === undefined && chosen !== DEFAULT_PORT) onOtherPort(chosen, DEFAULT_PORT);
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${chosen}`,
    port: chosen,
    begin: (served) => {
      pages = { ...served, check: sharedCheck(served.check) };
    },
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

async function listenOn(server: Server, host: string, port: number | undefined): Promise<void> {
  try {
    await listen(server, host, port ?? DEFAULT_PORT);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    if (port !== undefined)
      throw new OperatorError(
        `Port ${port} of ${host} is in use by another program. Choose another with CUSTOS_WORKERS_PORT; 0 picks a free one.`,
        { cause: error },
      );
    await listen(server, host, 0);
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
