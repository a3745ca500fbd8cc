// The report of a replay as one HTML page without scripts and external resources. Every text in it is untrusted. Pure.
import type { Change, Example, Said, Table } from '../../core/policy/difference-types.ts';
import { printable } from '../../core/proof/encoding.ts';
import type { ReplayReport } from './reports.ts';

/** Markup of this file. Every other text is escaped when it is inserted. */
class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | readonly Markup[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  // Invisible characters and those that change the text direction are shown as code points.
  return printable(text).replaceAll(/[&<>"']/g, (c) => ENTITIES[c] ?? '');
}

function markupOf(part: Part): string {
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  if (part instanceof Markup) return part.text;
  return part.map(({ text }) => text).join('');
}

function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, i) => text + (i < parts.length ? markupOf(parts[i] ?? '') : '')).join(''));
}

const NOTHING = html``;

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #57606a; --line: #d0d7de; --stricter: #a40e26; --looser: #116329; --code: #f3f5f7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --soft: #9198a1; --line: #30363d; --stricter: #ff9492; --looser: #7ee787; --code: #161b22; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem; }
p { margin: .4rem 0; } .soft { color: var(--soft); } .big { font-size: 1.25rem; }
code { font: .875em/1.4 ui-monospace, monospace; background: var(--code); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; white-space: nowrap; } .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.stricter { color: var(--stricter); } .looser { color: var(--looser); } .note { border-left: 4px solid var(--line); padding-left: .75rem; }
details { border-bottom: 1px solid var(--line); padding: .4rem 0; } summary { cursor: pointer; overflow-wrap: anywhere; }
ul { margin: .25rem 0 .5rem; padding-left: 1.25rem; }
`;

const number = (n: number): string => n.toLocaleString('en-US');

/** `1 decision`, `2 decisions` */
function counted(n: number, noun: string): string {
  return `${number(n)} ${noun}${n === 1 ? '' : 's'}`;
}

function tableOf(headings: readonly string[], rows: readonly (readonly Part[])[], numbers: readonly number[]): Markup {
  const cell = (i: number): Markup => (numbers.includes(i) ? html` class="n"` : NOTHING);
  return html`<div class="scroll"><table><thead><tr>${headings.map((heading, i) => html`<th scope="col"${cell(i)}>${heading}</th>`)}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map((part, i) => html`<td${cell(i)}>${part}</td>`)}</tr>
`,
  )}</tbody></table></div>`;
}

function section<Item>(
  title: string,
  table: Table<Item>,
  headings: readonly string[],
  rowOf: (item: Item) => readonly Part[],
  names: number,
): Markup {
  if (table.items.length === 0) return NOTHING;
  const numbers = headings.map((_, i) => i).filter((i) => i >= names);
  const left = [
    ...(table.more > 0 ? [`${number(table.more)} more are not shown.`] : []),
    ...(table.beyond > 0 ? [`${number(table.beyond)} changes are of others, too many to be counted one by one.`] : []),
  ].join(' ');
  return html`<h2>${title}</h2>${tableOf(headings, table.items.map(rowOf), numbers)}${left === '' ? NOTHING : html`<p class="soft">${left}</p>`}
`;
}

const code = (text: string): Markup => html`<code>${text}</code>`;
const changes = ({ decisions, stricter, looser }: Change): Part[] => [
  number(decisions),
  html`<span class="stricter">${number(stricter)}</span>`,
  html`<span class="looser">${number(looser)}</span>`,
];

function saidOf(title: string, { verdict, reasons, obligations }: Said): Markup {
  return html`<p>${title}: <strong>${verdict}</strong></p><ul>${reasons.map(
    ({ policy, rule, effect, code: reason, message }) =>
      html`<li>${effect} by ${code(`${policy}/${rule}`)} ${reason}: ${message}</li>`,
  )}${obligations.map((obligation) => html`<li>obligation ${code(JSON.stringify(obligation))}</li>`)}</ul>`;
}

