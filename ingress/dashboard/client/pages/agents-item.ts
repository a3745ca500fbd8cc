// One agent: who it is, how far it is trusted and why, what it asked for lately, and the ways to hold it back.
import { useApi } from '../api.ts';
import type { AgentAnswer, DecisionAnswer, TrustAnswer } from '../answers.ts';
import { amount, named, short, spelled, whole } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import {
  Badge,
  Card,
  Copy,
  Empty,
  ErrorState,
  JsonView,
  KeyValue,
  Loading,
  Name,
  Notice,
  PageHead,
  Stat,
  Stats,
  Status,
  Table,
  Time,
  WhenLoaded,
} from '../ui.ts';
import type { ListPage } from '../api.ts';
import { StatusActions } from './agents-status.ts';
import { TrustCauses, TrustOverTime } from './agents-trust.ts';
import { DECISION_COLUMNS, decisionHref, decisionKey } from './decisions-parts.ts';

const BACK = { to: href('agents'), label: 'Agents' };
/** What there is room for; their agent is the page. */
const LAST_COLUMNS = DECISION_COLUMNS.filter(({ title }) => ['Asked', 'Verdict', 'When'].includes(title));

export function AgentPage({ id }: { readonly id: string }): VNode {
  const at = encodeURIComponent(id);
  const agent = useApi<AgentAnswer>(`/v1/agents/${at}`);
  const trust = useApi<TrustAnswer>(`/v1/trust/${at}`);
  const title = short(named(id), 80);
  // No registered agent has this id; it may well have asked for something all the same.
  const isUnknown = agent.error?.status === 404;
  if (trust.data === undefined && trust.error !== undefined)
    return html`<${PageHead} title=${title} back=${BACK} /><${ErrorState} error=${trust.error} onRetry=${trust.reload} />`;
  if (agent.data === undefined && agent.error !== undefined && !isUnknown)
    return html`<${PageHead} title=${title} back=${BACK} /><${ErrorState} error=${agent.error} onRetry=${agent.reload} />`;
  if (trust.data === undefined || (agent.data === undefined && !isUnknown))
    return html`<${PageHead} title=${title} back=${BACK} /><${Loading} what="Reading" />`;
  const registered = isUnknown ? undefined : agent.data;
  const lead = registered
    ? html`<${Status} status=${registered.status} /> <${Name} text=${registered.name} length=${100} />`
    : html`<${Badge}>not registered<//>`;
  const actions = registered && html`<${StatusActions} agent=${registered} onDone=${agent.reload} />`;
  return html`<${PageHead} title=${title} lead=${lead} actions=${actions} back=${BACK} />
    ${registered === undefined && html`<div class="stack"><${Notice} tone="neutral" title="Nobody has registered this agent">Whoever asks under this id is answered with at most the trust of no evidence (250), whatever its signals say.<//></div>`}
    ${registered?.status === 'TERMINATED' && html`<div class="stack"><${Notice} tone="neutral" title="Terminated, for good">Everything that it asks for is denied, and its id is never used again.<//></div>`}
    <${TrustNow} trust=${trust.data} />
    <${TrustOverTime} agentId=${id} trust=${trust.data} />
    <div class="columns">
      <${LastDecisions} agentId=${id} />
      <${Details} id=${id} agent=${registered} />
    </div>
    <${TrustCauses} agentId=${id} />`;
}

function TrustNow({ trust }: { readonly trust: TrustAnswer }): VNode {
  const { evidence, asOf, uncertainty } = trust;
  return html`<${Stats}>
    <${Stat} label="Trust score" value=${whole(trust.score)} hint="of 1,000" />
    <${Stat} label="Level" value=${trust.level} hint=${trust.tier} />
    <${Stat} label="Uncertainty" value=${uncertainty.toFixed(2)} hint=${uncertainty >= 1 ? 'no evidence' : '1 would be no evidence'} />
    <${Stat} label="Successes that count" value=${amount(evidence.positive)} hint="decayed and capped" />
    <${Stat} label="Failures that count" value=${amount(evidence.negative)} hint="a violation is ten" />
    <${Stat} label="Signals" value=${whole(asOf.signals)} hint=${evidence.lastSignalAt === null ? 'none so far' : html`last <${Time} at=${evidence.lastSignalAt} />`} />
  <//>`;
}

function LastDecisions({ agentId }: { readonly agentId: string }): VNode {
  const decisions = useApi<ListPage<DecisionAnswer>>('/v1/decisions', { agentId, limit: 8 });
  return html`<${Card} title="Last decisions" flush aside=${html`<${Link} to=${href('decisions', undefined, { agentId })}>All of them<//>`}>
    <${WhenLoaded} of=${decisions}>${({ items }: ListPage<DecisionAnswer>) => html`<${Table} caption="Last decisions, newest first" columns=${LAST_COLUMNS} rows=${items} keyOf=${decisionKey} hrefOf=${decisionHref} empty=${html`<${Empty} title="It has not asked yet" />`} />`}<//>
  <//>`;
}

function Labels({ of }: { readonly of: readonly string[] }): VNode {
  return html`<span class="badges">${of.map((label) => html`<${Badge} key=${label}>${short(spelled(label), 60)}<//>`)}</span>`;
}

/** Shown so that nothing hides in it, copied as it is. */
function OwnId({ id }: { readonly id: string }): VNode {
  return html`<span class="id"><code>${short(named(id), 120)}</code><${Copy} text=${id} /></span>`;
}

function Details({ id, agent }: { readonly id: string; readonly agent: AgentAnswer | undefined }): VNode {
  const chain = html`<${Link} to=${href('receipts', undefined, { view: 'chain', entityId: id })}>Its records in the log<//>`;
  if (agent === undefined)
    return html`<${Card} title="About it"><${KeyValue} items=${[
      ['Id', html`<${OwnId} id=${id} />`],
      ['Log', chain],
    ]} /><//>`;
  return html`<${Card} title="About it">
    <${KeyValue} items=${[
      ['Id', html`<${OwnId} id=${id} />`],
      ['Name', html`<${Name} text=${agent.name} length=${200} />`],
      ['Description', agent.description === null ? undefined : html`<bdi>${spelled(agent.description)}</bdi>`],
      ['Capabilities', agent.capabilities.length === 0 ? null : html`<${Labels} of=${agent.capabilities} />`],
      ['Tags', agent.tags.length === 0 ? null : html`<${Labels} of=${agent.tags} />`],
      ['Registered', html`<${Time} at=${agent.createdAt} as="moment" />`],
      ['Changed', html`<${Time} at=${agent.updatedAt} as="moment" />`],
      ['Log', chain],
    ]} />
    ${agent.metadata !== null && html`<details class="more"><summary>Metadata</summary><${JsonView} value=${agent.metadata} label="the metadata" /></details>`}
  <//>`;
}
