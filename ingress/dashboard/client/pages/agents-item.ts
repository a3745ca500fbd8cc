// The page of one agent: its registration, trust, last decisions, and changes of its status.
import { useApi } from '../api.ts';
import type { AgentAnswer, TrustAnswer } from '../answers.ts';
import { amount, named, short, spelled, whole } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import {
  Badge,
  Card,
  Copy,
  JsonView,
  KeyValue,
  Name,
  Notice,
  PageHead,
  Stat,
  Stats,
  Status,
  Time,
  WhenLoaded,
} from '../ui.ts';
import type { AgentActivity, StatusChange } from '../wire/agents.ts';
import { ChangedBy, Decisions, Keys, StatusHistory, Tools, Waiting } from './agents-activity.ts';
import { StatusActions } from './agents-status.ts';
import { BudgetsOfAgent } from './budgets-parts.ts';
import { TrustCauses, TrustOverTime } from './agents-trust.ts';
import { Badges } from './decisions-parts.ts';

const BACK = { page: 'agents', label: 'Agents' };

export function AgentPage({ id }: { readonly id: string }): VNode {
  const at = encodeURIComponent(id);
  const agent = useApi<AgentAnswer>(`/v1/agents/${at}`);
  const trust = useApi<TrustAnswer>(`/v1/trust/${at}`);
  const activity = useApi<AgentActivity>(`/agents/${at}/activity`);
  const title = short(named(id), 80);
  // An agent that is not registered may have decisions and trust, too.
  const isUnknown = agent.error?.status === 404;
  const unfinished = trust.data === undefined ? trust : agent.data === undefined && !isUnknown ? agent : undefined;
  if (trust.data === undefined || unfinished !== undefined)
    return html`<${PageHead} title=${title} back=${BACK} /><${WhenLoaded} of=${unfinished} />`;
  const registered = isUnknown ? undefined : agent.data;
  const reload = (): void => {
    agent.reload();
    activity.reload();
  };
  const lead = registered
    ? html`<${Status} status=${registered.status} /> <${Name} text=${registered.name} length=${100} />`
    : html`<${Badge}>not registered<//>`;
  const actions = registered && html`<${StatusActions} agent=${registered} onDone=${reload} />`;
  return html`<${PageHead} title=${title} lead=${lead} actions=${actions} back=${BACK} />
    ${registered === undefined && html`<div class="stack"><${Notice} tone="neutral" title="This agent is not registered">Its trust score is at most 250, the score without evidence, whatever its signals are.<//></div>`}
    ${registered && registered.status !== 'ACTIVE' && html`<${NotActive} status=${registered.status} change=${activity.data?.statusChanges.items[0]} />`}
    <${TrustNow} trust=${trust.data} />
    <${TrustOverTime} agentId=${id} trust=${trust.data} />
    <${Waiting} agentId=${id} />
    <div class="columns">
      <div class="column"><${Decisions} agentId=${id} activity=${activity.data} /><${Details} id=${id} agent=${registered} /></div>
      <div class="column"><${BudgetsOfAgent} agentId=${id} /><${WhenLoaded} of=${activity} what="Reading its activity">${({ tools, statusChanges, keys }: AgentActivity) => html`<${Tools} agentId=${id} tools=${tools} /><${StatusHistory} changes=${statusChanges} /><${Keys} keys=${keys} />`}<//></div>
    </div>
    <${TrustCauses} agentId=${id} />`;
}

function TrustNow({ trust }: { readonly trust: TrustAnswer }): VNode {
  const { evidence, asOf, uncertainty } = trust;
  return html`<${Stats}>
    <${Stat} label="Trust score" value=${whole(trust.score)} hint="of 1,000" />
    <${Stat} label="Level" value=${trust.level} hint=${trust.tier} />
    <${Stat} label="Uncertainty" value=${uncertainty.toFixed(2)} hint=${uncertainty >= 1 ? 'no evidence' : '1 means no evidence'} />
    <${Stat} label="Counted successes" value=${amount(evidence.positive)} hint="with decay and a daily cap" />
    <${Stat} label="Counted failures" value=${amount(evidence.negative)} hint="a violation counts ten" />
    <${Stat} label="Signals" value=${whole(asOf.signals)} hint=${evidence.lastSignalAt === null ? 'none so far' : html`last <${Time} at=${evidence.lastSignalAt} />`} />
  <//>`;
}

/** Why an agent that is not active is not, and since when. */
function NotActive({ status, change }: { readonly status: string; readonly change: StatusChange | undefined }): VNode {
  const since = change !== undefined && change.to === status ? change : undefined;
  return html`<div class="stack"><${Notice} tone=${status === 'PAUSED' ? 'warn' : status === 'SUSPENDED' ? 'bad' : 'neutral'} title=${NOT_ACTIVE[status] ?? ''}>${since && html`Since <${Time} at=${since.at} as="moment" />, by <${ChangedBy} change=${since} />`}<//></div>`;
}

const NOT_ACTIVE: Readonly<Record<string, string>> = {
  PAUSED: 'Paused: all its requests are denied until it is resumed',
  SUSPENDED: 'Suspended: all its requests are denied until the suspension is lifted',
  TERMINATED: 'Terminated: all its requests are denied, and its id cannot be used again',
};

/** Shown with invisible characters spelled out, copied unchanged. */
function OwnId({ id }: { readonly id: string }): VNode {
  return html`<span class="id"><code>${short(named(id), 120)}</code><${Copy} text=${id} /></span>`;
}

/** The attributes that rules read, and those that they count as missing, with the reason. */
function attributesOf({ attributes, attributesIgnored = [] }: AgentAnswer): VNode | null {
  const names = Object.keys(attributes);
  if (names.length === 0) return null;
  const ignored = new Map(attributesIgnored.map(({ name, message }) => [name, message]));
  const valueOf = (name: string): string => {
    const value = attributes[name];
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return html`<ul class="plain">${names.map(
    (name) =>
      html`<li><code>${name}</code> <bdi>${spelled(valueOf(name))}</bdi>${ignored.has(name) && html` <span class="note">counts as missing in rules: it ${ignored.get(name)}</span>`}</li>`,
  )}</ul>`;
}

function Details({ id, agent }: { readonly id: string; readonly agent: AgentAnswer | undefined }): VNode {
  const chain = html`<${Link} to=${href('receipts', undefined, { view: 'chain', entityId: id })}>Records in the log<//>`;
  const ownId = html`<${OwnId} id=${id} />`;
  if (agent === undefined)
    return html`<${Card} title="Details"><${KeyValue} items=${[['Id', ownId], ['Log', chain]]} /><//>`;
  return html`<${Card} title="Details">
    <${KeyValue} items=${[
      ['Id', ownId],
      ['Name', html`<${Name} text=${agent.name} length=${200} />`],
      ['Description', agent.description === null ? undefined : html`<bdi>${spelled(agent.description)}</bdi>`],
      ['Capabilities', agent.capabilities.length === 0 ? null : html`<${Badges} texts=${agent.capabilities} />`],
      ['Tags', agent.tags.length === 0 ? null : html`<${Badges} texts=${agent.tags} />`],
      ['Attributes', attributesOf(agent)],
      ['Registered', html`<${Time} at=${agent.createdAt} as="moment" />`],
      ['Changed', html`<${Time} at=${agent.updatedAt} as="moment" />`],
      ['Log', chain],
    ]} />
    ${agent.metadata !== null && html`<details class="more"><summary>Metadata</summary><${JsonView} value=${agent.metadata} label="the metadata" /></details>`}
  <//>`;
}
