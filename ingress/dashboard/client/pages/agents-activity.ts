// What an agent does: its decisions of the last day, the tools it calls, what waits for a human, its keys, and its status.
import { useApi } from '../api.ts';
import type { Approval, DecisionAnswer } from '../answers.ts';
import { VerdictBar } from '../components/verdict-bar.ts';
import { count, whole } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import { Card, type Column, Empty, Id, Name, Said, Status, Table, Time, ToolName, Verdict, WhenLoaded } from '../ui.ts';
import type { ListPage, Verdict as VerdictName } from '../wire.ts';
import type { AgentActivity, BoundKey, StatusChange, ToolUse } from '../wire/agents.ts';
import { Asked, DECISION_COLUMNS, decisionHref, decisionKey } from './decisions-parts.ts';

const VERDICTS: readonly VerdictName[] = ['ALLOW', 'DEGRADE', 'ESCALATE', 'DENY'];
/** Fewer columns than in the list of decisions: all are of this agent. */
const LAST_COLUMNS = DECISION_COLUMNS.filter(({ title }) => ['Request', 'Verdict', 'When'].includes(title));

/** The counts of the last day, each a link to its decisions. */
export function Day({ agentId, day }: { readonly agentId: string; readonly day: AgentActivity['day'] }): VNode {
  return html`<ul class="verdict-counts">${VERDICTS.map(
    (verdict) =>
      html`<li key=${verdict}><${Link} to=${href('decisions', undefined, { agentId, verdict, range: '24h' })}><${Verdict} verdict=${verdict} /> <span class="num">${whole(day.counts[verdict])}</span><//></li>`,
  )}</ul>`;
}

export function Decisions({
  agentId,
  activity,
}: {
  readonly agentId: string;
  readonly activity: AgentActivity | undefined;
}): VNode {
  const decisions = useApi<ListPage<DecisionAnswer>>('/v1/decisions', { agentId, limit: 8 });
  const all = html`<${Link} to=${href('decisions', undefined, { agentId })}>All decisions<//>`;
  return html`<${Card} title="Decisions" flush aside=${all}>
    ${activity && html`<div class="card-strip"><span class="muted">Last 24 hours${activity.day.more ? ', the newest 10,000' : ''}</span><${Day} agentId=${agentId} day=${activity.day} /></div>`}
    <${WhenLoaded} of=${decisions}>${({ items }: ListPage<DecisionAnswer>) => html`<${Table} caption="Last decisions, newest first" columns=${LAST_COLUMNS} rows=${items} keyOf=${decisionKey} hrefOf=${decisionHref} empty=${html`<${Empty} title="No decisions yet" />`} />`}<//>
  <//>`;
}

const toolColumns = (agentId: string): readonly Column<ToolUse>[] => [
  { title: 'Tool', cell: (tool) => html`<${ToolName} tool=${tool} />` },
  { title: 'Calls', cell: ({ counts }) => html`<${VerdictBar} counts=${counts} />` },
  {
    title: 'Last call',
    align: 'end',
    cell: ({ last, server, name }) =>
      html`<${Link} to=${href('decisions', undefined, { agentId, tool: `${server}/${name}` })}><${Time} at=${last.at} /><span class="visually-hidden">, all calls of this tool</span><//>`,
  },
];

export function Tools({ agentId, tools }: { readonly agentId: string; readonly tools: AgentActivity['tools'] }): VNode {
  const { items, decisions, more } = tools;
  const aside =
    decisions === 0
      ? undefined
      : `Of its ${more ? `newest ${whole(decisions)}` : count(decisions, 'decision')}${more ? ' decisions' : ''}`;
  return html`<${Card} title="Tools" flush aside=${aside}>
    <${Table} caption="Tools that the agent calls" columns=${toolColumns(agentId)} rows=${items} keyOf=${({ server, name }: ToolUse) => JSON.stringify([server, name])} empty=${html`<${Empty} title="It has called no tools">Guards in front of tools (custos mcp-guard) ask about each call.<//>`} />
  <//>`;
}

