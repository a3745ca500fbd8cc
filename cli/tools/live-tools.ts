// The tools of a running MCP server, for the commands that compare it with a catalogue.
import { type Command } from '@commander-js/extra-typings';
import { ListingError, type UsableTools, usableTools } from '../../shared/core/tools/listing.ts';
import { CommandError, UsageError } from '../exit.ts';
import { httpUrl, wholeNumber } from '../options.ts';
import { HttpConnection } from '../mcp/http-connection.ts';
import { listTools } from '../mcp/list-tools.ts';
import { serverEnv } from '../mcp/server-process.ts';
import { StdioConnection } from '../mcp/stdio-connection.ts';

export interface LiveTools extends UsableTools {
  /** As the server names itself. */
  readonly serverName: string | undefined;
}

/** Adds the options and arguments that name a server. */
export function addServerOptions(command: Command) {
  return command
    .option('--url <url>', 'the MCP endpoint of a server that runs, instead of a command')
    .option('--timeout <seconds>', 'how long the server may take for each answer', wholeNumber(1, 600), 30)
    .argument('[command...]', 'starts the MCP server over stdio, after --');
}

interface ServerOptions {
  readonly url?: string | undefined;
  readonly timeout: number;
}

/** Starts the server, or connects to it, and lists its tools. @throws {CommandError} */
export async function liveTools(
  [command, ...args]: readonly string[],
  { url, timeout }: ServerOptions,
): Promise<LiveTools> {
  if ((url === undefined) === (command === undefined))
    throw new UsageError('Name the MCP server: either a command after "--", or --url.');
  const options = { timeoutMs: 1_000 * timeout };
  const connection =
    command === undefined
      ? new HttpConnection(httpUrl('--url', url ?? ''), options)
      : new StdioConnection({ command, args, env: serverEnv() }, options);
  try {
    const { serverName, tools } = await listTools(connection);
    return { serverName, ...usableTools(tools) };
  } catch (error) {
    throw error instanceof ListingError ? new CommandError(error.message) : error;
  } finally {
    await connection.close();
  }
}
