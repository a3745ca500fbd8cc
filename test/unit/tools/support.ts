// Catalogues, calls and the shipped lexicon for the tests of tool calls.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import type { ToolCall } from '../../../shared/core/tools/call.ts';
import { compileCatalogues } from '../../../shared/core/tools/catalogue.ts';
import { type ReadCall, readCall } from '../../../shared/core/tools/read-call.ts';
import type { ToolCatalogueFile, ToolEntry } from '../../../shared/core/tools/schema.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';

export function dataOf<T>(name: string): T {
  // The shape is defined by the test; a wrong one fails the test.
  return JSON.parse(readFileSync(join(findRoot(), 'test', 'unit', 'tools', name), 'utf8')) as T;
}

let lexicon: Lexicon | undefined;
/** The lexicon of the shipped policies, compiled once. */
export function shippedLexicon(): Lexicon {
  lexicon ??= compileLexicon(JSON.parse(readFileSync(join(findRoot(), 'policies', 'lexicon.json'), 'utf8')));
  return lexicon;
}

export const catalogueOf = (
  tools: Record<string, ToolEntry>,
  more: Partial<ToolCatalogueFile> = {},
): ToolCatalogueFile => ({ server: 'files', description: 'A catalogue of a test.', tools, ...more });

/** Reads a call of the tool `t` of the server `files` by an entry, with the shipped lexicon. */
export function readWith(entry: ToolEntry, args: Record<string, unknown>, more: Partial<ToolCall> = {}): ReadCall {
  const call = { server: 'files', name: 't', arguments: args, ...more };
  return readCall(call, compileCatalogues([catalogueOf({ t: entry })]), shippedLexicon());
}
