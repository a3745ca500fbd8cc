// The guard over streamable HTTP: checks who asks, and passes requests on to the guarded server.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Json, objectOf } from '../../shared/kernel/json.ts';
import { CommandError } from '../exit.ts';
import { type Frame, FrameError, type Message, readFrame } from '../mcp/frames.ts';
import type { Guard } from './guard.ts';
import { isOnlyCall, type Part, readIncoming } from './held-call.ts';
import { Access, type AccessOptions } from './http-access.ts';
import { checkRequest, type Refused } from './http-checks.ts';
import { answerDiscovery, isDiscovery, withOwnChallenge } from './http-discovery.ts';
import { contradictionIn, hasParamHeaders, paramContradictionIn, withParams } from './http-headers.ts';
import { Reply } from './http-reply.ts';
import { HttpSessions } from './http-sessions.ts';
import { Endpoint, readAll, RedirectError } from '../mcp/endpoint.ts';
import { fetchList, forwardedHeaders } from './http-upstream.ts';
import type { ListPage } from './definitions.ts';
import {
  errorText,
  HEADER_MISMATCH,
  INVALID_REQUEST,
  isRequestId,
  ownId,
  PARSE_ERROR,
  progressText,
  type RequestId,
} from '../mcp/messages.ts';
import type { Session, SessionOptions } from './session.ts';
import { settleCall } from './settle.ts';
import type { ToolCall } from './tool-call.ts';

export interface HttpGuardOptions extends AccessOptions {
  readonly upstream: URL;
  readonly guard: Guard;
  readonly session: Omit<SessionOptions, 'state'>;
  /** UUIDs. */
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
  /** For the upstream, as Node has raw headers. */
  readonly headers: readonly string[];
  /** Aborted when the client is gone before its answer is complete. */
  readonly gone: AbortSignal;
}

