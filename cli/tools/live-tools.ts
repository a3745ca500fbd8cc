// The tools of a running MCP server, for the commands that compare it with a catalogue.
import { type Command } from '@commander-js/extra-typings';
import { definitionDigest } from '../../shared/core/tools/definition.ts';
import { isCallerId } from '../../shared/kernel/ids.ts';
import { CommandError, UsageError } from '../exit.ts';
import { httpUrl, wholeNumber } from '../options.ts';
import { HttpConnection } from '../mcp/http-connection.ts';
import { type Listing, listTools } from '../mcp/list-tools.ts';
import { serverEnv } from '../mcp/server-process.ts';
import { StdioConnection } from '../mcp/stdio-connection.ts';
import type { ListedTool } from './propose.ts';

export interface LiveTool {
  readonly tool: ListedTool;
  /** Of its definition. */
  readonly digest: string;
}

export interface LiveTools {
  /** As the server names itself. */
  readonly serverName: string | undefined;
  readonly tools: readonly LiveTool[];
  /** Tools that no catalogue can name, and why: their calls are unknown. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
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

/** The tools that can be in a catalogue. @throws {CommandError} when a name stands for two definitions */
export function usableTools({ serverName, tools }: Listing): LiveTools {
  const found = new Map<string, LiveTool>();
  const leftOut: { name: string; reason: string }[] = [];
  for (const listed of tools) {
    // The listing has checked that each tool has a name.
    const tool = listed as ListedTool;
    const { name } = tool;
    const digest = digestOf(tool);
    if (!isCallerId(name)) leftOut.push({ name, reason: 'the name is no name for a catalogue' });
    else if (digest === undefined) leftOut.push({ name, reason: 'the definition has no canonical JSON' });
    else if ((found.get(name)?.digest ?? digest) !== digest)
      throw new CommandError(
        `The MCP server lists the tool ${JSON.stringify(name)} twice, with different definitions.`,
      );
    else found.set(name, { tool, digest });
  }
  return { serverName, tools: [...found.values()], leftOut };
}

function digestOf(tool: ListedTool): string | undefined {
  try {
    return definitionDigest(tool);
  } catch {
    // A lone surrogate, or nesting that exhausts the stack.
    return undefined;
  }
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
    return usableTools(await listTools(connection));
  } finally {
    await connection.close();
  }
}
