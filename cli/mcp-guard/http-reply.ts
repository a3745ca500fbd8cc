// The answer to one HTTP request of a client: JSON, or a stream of events that can begin before the guarded server has answered.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { type Frame, FrameError, type Message, readServerFrame } from '../mcp/frames.ts';
import { kindOfBody, readAll } from '../mcp/endpoint.ts';
import { errorText, INTERNAL_ERROR, type Passed, type RequestId } from '../mcp/messages.ts';
import type { Session } from './session.ts';
import { eventOf, type SseEvent, SseReader, withData } from '../mcp/sse.ts';

/** Proxies and clients close streams without data after about a minute. */
const KEEP_ALIVE_MS = 15_000;

const NO_FRAME = 'The MCP server behind Custos gave an answer that can not be read.';
const JSON_TYPE = ['content-type', 'application/json'];

export class Reply {
  readonly response: ServerResponse;
  private readonly session: Session;
  private readonly log: (line: string) => void;
  /** The headers of an answer, as the client gets them. */
  private readonly headersOf: (raw: readonly string[]) => string[];
  private keepAlive: NodeJS.Timeout | undefined;

  constructor(
    response: ServerResponse,
    session: Session,
    around: { readonly log: (line: string) => void; readonly headersOf: (raw: readonly string[]) => string[] },
  ) {
    this.response = response;
    this.session = session;
    this.log = around.log;
    this.headersOf = around.headersOf;
  }

  /** Begins a stream of events, for a client that takes one. */
  startEvents(accept: string | undefined): void {
    const { response } = this;
    if (response.headersSent || accept?.includes('text/event-stream') !== true) return;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    this.keepAlive = setInterval(() => response.write(':\n\n'), KEEP_ALIVE_MS);
  }

  event(json: string): void {
    if (this.response.headersSent && !this.response.writableEnded) this.response.write(eventOf(json));
  }

  /** Ends with one JSON text, as an event where a stream has begun. */
  json(json: string, status = 200): void {
    if (this.response.headersSent) this.event(json);
    else {
      this.response.writeHead(status, { 'content-type': 'application/json' });
      this.response.write(json);
    }
    this.end();
  }

  empty(status: number): void {
    if (!this.response.headersSent) this.response.writeHead(status);
    this.end();
  }

  end(): void {
    clearInterval(this.keepAlive);
    this.response.end();
  }

  /** Closes the connection, when no answer is possible any more. */
  abort(): void {
    clearInterval(this.keepAlive);
    this.response.destroy();
  }

  /**
   * Passes the server's answer on. @param refusals of the same batch
   * @param ids of requests that need an answer if the server gives none
   */
  async pass(answer: IncomingMessage, refusals: readonly string[], ids: readonly RequestId[]): Promise<void> {
    try {
      if (answer.headers['content-encoding'] !== undefined)
        throw new FrameError('a body is compressed, although it must not be');
      if (kindOfBody(answer.headers) === 'events') await this.passEvents(answer, refusals);
      else await this.passBody(answer, refusals, ids);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.log(`The answer of the MCP server was not passed on: ${error.message}.`);
      this.fail(ids, NO_FRAME, answer);
    }
  }

  /** An error for each request, instead of the server's answer if there was one: an error of HTTP keeps its status and headers. */
  fail(ids: readonly RequestId[], message: string, answer?: IncomingMessage): void {
    if (this.response.headersSent) {
      for (const id of ids) this.event(errorText(id, INTERNAL_ERROR, message));
      return this.end();
    }
    const { statusCode: status = 502, rawHeaders = [] } = answer ?? {};
    const isError = status >= 400;
    const kept = isError ? this.headersWithoutBody(rawHeaders) : [];
    this.response.writeHead(isError ? status : 502, [...kept, ...JSON_TYPE]);
    this.response.write(errorText(ids[0] ?? null, INTERNAL_ERROR, message));
    this.end();
  }

  /** The headers of an answer without those of its body. */
  private headersWithoutBody(raw: readonly string[]): string[] {
    const headers = this.headersOf(raw);
    return headers.filter((_, i) => !/^content-/i.test(headers[i - (i % 2)] ?? ''));
  }

