// The tools that an MCP server lists: which of them a catalogue can name, and how they stand to its entries.
import { isCallerId } from '../../kernel/ids.ts';
import { type Json, objectOf } from '../../kernel/json.ts';
import { definitionDigest } from './definition.ts';
import type { ListedTool } from './propose.ts';
import type { ToolCatalogueFile } from './schema.ts';

export interface LiveTool {
  readonly tool: ListedTool;
  /** Of its definition. */
  readonly digest: string;
}

export interface UsableTools {
  readonly tools: readonly LiveTool[];
  /** Tools that no catalogue can name, and why: their calls are unknown. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** A list of tools that no catalogue can be made of. The message is a sentence. */
export class ListingError extends Error {}

/** The tools that can be in a catalogue. @throws {ListingError} when a tool has no name, or a name stands for two definitions */
export function usableTools(listed: readonly Json[]): UsableTools {
  const found = new Map<string, LiveTool>();
  const leftOut: { name: string; reason: string }[] = [];
  for (const [at, { name, ...rest }] of listed.entries()) {
    if (typeof name !== 'string') throw new ListingError(`Tool ${at + 1} of the list has no name.`);
    const tool: ListedTool = { ...rest, name };
    const digest = digestOf(tool);
    if (!isCallerId(name)) leftOut.push({ name, reason: 'the name is no name for a catalogue' });
    else if (digest === undefined) leftOut.push({ name, reason: 'the definition has no canonical JSON' });
    else if ((found.get(name)?.digest ?? digest) !== digest)
      throw new ListingError(
        `The MCP server lists the tool ${JSON.stringify(name)} twice, with different definitions.`,
      );
    else found.set(name, { tool, digest });
  }
  return { tools: [...found.values()], leftOut };
}

function digestOf(tool: ListedTool): string | undefined {
  try {
    return definitionDigest(tool);
  } catch {
    // A lone surrogate, or nesting that exhausts the stack.
    return undefined;
  }
}

/**
 * The tools in a `tools/list` result, in the JSON-RPC answer around it, or in a plain list.
 * @throws {ListingError} for anything else, and for one page of several
 */
export function toolsOfListing(document: unknown): Json[] {
  const answer = objectOf(document);
  const result = objectOf(answer?.['result']) ?? answer;
  const tools = Array.isArray(document) ? document : result?.['tools'];
  if (!Array.isArray(tools)) throw new ListingError('This is no list of tools: it has no member "tools" with a list.');
  if (typeof result?.['nextCursor'] === 'string')
    throw new ListingError('This is one page of the list: put the tools of all its pages into one list.');
  return tools.map((tool: unknown, at) => {
    const found = objectOf(tool);
    if (found === undefined) throw new ListingError(`Tool ${at + 1} of the list is no object.`);
    return found;
  });
}

/** How an entry of a catalogue stands to the tool of that name on the server. */
export type Standing = 'new' | 'gone' | 'changed' | 'unpinned' | 'same';

export interface ComparedTool {
  readonly name: string;
  readonly standing: Standing;
  /** Of the server's definition now; absent for a tool that is gone. */
  readonly digest?: string;
}

/** By the order of the server, then what is gone. */
export function compareTools(
  catalogue: Pick<ToolCatalogueFile, 'tools'> | undefined,
  live: readonly LiveTool[],
): ComparedTool[] {
  const entries = new Map(Object.entries(catalogue?.tools ?? {}));
  const listed = live.map(({ tool: { name }, digest }): ComparedTool => {
    const entry = entries.get(name);
    if (entry === undefined) return { name, standing: 'new', digest };
    if (entry.definition === undefined) return { name, standing: 'unpinned', digest };
    return { name, standing: entry.definition === digest ? 'same' : 'changed', digest };
  });
  const names = new Set(listed.map(({ name }) => name));
  const gone = [...entries.keys()].filter((name) => !names.has(name));
  return [...listed, ...gone.map((name): ComparedTool => ({ name, standing: 'gone' }))];
}
