// The guard over streamable HTTP: listens on this machine, and passes requests on to the guarded server.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Frame, FrameError, readFrame } from '../mcp/frames.ts';
import type { Guard } from './guard.ts';
import { type Part, readIncoming } from './held-call.ts';
import { checkRequest, contradicts } from './http-checks.ts';
import { Reply } from './http-reply.ts';
import { HttpSessions } from './http-sessions.ts';
import { Endpoint, readAll } from '../mcp/endpoint.ts';
import { fetchList, forwardedHeaders } from './http-upstream.ts';
import {
  errorText,
  HEADER_MISMATCH,
  INVALID_REQUEST,
  isRequestId,
  objectOf,
  PARSE_ERROR,
  progressText,
  type RequestId,
} from '../mcp/messages.ts';
import type { Session, SessionOptions } from './session.ts';
import { settleCall } from './settle.ts';
import type { ToolCall } from './tool-call.ts';

export interface HttpGuardOptions {
  readonly port: number;
  readonly upstream: URL;
  readonly guard: Guard;
  readonly session: Omit<SessionOptions, 'definitions'>;
  readonly newId: () => string;
  readonly log: (line: string) => void;
}

export interface HttpGuard {
  /** Of the MCP endpoint. */
  readonly address: string;
  close(): Promise<void>;
}

/** One request of a client, with what answers it. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly reply: Reply;
  readonly session: Session;
  /** Aborted when the client is gone before its answer is complete. */
  readonly gone: AbortSignal;
}

/** @throws {NodeJS.ErrnoException} when the port is taken */
export async function guardHttp(options: HttpGuardOptions): Promise<HttpGuard> {
  const { port, upstream: url, log } = options;
  const upstream = new Endpoint(url);
  const sessions = new HttpSessions(options.session);
  const handler = new Handler(options, upstream, sessions);
  const server = http.createServer((request, response) => {
    handler.handle(request, response, (server.address() as AddressInfo).port).catch((error: unknown) => {
      log(`A request failed: ${String(error)}.`);
      response.destroy();
    });
  });
  // Longer than clients keep an idle connection, so that the guard does not close one that is just being used.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${actual}${url.pathname}${url.search}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      sessions.end();
      upstream.close();
    },
  };
}

class Handler {
  private readonly options: HttpGuardOptions;
  private readonly upstream: Endpoint;
  private readonly sessions: HttpSessions;

  constructor(options: HttpGuardOptions, upstream: Endpoint, sessions: HttpSessions) {
    this.options = options;
    this.upstream = upstream;
    this.sessions = sessions;
  }

