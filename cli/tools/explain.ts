// `custos tools explain`: what the catalogues of a policy folder make of a call, and why.
import { effectRank } from '../../shared/core/intent/assess/strictness.ts';
import { TEST_DEFAULTS } from '../../shared/core/policy/testing/defaults.ts';
import type { RiskFacts } from '../../shared/core/policy/types.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import type { ToolFacts } from '../../shared/core/tools/call.ts';
import { effectOfEntry, type ToolCatalogueFile, type ToolEntry } from '../../shared/core/tools/schema.ts';
import { EXIT, exitWith } from '../exit.ts';
import { jsonObject } from '../options.ts';
import { paint, printJson, printLine } from '../output.ts';
import { BROKEN } from '../policy/findings.ts';
import { readingOfCall, toolCallOf } from '../policy/tool-call.ts';
import type { CommandBody } from '../program.ts';
import { loadFolder, POLICIES_HELP } from './set-catalogues.ts';

interface ExplainedCall {
  readonly tool: ToolFacts;
  readonly intent: RiskFacts['intent'];
  readonly catalogue: ToolCatalogueFile | undefined;
  readonly entry: ToolEntry | undefined;
  /** `file:line:column` of the entry, or of its catalogue. */
  readonly at: string | undefined;
}

export const explainToolCommand: CommandBody = {
  exitCodes: BROKEN,
  notes: `A pinned tool is changed unless --definition is the pinned digest. "custos policy explain --tool" shows the verdict of a call.

Examples:
  custos tools explain filesystem write_file --arguments '{"path":"/srv/app/../etc/passwd","content":"x"}'
  custos tools explain filesystem write_file --arguments @call.json --definition sha256:5b1d...
`,
  define: (command) =>
    command
      .argument('<server>', 'the name of the server in its catalogue')
      .argument('<tool>', 'the name of the tool')
      .option(
        '--arguments <json>',
        'the arguments of the call, a JSON object, or @file',
        jsonObject('{"path":"/srv/a"}'),
      )
      .option('--definition <digest>', 'the digest of the definition that the caller has seen')
      .option(
        '--annotations <json>',
        "the server's hints about the tool, a JSON object, or @file",
        jsonObject('{"readOnlyHint":true}'),
      )
      .option('--org, --organisation <slug>', 'the organisation whose words count, too', TEST_DEFAULTS.organisation)
      .option('--policies <folder>', POLICIES_HELP)
      .option('--json', 'print JSON')
      .action(
        exitWith(async (server, name, options) => {
          const { arguments: args = {}, definition, annotations, organisation, policies, json } = options;
          const given = {
            ...(definition === undefined ? {} : { definition_digest: definition }),
            ...(annotations === undefined ? {} : { annotations }),
          };
          const call = toolCallOf({ server, name, arguments: args, ...given }, 'The command line');
          const loaded = await loadFolder(policies, json);
          if (loaded === undefined) return EXIT.broken;
          const { set, placeOf } = loaded;
          const { unassessed: intent, call: read } = readingOfCall(call, { set, organisation }, '--arguments');
          // The reading of a call has its facts.
          const { facts: tool } = read as NonNullable<typeof read>;
          const entry = set.tools.get(server)?.tools.get(name)?.entry;
          const catalogue = set.catalogues.find((one) => one.server === server);
          const explained = { tool, intent, catalogue, entry, at: placeOf(server, name) };
          if (json) printJson(jsonOf(explained));
          else for (const line of linesOf(explained)) printLine(line);
          return EXIT.ok;
        }),
      ),
};

/** Why the call is read as it is, in sentences. */
function reasonsOf({ tool, intent, catalogue, entry }: ExplainedCall): string[] {
  const reasons: string[] = [];
  if (entry !== undefined) {
    const { action, description, reads = {}, definition } = entry;
    const effect = effectOfEntry(entry);
    const why = description === undefined ? '' : ` (${description})`;
    reasons.push(`The catalogue says ${action}, ${effect}${why}.`);
    const read = Object.entries(reads).map(([name, kind]) => `"${name}" as ${kind}`);
    if (read.length > 0) reasons.push(`The arguments are read: ${read.join(', ')}.`);
    if (read.length > 0 && tool.problem === undefined && effectRank(intent.effect) > effectRank(effect))
      reasons.push(`What they do is stricter: ${intent.verb}, ${intent.effect}.`);
    if (definition !== undefined && tool.changed)
      reasons.push(
        `The tool is pinned to ${definition}, and the call comes with ${tool.definition_digest ?? 'no definition'}.`,
      );
  } else if (catalogue?.trustAnnotations === true)
    reasons.push('The catalogue has no such tool, and trusts the annotations of the server.');
  if (tool.problem !== undefined) reasons.push(`The call is unknown: ${tool.problem}.`);
  if (!tool.known || tool.changed) reasons.push('No rule allows an unknown or changed call.');
  return reasons;
}

function jsonOf(explained: ExplainedCall): object {
  const { tool, intent, entry, at } = explained;
  return { tool, intent, entry: entry ?? null, at: at ?? null, reasons: reasonsOf(explained) };
}

function linesOf(explained: ExplainedCall): string[] {
  const { tool, intent, at } = explained;
  const { bold, red, yellow, green } = paint();
  const yes = (value: boolean, good: boolean): string => (value === good ? green : red)(value ? 'yes' : 'no');
  const members: readonly (readonly [string, string])[] = [
    ['known', yes(tool.known, true)],
    ['changed', yes(tool.changed, false)],
    ['action', intent.action === 'unknown' ? yellow(intent.action) : intent.action],
    ['effect', intent.effect === 'destructive' ? red(intent.effect) : intent.effect],
    ['extent', intent.extent],
    ['resource', printable(intent.resource)],
    ['places', printable(intent.places.join(', '))],
    ['traits', intent.traits.join(', ')],
    ['data', intent.data_classes.join(', ')],
    ['flags', intent.flags.join(', ')],
  ];
  return [
    `${bold('Call')}        ${printable(tool.name)} of ${printable(tool.server)}${at === undefined ? '' : `  (${printable(at)})`}`,
    ...members.flatMap(([name, text]) => (text === '' ? [] : [`  ${name.padEnd(10)}${text}`])),
    bold('Why'),
    ...reasonsOf(explained).map((reason) => `  ${printable(reason)}`),
  ];
}
