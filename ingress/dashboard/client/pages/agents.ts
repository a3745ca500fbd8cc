// Agents: the list, by status or by the beginning of an id; one of them, registered or not, has its own page.
import { usePages } from '../api.ts';
import type { CsvField } from '../csv.ts';
import { html, type VNode } from '../html.ts';
import type { PageProps } from '../page-props.ts';
import { href, navigate, useFilters } from '../router.ts';
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
} from '../ui.ts';
import type { AgentRow } from '../wire.ts';
import { AgentPage } from './agents-item.ts';

const FIELDS: readonly FilterField[] = [
  { name: 'prefix', label: 'Id begins with', kind: 'text', placeholder: 'billing-' },
  { name: 'status', label: 'Status', kind: 'choice', options: ['ACTIVE', 'PAUSED', 'SUSPENDED', 'TERMINATED'] },
];

const COLUMNS: readonly Column<AgentRow>[] = [
  { title: 'Agent', cell: ({ agentId }) => html`<${Name} text=${agentId} />` },
  { title: 'Name', cell: ({ name }) => html`<${Name} text=${name} />` },
  { title: 'Status', cell: ({ status }) => html`<${Status} status=${status} />` },
  { title: 'Trust', cell: ({ trust }) => html`<${Trust} level=${trust.level} score=${trust.score} />` },
  { title: 'Registered', align: 'end', cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
];

const FILE: readonly CsvField<AgentRow>[] = [
  { title: 'agentId', of: ({ agentId }) => agentId },
  { title: 'name', of: ({ name }) => name },
  { title: 'status', of: ({ status }) => status },
  { title: 'trustLevel', of: ({ trust }) => trust.level },
  { title: 'trustScore', of: ({ trust }) => trust.score },
  { title: 'createdAt', of: ({ createdAt }) => createdAt },
];

export function AgentsPage({ id }: PageProps): VNode {
  return id === undefined ? html`<${AgentsList} />` : html`<${AgentPage} id=${id} />`;
}

function AgentsList(): VNode {
  const [filters, setFilters] = useFilters(['prefix', 'status']);
  const pages = usePages<AgentRow>('/agents', filters);
  const isFiltered = filters.prefix !== undefined || filters.status !== undefined;
  const empty = isFiltered
    ? html`<${Empty} title="No registered agent fits">An agent that asks without being registered is not listed; "Agent id" opens its page.<//>`
    : html`<${Empty} title="No agents are registered">They register with POST /v1/agents; unknown agents are answered with the trust of no evidence.<//>`;
  return html`<${PageHead} title="Agents" lead="Who acts, how far each is trusted, and who is held back." actions=${html`<${Download} of=${pages} name="agents" fields=${FILE} />`} />
    <div class="finders">
      <${LookUp} label="Agent id" placeholder="agent-7" onGo=${(text: string) => navigate(href('agents', text))} />
      <${Filters} fields=${FIELDS} values=${filters} onChange=${setFilters} />
    </div>
    <${List} pages=${pages} ways=${filters.prefix === undefined ? ['Newer', 'Older'] : ['Before', 'After']} caption=${filters.prefix === undefined ? 'Agents, newest first' : 'Agents in the order of their ids'} columns=${COLUMNS} keyOf=${({ agentId }: AgentRow) => agentId} hrefOf=${({ agentId }: AgentRow) => href('agents', agentId)} empty=${empty} />`;
}
