// `custos tools import`: proposes a catalogue for the tools of a running MCP server, and says for each entry why and how sure.
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ImportedTools, importTools } from '../../shared/core/policy/import-tools.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import type { Confidence } from '../../shared/core/tools/propose.ts';
import type { ToolCatalogueFile } from '../../shared/core/tools/schema.ts';
import { isCallerId } from '../../shared/kernel/ids.ts';
import { makeFolder } from '../../shared/platform/files/folders.ts';
import { CommandError, exitWith, EXIT, say, UsageError } from '../exit.ts';
import { counted, paint, printJson } from '../output.ts';
import { lexiconOf } from '../policy/folder.ts';
import { policyDirOf } from '../policy/place.ts';
import type { CommandBody } from '../program.ts';
import { readCatalogue, schemaOf } from './catalogue-file.ts';
import { addServerOptions, type LiveTools, liveTools } from './live-tools.ts';

interface Options {
  readonly server?: string | undefined;
  readonly write?: string | undefined;
  readonly replace?: true | undefined;
  readonly policies?: string | undefined;
  readonly json?: true | undefined;
}

interface Imported extends ImportedTools {
  readonly live: LiveTools;
}

const NOTES = `The catalogue goes to standard output, or to the file of --write; what it rests on goes to standard error. Look at each entry
before it takes effect, first at those with low confidence: a server can lie about its tools. Entries of an existing file are kept.

Examples:
  custos tools import --write policies/tools/filesystem.json -- npx @modelcontextprotocol/server-filesystem /srv/app
  custos tools import --server tickets --url https://tickets.example.com/mcp > policies/tools/tickets.json
`;

export const importToolsCommand: CommandBody = {
  exitCodes: {
    [EXIT.failed]: 'The server could not be started or reached, or did not list its tools.',
    [EXIT.broken]: 'The file of --write is no valid catalogue, or the lexicon is broken. Nothing was written.',
  },
  notes: NOTES,
  define: (command) =>
    addServerOptions(command)
      .option(
        '--server <name>',
        'the name of the server in calls (default: the name of the file, else what the server says)',
      )
      .option('--write <file>', 'write the catalogue; entries that the file has are kept')
      .option('--replace', 'with --write: replace the entries that the file has')
      .option('--policies <folder>', 'the policy folder whose lexicon knows the verbs')
      .option('--json', 'print JSON: the catalogue, and why each entry is as it is')
      .action(exitWith(async (words, options) => run(words, options))),
};

async function run(words: readonly string[], options: Options & Parameters<typeof liveTools>[1]): Promise<number> {
  const { write, json, replace } = options;
  if (replace && write === undefined) throw new UsageError('--replace needs --write.');
  const before = write === undefined ? undefined : await readCatalogue(write);
  const lexicon = await lexiconOf(policyDirOf(options.policies));
  const live = await liveTools(words, options);
  const server = serverOf(options, before, live);
  const hasSchema = write !== undefined && existsSync(path.join(path.dirname(write), '..', 'schema'));
  const imported = importTools({
    server,
    serverName: live.serverName,
    tools: live.tools,
    before,
    replace,
    schema: schemaOf(hasSchema),
    lexicon,
  });
  const { text, problem } = imported;
  if (problem !== undefined) throw new CommandError(`No catalogue can be made of these tools: ${problem}.`);
  if (write !== undefined) await replaceFile(write, text);
  if (json) printJson(jsonOf({ ...imported, live }));
  else {
    for (const line of reportLines({ ...imported, live }, replace === true)) say(line);
    if (write === undefined) process.stdout.write(text);
    else say(`Wrote ${printable(write)}. "custos policy check" checks it with the policies.`);
  }
  return EXIT.ok;
}

/** @throws {UsageError} when there is no name that calls could have */
function serverOf(
  { server, write }: Options,
  before: ToolCatalogueFile | undefined,
  { serverName }: LiveTools,
): string {
  const ofFile = write === undefined ? undefined : path.basename(write).replace(/\.json$/, '');
  const name = server ?? before?.server ?? ofFile ?? serverName ?? '';
  if (isCallerId(name)) return name;
  throw new UsageError('Name the server with --server: 1 to 256 characters, none of them a control character.');
}

/** Readers see the old file or the new one, never a half. */
async function replaceFile(file: string, text: string): Promise<void> {
  const partial = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}`);
  try {
    makeFolder(path.dirname(file));
    await writeFile(partial, text);
    await rename(partial, file);
  } catch (error) {
    throw new CommandError(`${file} can't be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function jsonOf({ catalogue, compared, proposals, live }: Imported): object {
  const tools = compared.map(({ name, standing, digest }) => {
    const proposal = proposals.get(name);
    return { name, standing, ...(digest === undefined ? {} : { definition: digest }), ...proposal };
  });
  return { server: catalogue.server, server_name: live.serverName ?? null, tools, left_out: live.leftOut, catalogue };
}

function toneOf(confidence: Confidence): 'green' | 'yellow' | 'red' {
  return ({ high: 'green', medium: 'yellow', low: 'red' } as const)[confidence];
}

function reportLines({ catalogue, compared, proposals, live }: Imported, isReplaced: boolean): string[] {
  const style = paint();
  const lines = compared.flatMap(({ name, standing, digest }) => {
    const proposal = proposals.get(name);
    if (proposal === undefined) return isReplaced ? [] : [`gone    ${printable(name)}: the entry is kept`];
    if (standing === 'changed' && !isReplaced)
      return [`changed ${printable(name)}: the entry is kept; pinned now: ${digest}`];
    if (standing !== 'new' && !isReplaced) return [`kept    ${printable(name)}`];
    const { entry, confidence, reasons } = proposal;
    const effect = entry.effect === undefined ? '' : `, ${entry.effect}`;
    return [
      `${style[toneOf(confidence)](confidence.padEnd(7))} ${printable(name)}: ${entry.action}${effect}`,
      ...reasons.map((reason) => style.dim(`          ${printable(reason)}`)),
    ];
  });
  const leftOut = live.leftOut.map(({ name, reason }) => `left out ${printable(name)}: ${reason}`);
  return [...lines, ...leftOut, `${counted(live.tools.length, 'tool')} of ${printable(catalogue.server)}.`];
}
