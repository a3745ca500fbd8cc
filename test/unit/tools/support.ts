// Catalogues and calls for the tests of tool calls.
import type { ToolCall } from '../../../shared/core/tools/call.ts';
import { compileCatalogues } from '../../../shared/core/tools/catalogue.ts';
import { type ReadCall, readCall } from '../../../shared/core/tools/read-call.ts';
import type { ToolCatalogueFile, ToolEntry } from '../../../shared/core/tools/schema.ts';
import { shippedLexicon } from '../intent/lexicon.ts';

export const catalogueOf = (
  tools: Record<string, ToolEntry>,
  more: Partial<ToolCatalogueFile> = {},
): ToolCatalogueFile => ({ server: 'files', description: 'A catalogue of a test.', tools, ...more });

/** Reads a call of the tool `t` of the server `files` by an entry, with the shipped lexicon. */
export function readWith(entry: ToolEntry, args: Record<string, unknown>, more: Partial<ToolCall> = {}): ReadCall {
  const call = { server: 'files', name: 't', arguments: args, ...more };
  return readCall(call, compileCatalogues([catalogueOf({ t: entry })]), shippedLexicon());
}
