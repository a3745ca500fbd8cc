// Requests to an MCP server over streamable HTTP, and the responses in their answers: JSON, or a stream of events.
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { StringDecoder } from 'node:string_decoder';
import type { Json } from '../../shared/kernel/json.ts';
import { answerTo } from '../../shared/platform/http/answer.ts';
import { FrameError, MAX_FRAME_BYTES, readServerFrame } from './frames.ts';
import { idKey, type RequestId, responseIdOf } from './messages.ts';
import { SseReader } from './sse.ts';

/** An answer that sends the client elsewhere: nobody follows it, because it would lead past the guard. */
export class RedirectError extends Error {}

export interface EndpointRequest {
  readonly method: string;
  /** Name, value, name, value, as Node has raw headers. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  readonly signal: AbortSignal;
}

/**
 * How long an idle connection is kept. A server closes idle connections too (Node's after 5 s), and a request that meets
 * that end fails, although a call must not be sent twice. Node's agent heeds `Keep-Alive: timeout` only beside a time of
 * its own, and does not end requests by it.
 */
const IDLE_MS = 2_000;

export class Endpoint {
  private readonly url: URL;
  private readonly agent: http.Agent;

  constructor(url: URL) {
    this.url = url;
    const { Agent } = url.protocol === 'https:' ? https : http;
    this.agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  }

  /** Resolves with the answer's headers; its body is still to be read. Rejects with a RedirectError at status 3xx. */
  async request({ method, headers, body, signal }: EndpointRequest): Promise<IncomingMessage> {
    const { request } = this.url.protocol === 'https:' ? https : http;
    const own = ['host', this.url.host, 'accept-encoding', 'identity'];
    const length = body === undefined ? [] : ['content-length', String(body.length)];
    const outgoing = request(this.url, {
      method,
      agent: this.agent,
      headers: [...headers, ...own, ...length],
      signal,
    });
    const answered = answerTo(outgoing);
    outgoing.end(body);
    const answer = await answered;
    const {
      statusCode = 0,
      headers: { location },
    } = answer;
    if (statusCode < 300 || statusCode >= 400) return answer;
    answer.destroy();
    const target = location !== undefined && URL.canParse(location, this.url.href);
    const where = target ? ` to ${new URL(location, this.url).href}` : '';
    throw new RedirectError(`The MCP server redirects (status ${statusCode})${where}`);
  }

  close(): void {
    this.agent.destroy();
  }
}

export function kindOfBody(headers: IncomingHttpHeaders): 'json' | 'events' | 'other' {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/json' ? 'json' : type === 'text/event-stream' ? 'events' : 'other';
}

/** @throws {FrameError} when it is larger than a frame may be */
export async function readAll(from: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of from) {
    bytes += chunk.length;
    if (bytes > MAX_FRAME_BYTES) throw new FrameError(`a body is larger than ${MAX_FRAME_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The response to a request in its answer; undefined when there is none. @throws {FrameError} */
export async function readResponse(answer: IncomingMessage, id: RequestId): Promise<Json | undefined> {
  const kind = kindOfBody(answer.headers);
  if (kind === 'json') return responseIn(await readAll(answer), id);
  if (kind === 'other') return undefined;
  const [decoder, reader] = [new StringDecoder('utf8'), new SseReader()];
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    for (const { data } of reader.read(decoder.write(chunk))) {
      const response = data === undefined ? undefined : responseIn(Buffer.from(data), id);
      if (response !== undefined) return response;
    }
  }
  return undefined;
}

function responseIn(bytes: Uint8Array, id: RequestId): Json | undefined {
  const { messages } = readServerFrame(bytes);
  return messages.find(({ value }) => {
    const key = responseIdOf(value);
    return key !== undefined && idKey(key) === idKey(id);
  })?.value;
}
