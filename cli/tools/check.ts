// `custos tools check`: compares a catalogue of the policy folder with the tools that a running MCP server lists.
import { effectRank } from '../../shared/core/intent/assess/strictness.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import { type ComparedTool, compareTools, type Standing } from '../../shared/core/tools/listing.ts';
import { hintOf } from '../../shared/core/tools/propose.ts';
import { effectOfEntry, type ToolCatalogueFile } from '../../shared/core/tools/schema.ts';
import { EXIT, exitWith } from '../exit.ts';
import { counted, paint, printJson, printLine } from '../output.ts';
import { BROKEN } from '../policy/findings.ts';
import type { CommandBody } from '../program.ts';
import { addServerOptions, type LiveTools, liveTools } from './live-tools.ts';
import { catalogueOf, loadFolder, POLICIES_HELP } from './set-catalogues.ts';

export const checkToolsCommand: CommandBody = {
  exitCodes: {
    [EXIT.ok]: 'The server lists the tools of the catalogue, with the pinned definitions.',
    [EXIT.failed]: 'Something differs, or the server did not list its tools.',
    ...BROKEN,
  },
  notes: `Examples:
  custos tools check --server filesystem -- npx @modelcontextprotocol/server-filesystem /srv/app
  custos tools check --server tickets --url https://tickets.example.com/mcp
`,
  define: (command) =>
    addServerOptions(command)
      .requiredOption('--server <name>', 'the name of the server in its catalogue')
      .option('--policies <folder>', POLICIES_HELP)
      .option('--json', 'print JSON')
      .action(
        exitWith(async (words, { server, policies, json, ...options }) => {
          const loaded = await loadFolder(policies, json);
          if (loaded === undefined) return EXIT.broken;
          const catalogue = catalogueOf(loaded.set, server);
          const live = await liveTools(words, options);
          const tools = compareTools(catalogue, live.tools);
          const ok = live.leftOut.length === 0 && tools.every(({ standing }) => !DIFFERS.has(standing));
          const milder = milderThanHints(catalogue, live);
          if (json) printJson({ ok, server, tools, milder_than_annotations: milder, left_out: live.leftOut });
          else show(catalogue, { tools, live, milder });
          return ok ? EXIT.ok : EXIT.failed;
        }),
      ),
};

const DIFFERS: ReadonlySet<Standing> = new Set(['new', 'gone', 'changed']);

/** Entries that say less than the annotations of the server. That may be right, so it is no difference. */
function milderThanHints({ tools }: ToolCatalogueFile, live: LiveTools): string[] {
  return live.tools.flatMap(({ tool: { name, annotations } }) => {
    const entry = Object.hasOwn(tools, name) ? tools[name] : undefined;
    const hint = hintOf(annotations);
    if (entry === undefined || hint === undefined) return [];
    return effectRank(hint.effect) > effectRank(effectOfEntry(entry)) ? [name] : [];
  });
}

const MEANINGS: Readonly<Record<Standing, string>> = {
  new: 'is in no entry: its calls are unknown',
  gone: 'is no longer listed by the server',
  changed: 'has another definition than the pinned one: its calls are unknown',
  unpinned: 'is not pinned: a change of its definition is not noticed',
  same: 'is as pinned',
};

function show(
  { server }: ToolCatalogueFile,
  {
    tools,
    live,
    milder,
  }: { readonly tools: readonly ComparedTool[]; readonly live: LiveTools; readonly milder: readonly string[] },
): void {
  const { red, yellow, green, dim } = paint();
  for (const { name, standing, digest } of tools) {
    if (standing === 'same') continue;
    const tone = DIFFERS.has(standing) ? red : yellow;
    const now = standing === 'changed' ? dim(` (${digest} now)`) : '';
    printLine(`${tone(standing.padEnd(8))} ${printable(name)} ${MEANINGS[standing]}${now}`);
  }
  for (const { name, reason } of live.leftOut) printLine(`${red('unusable')} ${printable(name)}: ${reason}`);
  for (const name of milder)
    printLine(
      `${yellow('milder'.padEnd(8))} ${printable(name)} has a milder effect than the annotations of the server`,
    );
  const same = tools.filter(({ standing }) => standing === 'same').length;
  const all = tools.filter(({ standing }) => DIFFERS.has(standing)).length + live.leftOut.length;
  const result = all === 0 ? green('ok') : red('differs');
  printLine(`${result} ${printable(server)}: ${counted(same, 'tool')} as pinned, ${counted(all, 'difference')}.`);
}
