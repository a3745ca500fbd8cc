// Pieces of decisions that several pages show.
import type { DecisionAnswer, Risk } from '../answers.ts';
import type { CsvField } from '../csv.ts';
import { html, type VNode } from '../html.ts';
import { href } from '../router.ts';
import { Badge, type Column, Name, Time, type Tone, Trust, Verdict } from '../ui.ts';

const TONES: Readonly<Record<Risk['level'], Tone>> = { low: 'neutral', medium: 'warn', high: 'bad' };

/** What was asked for, in the caller's own words; where they are not on record, as it was read. */
export function wordsOf({ requested, normalized }: DecisionAnswer['intent']): string {
  if (requested === undefined) return normalized;
  if ('tool' in requested) return `${requested.tool.server} ${requested.tool.name}`;
  return 'intent' in requested ? requested.intent : `${requested.action} ${requested.resource}`;
}

export function RiskLevel({ risk }: { readonly risk: Pick<Risk, 'level' | 'score'> }): VNode {
  return html`<span class="risk"><${Badge} tone=${TONES[risk.level]}>${risk.level}<//> <span class="muted num">${risk.score}</span></span>`;
}

export const DECISION_COLUMNS: readonly Column<DecisionAnswer>[] = [
  { title: 'Asked', cell: ({ intent }) => html`<${Name} text=${wordsOf(intent)} />` },
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

/** What a file of decisions has of each. */
export const DECISION_FIELDS: readonly CsvField<DecisionAnswer>[] = [
  { title: 'decision_id', of: ({ decision_id: id }) => id },
  { title: 'evaluated_at', of: ({ evaluated_at: at }) => at },
  { title: 'verdict', of: ({ verdict }) => verdict },
  { title: 'agent_id', of: ({ agent_id: agent }) => agent },
  { title: 'requested', of: ({ intent }) => (intent.requested === undefined ? '' : wordsOf(intent)) },
  { title: 'intent', of: ({ intent }) => intent.normalized },
  { title: 'resource', of: ({ intent }) => intent.resource },
  { title: 'effect', of: ({ intent }) => intent.effect },
  { title: 'risk_level', of: ({ intent }) => intent.risk.level },
  { title: 'risk_score', of: ({ intent }) => intent.risk.score },
  { title: 'trust_level', of: ({ trust }) => trust.effective_level },
  { title: 'trust_score', of: ({ trust }) => trust.score },
  { title: 'reasons', of: ({ reasons }) => reasons.map(({ code }) => code).join(' ') },
  { title: 'key_id', of: ({ key_id: key }) => key },
  { title: 'policy_set', of: ({ policy_set: set }) => set.digest },
  { title: 'proof_id', of: ({ proof }) => proof.proof_id },
  { title: 'request_id', of: ({ request_id: request }) => request },
];

export const decisionHref = ({ decision_id: id }: DecisionAnswer): string => href('decisions', id);
export const decisionKey = ({ decision_id: id }: DecisionAnswer): string => id;
