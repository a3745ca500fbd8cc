// The report of a replay or of shadow mode for a terminal.
import { ASPECT_WORDS, aspectsText } from '../../shared/core/policy/aspects.ts';
import type { Change, DifferenceReport, Said, Table } from '../../shared/core/policy/difference-types.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import { paint, type Paint, tableLines } from '../output.ts';

/** Limits of a terminal. JSON and the HTML page show more. */
const MAX_ROWS = 10;
const MAX_EXAMPLES = 10;

const number = (n: number): string => n.toLocaleString('en-US');

const decisionsOf = (n: number): string => `${number(n)} decision${n === 1 ? '' : 's'}`;

function changes({ decisions, stricter, looser }: Change, { red, green }: Paint): string[] {
  const painted = (n: number, tone: (text: string) => string): string => (n === 0 ? '0' : tone(number(n)));
  return [number(decisions), painted(stricter, red), painted(looser, green)];
}

function section<Entry>(
  title: string,
  { items, more, beyond }: Table<Entry>,
  headings: readonly string[],
  rowOf: (entry: Entry) => readonly string[],
  style: Paint,
): string[] {
  if (items.length === 0) return [];
  const shown = items.slice(0, MAX_ROWS);
  const left = items.length - shown.length + more;
  return [
    '',
    style.bold(title),
    ...tableLines(headings, shown.map(rowOf), style),
    ...(left > 0 ? [style.dim(`and ${number(left)} more`)] : []),
    ...(beyond > 0 ? [style.dim(`and ${number(beyond)} changes of others`)] : []),
  ];
}

function because({ reasons }: Said): string {
  return reasons.map(({ policy, rule, code }) => `${policy}/${rule} ${code}`).join(', ');
}

/** What changes without the verdict. Obligations are always named, the others where there are any. */
function beside(changed: DifferenceReport['changed']): string {
  const counted = (['obligations', 'approvers', 'ttl', 'budgets'] as const).filter(
    (aspect) => aspect === 'obligations' || changed[aspect] > 0,
  );
  return counted.map((aspect) => `${number(changed[aspect])} with ${ASPECT_WORDS[aspect]}`).join(', ');
}

/** The difference as lines. Text from decisions is made printable. */
export function differenceLines(report: DifferenceReport): string[] {
  const style = paint();
  const { decisions, changed, otherReasons, transitions, rules, agents, resources, environments, examples } = report;
  const { total, evaluated, standing, notEvaluable } = decisions;
  const { bold, dim, yellow } = style;
  const unchanged = total === 0 ? 'There are no decisions to compare.' : `Nothing changes in ${decisionsOf(total)}.`;
  const headline =
    changed.decisions === 0
      ? unchanged
      : `${number(changed.decisions)} of ${decisionsOf(total)} would change: ${number(changed.stricter)} stricter, ${number(changed.looser)} looser, ${beside(changed)}.`;
  const agentsTable = section(
    'Agents',
    agents,
    ['AGENT', 'ORGANISATION', 'ENVIRONMENT', 'CHANGED', 'STRICTER', 'LOOSER'],
    (row) => [printable(row.agentId), printable(row.organisation), printable(row.environment), ...changes(row, style)],
    style,
  );
  const shown = examples.slice(0, MAX_EXAMPLES);
  return [
    bold(headline),
    dim(
      `${number(evaluated)} evaluated, ${number(standing)} that no policy decides, ${number(notEvaluable.total)} not evaluable; ${number(otherReasons)} keep their verdict for other reasons.`,
    ),
    ...(transitions.length === 0
      ? []
      : [
          '',
          ...tableLines(
            ['RECORDED', 'WITH THE DRAFT', 'DECISIONS'],
            transitions.map(({ from, to, decisions: n }) => [from, to, number(n)]),
            style,
          ),
        ]),
    ...section(
      'Rules',
      rules,
      ['POLICY/RULE', 'EFFECT', 'NEWLY A REASON', 'NO LONGER'],
      ({ policy, rule, effect, newly, noLonger }) => [
        printable(`${policy}/${rule}`),
        effect,
        number(newly),
        number(noLonger),
      ],
      style,
    ),
    ...agentsTable,
    ...section(
      'Resources',
      resources,
      ['RESOURCE', 'CHANGED', 'STRICTER', 'LOOSER'],
      (row) => [printable(row.resource), ...changes(row, style)],
      style,
    ),
    ...(environments.items.length < 2
      ? []
      : section(
          'Organisations',
          environments,
          ['ORGANISATION', 'ENVIRONMENT', 'CHANGED', 'STRICTER', 'LOOSER'],
          (row) => [printable(row.organisation), printable(row.environment), ...changes(row, style)],
          style,
        )),
    ...(shown.length === 0 ? [] : ['', bold('Examples')]),
    ...shown.flatMap(({ decisionId, agentId, intent, tool, before, after, differs = [] }) => [
      `${decisionId} ${yellow(`${before.verdict} -> ${after.verdict}`)} ${printable(`${agentId} ${tool === undefined ? '' : `${tool.server}/${tool.name}: `}${intent}`)}${aspectsText(differs)}`,
      dim(printable(`  recorded: ${because(before)}`)),
      dim(printable(`  draft:    ${because(after)}`)),
    ]),
    ...(examples.length > shown.length ? [dim(`and ${examples.length - shown.length} more`)] : []),
  ];
}
