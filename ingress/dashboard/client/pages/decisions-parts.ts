// Parts of decisions that several pages show.
import type { DecisionAnswer, Risk } from '../answers.ts';
import type { CsvField } from '../csv.ts';
import { short, spelled } from '../format.ts';
import { type ComponentChildren, html, type VNode } from '../html.ts';
import { href } from '../router.ts';
import { Badge, type Column, Name, Time, type Tone, ToolName, Trust, Verdict } from '../ui.ts';

const TONES: Readonly<Record<Risk['level'], Tone>> = { low: 'neutral', medium: 'warn', high: 'bad' };

/** The request in the caller's words; for decisions of earlier versions, the normalized intent. */
export function wordsOf({ requested, normalized }: DecisionAnswer['intent']): string {
  if (requested === undefined) return normalized;
  if ('tool' in requested) return `${requested.tool.server}/${requested.tool.name}`;
  return 'intent' in requested ? requested.intent : `${requested.action} ${requested.resource}`;
}

/** The request in a list: the words of the caller, or the tool with the resource that the call acts on. */
export function Asked({ decision: { intent, tool } }: { readonly decision: DecisionAnswer }): VNode {
  if (tool === undefined) return html`<${Name} text=${wordsOf(intent)} />`;
  return html`<${ToolName} tool=${tool} /> <span class="tool-resource muted"><${Name} text=${intent.resource} length=${40} /></span>`;
}

export function RiskLevel({ risk }: { readonly risk: Pick<Risk, 'level' | 'score'> }): VNode {
  return html`<span class="risk"><${Badge} tone=${TONES[risk.level]}>${risk.level}<//> <span class="muted num">${risk.score}</span></span>`;
}

export function Badges({ texts }: { readonly texts: readonly string[] }): VNode {
  return html`<span class="badges">${texts.map((text) => html`<${Badge} key=${text}>${short(spelled(text), 60)}<//>`)}</span>`;
}

/** What was requested, for a KeyValue. */
export function intentFacts(intent: DecisionAnswer['intent']): (readonly [name: string, value: ComponentChildren])[] {
  const { action, verb, effect, traits, risk } = intent;
  return [
    ['Requested', intent.requested && html`<${Name} text=${wordsOf(intent)} length=${200} />`],
    ['Read as', html`<${Name} text=${intent.normalized} length=${200} />`],
    ['Action', verb === action ? action : `${action} (${spelled(verb)})`],
    ['Resource', html`<${Name} text=${intent.resource} length=${200} />`],
    ['Effect', html`<${Badge} tone=${effect === 'destructive' ? 'bad' : 'neutral'}>${effect}<//>`],
    ['Traits', traits.length === 0 ? null : html`<${Badges} texts=${traits} />`],
    ['Risk', html`<${RiskLevel} risk=${risk} />`],
    [
      'Risk factors',
      risk.factors.length === 0
        ? undefined
        : html`<ul class="factors">${risk.factors.map(({ factor, score, message }) => html`<li key=${factor}><span class="num">+${score}</span> <span title=${factor}>${spelled(message)}</span></li>`)}</ul>`,
    ],
  ];
}

export const DECISION_COLUMNS: readonly Column<DecisionAnswer>[] = [
  { title: 'Request', cell: (decision) => html`<${Asked} decision=${decision} />` },
  { title: 'Verdict', cell: ({ verdict }) => html`<${Verdict} verdict=${verdict} />` },
  { title: 'Agent', cell: ({ agent_id: agent }) => html`<${Name} text=${agent} length=${32} />` },
  { title: 'Risk', cell: ({ intent }) => html`<${RiskLevel} risk=${intent.risk} />` },
  { title: 'Trust', minor: true, cell: ({ trust }) => html`<${Trust} level=${trust.effective_level} />` },
  {
    title: 'Reason',
    cell: ({ reasons: [first, ...more] }) =>
      html`<span class="code-word">${first?.code}</span>${more.length === 0 ? '' : html` <span class="muted">+${more.length}</span>`}`,
  },
  { title: 'When', align: 'end', cell: ({ evaluated_at: at }) => html`<${Time} at=${at} />` },
];

/** The columns of a CSV file of decisions. */
export const DECISION_FIELDS: readonly CsvField<DecisionAnswer>[] = [
  'decision_id',
  'evaluated_at',
  'verdict',
  'agent_id',
  ['requested', ({ intent }) => (intent.requested === undefined ? '' : wordsOf(intent))],
  ['tool_server', ({ tool }) => tool?.server],
  ['tool_name', ({ tool }) => tool?.name],
  ['intent', ({ intent }) => intent.normalized],
  ['resource', ({ intent }) => intent.resource],
  ['effect', ({ intent }) => intent.effect],
  ['risk_level', ({ intent }) => intent.risk.level],
  ['risk_score', ({ intent }) => intent.risk.score],
  ['trust_level', ({ trust }) => trust.effective_level],
  ['trust_score', ({ trust }) => trust.score],
  ['reasons', ({ reasons }) => reasons.map(({ code }) => code).join(' ')],
  'key_id',
  ['policy_set', ({ policy_set: set }) => set.digest],
  ['proof_id', ({ proof }) => proof.proof_id],
  'request_id',
];

export const decisionHref = ({ decision_id: id }: DecisionAnswer): string => href('decisions', id);
export const decisionKey = ({ decision_id: id }: DecisionAnswer): string => id;
