// Catalogue files: read and checked, compared with a live server, and completed with proposals.
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { checkCatalogue } from '../../shared/core/policy/check-tools.ts';
import { findingsOf, located, parseFile } from '../../shared/core/policy/files.ts';
import { TOOLS_SCHEMA_ID, type ToolCatalogueFile } from '../../shared/core/tools/schema.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { LiveTool } from './live-tools.ts';
import type { Proposal } from './propose.ts';

/** @returns undefined when there is no such file @throws {CommandError} when it is no valid catalogue */
export async function readCatalogue(file: string): Promise<ToolCatalogueFile | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CommandError(`${file} can't be read (${String(code)}).`);
  }
  const source = { path: file, text };
  const parsed = parseFile(source);
  const checked = 'value' in parsed ? checkCatalogue(parsed.value) : undefined;
  if (checked?.ok === true) return checked.item;
  const [first] = 'value' in parsed ? findingsOf(located(source), checked?.problems ?? []) : [parsed];
  const where = first === undefined ? file : `${file}:${first.line}:${first.column}: ${first.pointer} ${first.message}`;
  throw new CommandError(`The catalogue has errors, and is not changed. ${where}.`, { exitCode: EXIT.broken });
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

/** Existing entries stay as they are, and keep their place. @param before undefined: all entries are proposals */
export function completed(
  before: ToolCatalogueFile | undefined,
  proposals: ReadonlyMap<string, Proposal>,
  head: Pick<ToolCatalogueFile, '$schema' | 'server' | 'description'>,
): ToolCatalogueFile {
  const entries = new Map(Object.entries(before?.tools ?? {}));
  for (const [name, { entry }] of proposals) if (!entries.has(name)) entries.set(name, entry);
  return { ...head, ...before, tools: Object.fromEntries(entries) };
}

/** @returns why the proposal can't be written as a file */
export function problemOf(catalogue: ToolCatalogueFile, text: string): string | undefined {
  // As a reader of the file sees it.
  const parsed = parseFile({ path: '', text });
  if (!('value' in parsed)) return `${parsed.pointer} ${parsed.message}`;
  const checked = checkCatalogue(parsed.value);
  if (!checked.ok) return checked.problems.map(({ pointer, message }) => `${pointer} ${message}`).join('; ');
  return isDeepStrictEqual(parsed.value, catalogue) ? undefined : 'it does not survive being written';
}

/** Where editors find the schema: beside a policy folder that has one, else at its public address. */
export const schemaOf = (hasOwn: boolean): string => (hasOwn ? '../schema/tools.schema.json' : TOOLS_SCHEMA_ID);
