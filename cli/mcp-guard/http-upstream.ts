// Requests to the guarded server over HTTP: the client's headers and body go on as they came.
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { StringDecoder } from 'node:string_decoder';
import { MAX_FRAME_BYTES, FrameError, readFrame } from './frames.ts';
import { idKey, type Json, listText, objectOf, responseIdOf } from './messages.ts';
import { SseReader } from './sse.ts';
import type { ToolCall } from './tool-call.ts';

/** RFC 9110 section 7.6.1, and what the guard's own connection determines. The guard reads bodies, so they must not be compressed. */
const NOT_FORWARDED = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Name, value, name, value, as Node has raw headers: case, order and repetitions stay. */
export function forwardedHeaders(raw: readonly string[]): string[] {
  return raw.flatMap((text, i) => {
    const isName = i % 2 === 0;
    const name = isName ? text : (raw[i - 1] ?? '');
    return NOT_FORWARDED.has(name.toLowerCase()) ? [] : [text];
  });
}

export interface UpstreamRequest {
  readonly method: string;
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  readonly signal: AbortSignal;
}

export class Upstream {
  private readonly url: URL;
  private readonly agent: http.Agent;

  constructor(url: URL) {
    this.url = url;
    this.agent = url.protocol === 'https:' ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true });
  }

  /** Resolves with the answer's headers; its body is still to be read. */
  request({ method, headers, body, signal }: UpstreamRequest): Promise<IncomingMessage> {
    const { request } = this.url.protocol === 'https:' ? https : http;
    const own = ['host', this.url.host, 'accept-encoding', 'identity'];
    const length = body === undefined ? [] : ['content-length', String(body.length)];
    return new Promise((resolve, reject) => {
      const outgoing = request(this.url, {
        method,
        agent: this.agent,
        headers: [...headers, ...own, ...length],
        signal,
      });
      outgoing.once('response', resolve).once('error', reject);
      outgoing.end(body);
    });
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

const LIST_TIMEOUT_MS = 5_000;

/** One page of the server's tools, with the headers of the call for which they are needed; undefined when there is none. */
export async function fetchList(
  upstream: Upstream,
  rawHeaders: readonly string[],
  { id, call, cursor }: { readonly id: string; readonly call: ToolCall; readonly cursor: string | undefined },
): Promise<Json | undefined> {
  const headers = forwardedHeaders(rawHeaders).flatMap((text, i, all) => {
    const name = (i % 2 === 0 ? text : (all[i - 1] ?? '')).toLowerCase();
    // Headers that mirror the call's body since 2026-07-28.
    if (name === 'mcp-name' || name.startsWith('mcp-param-')) return [];
    return [name === 'mcp-method' && i % 2 === 1 ? 'tools/list' : text];
  });
  const body = Buffer.from(listText(id, cursor, call.envelope));
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LIST_TIMEOUT_MS);
  try {
    const answer = await upstream.request({ method: 'POST', headers, body, signal: controller.signal });
    const kind = kindOfBody(answer.headers);
    if (answer.statusCode !== 200 || kind === 'other') return undefined;
    return kind === 'json' ? resultIn(await readAll(answer), id) : await resultInEvents(answer, id);
  } catch {
    // No list is no reason to fail: the call is decided without a digest.
    return undefined;
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

function resultIn(bytes: Uint8Array, id: string): Json | undefined {
  const { messages } = readFrame(bytes);
  const answer = messages.find(({ value }) => {
    const key = responseIdOf(value);
    return key !== undefined && idKey(key) === idKey(id);
  });
  return objectOf(answer?.value['result']);
}

async function resultInEvents(answer: IncomingMessage, id: string): Promise<Json | undefined> {
  const [decoder, reader] = [new StringDecoder('utf8'), new SseReader()];
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    for (const { data } of reader.read(decoder.write(chunk))) {
      const result = data === undefined ? undefined : resultIn(Buffer.from(data), id);
      if (result !== undefined) return result;
    }
  }
  return undefined;
}
