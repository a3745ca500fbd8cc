// A client's connection to an MCP server, for commands that ask a few requests and end: by stdio or by streamable HTTP.
import { CommandError } from '../exit.ts';
import type { Json } from '../../shared/kernel/json.ts';

export interface McpConnection {
  /**
   * Sends a request and waits for its response, which has a `result` or an `error`.
   * @throws {CommandError} when none comes, or the server sends something else than JSON-RPC
   */
  request(method: string, params: Json): Promise<Json>;
  /** Sends a notification. */
  notify(method: string): Promise<void>;
  /** Sets the protocol version that later requests carry, where the transport has a place for it. */
  negotiated(version: string): void;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** How long each response may take. */
  readonly timeoutMs: number;
}

export function noAnswer(method: string, timeoutMs: number): CommandError {
  return new CommandError(`The MCP server did not answer ${method} within ${timeoutMs / 1_000} s.`);
}
