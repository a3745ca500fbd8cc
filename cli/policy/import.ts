// `custos policy import`: translates policies of other engines, as far as their meanings are the same.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Argument } from '@commander-js/extra-typings';
import type { FactPath } from '../../shared/core/policy/import/conditions.ts';
import { importAgt } from '../../shared/core/policy/import/agt.ts';
import { importCedar } from '../../shared/core/policy/import/cedar.ts';
import { importCerbos } from '../../shared/core/policy/import/cerbos.ts';
import { withNamedConditions } from '../../shared/core/policy/import/named.ts';
import { ImportError, type ImportResult, type SourceFile } from '../../shared/core/policy/import/result.ts';
import { FACT_NAMES } from '../../shared/core/policy/vocabulary.ts';
import { findPlaces } from '../../shared/platform/config/root.ts';
import { makeFolder } from '../../shared/platform/files/folders.ts';
import { shippedPolicies } from '../../shared/platform/config/settings/policies.ts';
import { LEXICON_FILE, LEXICON_FOLDER } from '../../shared/core/policy/lexicon-files.ts';
import { prettyJson } from '../../shared/kernel/pretty-json.ts';
import { CommandError, EXIT, exitWith, UsageError } from '../exit.ts';
import { collect } from '../options.ts';
import { counted, printJson, printLine } from '../output.ts';
import type { CommandBody } from '../program.ts';
import { copyFolder } from './init.ts';
import { lexiconOf, shownPath } from './folder.ts';
import { reasonOf, resolved } from './place.ts';

const FORMATS = ['cerbos', 'cedar', 'agt'] as const;
type Format = (typeof FORMATS)[number];

const NOTES = `Formats:
  cerbos  resource policies and derived roles of Cerbos (YAML); roles become tags of agents, actions become tools
  cedar   Cedar policies; groups become tags of agents, actions become tools
  agt     policy documents of Microsoft's Agent Governance Toolkit (YAML); other fields than tool_name and agent_id are read from the context

What refuses is never lost: a condition of a refusal that can't be expressed is taken to hold. A permission that can't be expressed is left out.
Each such place is listed with its line. A refusal does not apply where a fact is missing, as in the other engines: remove the lines with
isPresent to make it stricter. Attributes come from registrations and from the policy folder, not from the request.

Examples:
  custos policy import cerbos resource_expense.yaml common_roles.yaml --out expenses
  custos policy import agt bank.yaml --field code=tool.arguments.code --out bank
`;

const MAX_SOURCE_BYTES = 4 * 1_048_576;

interface Options {
  readonly out?: string | undefined;
  readonly field?: readonly string[] | undefined;
  readonly json?: true | undefined;
}

export const importPoliciesCommand: CommandBody = {
  exitCodes: { [EXIT.broken]: 'A file is not in the format, or a refusal in it can’t be kept. Nothing was written.' },
  notes: NOTES,
  define: (command) =>
    command
      .addArgument(new Argument('<format>', 'the format of the files').choices(FORMATS))
      .argument('<files...>', 'the files; those of Cerbos, and of agt, are read together')
      .option(
        '--out <folder>',
        'write the result there; a new folder also gets the lexicon and the schemas of the package',
      )
      .option('--field <name=fact.path>', 'agt: the fact of a field; can be repeated', collect)
      .option('--json', 'print JSON: the files, and the notes')
      .action(exitWith(async (format, files, options) => run(format, files, options))),
};