const APPROVAL_COLUMNS: readonly Column<Approval>[] = [
  { title: 'Request', cell: ({ decision }) => html`<${Asked} decision=${decision} />` },
  { title: 'Opened', cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
  { title: 'Expires', align: 'end', cell: ({ expiresAt }) => html`<${Time} at=${expiresAt} />` },
];

/** The agent's approvals that wait for a decision; nothing without any. */
export function Waiting({ agentId }: { readonly agentId: string }): VNode {
  const waiting = useApi<ListPage<Approval>>('/v1/approvals', { agentId, status: 'pending', limit: 5 });
  const { data } = waiting;
  if (data === undefined || data.items.length === 0) return html``;
  const all = html`<${Link} to=${href('approvals', undefined, { agentId })}>All approvals<//>`;
  return html`<${Card} title="Waiting for approval" flush aside=${all}>
    <${Table} caption="Approvals of this agent that wait for a decision" columns=${APPROVAL_COLUMNS} rows=${data.items} keyOf=${({ approvalId }: Approval) => approvalId} hrefOf=${({ approvalId }: Approval) => href('approvals', approvalId)} />
  <//>`;
}

const KEY_COLUMNS: readonly Column<BoundKey>[] = [
  { title: 'Key', cell: ({ name }) => html`<${Name} text=${name} length=${40} />` },
  { title: 'Id', cell: ({ keyId }) => html`<${Id} id=${keyId} />` },
  { title: 'Agents', align: 'end', cell: ({ agents }) => agents },
  {
    title: 'Expires',
    align: 'end',
    cell: ({ expiresAt }) =>
      expiresAt === null ? html`<span class="muted">never</span>` : html`<${Time} at=${expiresAt} />`,
  },
];

export function Keys({ keys }: { readonly keys: AgentActivity['keys'] }): VNode {
  const all = html`<${Link} to=${href('keys')}>All keys<//>`;
  return html`<${Card} title="Keys bound to it" flush aside=${all}>
    <${Table} caption="Valid keys that are bound to this agent" columns=${KEY_COLUMNS} rows=${keys.items} keyOf=${({ keyId }: BoundKey) => keyId} empty=${html`<${Empty} title="No key is bound to it">Keys that are not bound to agents may act for it.<//>`} />
    ${keys.more && html`<p class="muted card-note">The newest ${keys.items.length} keys.</p>`}
  <//>`;
}

/** Who changed the status, and why. */
export function ChangedBy({ change }: { readonly change: StatusChange }): VNode {
  const { keyId, keyName, reason } = change;
  const who =
    keyId === null
      ? html`<span class="muted">before the log</span>`
      : html`${keyName === null ? '' : html`<${Name} text=${keyName} length=${30} /> `}<code class="muted">${keyId}</code>`;
  return html`<span class="change-by">${who}${reason !== null && html`<span class="change-reason">“<${Said} text=${reason} />”</span>`}</span>`;
}

const STATUS_COLUMNS: readonly Column<StatusChange>[] = [
  {
    title: 'Status',
    cell: ({ from, to }) =>
      html`<span class="status-step">${from === null ? html`<span class="muted">registered</span>` : html`<${Status} status=${from} />`} <span aria-hidden="true">→</span><span class="visually-hidden">to</span> <${Status} status=${to} /></span>`,
  },
  { title: 'By', cell: (change) => html`<${ChangedBy} change=${change} />` },
  {
    title: 'When',
    align: 'end',
    cell: ({ at, proofId }) =>
      html`<${Link} to=${href('receipts', proofId)}><${Time} at=${at} /><span class="visually-hidden">, its receipt</span><//>`,
  },
];

export function StatusHistory({ changes }: { readonly changes: AgentActivity['statusChanges'] }): VNode {
  return html`<${Card} title="Status history" flush>
    <${Table} caption="Changes of status, newest first" columns=${STATUS_COLUMNS} rows=${changes.items} keyOf=${({ proofId }: StatusChange) => proofId} empty=${html`<${Empty} title="No changes of status" />`} />
    ${changes.more && html`<p class="muted card-note">Of the newest 50 changes of the agent.</p>`}
  <//>`;
}
