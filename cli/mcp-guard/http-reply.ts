// The answer to one HTTP request of a client: JSON, or a stream of events that can begin before the guarded server has answered.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { FrameError, type Message, readFrame } from '../mcp/frames.ts';
import { kindOfBody, readAll } from '../mcp/endpoint.ts';
import { errorText, INTERNAL_ERROR, type Passed, type RequestId } from '../mcp/messages.ts';
import type { Session } from './session.ts';
import { eventOf, type SseEvent, SseReader, withData } from '../mcp/sse.ts';

/** Proxies and clients close streams without data after about a minute. */
const KEEP_ALIVE_MS = 15_000;

const NO_FRAME = 'The MCP server behind Custos gave an answer that can not be read.';

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
    const kind = kindOfBody(answer.headers);
    const status = answer.statusCode ?? 502;
    try {
      if (answer.headers['content-encoding'] !== undefined)
        throw new FrameError('a body is compressed, although it must not be');
      if (kind === 'events') return await this.passEvents(answer, refusals);
      if (kind === 'json') return await this.passJson(answer, status, refusals);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.log(`The answer of the MCP server was not passed on: ${error.message}.`);
      return this.fail(ids, NO_FRAME);
    }
    if (this.response.headersSent)
      return this.fail(ids, `The MCP server behind Custos answered with status ${status}.`);
    if (refusals.length > 0) return this.json(`[${refusals.join(',')}]`);
    await this.passOther(answer, status);
  }

  /** An error for each request; a bare 502 when there is none. */
  fail(ids: readonly RequestId[], message: string): void {
    const [first] = ids;
    if (first === undefined) return this.empty(502);
    if (this.response.headersSent) {
      for (const id of ids) this.event(errorText(id, INTERNAL_ERROR, message));
      return this.end();
    }
    return this.json(errorText(first, INTERNAL_ERROR, message), 502);
  }

  private async passOther(answer: IncomingMessage, status: number): Promise<void> {
    this.response.writeHead(status, this.headersOf(answer.rawHeaders));
    this.response.flushHeaders();
    for await (const chunk of answer as AsyncIterable<Buffer>) await this.write(chunk);
    this.end();
  }

  private async passJson(answer: IncomingMessage, status: number, refusals: readonly string[]): Promise<void> {
    const bytes = await readAll(answer);
    let changed: string | undefined;
    try {
      const frame = readFrame(bytes);
      const [texts, isSame] = await this.look(frame.messages);
      if (refusals.length > 0 || (!isSame && frame.isBatch)) changed = `[${[...texts, ...refusals].join(',')}]`;
      else if (!isSame) changed = texts[0] ?? '';
    } catch (error) {
      // The body of an HTTP error need not be a message.
      if (!(error instanceof FrameError) || status < 400) throw error;
    }
    if (this.response.headersSent) return this.json(changed ?? bytes.toString('utf8'));
    this.response.writeHead(status, this.headersOf(answer.rawHeaders));
    this.response.write(changed ?? bytes);
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
    const frame = readFrame(Buffer.from(event.data));
    const [texts, isSame] = await this.look(frame.messages);
    if (isSame) return event.text;
    if (texts.length === 0) return '';
    return withData(event, frame.isBatch ? `[${texts.join(',')}]` : (texts[0] ?? ''));
  }

  /** @returns the texts of the messages that go on, and whether they are all, unchanged */
  private async look(messages: readonly Message[]): Promise<[string[], boolean]> {
    const passed: Passed[] = [];
    for (const message of messages) {
      const one = this.session.fromServer(message);
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
