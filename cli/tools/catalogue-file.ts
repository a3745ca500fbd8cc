// Catalogue files: read and checked.
import { readFile } from 'node:fs/promises';
import { checkCatalogue } from '../../shared/core/policy/check-tools.ts';
import { findingsOf, located, parseFile } from '../../shared/core/policy/files.ts';
import { TOOLS_SCHEMA_ID, type ToolCatalogueFile } from '../../shared/core/tools/schema.ts';
import { CommandError, EXIT } from '../exit.ts';

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

/** Where editors find the schema: beside a policy folder that has one, else at its public address. */
export const schemaOf = (hasOwn: boolean): string => (hasOwn ? '../schema/tools.schema.json' : TOOLS_SCHEMA_ID);
