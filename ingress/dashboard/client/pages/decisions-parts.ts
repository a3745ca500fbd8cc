// Pieces of decisions that several pages show.
import type { DecisionAnswer, Risk } from '../answers.ts';
import { html, type VNode } from '../html.ts';
import { href } from '../router.ts';
import { Badge, type Column, Name, Time, type Tone, Trust, Verdict } from '../ui.ts';

const TONES: Readonly<Record<Risk['level'], Tone>> = { low: 'neutral', medium: 'warn', high: 'bad' };

export function RiskLevel({ risk }: { readonly risk: Pick<Risk, 'level' | 'score'> }): VNode {
  return html`<span class="risk"><${Badge} tone=${TONES[risk.level]}>${risk.level}<//> <span class="muted num">${risk.score}</span></span>`;
}

export const DECISION_COLUMNS: readonly Column<DecisionAnswer>[] = [
  { title: 'Intent', cell: ({ intent }) => html`<${Name} text=${intent.normalized} />` },
  { title: 'Verdict', cell: ({ verdict }) => html`<${Verdict} verdict=${verdict} />` },
  { title: 'Agent', cell: ({ agent_id: agent }) => html`<${Name} text=${agent} length=${32} />` },
  { title: 'Risk', cell: ({ intent }) => html`<${RiskLevel} risk=${intent.risk} />` },
  { title: 'Trust', cell: ({ trust }) => html`<${Trust} level=${trust.effective_level} />` },
  {
    title: 'Reason',
    cell: ({ reasons: [first, ...more] }) =>
      html`<span class="code-word">${first?.code}</span>${more.length === 0 ? '' : html` <span class="muted">+${more.length}</span>`}`,
  },
  { title: 'When', align: 'end', cell: ({ evaluated_at: at }) => html`<${Time} at=${at} />` },
];

export const decisionHref = ({ decision_id: id }: DecisionAnswer): string => href('decisions', id);
export const decisionKey = ({ decision_id: id }: DecisionAnswer): string => id;
