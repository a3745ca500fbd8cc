// Makes the catalogue of a server from the tools that it lists, for `custos tools import` and the dashboard.
import { isDeepStrictEqual } from 'node:util';
import { prettyJson } from '../../kernel/pretty-json.ts';
import type { Lexicon } from '../intent/lexicon/types.ts';
import { printable } from '../proof/encoding.ts';
import { type ComparedTool, compareTools, type LiveTool } from '../tools/listing.ts';
import { type Proposal, proposeEntry } from '../tools/propose.ts';
import type { ToolCatalogueFile } from '../tools/schema.ts';
import { checkCatalogue } from './check-tools.ts';
import { parseFile } from './files.ts';

const MAX_NAME = 200;

export interface ImportRequest {
  readonly server: string;
  /** As the server names itself; absent: `server`. */
  readonly serverName?: string | undefined;
  readonly tools: readonly LiveTool[];
  /** The catalogue of the server so far: its entries are kept, unless `replace` is set. */
  readonly before?: ToolCatalogueFile | undefined;
  readonly replace?: boolean | undefined;
  /** Where editors find the schema. */
  readonly schema: string;
  readonly lexicon: Lexicon;
}

export interface ImportedTools {
  readonly catalogue: ToolCatalogueFile;
  /** Of the file. */
  readonly text: string;
  readonly compared: readonly ComparedTool[];
  readonly proposals: ReadonlyMap<string, Proposal>;
  /** Why the catalogue can't be a file. */
  readonly problem: string | undefined;
}

export function importTools(request: ImportRequest): ImportedTools {
  const { server, serverName, tools, before, replace, schema, lexicon } = request;
  const proposals = new Map(tools.map(({ tool }) => [tool.name, proposeEntry(tool, lexicon)]));
  const catalogue = completed(before && { ...before, server, ...(replace ? { tools: {} } : {}) }, proposals, {
    $schema: schema,
    server,
    description: `The tools of ${[...printable(serverName ?? server)].slice(0, MAX_NAME).join('')}.`,
  });
  const text = prettyJson(catalogue);
  return { catalogue, text, compared: compareTools(before, tools), proposals, problem: problemOf(catalogue, text) };
}

/** Existing entries stay as they are, and keep their place. @param before undefined: all entries are proposals */
function completed(
  before: ToolCatalogueFile | undefined,
  proposals: ReadonlyMap<string, Proposal>,
  head: Pick<ToolCatalogueFile, '$schema' | 'server' | 'description'>,
): ToolCatalogueFile {
  const entries = new Map(Object.entries(before?.tools ?? {}));
  for (const [name, { entry }] of proposals) if (!entries.has(name)) entries.set(name, entry);
  return { ...head, ...before, tools: Object.fromEntries(entries) };
}

function problemOf(catalogue: ToolCatalogueFile, text: string): string | undefined {
  // As a reader of the file sees it.
  const parsed = parseFile({ path: '', text });
  if (!('value' in parsed)) return `${parsed.pointer} ${parsed.message}`;
  const checked = checkCatalogue(parsed.value);
  if (!checked.ok) return checked.problems.map(({ pointer, message }) => `${pointer} ${message}`).join('; ');
  return isDeepStrictEqual(parsed.value, catalogue) ? undefined : 'it does not survive being written';
}