/** @throws {CommandError} when the guard can't listen there */
export async function guardHttp(options: HttpGuardOptions): Promise<HttpGuard> {
  const { listen, upstream: url, log } = options;
  const upstream = new Endpoint(url);
  const sessions = new HttpSessions(options.session);
  const server = http.createServer();
  // Longer than clients keep an idle connection, so that the guard does not close one that is just being used.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      reject(new CommandError(`Cannot listen on ${listen.host} port ${listen.port} (${error.code}).`));
    server.once('error', fail).listen(listen.port, listen.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const access = new Access({ ...options, listen: { ...listen, port } });
  const handler = new Handler(options, access, upstream, sessions);
  const running = new Set<Promise<void>>();
  server.on('request', (request, response) => {
    const work = handler
      .handle(request, response)
      .catch((error: unknown) => {
        log(`A request failed: ${String(error)}.`);
        response.destroy();
      })
      .finally(() => running.delete(work));
    running.add(work);
  });
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return {
    address: `http://${host}:${port}${url.pathname}${url.search}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      sessions.end();
      // Dropped calls are reported.
      await Promise.all(running);
      upstream.close();
    },
  };
}

class Handler {
  private readonly options: HttpGuardOptions;
  private readonly access: Access;
  private readonly upstream: Endpoint;
  private readonly sessions: HttpSessions;

  constructor(options: HttpGuardOptions, access: Access, upstream: Endpoint, sessions: HttpSessions) {
    this.options = options;
    this.access = access;
    this.upstream = upstream;
    this.sessions = sessions;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = this.options.upstream;
    const refused = checkRequest(request, { path: pathname + search, access: this.access });
    if (refused !== undefined) return refuse(response, refused);
    const origin = this.access.originOf(request.headers);
    const headers = forwardedHeaders(this.access.withoutToken(request.rawHeaders));
    if (isDiscovery(request.method, request.url ?? ''))
      return answerDiscovery(request.url ?? '', response, { ...this.options, origin, headers });
    if (request.headers['last-event-id'] !== undefined && !this.sessions.canResume(request.headers))
      return refuse(response, { status: 404, message: 'the guard does not know the session; begin a new one' });
    const { session, done } = this.sessions.of(request.headers);
    const reply = new Reply(response, session, {
      log: this.options.log,
      headersOf: (raw) => withOwnChallenge(forwardedHeaders(raw), this.options.upstream, origin),
    });
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
      done();
    });
    const exchange = { request, reply, session, headers, gone: gone.signal };
    if (request.method === 'POST') return this.post(exchange);
    if (request.method === 'DELETE') this.sessions.delete(request.headers);
    await this.forward(exchange, undefined, [], []);
  }

  private async post(exchange: Exchange): Promise<void> {
    const { request, reply } = exchange;
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
    const contradiction =
      contradictionIn(request.headers, frame.messages) ?? (await this.paramContradiction(exchange, parts));
    if (contradiction !== undefined)
      return reply.json(errorText(idsOf(frame.messages)[0] ?? null, HEADER_MISMATCH, contradiction), 400);
    const stops = parts.map((part) => part.kind === 'message' && this.stopsHere(exchange, part.message));
    if (parts.some(({ kind }) => kind === 'held')) return this.postHeld(exchange, frame, parts, body);
    if (!frame.isBatch && stops.includes(true)) return reply.empty(202);
    await this.forward(exchange, body, [], idsOf(frame.messages));
  }

  private listPage({ headers }: Exchange, call: ToolCall): ListPage {
    const { newId } = this.options;
    return async (cursor) => fetchList(this.upstream, headers, { id: ownId(call.id, newId()), call, cursor });
  }

  private async paramContradiction(exchange: Exchange, parts: readonly Part[]): Promise<string | undefined> {
    const { request, session } = exchange;
    const [part] = parts;
    if (!hasParamHeaders(request.headers) || part?.kind !== 'held' || part.hold.read.kind !== 'call') return undefined;
    if (parts.length > 1) return 'the headers Mcp-Param-* belong to one of several messages';
    const { call } = part.hold.read;
    const definition = await session.definitions.find(call.name, this.listPage(exchange, call));
    const known = definition.kind === 'known' ? definition.headerArguments : [];
    return paramContradictionIn(request.headers, call.arguments, known);
  }

  /** @returns whether the message concerns only a call on hold */
  private stopsHere({ request, session }: Exchange, message: Message): boolean {
    if (session.fromClient(message)) return true;
    const { method, params } = message.value;
    const id = objectOf(params)?.['requestId'];
    if (method !== 'notifications/cancelled' || !isRequestId(id)) return false;
    return request.headers['mcp-session-id'] === undefined && this.sessions.cancelSingle(request.headers, id);
  }

  private async postHeld(exchange: Exchange, frame: Frame, parts: readonly Part[], body: Buffer): Promise<void> {
    const { request, reply, session, gone } = exchange;
    const { guard, log } = this.options;
    let notices = 0;
    const around = {
      guard,
      session,
      log,
      gone,
      mayWait: isOnlyCall(parts),
      listPage: (call: ToolCall) => this.listPage(exchange, call),
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
    const messages = texts.map((one) => ({ value: JSON.parse(one) as Json }));
    await this.forward(
      { ...exchange, headers: judgedHeaders(exchange, messages) },
      isUnchanged ? body : Buffer.from(text),
      refusals,
      idsOf(messages),
    );
  }

  private async forward(
    { request, reply, headers, session, gone }: Exchange,
    body: Buffer | undefined,
    refusals: readonly string[],
    ids: readonly RequestId[],
  ): Promise<void> {
    let answer: IncomingMessage;
    try {
      answer = await this.upstream.request({ method: request.method ?? 'GET', headers, body, signal: gone });
    } catch (error) {
      session.unanswered(ids);
      if (gone.aborted) return reply.abort();
      const isRedirect = error instanceof RedirectError;
      const reason = isRedirect ? `${error.message}; name that address with --upstream.` : undefined;
      this.options.log(reason ?? `The MCP server can't be reached: ${String(error)}.`);
      return reply.fail(ids, reason ?? 'The MCP server behind Custos can not be reached.');
    }
    try {
      this.sessions.begin(request.headers, answer.headers, session);
      await reply.pass(answer, refusals, ids);
      // An error of HTTP, after which no stream brings the answer.
      if ((answer.statusCode ?? 502) >= 400) session.unanswered(ids);
    } catch {
      // The server broke off in the middle, or the client is gone: the client sees its stream end.
      reply.abort();
    }
  }
}

function refuse(response: ServerResponse, { status, message }: Refused): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(errorText(null, INVALID_REQUEST, message));
}

/** A single call: its headers have the arguments with which it is forwarded. */
function judgedHeaders({ headers, session }: Exchange, messages: readonly { readonly value: Json }[]): string[] {
  const [first] = messages;
  const { name, arguments: args } = objectOf(first?.value['params']) ?? {};
  const definition = session.definitions.current(String(name));
  const known = messages.length === 1 && definition.kind === 'known' ? definition.headerArguments : [];
  return withParams(headers, objectOf(args) ?? {}, known);
}

function idsOf(messages: readonly { readonly value: Json }[]): RequestId[] {
  return messages.flatMap(({ value: { id, method } }) => (method !== undefined && isRequestId(id) ? [id] : []));
}
