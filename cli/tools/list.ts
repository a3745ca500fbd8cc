// `custos tools list`: what the catalogues of a policy folder say about each tool.
import { printable } from '../../shared/core/proof/encoding.ts';
import { effectOfEntry, type ToolCatalogueFile } from '../../shared/core/tools/schema.ts';
import { EXIT, exitWith } from '../exit.ts';
import { paint, printJson, printLine, printTable } from '../output.ts';
import { BROKEN } from '../policy/findings.ts';
import type { CommandBody } from '../program.ts';
import { catalogueOf, loadFolder, POLICIES_HELP } from './set-catalogues.ts';

export const listToolsCommand: CommandBody = {
  exitCodes: BROKEN,
  define: (command) =>
    command
      .option('--server <name>', 'only the tools of this server')
      .option('--policies <folder>', POLICIES_HELP)
      .option('--json', 'print JSON')
      .action(
        exitWith(async ({ server, policies, json }) => {
          const loaded = await loadFolder(policies, json);
          if (loaded === undefined) return EXIT.broken;
          const { set } = loaded;
          const rows = (server === undefined ? set.catalogues : [catalogueOf(set, server)]).flatMap(rowsOf);
          if (json) printJson(rows);
          else show(rows);
          return EXIT.ok;
        }),
      ),
};

interface ToolRow {
  readonly server: string;
  readonly tool: string;
  readonly action: string;
  readonly effect: string;
  readonly resource: string | null;
  /** Digest of the definition that was approved. */
  readonly pinned: string | null;
}

function rowsOf({ server, tools }: ToolCatalogueFile): ToolRow[] {
  return Object.entries(tools).map(([tool, entry]) => ({
    server,
    tool,
    action: entry.action,
    effect: effectOfEntry(entry),
    resource: entry.resource ?? null,
    pinned: entry.definition ?? null,
  }));
}

const PINNED_LENGTH = 'sha256:'.length + 12;

function show(rows: readonly ToolRow[]): void {
  if (rows.length === 0) return printLine('No catalogue has a tool. "custos tools import" makes a catalogue.');
  const { red, yellow, dim } = paint();
  const painted = (effect: string): string => (effect === 'destructive' ? red(effect) : effect);
  printTable(
    ['SERVER', 'TOOL', 'ACTION', 'EFFECT', 'RESOURCE', 'PINNED'],
    rows.map(({ server, tool, action, effect, resource, pinned }) => [
      printable(server),
      printable(tool),
      action,
      painted(effect),
      printable(resource ?? ''),
      pinned === null ? yellow('no') : dim(pinned.slice(0, PINNED_LENGTH)),
    ]),
  );
}
