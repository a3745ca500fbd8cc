// The full explanation of a decision: each rule whose target fits, its conditions with the values they saw, and what was skipped.
import { useApi } from '../api.ts';
import { count, short, spelled, whole } from '../format.ts';
import { html, useState, type VNode } from '../html.ts';
import { Badge, Card, Empty, JsonView, Notice, Verdict, WhenLoaded } from '../ui.ts';
import type { DecisionExplanation, ExplainedCondition, ExplainedRule } from '../wire.ts';

type Explained = Extract<DecisionExplanation, { state: 'explained' }>;

/** Rules beyond these are shown when one asks for them. */
const FIRST_RULES = 60;

export function Explanation({ decisionId, verdict }: { readonly decisionId: string; readonly verdict: string }): VNode {
  const explanation = useApi<DecisionExplanation>(`/decisions/${encodeURIComponent(decisionId)}/explanation`);
  const explained = explanation.data?.state === 'explained' ? explanation.data : undefined;
  const aside = explained && `${count(explained.total, 'rule')} looked at, ${whole(explained.matched)} matched`;
  return html`<${Card} title="Full explanation" aside=${aside}>
      <${WhenLoaded} of=${explanation} what="Looking at each rule again">${(data: DecisionExplanation) => content(data, verdict)}<//>
    <//>
    ${explained && html`<${Card} title="Facts" aside="All that the rules could see"><details><summary>Show the facts</summary><${JsonView} value=${explained.facts} label="the facts" /></details><//>`}`;
}

function content(explanation: DecisionExplanation, verdict: string): VNode {
  switch (explanation.state) {
    case 'erased':
      return html`<${Empty} title="The facts have been erased">Retention took them, as it was told to. The verdict, its reasons and its receipt stay for ever.<//>`;
    case 'unreadable':
      return html`<${Notice} tone="bad" title="The facts of this decision can not be explained">${explanation.sentence} "custos decision verify" says more.<//>`;
    case 'explained':
      return html`<${Rules} explained=${explanation} verdict=${verdict} />`;
  }
}

const SPECIAL: Readonly<Record<NonNullable<Explained['special']>, string>> = {
  halted: 'Everything was halted, which makes every verdict DENY. The policies alone would have said',
  used: 'A person had approved it. Without that approval the policies would have said',
  refused: 'It named an approval that could not be used, which is a DENY. The policies alone would have said',
  failed: 'The evaluation failed when it was asked, which is a DENY. Looked at now, the policies say',
};

function Rules({ explained, verdict }: { readonly explained: Explained; readonly verdict: string }): VNode {
  const { rules, total, special, agrees, factsAsRecorded } = explained;
  const [all, setAll] = useState(false);
  const shown = all ? rules : rules.slice(0, FIRST_RULES);
  const hidden = total - shown.length;
  return html`
    <div class="stack">
      ${!factsAsRecorded && html`<${Notice} tone="bad" title="These are not the facts that were on record">Their digest differs from the one in the decision's record: they were changed in the database. What follows explains the changed ones.<//>`}
      ${special !== null && html`<${Notice} tone="info" title="Not the policies alone">${SPECIAL[special]} <${Verdict} verdict=${explained.verdict} />.<//>`}
      ${special === null && !agrees && html`<${Notice} tone="bad" title="The policies lead elsewhere now">The record says ${verdict}; the stored facts under the stored policy set give <${Verdict} verdict=${explained.verdict} />. "custos decision verify" says what differs.<//>`}
    </div>
    ${total === 0 ? html`<${Empty} title="No rule has a target that fits">What no policy allows is denied.<//>` : html`<${RuleList} rules=${shown.filter(({ matched }) => matched)} /><${RuleList} rules=${shown.filter(({ matched }) => !matched)} />`}
    ${hidden > 0 && shown.length < rules.length && html`<button type="button" class="button" onClick=${() => setAll(true)}>Show ${whole(rules.length - shown.length)} more</button>`}
    ${all && total > rules.length && html`<p class="muted">${whole(total - rules.length)} more rules did not match and are left out here; "custos policy explain" shows all.</p>`}`;
}

/** With more of them one looks for the right one first. */
const OPEN_UP_TO = 10;

function RuleList({ rules }: { readonly rules: readonly ExplainedRule[] }): VNode | null {
  if (rules.length === 0) return null;
  return html`<ul class="rules">${rules.map((rule) => html`<li key=${`${rule.policy} ${rule.rule}`}><${Rule} rule=${rule} isOpen=${rule.matched && rules.length <= OPEN_UP_TO} /></li>`)}</ul>`;
}

function Rule({ rule, isOpen }: { readonly rule: ExplainedRule; readonly isOpen: boolean }): VNode {
  const { matched, skipped, conditions } = rule;
  const missed = conditions.filter(({ result }) => !result).length;
  const state = matched
    ? html`<${Badge} tone="good">matched<//>`
    : html`<span class="muted">${missed === 0 ? 'skipped' : `${missed} of ${conditions.length} did not hold`}</span>`;
  return html`<details class=${`rule ${matched ? 'rule-matched' : ''}`} open=${isOpen}>
    <summary><span class="rule-head"><span class="rule-name">${rule.policy} / ${rule.rule}</span> <${Verdict} verdict=${rule.effect} /> ${state}</span>${skipped && html`<span class="rule-skipped">${spelled(skipped)}</span>`}</summary>
    ${conditions.length === 0 ? html`<p class="muted">It has no conditions.</p>` : html`<ul class="conditions">${conditions.map((condition) => html`<li><${Condition} condition=${condition} /></li>`)}</ul>`}
  </details>`;
}

/** Signs for the operators that have one; the others are words already. */
const SIGNS: Readonly<Record<string, string>> = {
  equal: '=',
  notEqual: '≠',
  lessThan: '<',
  lessThanInclusive: '≤',
  greaterThan: '>',
  greaterThanInclusive: '≥',
};

function valueOf(value: unknown): string {
  return short(spelled(JSON.stringify(value) ?? 'nothing'), 160);
}

function Condition({ condition }: { readonly condition: ExplainedCondition }): VNode {
  const { fact, path, operator, expected, actual, missing, result } = condition;
  const name = path === undefined ? fact : `${fact}.${path}`;
  return html`<div class=${`condition ${result ? 'holds' : ''}`}>
    <span class="condition-mark" aria-hidden="true">${result ? '✓' : '✕'}</span>
    <span class="visually-hidden">${result ? 'Holds: ' : 'Does not hold: '}</span>
    <span class="condition-text"><code>${spelled(name)}</code> <span class="operator" title=${operator}>${SIGNS[operator] ?? operator}</span> <code>${valueOf(expected)}</code></span>
    <span class="condition-saw">${missing ? 'missing' : html`saw <code>${valueOf(actual)}</code>`}</span>
  </div>`;
}
