// One policy for reading: its target, its rules in words, and all of it as JSON.
import type { Budget, Policy, WrittenCondition } from '#shared/core/policy/schema.js';
import { exact } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { Badge, Card, Empty, JsonView, KeyValue, Verdict } from '../ui.ts';
import { compared, factName, operatorWords } from './policies-words.ts';

type Rule = Policy['rules'][number];

/** The effect of a rule: a verdict, or RISK. */
export function Effect({ type }: { readonly type: string }): VNode {
  return type === 'RISK' ? html`<${Badge} tone="info">RISK<//>` : html`<${Verdict} verdict=${type} />`;
}

/** Texts that are shown; a target may have a thousand resources. */
const MAX_SHOWN = 40;

/** Short texts as code. */
export function Codes({
  texts,
  most = MAX_SHOWN,
}: {
  readonly texts: readonly string[];
  readonly most?: number;
}): VNode {
  const more = texts.length - most;
  return html`<span class="codes">${texts.slice(0, most).map((text) => html`<code key=${text}>${text}</code>`)}${more > 0 && html`<span class="muted">and ${more} more</span>`}</span>`;
}

export function PolicyBody({ policy }: { readonly policy: Policy }): VNode {
  const { target, stage, rules } = policy;
  return html`<${Card} title="Target" class="facts">
      <${KeyValue} items=${[
        [
          'Stage',
          stage === 'intake'
            ? html`intake <span class="muted">adds to the risk of an intent</span>`
            : html`enforce <span class="muted">decides about requests</span>`,
        ],
        ['Actions', html`<${Codes} texts=${target.actions} />`],
        ['Resources', html`<${Codes} texts=${target.resources} />`],
        ['Environments', target.environments && html`<${Codes} texts=${target.environments} />`],
        ['Organisations', target.organisations && html`<${Codes} texts=${target.organisations} />`],
      ]} />
    <//>
    <${Card} title="Rules" aside="A missing fact never leads to an ALLOW">
      ${rules.length === 0 ? html`<${Empty} title="It has no rules" />` : html`<ol class="policy-rules">${rules.map((rule) => html`<${RuleText} key=${rule.name} rule=${rule} />`)}</ol>`}
    <//>
    <${Card} title="As JSON"><${JsonView} value=${policy} label="The policy as JSON" /><//>`;
}

function RuleText({ rule }: { readonly rule: Rule }): VNode {
  const { type, params } = rule.event;
  return html`<li class="policy-rule">
    <h3 class="policy-rule-name">${rule.name}</h3>
    <div class="policy-rule-text"><span class="policy-rule-word">When</span><${ConditionText} condition=${rule.conditions} /></div>
    <div class="policy-rule-text"><span class="policy-rule-word">then</span><div>
      <p><${Effect} type=${type} /> ${'score' in params && html`<span class="num">+${params.score}</span> `}<code>${'code' in params ? params.code : params.factor}</code> ${params.message}</p>
      ${'obligations' in params && html`<ul class="obligations">${params.obligations.map((each) => html`<li><code>${JSON.stringify(each)}</code></li>`)}</ul>`}
      ${'approvers' in params && params.approvers !== undefined && html`<p>approved by at least ${params.approvers.atLeast ?? 1} of ${[...(params.approvers.tags ?? []).map((tag) => `tag ${tag}`), ...(params.approvers.keys ?? []).map((key) => `key ${key}`)].join(' or ')}</p>`}
      ${'ttl' in params && params.ttl !== undefined && html`<p>within <code>${params.ttl}</code></p>`}
      ${'budget' in rule && rule.budget !== undefined && html`<p>${budgetWords(rule.budget)}</p>`}
    </div></div>
  </li>`;
}

function budgetWords({ name, per = [], window, limit, amount }: Budget): VNode {
  return html`counted in the budget <code>${name}</code>: at most <span class="num">${exact(limit)}</span>${amount !== undefined && html` of <code>${factName(amount)}</code>`} in <code>${window}</code>${per.length > 0 && ` for each ${per.join(' and ')}`}`;
}

function ConditionText({ condition }: { readonly condition: WrittenCondition }): VNode {
  if ('condition' in condition)
    return html`<span class="comparison">the condition <code>${condition.condition}</code></span>`;
  if ('all' in condition) return html`<${Group} words="all of" conditions=${condition.all} />`;
  if ('any' in condition) return html`<${Group} words="any of" conditions=${condition.any} />`;
  if ('not' in condition) return html`<${Group} words="not" conditions=${[condition.not]} alone=${false} />`;
  const values = compared(condition);
  return html`<span class="comparison"><code>${factName(condition)}</code> ${operatorWords(condition)}${values.length > 0 && html` <${Codes} texts=${values} />`}</span>`;
}

interface GroupProps {
  readonly words: string;
  readonly conditions: readonly WrittenCondition[];
  /** Whether a group of one is shown without words. */
  readonly alone?: boolean;
}

function Group({ words, conditions, alone = true }: GroupProps): VNode {
  const [only] = conditions;
  if (alone && conditions.length === 1 && only !== undefined) return html`<${ConditionText} condition=${only} />`;
  return html`<div class="group"><span class="group-words">${words}</span><ul>${conditions.map((each) => html`<li><${ConditionText} condition=${each} /></li>`)}</ul></div>`;
}
