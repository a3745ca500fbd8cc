// The page of one decision: the request, the verdict with its reasons, and the full explanation.
import { useApi } from '../api.ts';
import type { DecisionAnswer } from '../answers.ts';
import { count, short, spelled } from '../format.ts';
import { html, useState, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import {
  Card,
  Copy,
  Empty,
  Id,
  JsonView,
  KeyValue,
  Name,
  PageHead,
  Table,
  Time,
  ToolCall,
  type ToolCallProps,
  Trust,
  Verdict,
  WhenLoaded,
} from '../ui.ts';
import { useSession } from '../session.ts';
import type { DecisionExplanation } from '../wire/decisions.ts';
import { Explanation } from './decisions-explanation.ts';
import { intentFacts, wordsOf } from './decisions-parts.ts';

const BACK = { page: 'decisions', label: 'Decisions' };

export function DecisionPage({ id }: { readonly id: string }): VNode {
  const decision = useApi<DecisionAnswer>(`/v1/decisions/${encodeURIComponent(id)}`);
  if (decision.data === undefined && decision.error?.status === 404) return html`<${NoDecision} id=${id} />`;
  if (decision.data === undefined)
    return html`<${PageHead} title="Decision" lead=${html`<code>${short(spelled(id), 60)}</code>`} back=${BACK} /><${WhenLoaded} of=${decision} />`;
  return html`<${Shown} decision=${decision.data} />`;
}

function NoDecision({ id }: { readonly id: string }): VNode {
  const looksRight = /^dec_[0-9a-z]{26}$/.test(id);
  return html`<${PageHead} title="No such decision" back=${BACK} />
    <${Card}><${Empty} title="This decision does not exist here">
      <p><${Name} text=${id} length=${80} /></p>
      <p>${looksRight ? 'It may belong to another organisation or environment.' : 'A decision id is dec_ with 26 letters and digits; this one may be incomplete.'}</p>
      <p><${Link} to=${href('decisions')}>All decisions<//></p>
    <//><//>`;
}

function Shown({ decision }: { readonly decision: DecisionAnswer }): VNode {
  const { intent, verdict, agent_id: agent, decision_id: id, proof } = decision;
  const explanation = useApi<DecisionExplanation>(`/decisions/${encodeURIComponent(id)}/explanation`);
  const { stands: _stands, stands_reason: _reason, ...answered } = decision;
  const lead = html`<span class="decision-lead"><${Verdict} verdict=${verdict} /> for <${Link} to=${href('agents', agent)}><${Name} text=${agent} /><//> <span aria-hidden="true">·</span> <${Time} at=${decision.evaluated_at} /></span>`;
  const actions = html`<${Link} class="button" to=${href('receipts', proof.proof_id)}>Receipt<//>`;
  return html`<${PageHead} title=${short(spelled(wordsOf(intent)), 100)} lead=${lead} back=${BACK} actions=${actions} />
    <${Card} title="Why" flush><${Reasons} decision=${decision} /><//>
    ${decision.tool && html`<${Card} title="Tool call"><${ToolCall} tool=${decision.tool} ...${callOf(explanation.data)} /><//>`}
    <div class="masonry">
      <${Card} title="Request"><${KeyValue} items=${[...intentFacts(intent), ['From free text', intent.parsed ? 'yes' : 'no'], ['Coverage', coverageOf(explanation.data)], ['Second reader', secondReaderOf(explanation.data)]]} /><//>
      <${Card} title="Trust"><${TrustUsed} trust=${decision.trust} /><//>
      <${Card} title="On record"><${OnRecord} decision=${decision} /><//>
      ${decision.obligations.length > 0 && html`<${Card} title="Obligations" aside="What the agent must comply with"><${Obligations} obligations=${decision.obligations} /><//>`}
    </div>
    <${Explanation} explanation=${explanation} verdict=${verdict} />
    <${Card} title="Answer" aside="As sent to the agent"><details><summary>Show the JSON</summary><${JsonView} value=${answered} label="the answer" /></details><//>`;
}

/** What the second reader made of the text, which is only among the facts; undefined: it was not asked. */
function secondReaderOf(explanation: DecisionExplanation | undefined): string | undefined {
  return explanation?.state === 'explained' ? explanation.facts.intent.second_reading : undefined;
}

/** The share of the text that its reading accounts for, which is only among the facts; undefined for decisions of earlier versions. */
function coverageOf(explanation: DecisionExplanation | undefined): VNode | undefined {
  if (explanation?.state !== 'explained') return undefined;
  // Facts of earlier versions lack it.
  const { coverage, parsed }: { readonly coverage?: number; readonly parsed: boolean } = explanation.facts.intent;
  if (coverage === undefined || !parsed) return undefined;
  return html`<span class="num">${Math.round(coverage * 100)} %</span> <span class="muted">of the text was read</span>`;
}

/** The arguments of a call, which are only among the facts. */
export function callOf(
  explanation: DecisionExplanation | undefined,
): Pick<ToolCallProps, 'facts' | 'masked' | 'missing'> {
  if (explanation?.state === 'explained')
    return { facts: explanation.facts.tool, masked: explanation.masked, missing: '' };
  const missing =
    explanation === undefined
      ? 'Reading…'
      : explanation.state === 'erased'
        ? 'Erased by retention.'
        : explanation.sentence;
  return { facts: undefined, masked: [], missing };
}

type Reason = DecisionAnswer['reasons'][number];

/** Why a decision may not be acted upon any more. */
const LAPSES: Readonly<Record<string, string>> = {
  verdict: 'it permits nothing',
  expired: 'it has expired',
  halted: 'the environment is halted',
  agent_not_active: 'the agent is not active',
  key_invalid: 'the key of the request is not valid any more',
  not_carried_out: 'it was reported as not carried out',
};

/** The first ones decided; more are shown on request. */
const FIRST_REASONS = 10;

export function Reasons({ decision: { reasons } }: { readonly decision: DecisionAnswer }): VNode {
  const [all, setAll] = useState(false);
  const rows = all ? reasons : reasons.slice(0, FIRST_REASONS);
  const more = reasons.length - rows.length;
  return html`<${Table} caption="Reasons, strongest first" rows=${rows} keyOf=${({ policy, rule, code }: Reason) => `${policy} ${rule} ${code}`} columns=${[
    { title: 'Reason', cell: ({ message }: Reason) => html`<bdi>${spelled(message)}</bdi>` },
    { title: 'Effect', cell: ({ effect }: Reason) => html`<${Verdict} verdict=${effect} />` },
    { title: 'Code', cell: ({ code }: Reason) => html`<span class="code-word">${code}</span>` },
    {
      title: 'Policy and rule',
      cell: ({ policy, rule }: Reason) => html`<span class="rule-name">${policy} / ${rule}</span>`,
    },
  ]} />${more > 0 && html`<div class="pager"><button type="button" class="button button-small" onClick=${() => setAll(true)}>Show ${count(more, 'more reason')}</button></div>`}`;
}

export function TrustUsed({ trust }: { readonly trust: DecisionAnswer['trust'] }): VNode {
  const claimed = trust.claimed_level;
  return html`<${KeyValue} items=${[
    ['Effective', html`<${Trust} level=${trust.effective_level} />`],
    ['Recorded', html`<${Trust} level=${trust.recorded_level} score=${trust.score} />`],
    [
      'Claimed',
      claimed === null
        ? null
        : html`<${Trust} level=${claimed} /> ${claimed > trust.recorded_level ? html`<span class="muted">a claim can only lower the level</span>` : ''}`,
    ],
    [
      'Uncertainty',
      html`<span class="num">${trust.uncertainty.toFixed(3)}</span> ${trust.uncertainty >= 1 ? html`<span class="muted">no evidence</span>` : ''}`,
    ],
    ['As of', html`<span class="num">${trust.as_of.signals}</span> signals, on ${trust.as_of.day}`],
  ]} />`;
}

export function OnRecord({ decision }: { readonly decision: DecisionAnswer }): VNode {
  const { isOperator } = useSession();
  const { policy_set: set, proof, approval, request_id: requestId } = decision;
  const digest = html`<code title=${set.digest}>${short(set.digest, 20)}</code>`;
  return html`<${KeyValue} items=${[
    ['Decision', html`<${Id} id=${decision.decision_id} copy />`],
    [
      'Request',
      requestId &&
        html`<${Link} to=${href('decisions', undefined, { requestId })}><code>${short(requestId, 34)}</code><//><${Copy} text=${requestId} />`,
    ],
    [
      'API key',
      html`<${Link} to=${href('keys', undefined, { search: decision.key_id })}><code>${decision.key_id}</code><//>`,
    ],
    ['Evaluated', html`<${Time} at=${decision.evaluated_at} as="moment" />`],
    ['Valid until', html`<${Time} at=${decision.expires_at} as="moment" />`],
    [
      'May be acted upon',
      decision.stands ? 'yes' : `no, ${LAPSES[decision.stands_reason ?? ''] ?? 'it does not stand any more'}`,
    ],
    [
      'Policy set',
      html`${isOperator ? html`<${Link} to=${href('policies', set.digest)}>${digest}<//>` : digest}<${Copy} text=${set.digest} />`,
    ],
    [
      'Receipt',
      html`<${Link} to=${href('receipts', proof.proof_id)}><code>${short(proof.proof_id, 34)}</code><//><${Copy} text=${proof.proof_id} />`,
    ],
    [
      'Approval',
      approval &&
        html`<${Link} to=${href('approvals', approval.approval_id)}><code>${short(approval.approval_id, 34)}</code><//><${Copy} text=${approval.approval_id} /> <span class="muted">until <${Time} at=${approval.expires_at} as="moment" /></span>`,
    ],
  ]} />`;
}

export function Obligations({ obligations }: { readonly obligations: DecisionAnswer['obligations'] }): VNode {
  return html`<${KeyValue} items=${obligations.map(({ type, ...rest }) => [type, html`<code>${spelled(JSON.stringify(rest))}</code>`])} />`;
}
