// A connection to an MCP server over streamable HTTP.
import type { IncomingMessage } from 'node:http';
import { type Json, objectOf } from '../../shared/kernel/json.ts';
import { CommandError } from '../exit.ts';
import { type ConnectOptions, type McpConnection, noAnswer } from './connection.ts';
import { Endpoint, kindOfBody, readAll, readResponse, RedirectError } from './endpoint.ts';
import { FrameError, readFrame } from './frames.ts';

/** How long the end of a session may take; it is a courtesy to the server. */
const GOODBYE_MS = 1_000;

export class HttpConnection implements McpConnection {
  private readonly endpoint: Endpoint;
  private readonly timeoutMs: number;
  private version: string | undefined;
  private session: string | undefined;
  private lastId = 0;

  constructor(url: URL, { timeoutMs }: ConnectOptions) {
    this.endpoint = new Endpoint(url);
    this.timeoutMs = timeoutMs;
  }

  async request(method: string, params: Json): Promise<Json> {
    this.lastId += 1;
    const id = `custos-${this.lastId}`;
    return this.post(method, { jsonrpc: '2.0', id, method, params }, async (answer) => {
      const { statusCode = 0 } = answer;
      const response = statusCode < 400 ? await readResponse(answer, id) : await readRefusal(answer);
      if (response !== undefined) return response;
      throw new CommandError(`The MCP server answered ${method} with the status ${statusCode} and no response.`);
    });
  }

  async notify(method: string): Promise<void> {
    await this.post(method, { jsonrpc: '2.0', method }, async (answer) => void answer.resume());
  }

  negotiated(version: string): void {
    this.version = version;
  }

  async close(): Promise<void> {
    const signal = AbortSignal.timeout(GOODBYE_MS);
    if (this.session !== undefined) {
      try {
        const headers = this.headers('DELETE');
        (await this.endpoint.request({ method: 'DELETE', headers, body: undefined, signal })).resume();
      } catch {
        // The server ends sessions that are not used any more.
      }
    }
    this.endpoint.close();
  }

  private async post<T>(method: string, message: Json, read: (answer: IncomingMessage) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), this.timeoutMs);
    const body = Buffer.from(JSON.stringify(message));
    try {
      const headers = [...this.headers(method), 'content-type', 'application/json'];
      const answer = await this.endpoint.request({ method: 'POST', headers, body, signal: controller.signal });
      const session = answer.headers['mcp-session-id'];
      if (typeof session === 'string') this.session = session;
      const result = await read(answer);
      return result;
    } catch (error) {
      throw controller.signal.aborted ? noAnswer(method, this.timeoutMs) : asCommandError(error);
    } finally {
      clearTimeout(timer);
      // Ends a stream of events that the server keeps open behind its response.
      controller.abort();
    }
  }

  private headers(method: string): string[] {
    const { version, session } = this;
    return [
      ...['accept', 'application/json, text/event-stream', 'mcp-method', method],
      ...(version === undefined ? [] : ['mcp-protocol-version', version]),
      ...(session === undefined ? [] : ['mcp-session-id', session]),
    ];
  }
}

/** The JSON-RPC error in the body of a refused request, whose id may be null. */
async function readRefusal(answer: IncomingMessage): Promise<Json | undefined> {
  if (kindOfBody(answer.headers) !== 'json') return undefined;
  const { messages } = readFrame(await readAll(answer));
  return messages.find(({ value }) => objectOf(value['error']) !== undefined)?.value;
}

function asCommandError(error: unknown): unknown {
  if (error instanceof FrameError) return new CommandError(`The MCP server can't be read: ${error.message}.`);
  if (error instanceof RedirectError) return new CommandError(`${error.message}. Use that address.`);
  if (!(error instanceof Error && 'code' in error)) return error;
  return new CommandError(`The MCP server can't be reached (${String(error.code)}).`);
}
