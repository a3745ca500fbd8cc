// The list of agents, filtered by status or the beginning of the id.
import { usePages } from '../api.ts';
import { VerdictBar } from '../components/verdict-bar.ts';
import type { CsvField } from '../csv.ts';
import { count, named, whole } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { href, Link, navigate, useFilters } from '../router.ts';
import {
  type Column,
  Download,
  Empty,
  type FilterField,
  Filters,
  List,
  LookUp,
  Name,
  PageHead,
  Status,
  Time,
  Trust,
  Verdict,
} from '../ui.ts';
import type { AgentRow } from '../wire/agents.ts';

const FIELDS: readonly FilterField[] = [
  { name: 'prefix', label: 'Id begins with', kind: 'text', placeholder: 'billing-' },
  { name: 'status', label: 'Status', kind: 'choice', options: ['ACTIVE', 'PAUSED', 'SUSPENDED', 'TERMINATED'] },
];

const COLUMNS: readonly Column<AgentRow>[] = [
  { title: 'Agent', cell: ({ agentId }) => html`<${Name} text=${agentId} />` },
  { title: 'Name', minor: true, cell: ({ name }) => html`<${Name} text=${name} />` },
  { title: 'Status', cell: ({ status }) => html`<${Status} status=${status} />` },
  {
    title: 'Trust',
    sortBy: ({ trust }) => trust.score,
    cell: ({ trust }) =>
      html`<span class="trust-cell"><${Trust} level=${trust.level} score=${trust.score} /><${Meter} score=${trust.score} /></span>`,
  },
  {
    title: 'Decisions, 24 h',
    sortBy: ({ day }) => Object.values(day.counts).reduce((sum, each) => sum + each, 0),
    cell: ({ day }) => html`<${VerdictBar} counts=${day.counts} more=${day.more} />`,
  },
  {
    title: 'Denied',
    align: 'end',
    minor: true,
    sortBy: ({ day }) => day.counts.DENY,
    cell: ({ agentId, day }) =>
      html`<${Link} to=${href('decisions', undefined, { agentId, verdict: 'DENY', range: '24h' })} label=${`${count(day.counts.DENY, 'denial')} of ${named(agentId)} in 24 hours`}>${whole(day.counts.DENY)}${day.more ? '+' : ''}<//>`,
  },
  {
    title: 'Last decision',
    align: 'end',
    sortBy: ({ last }) => last?.decisionId ?? '',
    cell: ({ last }) =>
      last === null
        ? html`<span class="muted">none</span>`
        : html`<span class="last-decision"><${Verdict} verdict=${last.verdict} /> <${Link} to=${href('decisions', last.decisionId)}><${Time} at=${last.at} /><span class="visually-hidden">, this decision</span><//></span>`,
  },
];

/** The score as a short bar; the number is beside it. */
function Meter({ score }: { readonly score: number }): VNode {
  return html`<span class="meter" aria-hidden="true"><span class="meter-value" style=${{ width: `${score / 10}%` }}></span></span>`;
}

const FILE: readonly CsvField<AgentRow>[] = [
  'agentId',
  'name',
  'status',
  ['trustLevel', ({ trust }) => trust.level],
  ['trustScore', ({ trust }) => trust.score],
  ['allow', ({ day }) => day.counts.ALLOW],
  ['degrade', ({ day }) => day.counts.DEGRADE],
  ['escalate', ({ day }) => day.counts.ESCALATE],
  ['deny', ({ day }) => day.counts.DENY],
  ['lastDecisionAt', ({ last }) => last?.at],
  'createdAt',
];

export function AgentList(): VNode {
  const [filters, setFilters] = useFilters(['prefix', 'status']);
  const pages = usePages<AgentRow>('/agents', filters);
  const isFiltered = filters.prefix !== undefined || filters.status !== undefined;
  const empty = isFiltered
    ? html`<${Empty} title="No registered agent matches">Agents that are not registered are not in this list; "Agent id" opens their pages.<//>`
    : html`<${Empty} title="No agents are registered">Agents are registered with POST /v1/agents. Decisions about others use at most 250, the trust score without evidence.<//>`;
  return html`<${PageHead} title="Agents" lead="Registered agents, with their status, trust and recent decisions." actions=${html`<${Download} of=${pages} name="agents" fields=${FILE} />`} />
    <div class="finders">
      <${LookUp} label="Agent id" placeholder="agent-7" onGo=${(text: string) => navigate(href('agents', text))} />
      <${Filters} fields=${FIELDS} values=${filters} onChange=${setFilters} />
    </div>
    <${List} pages=${pages} ways=${filters.prefix === undefined ? ['Newer', 'Older'] : ['Before', 'After']} caption=${filters.prefix === undefined ? 'Agents, newest first' : 'Agents in the order of their ids'} columns=${COLUMNS} keyOf=${({ agentId }: AgentRow) => agentId} hrefOf=${({ agentId }: AgentRow) => href('agents', agentId)} empty=${empty} />`;
}
