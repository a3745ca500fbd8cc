// The full explanation of a decision: every rule that applied, its conditions with their values, and skipped rules.
import type { Loaded } from '../api.ts';
import { count, short, spelled, whole } from '../format.ts';
import { html, useState, type VNode } from '../html.ts';
import { Badge, Card, Empty, JsonView, Notice, TOOL_STATES, Verdict, WhenLoaded } from '../ui.ts';
import { factName } from './policies-words.ts';
import type { DecisionExplanation, ExplainedCondition, ExplainedRule } from '../wire/decisions.ts';

type Explained = Extract<DecisionExplanation, { state: 'explained' }>;

/** More rules are shown on request. */
const FIRST_RULES = 60;

export interface ExplanationProps {
  readonly explanation: Loaded<DecisionExplanation>;
  readonly verdict: string;
}

export function Explanation({ explanation, verdict }: ExplanationProps): VNode {
  const explained = explanation.data?.state === 'explained' ? explanation.data : undefined;
  const aside = explained && `${count(explained.total, 'rule')} applied, ${whole(explained.matched)} matched`;
  return html`<${Card} title="Full explanation" aside=${aside}>
      <${WhenLoaded} of=${explanation} what="Evaluating the rules">${(data: DecisionExplanation) => content(data, verdict)}<//>
    <//>
    ${explained && html`<${Card} title="Facts" aside="The input of all rules"><details><summary>Show the facts</summary><${JsonView} value=${explained.facts} label="the facts" /></details><//>`}`;
}

function content(explanation: DecisionExplanation, verdict: string): VNode {
  switch (explanation.state) {
    case 'erased':
      return html`<${Empty} title="The facts have been erased">Retention has erased them as configured. The verdict, its reasons and its receipt are kept forever.<//>`;
    case 'unreadable':
      return html`<${Notice} tone="bad" title="This decision cannot be explained">${explanation.sentence} "custos decision verify" shows details.<//>`;
    case 'explained':
      return html`<${Rules} explained=${explanation} verdict=${verdict} />`;
  }
}

const SPECIAL: Readonly<Record<NonNullable<Explained['special']>, string>> = {
  halted: 'The environment was halted, so every verdict was DENY. The verdict of the policies alone is',
  used: 'A person had approved it. The verdict of the policies without the approval is',
  refused: 'It named an approval that could not be used, so the verdict was DENY. The verdict of the policies alone is',
  key_invalid:
    'The key that submitted it was revoked or had expired, so the verdict was DENY. The verdict of the policies alone is',
  failed: 'The evaluation failed, so the verdict was DENY. The verdict of the policies now is',
};

function Rules({ explained, verdict }: { readonly explained: Explained; readonly verdict: string }): VNode {
  const { rules, total, special, agrees, factsAsRecorded } = explained;
  const [all, setAll] = useState(false);
  const shown = all ? rules : rules.slice(0, FIRST_RULES);
  const hidden = total - shown.length;
  return html`
    <div class="stack">
      ${!factsAsRecorded && html`<${Notice} tone="bad" title="The facts were changed">Their digest differs from the one in the decision's record: somebody changed them in the database. The explanation below uses the changed facts.<//>`}
      ${special !== null && html`<${Notice} tone="info" title="Not decided by the policies alone">${SPECIAL[special]} <${Verdict} verdict=${explained.verdict} />.<//>`}
      ${special === null && !agrees && html`<${Notice} tone="bad" title="The explanation differs from the record">The record says ${verdict}; the stored facts and policy set result in <${Verdict} verdict=${explained.verdict} />. "custos decision verify" shows the difference.<//>`}
    </div>
    ${total === 0 ? html`<${Empty} title="No rule applied">Requests that no policy allows are denied.<//>` : html`<${RuleList} rules=${shown.filter(({ matched }) => matched)} /><${RuleList} rules=${shown.filter(({ matched }) => !matched)} />`}
    ${hidden > 0 && shown.length < rules.length && html`<button type="button" class="button" onClick=${() => setAll(true)}>Show ${whole(rules.length - shown.length)} more</button>`}
    ${all && total > rules.length && html`<p class="muted">${whole(total - rules.length)} more rules did not match and are not shown; "custos policy explain" shows all.</p>`}`;
}

/** With more matched rules, all are closed at first. */
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
    : html`<span class="muted">${missed === 0 ? 'skipped' : `${missed} of ${conditions.length} conditions false`}</span>`;
  return html`<details class=${`rule ${matched ? 'rule-matched' : ''}`} open=${isOpen}>
    <summary><span class="rule-head"><span class="rule-name">${rule.policy} / ${rule.rule}</span> <${Verdict} verdict=${rule.effect} /> ${state}</span>${skipped && html`<span class="rule-skipped">${spelled(skipped)}</span>`}</summary>
    ${conditions.length === 0 ? html`<p class="muted">No conditions.</p>` : html`<ul class="conditions">${conditions.map((condition) => html`<li><${Condition} condition=${condition} /></li>`)}</ul>`}
    ${rule.alternatives?.map(({ text }) => html`<p class="muted">${matched ? 'Without' : 'Enough alone:'} <code>${spelled(text)}</code>${matched && ' it would not match'}</p>`)}
  </details>`;
}

/** Signs of operators; the others are shown as words. */
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

/** The state of a tool call that a condition saw, in words. */
function stateWords(name: string, actual: unknown): string | undefined {
  const state = name === 'tool.known' ? TOOL_STATES.known : name === 'tool.changed' ? TOOL_STATES.changed : undefined;
  return typeof actual === 'boolean' ? state?.[`${actual}`] : undefined;
}

function Condition({ condition }: { readonly condition: ExplainedCondition }): VNode {
  const { operator, expected, expectedFact, actual, item, missing, result, condition: named } = condition;
  const name = factName(condition);
  const words = stateWords(name, actual);
  return html`<div class=${`condition ${result ? 'holds' : ''}`}>
    <span class="condition-mark" aria-hidden="true">${result ? '✓' : '✕'}</span>
    <span class="visually-hidden">${result ? 'True: ' : 'False: '}</span>
    <span class="condition-text"><code>${spelled(name)}</code> <span class="operator" title=${operator}>${SIGNS[operator] ?? operator}</span> ${expectedFact && html`<code>${spelled(factName(expectedFact))}</code> <span class="muted">=</span> `}<code>${valueOf(expected)}</code>${named !== undefined && html` <span class="muted">of ${named}</span>`}</span>
    <span class="condition-saw">${missing ? 'missing' : html`was <code>${valueOf(actual)}</code>${words && html` <span class="muted">${words}</span>`}`}${item && html` <span class="muted">item ${item.index} decided:</span> <code>${valueOf(item.actual)}</code>`}</span>
  </div>`;
}
