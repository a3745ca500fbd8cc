// A decision beside the list: why, what was asked, and the rules that matched.
import { useApi } from '../api.ts';
import type { DecisionAnswer } from '../answers.ts';
import { short, spelled } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { Drawer } from '../components/drawer.ts';
import { href, Link, navigate } from '../router.ts';
import { KeyValue, Name, Time, ToolCall, Verdict, WhenLoaded } from '../ui.ts';
import type { DecisionExplanation } from '../wire/decisions.ts';
import { Explanation } from './decisions-explanation.ts';
import { callOf, Obligations, OnRecord, TrustUsed } from './decisions-item.ts';
import { intentFacts, wordsOf } from './decisions-parts.ts';

export interface DecisionDrawerProps {
  readonly id: string;
  /** From the list; undefined when it is not on this page of it. */
  readonly known: DecisionAnswer | undefined;
  readonly onNext: (() => void) | undefined;
  readonly onPrevious: (() => void) | undefined;
  readonly onClose: () => void;
}

export function DecisionDrawer({ id, known, onNext, onPrevious, onClose }: DecisionDrawerProps): VNode {
  const read = useApi<DecisionAnswer>(known === undefined ? `/v1/decisions/${encodeURIComponent(id)}` : null);
  const decision = known ?? read.data;
  const page = href('decisions', id);
  const actions = html`
    <button type="button" class="button button-quiet button-small" title="Previous (k)" aria-label="Previous decision" disabled=${onPrevious === undefined} onClick=${onPrevious}>↑</button>
    <button type="button" class="button button-quiet button-small" title="Next (j)" aria-label="Next decision" disabled=${onNext === undefined} onClick=${onNext}>↓</button>
    <${Link} class="button button-small" to=${page}>Open<//>`;
  const title = decision === undefined ? short(spelled(id), 30) : short(spelled(wordsOf(decision.intent)), 80);
  return html`<${Drawer} title=${title} item=${id} actions=${actions} onClose=${onClose} onEnter=${() => navigate(page)}>
    ${decision === undefined ? html`<${WhenLoaded} of=${read} what="Reading the decision" />` : html`<${Summary} key=${id} decision=${decision} />`}
    <p class="drawer-keys muted"><kbd>j</kbd> next <kbd>k</kbd> previous <kbd>Enter</kbd> full page <kbd>Esc</kbd> close</p>
  <//>`;
}

function Summary({ decision }: { readonly decision: DecisionAnswer }): VNode {
  const { intent, verdict, agent_id: agent, decision_id: id, tool } = decision;
  const explanation = useApi<DecisionExplanation>(`/decisions/${encodeURIComponent(id)}/explanation`);
  return html`
    <p class="decision-lead"><${Verdict} verdict=${verdict} /> for <${Link} to=${href('agents', agent)}><${Name} text=${agent} length=${40} /><//> <span aria-hidden="true">·</span> <${Time} at=${decision.evaluated_at} /> <span aria-hidden="true">·</span> <${Time} at=${decision.evaluated_at} as="moment" /></p>
    <section><h3>Why</h3><ul class="why">${decision.reasons.map(({ code, effect, message, policy, rule }) => html`<li key=${`${policy} ${rule} ${code}`} class=${`why-${effect.toLowerCase()}`}><p><bdi>${spelled(message)}</bdi></p><p class="muted"><span class="code-word">${code}</span> <span class="rule-name">${policy} / ${rule}</span></p></li>`)}</ul></section>
    ${tool && html`<section><h3>Tool call</h3><${ToolCall} tool=${tool} ...${callOf(explanation.data)} /></section>`}
    ${decision.obligations.length > 0 && html`<section><h3>Obligations</h3><${Obligations} obligations=${decision.obligations} /></section>`}
    <section><h3>Request</h3><${KeyValue} items=${intentFacts(intent)} /></section>
    <section><h3>Trust</h3><${TrustUsed} trust=${decision.trust} /></section>
    <section><h3>On record</h3><${OnRecord} decision=${decision} /></section>
    <${Explanation} explanation=${explanation} verdict=${verdict} />`;
}