async function run(format: Format, names: readonly string[], options: Options): Promise<number> {
  const sources = names.map(sourceOf);
  const lexicon = await lexiconOf(shippedPolicies(findPlaces()));
  let results: ImportResult[];
  try {
    if (format === 'cerbos') results = [importCerbos(sources, { lexicon })];
    else if (format === 'cedar') results = sources.map((source) => importCedar(source, { lexicon }));
    else results = [importAgt(sources, { lexicon, fields: fieldsOf(options.field ?? []) })];
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    throw new CommandError(`${error.message}.`, { exitCode: EXIT.broken });
  }
  const files = withNamedConditions(
    results.flatMap((result) => result.files),
    new Map(results.flatMap((result) => [...(result.names ?? [])])),
  );
  const twice = files.find(({ path: name }, i) => files.findIndex((other) => other.path === name) !== i);
  if (twice !== undefined)
    throw new UsageError(
      `Two policies make ${twice.path}: rename one of them, or import them into folders of their own.`,
    );
  if (options.out !== undefined) write(resolved(options.out), files);
  const notes = results.flatMap((result) => result.notes);
  const found = results.reduce((sum, { rules }) => sum + rules.found, 0);
  const imported = results.reduce((sum, { rules }) => sum + rules.imported, 0);
  if (options.json) printJson({ rules: { found, imported }, files, notes });
  else report({ found, imported, notes, files }, options.out);
  return EXIT.ok;
}

/** @throws {UsageError} when the file can't be read or is too large */
function sourceOf(name: string): SourceFile {
  const file = resolved(name);
  try {
    const bytes = readFileSync(file);
    if (bytes.length > MAX_SOURCE_BYTES) throw new UsageError(`${name} is larger than ${MAX_SOURCE_BYTES} bytes.`);
    return { name: path.basename(file), text: bytes.toString('utf8') };
  } catch (error) {
    const reason = error instanceof UsageError ? undefined : reasonOf(error);
    if (reason === undefined) throw error;
    throw new UsageError(`${name} can't be read: ${reason}.`);
  }
}

/** @throws {UsageError} for a form that is not `name=fact.path` */
function fieldsOf(given: readonly string[]): Record<string, FactPath> {
  const fields: [string, FactPath][] = given.map((text) => {
    const [, name = '', fact = '', at = ''] = /^([^=]+)=([a-z]+)\.([A-Za-z0-9_./-]+)$/.exec(text) ?? [];
    if (!FACT_NAMES.includes(fact))
      throw new UsageError(
        `--field ${JSON.stringify(text)} is not of the form name=fact.path, as in code=tool.arguments.code.`,
      );
    return [name, { fact, path: at }];
  });
  return Object.fromEntries(fields);
}

/** @throws {UsageError} when a file exists already @throws {CommandError} when the folder can't be written */
function write(folder: string, files: ImportResult['files']): void {
  const taken = files.find(({ path: name }) => existsSync(path.join(folder, name)));
  if (taken !== undefined)
    throw new UsageError(`${path.join(folder, taken.path)} already exists and is not overwritten.`);
  try {
    makeFolder(folder);
    const shipped = shippedPolicies(findPlaces());
    const missing = [...(existsSync(path.join(folder, LEXICON_FILE)) ? [] : [LEXICON_FOLDER]), 'schema'];
    for (const name of missing.filter((one) => !existsSync(path.join(folder, one)))) {
      mkdirSync(path.join(folder, name));
      copyFolder(path.join(shipped, name), path.join(folder, name));
    }
    for (const { path: name, json } of files) {
      makeFolder(path.dirname(path.join(folder, name)));
      writeFileSync(path.join(folder, name), prettyJson(json));
    }
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    throw new CommandError(`The result can't be written to ${folder}: ${reason}.`, { cause: error });
  }
}

interface Report extends Pick<ImportResult, 'files' | 'notes'> {
  readonly found: number;
  readonly imported: number;
}

function report({ found, imported, notes, files }: Report, out: string | undefined): void {
  printLine(`${imported} of ${counted(found, 'rule')} imported.`);
  for (const { file, line, rule, kind, message } of notes)
    printLine(`${file}:${line} ${kind}: ${rule === '' ? '' : `${rule}: `}${message}`);
  if (out === undefined) {
    for (const { path: name, json } of files) printLine(`\n${name}\n${prettyJson(json)}`);
    return;
  }
  for (const { path: name } of files) printLine(`Wrote ${shownPath(resolved(out), name)}`);
  printLine(`Next: npx custos policy check ${out}`);
}