function exampleOf(example: Example): Markup {
  const { decisionId, evaluatedAt, organisation, environment, agentId, intent, resource, tool, before, after } =
    example;
  const asked = tool === undefined ? intent : html`tool ${code(`${tool.server}/${tool.name}`)}: ${intent}`;
  return html`<details><summary>${before.verdict} &rarr; ${after.verdict}: ${code(agentId)} ${asked}</summary>
<p class="soft">${code(decisionId)} at ${evaluatedAt}, ${organisation} ${environment}, resource ${code(resource)}</p>
${saidOf('Recorded', before)}${saidOf('With the draft', after)}</details>
`;
}

function rangeOf({ range }: ReplayReport): string {
  const { from, to, organisation, environment, agentId, limit } = range;
  const parts = [
    from === null ? `all decisions before ${to}` : `decisions from ${from} to ${to}`,
    `organisation ${organisation ?? 'any'}`,
    `environment ${environment ?? 'any'}`,
    ...(agentId === null ? [] : [`agent ${agentId}`]),
    ...(limit === null ? [] : [`at most ${number(limit)}`]),
  ];
  return parts.join(', ');
}

/** The page; the same report gives the same bytes. */
export function replayHtml(report: ReplayReport): string {
  const { draft, decisions, changed, otherReasons, transitions, rules, agents, resources, environments } = report;
  const { sets, notes, examples } = report;
  const { total, evaluated, standing, notEvaluable } = decisions;
  const unchanged = total === 0 ? 'There are no decisions to compare.' : 'The draft changes none of these decisions.';
  const headline = changed.decisions === 0 ? unchanged : `The draft changes ${counted(changed.decisions, 'decision')}.`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Custos: replay of ${draft.digest.slice(0, 12)}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
<h1>What the draft would have changed</h1>
<p class="soft">Draft ${code(draft.digest)}, ${number(draft.policies)} policies; ${rangeOf(report)}.</p>
<p class="big">${headline}</p>
<p>${number(changed.stricter)} became stricter, ${number(changed.looser)} looser, ${number(changed.obligations)} have other obligations, ${number(changed.approvers)} other approvers, ${number(changed.ttl)} another lifetime of their approval, ${number(changed.budgets)} other budgets; ${number(otherReasons)} keep their verdict for other reasons.</p>
<p class="soft">${counted(total, 'decision')}: ${number(evaluated)} evaluated again, ${number(standing)} that no policy decides, ${number(notEvaluable.total)} not evaluable.</p>
${notes.map(
  (note) => html`<p class="note">${note}</p>
`,
)}${
  transitions.length === 0
    ? NOTHING
    : html`<h2>Verdicts</h2>${tableOf(
        ['Recorded', 'With the draft', 'Decisions'],
        transitions.map(({ from, to, decisions: n }) => [from, to, number(n)]),
        [2],
      )}
`
}${section('Rules', rules, ['Policy and rule', 'Effect', 'Newly a reason', 'No longer'], ({ policy, rule, effect, newly, noLonger }) => [code(`${policy}/${rule}`), effect, number(newly), number(noLonger)], 2)}${section(
  'Agents',
  agents,
  ['Agent', 'Organisation', 'Environment', 'Changed', 'Stricter', 'Looser'],
  (row) => [code(row.agentId), row.organisation, row.environment, ...changes(row)],
  3,
)}${section('Resources', resources, ['Resource', 'Changed', 'Stricter', 'Looser'], (row) => [code(row.resource), ...changes(row)], 1)}${section(
  'Organisations',
  environments,
  ['Organisation', 'Environment', 'Changed', 'Stricter', 'Looser'],
  (row) => [row.organisation, row.environment, ...changes(row)],
  2,
)}${examples.length === 0 ? NOTHING : html`<h2>Examples</h2>${examples.map(exampleOf)}`}${
  sets.length === 0
    ? NOTHING
    : html`<h2>Policy sets of these decisions</h2>${tableOf(
        ['Digest', 'Decisions', 'Lexicon'],
        sets.map((set) => [code(set.digest), number(set.decisions), set.lexicon]),
        [1],
      )}`
}
</main>
</body>
</html>
`.text;
}
