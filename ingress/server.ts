// The HTTP server: request objects made for Express, deadlines against slow clients, graceful shutdown.
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { toProblem } from '../shared/api/problem.ts';
import { ApiError } from '../shared/kernel/errors.ts';
import { newId } from '../shared/kernel/ids.ts';

export interface ServerOptions {
  /** PEM texts; absent: plain HTTP. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
}

/** A client must send its headers within this time. */
const HEADERS_TIMEOUT_MS = 10_000;
/** ... and the whole request within this time. */
const REQUEST_TIMEOUT_MS = 30_000;
/** An idle connection is kept this long: longer than the minute after which most proxies close theirs. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** A connection without traffic is closed after this time, for example when a client does not read its answer. */
const IDLE_TIMEOUT_MS = 75_000;
/** How often the deadlines are checked; Node's default of 30 s would make them half a minute late. */
const CHECK_INTERVAL_MS = 2_000;
const MAX_HEADER_BYTES = 16_384;

/**
 * Classes for requests and responses that Express does not have to change. Express gives each of them the prototype
 * `app.request` or `app.response` with Object.setPrototypeOf, which makes V8 treat the object as a slow one. The
 * prototypes of these classes replace those two and inherit from them, so Express's call changes nothing. An enforce
 * request costs a third less CPU time (docs/adr/0014-one-async-function-per-request.md). Reflect.construct with another
 * new.target would do the same at fifty times the cost.
 */
function expressClasses(app: Express): Pick<http.ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class AppRequest extends http.IncomingMessage {}
  class AppResponse<R extends http.IncomingMessage> extends http.ServerResponse<R> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  // They inherit all members of Express's prototypes, which TypeScript cannot see.
  app.request = AppRequest.prototype as unknown as Express['request'];
  app.response = AppResponse.prototype as unknown as Express['response'];
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

export interface ServedApp {
  /** Its prototypes become those of requests and responses. */
  readonly express: Express;
  /** Called with each request. */
  readonly handler: http.RequestListener;
}

/** An HTTP or HTTPS server for an Express application; it does not listen yet. */
export function createExpressServer({ express, handler }: ServedApp, options: ServerOptions = {}): http.Server {
  const settings: http.ServerOptions = {
    ...expressClasses(express),
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The application checks it and answers with a problem document.
    requireHostHeader: false,
  };
  const server =
    options.tls === undefined
      ? http.createServer(settings, handler)
      : https.createServer({ ...settings, ...options.tls }, handler);
  server.timeout = IDLE_TIMEOUT_MS;
  // Their bytes are limited. By default Node leaves out all after the 2,000th, where a proxy may have added the client's address.
  server.maxHeadersCount = 0;
  // An expectation other than 100-continue may be ignored (RFC 9110 section 10.1.1); Node would answer 417 without a body.
  server.on('checkExpectation', handler);
  server.on('clientError', refuseConnection);
  // Without a listener Node closes such a connection without an answer.
  server.on('connect', (_req: http.IncomingMessage, socket: Duplex) =>
    refuseConnection(new Error('CONNECT is not offered'), socket),
  );
  return server;
}

/** Answers a request that node:http could not parse, and closes the connection. */
function refuseConnection(error: Error & { code?: string }, socket: Duplex): void {
  const hasSent = (socket as Partial<Socket>).bytesRead !== 0;
  // The client is gone, or part of an answer was sent already: another answer would corrupt it. On a connection on which nothing was sent in
  // time, a client would take an answer for that to a request that it sends at this moment.
  if (
    !socket.writable ||
    error.code === 'ECONNRESET' ||
    !hasSent ||
    (socket as { _httpMessage?: { headersSent?: boolean } })._httpMessage?.headersSent === true
  ) {
    socket.destroy();
    return;
  }
  const requestId = newId('req', Date.now());
  const problem = JSON.stringify(toProblem(new ApiError('E2001', connectionProblem(error)), '/', requestId));
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(problem)}\r\n` +
      `Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${problem}`,
    () => socket.destroy(),
  );
}

function connectionProblem(error: Error & { code?: string }): string {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return `The headers are larger than ${MAX_HEADER_BYTES} bytes.`;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'The request did not arrive in time.';
    default:
      return 'The request is not valid HTTP/1.1.';
  }
}

/** Listens; `port` 0 picks a free one. @returns the address in use @throws the socket's error (EADDRINUSE, EACCES) */
export async function listen(server: http.Server, host: string, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // A server that listens on a port has an AddressInfo; text and null are for pipes and closed servers.
  return server.address() as AddressInfo;
}

/** Accepts no more connections, waits for running requests until the deadline, then closes the remaining connections. */
export async function closeServer(server: http.Server, deadlineMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await closed;
  clearTimeout(timer);
}