  async handle(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
    const { pathname, search } = this.options.upstream;
    const refused = checkRequest(request, { path: pathname + search, port });
    if (refused !== undefined) {
      response.writeHead(refused.status, { 'content-type': 'application/json' });
      response.end(errorText(null, INVALID_REQUEST, refused.message));
      return;
    }
    const { session, done } = this.sessions.of(request.headers);
    const reply = new Reply(response, session, this.options.log);
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
      done();
    });
    const exchange = { request, reply, session, gone: gone.signal };
    if (request.method === 'POST') return this.post(exchange);
    if (request.method === 'DELETE') this.sessions.delete(request.headers);
    await this.forward(exchange, undefined, [], []);
  }

  private async post(exchange: Exchange): Promise<void> {
    const { request, reply, session } = exchange;
    let frame: Frame;
    let parts: Part[];
    let body: Buffer;
    try {
      body = await readAll(request);
      frame = readFrame(body);
      parts = readIncoming(frame);
    } catch (error) {
      if (error instanceof FrameError) return reply.json(errorText(null, PARSE_ERROR, error.message), 400);
      // The client has gone while it sent.
      return reply.abort();
    }
    if (contradicts(request.headers, frame.messages))
      return reply.json(errorText(null, HEADER_MISMATCH, 'a header contradicts the body'), 400);
    const stops = parts.map(
      (part) =>
        part.kind === 'message' && this.fromClient(part.message.value, exchange, session.fromClient(part.message)),
    );
    if (parts.some(({ kind }) => kind === 'held')) return this.postHeld(exchange, frame, parts, body);
    if (!frame.isBatch && stops.includes(true)) return reply.empty(202);
    await this.forward(exchange, body, [], idsOf(frame.messages.map(({ value }) => value)));
  }

  /** @returns whether the message concerns only a call on hold */
  private fromClient(value: Readonly<Record<string, unknown>>, { request }: Exchange, hasStopped: boolean): boolean {
    const id = objectOf(value['params'])?.['requestId'];
    if (hasStopped || value['method'] !== 'notifications/cancelled' || !isRequestId(id)) return hasStopped;
    return request.headers['mcp-session-id'] === undefined && this.sessions.cancelSingle(request.headers, id);
  }

  private async postHeld(exchange: Exchange, frame: Frame, parts: readonly Part[], body: Buffer): Promise<void> {
    const { request, reply, session, gone } = exchange;
    const { guard, log, newId } = this.options;
    let notices = 0;
    const around = {
      guard,
      session,
      log,
      gone,
      listPage: (call: ToolCall) => async (cursor: string | undefined) =>
        fetchList(this.upstream, request.rawHeaders, { id: `custos-guard-${newId()}`, call, cursor }),
      // Requests over HTTP have no order among them.
      turn: async () => undefined,
      onWaiting: () => reply.startEvents(request.headers.accept),
      notify: ({ progressToken }: ToolCall, message: string) => {
        notices += 1;
        if (progressToken !== undefined) reply.event(progressText(progressToken, notices, message));
      },
    };
    const settled = await Promise.all(
      parts.map(async (part) => (part.kind === 'held' ? settleCall(part.hold, around) : part)),
    );
    const sent = settled.map((one) => {
      if (one.kind === 'message') return { kind: 'text', text: one.message.text } as const;
      return one.kind === 'permitted' ? one.send() : one;
    });
    if (gone.aborted) return reply.abort();
    const texts = sent.flatMap((one) => (one.kind === 'text' ? [one.text] : []));
    const refusals = sent.flatMap((one) => (one.kind === 'refused' ? [one.response] : []));
    const [first] = texts;
    if (first === undefined) {
      if (refusals.length === 0) return reply.empty(202);
      return reply.json(frame.isBatch ? `[${refusals.join(',')}]` : refusals.join(''));
    }
    const isUnchanged = sent.every((one, i) => one.kind === 'text' && one.text === frame.messages[i]?.text);
    const text = frame.isBatch ? `[${texts.join(',')}]` : first;
    const values = texts.map((one) => JSON.parse(one) as Readonly<Record<string, unknown>>);
    await this.forward(exchange, isUnchanged ? body : Buffer.from(text), refusals, idsOf(values));
  }

  private async forward(
    { request, reply, gone }: Exchange,
    body: Buffer | undefined,
    refusals: readonly string[],
    ids: readonly RequestId[],
  ): Promise<void> {
    const headers = forwardedHeaders(request.rawHeaders);
    let answer: IncomingMessage;
    try {
      answer = await this.upstream.request({ method: request.method ?? 'GET', headers, body, signal: gone });
    } catch (error) {
      if (gone.aborted) return reply.abort();
      this.options.log(`The MCP server can't be reached: ${String(error)}.`);
      return reply.fail(ids, 'The MCP server behind Custos can not be reached.');
    }
    try {
      await reply.pass(answer, refusals, ids);
    } catch {
      // The server broke off in the middle, or the client is gone: the client sees its stream end.
      reply.abort();
    }
  }
}

function idsOf(values: readonly Readonly<Record<string, unknown>>[]): RequestId[] {
  return values.flatMap(({ id, method }) => (method !== undefined && isRequestId(id) ? [id] : []));
}
