// The tools of an MCP server: opens a session in the protocol version of the server, and reads all pages of its list.
import { type Json, objectOf } from '../../shared/kernel/json.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import { CommandError } from '../exit.ts';
import type { McpConnection } from './connection.ts';
import { metaKey } from './messages.ts';

export interface Listing {
  /** As the server names itself. */
  readonly serverName: string | undefined;
  /** As they came, in the server's order. */
  readonly tools: readonly Json[];
}

/** The newest version with `initialize`. A server answers with an older one that it prefers; the list is the same in all of them. */
const VERSION = '2025-11-25';
/** The version without `initialize`: each request says who asks. */
const MODERN_VERSION = '2026-07-28';
const CLIENT = { name: 'custos', version: '1.0.0' };
/** Some servers list tools only to clients that can do what the tools need. */
const CAPABILITIES = {
  roots: {},
  sampling: {},
  elicitation: { form: {}, url: {} },
  tasks: { requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
};
/** A server that never ends its list. */
const MAX_PAGES = 100;

type Envelope = Json;

const MODERN: Envelope = {
  _meta: {
    [metaKey('protocolVersion')]: MODERN_VERSION,
    [metaKey('clientInfo')]: CLIENT,
    [metaKey('clientCapabilities')]: CAPABILITIES,
  },
};

function resultOf(method: string, { result, error }: Json): Json {
  const found = objectOf(result);
  if (found !== undefined) return found;
  const { code, message } = objectOf(error) ?? {};
  const why =
    typeof code === 'number' && typeof message === 'string'
      ? `the error ${code}, ${message}`
      : 'neither a result nor an error of JSON-RPC';
  throw new CommandError(printable(`The MCP server answered ${method} with ${why}.`));
}

/** Opens the session. @returns the name of the server, and the members that every later request carries */
async function open(connection: McpConnection): Promise<{ readonly name: unknown; readonly envelope: Envelope }> {
  const params = { protocolVersion: VERSION, capabilities: CAPABILITIES, clientInfo: CLIENT };
  const answer = await connection.request('initialize', params);
  const result = objectOf(answer['result']);
  if (result === undefined) {
    // A server of the newest version alone knows no `initialize`.
    connection.negotiated(MODERN_VERSION);
    const discovered = await connection.request('server/discover', MODERN);
    if (objectOf(discovered['result']) === undefined) resultOf('initialize', answer);
    return { name: nameIn(resultOf('server/discover', discovered)), envelope: MODERN };
  }
  const { protocolVersion } = result;
  if (typeof protocolVersion !== 'string')
    throw new CommandError('The MCP server answered initialize without a protocol version.');
  connection.negotiated(protocolVersion);
  await connection.notify('notifications/initialized');
  return { name: nameIn(result), envelope: {} };
}

function nameIn(result: Json): unknown {
  const info = objectOf(result['serverInfo']) ?? objectOf(objectOf(result['_meta'])?.[metaKey('serverInfo')]);
  return info?.['name'];
}

function toolsIn(result: Json): Json[] {
  const { tools } = result;
  if (!Array.isArray(tools)) throw new CommandError('The MCP server answered tools/list without a list of tools.');
  return tools.map((tool: unknown) => {
    const found = objectOf(tool);
    if (found === undefined || typeof found['name'] !== 'string')
      throw new CommandError('The MCP server lists a tool that has no name.');
    return found;
  });
}

/** @throws {CommandError} with the reason why there is no list */
export async function listTools(connection: McpConnection): Promise<Listing> {
  const { name, envelope } = await open(connection);
  const tools: Json[] = [];
  const seen = new Set<unknown>();
  let cursor: unknown;
  do {
    const page = cursor === undefined ? envelope : { ...envelope, cursor };
    const result = resultOf('tools/list', await connection.request('tools/list', page));
    tools.push(...toolsIn(result));
    cursor = result['nextCursor'];
    if (seen.has(cursor) || seen.size >= MAX_PAGES)
      throw new CommandError(`The MCP server does not end its list of tools: ${seen.size} pages were read.`);
    seen.add(cursor);
  } while (typeof cursor === 'string');
  return { serverName: typeof name === 'string' ? name : undefined, tools };
}