  private async passBody(
    answer: IncomingMessage,
    refusals: readonly string[],
    ids: readonly RequestId[],
  ): Promise<void> {
    const { statusCode: status = 502, rawHeaders } = answer;
    const isListening = this.response.req.method === 'GET';
    const all = await readAll(answer);
    // Some servers write a word that no client reads: with 202, to notifications, at the end of a session.
    const isUnread = status === 202 || (status < 300 && ids.length === 0 && !isListening);
    const bytes = isUnread ? Buffer.alloc(0) : all;
    let frame: Frame = { messages: [], isBatch: false };
    try {
      frame = readServerFrame(bytes);
    } catch (error) {
      // The body of an HTTP error need not be a message. A client may show it to the model.
      if (!(error instanceof FrameError) || status < 400 || this.session.mustRedact) throw error;
    }
    const [texts, isSame] = await this.look(frame.messages, status >= 400);
    if (texts.length === 0 && !isSame) {
      if (isListening && status < 400) return this.empty(202);
      throw new FrameError('a body has no message for the client');
    }
    const parts = [...texts, ...refusals];
    if (this.response.headersSent && parts.length === 0)
      return this.fail(ids, `The MCP server behind Custos answered with status ${status}.`);
    const changed = frame.isBatch || refusals.length > 0 ? `[${parts.join(',')}]` : parts.join('');
    const isUnchanged = isSame && refusals.length === 0;
    const isOfJsonType = kindOfBody(answer.headers) === 'json';
    const isJson = !isUnread && (isOfJsonType || frame.messages.length > 0);
    if (this.response.headersSent || !(isUnchanged || isJson)) return this.json(changed);
    // Clients read JSON only under its type. An error of HTTP that goes on as it came keeps its own.
    const isRetyped = isJson && !isOfJsonType && !(isUnchanged && status >= 400);
    const headers = isUnread || isRetyped ? this.headersWithoutBody(rawHeaders) : this.headersOf(rawHeaders);
    this.response.writeHead(status, isRetyped ? [...headers, ...JSON_TYPE] : headers);
    this.response.write(isUnchanged ? bytes : changed);
    this.end();
  }

  private async passEvents(answer: IncomingMessage, refusals: readonly string[]): Promise<void> {
    if (!this.response.headersSent) {
      this.response.writeHead(answer.statusCode ?? 200, this.headersOf(answer.rawHeaders));
      this.response.flushHeaders();
    }
    const [decoder, reader] = [new StringDecoder('utf8'), new SseReader()];
    for await (const chunk of answer as AsyncIterable<Buffer>)
      for (const event of reader.read(decoder.write(chunk))) await this.write(await this.lookAtEvent(event));
    if (refusals.length > 0) this.event(`[${refusals.join(',')}]`);
    this.end();
  }

  private async lookAtEvent(event: SseEvent): Promise<string> {
    if (event.data === undefined || event.data === '') return event.text;
    const frame = readServerFrame(Buffer.from(event.data));
    const [texts, isSame] = await this.look(frame.messages);
    if (isSame) return event.text;
    if (texts.length === 0) return '';
    return withData(event, frame.isBatch ? `[${texts.join(',')}]` : (texts[0] ?? ''));
  }

  /** @returns the texts of the messages that go on, and whether they are all, unchanged */
  private async look(messages: readonly Message[], isHttpError = false): Promise<[string[], boolean]> {
    const passed: Passed[] = [];
    for (const message of messages) {
      const one = this.session.fromServer(message, isHttpError);
      passed.push(one instanceof Promise ? await one : one);
    }
    const texts = passed.flatMap((one, i) =>
      one.kind === 'same' ? [messages[i]?.text ?? ''] : one.kind === 'other' ? [one.text] : [],
    );
    return [texts, passed.every(({ kind }) => kind === 'same')];
  }

  private async write(chunk: Buffer | string): Promise<void> {
    if (chunk.length === 0 || this.response.write(chunk) || this.response.destroyed) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.response.off('drain', done).off('close', done);
        resolve();
      };
      this.response.on('drain', done).on('close', done);
    });
  }
}
