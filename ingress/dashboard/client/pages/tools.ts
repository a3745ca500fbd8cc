// The page of tools: calls of the last day that were unknown or changed, the catalogues in force, and the import of a server's tools.
import { useApi, usePages } from '../api.ts';
import { count, named, short, spelled, whole } from '../format.ts';
import { html, useState, type VNode } from '../html.ts';
import { href, Link, useFilters } from '../router.ts';
import { useSession } from '../session.ts';
import {
  Badge,
  Card,
  type Column,
  Empty,
  type FilterField,
  Filters,
  Id,
  List,
  Name,
  PageHead,
  Table,
  Time,
  ToolName,
  Verdict,
  WhenLoaded,
} from '../ui.ts';
import type { CatalogueInfo, ListedTool, ListedTools, StrangeTool, StrangeTools } from '../wire/tools.ts';
import { ImportDialog } from './tools-import.ts';

/** The address of the decisions of the last day about a tool. */
const callsOf = ({ server, name }: { readonly server: string; readonly name: string }): string =>
  href('decisions', undefined, { tool: `${server}/${name}`, range: '24h' });

export function ToolsPage(): VNode {
  const { isOperator } = useSession();
  const [server, setServer] = useState<string | undefined>(undefined);
  const importing = (name: string) => (): void => setServer(name);
  const actions =
    isOperator &&
    html`<button type="button" class="button button-primary" onClick=${importing('')}>Import tools</button>`;
  return html`<${PageHead} title="Tools" lead="Catalogues say what the tools of a server do. Calls of tools that no catalogue lists, that changed since they were pinned, or that are called without their digest, count as unknown." actions=${actions} />
    <${Strange} importing=${isOperator ? importing : undefined} />
    ${isOperator ? html`<${Catalogues} importing=${importing} />` : html`<${Card} title="Catalogues in force"><${Empty} title="The catalogues are shown to the operator">They belong to the policies, which need a live admin key of the operator's organisation that is bound to no agents.<//><//>`}
    ${server !== undefined && html`<${ImportDialog} server=${server} onClose=${() => setServer(undefined)} />`}`;
}

const strangeColumns = (importing: ((server: string) => () => void) | undefined): readonly Column<StrangeTool>[] => [
  { title: 'Tool', cell: (tool) => html`<${ToolName} tool=${tool} />` },
  { title: 'State', cell: (tool) => html`<${StrangeState} tool=${tool} />` },
  {
    title: 'Calls, 24 h',
    align: 'end',
    cell: (tool) =>
      html`<${Link} to=${callsOf(tool)} label=${`${count(tool.calls, 'call')} of ${named(tool.name)}`}>${whole(tool.calls)}<//>`,
  },
  { title: 'Agents', cell: (tool) => html`<${Callers} tool=${tool} />` },
  {
    title: 'Last call',
    align: 'end',
    cell: ({ last }) =>
      html`<span class="last-decision"><${Verdict} verdict=${last.verdict} /> <${Link} to=${href('decisions', last.decisionId)}><${Time} at=${last.at} /><span class="visually-hidden">, this decision</span><//></span>`,
  },
  ...(importing === undefined
    ? []
    : [
        {
          title: 'Catalogue',
          align: 'end' as const,
          cell: ({ server }: StrangeTool) =>
            html`<button type="button" class="button button-small" onClick=${importing(server)}>Import<span class="visually-hidden"> the tools of ${short(named(server), 40)}</span></button>`,
        },
      ]),
];

function StrangeState({ tool }: { readonly tool: StrangeTool }): VNode {
  const { state, isListed, pinned, seen } = tool;
  if (state === 'unknown')
    return html`<span class="tool-state"><${Badge} tone="warn">unknown<//><span class="muted">${isListed ? 'listed now, but some calls do not fit its entry or came before it' : 'in no catalogue'}</span></span>`;
  return html`<span class="tool-state">${seen === null ? html`<${Badge} tone="warn">no digest<//>` : html`<${Badge} tone="bad">changed<//>`}<span class="muted">${pinned === null ? 'not pinned any more' : html`pinned <${Id} id=${pinned} length=${20} />`}, ${seen === null ? 'called without the digest of its definition' : html`seen <${Id} id=${seen} length=${20} />`}</span></span>`;
}

function Callers({ tool }: { readonly tool: StrangeTool }): VNode {
  const { agents, agentCount } = tool;
  const more = agentCount - agents.length;
  return html`<span class="callers">${agents.map((id) => html`<${Link} key=${id} to=${href('agents', id)}><${Name} text=${id} length=${28} /><//>`)}${more > 0 && html`<span class="muted">and ${whole(more)} more</span>`}</span>`;
}

function Strange({ importing }: { readonly importing: ((server: string) => () => void) | undefined }): VNode {
  const strange = useApi<StrangeTools>('/tools/strange');
  return html`<${Card} title="Unknown and changed" flush aside="Calls of the last 24 hours">
    <${WhenLoaded} of=${strange} what="Reading the calls of the last day">${({ items, more, read }: StrangeTools) =>
      html`<${Table} caption="Tools that were unknown or changed, last called first" columns=${strangeColumns(importing)} rows=${items} keyOf=${({ server, name, state }: StrangeTool) => JSON.stringify([server, name, state])} empty=${html`<${Empty} title="Every call was of a known tool">All were listed by a catalogue, and as they were pinned.<//>`} />
      ${more && html`<p class="muted card-note">Counted among the newest ${whole(read)} such calls.</p>`}`}<//>
  <//>`;
}

const COLUMNS: readonly Column<ListedTool>[] = [
  { title: 'Tool', cell: (tool) => html`<${ToolName} tool=${tool} />` },
  {
    title: 'Effect',
    cell: ({ effect, entry }) =>
      html`<span class="effect"><${Badge} tone=${effect === 'destructive' ? 'bad' : effect === 'write' ? 'warn' : 'neutral'}>${effect}<//> <span class="muted">${entry.action}</span></span>`,
  },
  { title: 'Acts on', cell: ({ entry }) => html`<${Resource} entry=${entry} />` },
  { title: 'Definition', cell: ({ entry }) => html`<${Pin} digest=${entry.definition} />` },
  {
    title: 'Calls, 24 h',
    align: 'end',
    sortBy: ({ calls }) => calls,
    cell: (tool) =>
      tool.calls === 0
        ? html`<span class="muted">0</span>`
        : html`<${Link} to=${callsOf(tool)} label=${`${count(tool.calls, 'call')} of ${named(tool.name)}`}>${whole(tool.calls)}${tool.calls === MAX_CALLS ? '+' : ''}<//>`,
  },
  {
    title: 'Last call',
    align: 'end',
    cell: ({ last }) => (last === null ? html`<span class="muted">none</span>` : html`<${Time} at=${last.at} />`),
  },
];

/** The service counts up to this number. */
const MAX_CALLS = 1_000;

function Resource({ entry }: { readonly entry: ListedTool['entry'] }): VNode {
  const { resource, reads, traits = [], dataClasses = [] } = entry;
  const marks = [...traits, ...dataClasses];
  const read = Object.entries(reads ?? {}).map(([pointer, kind]) => `${pointer} as ${kind}`);
  return html`<span class="acts-on">${resource === undefined ? html`<span class="muted">the tool itself</span>` : html`<code>${resource}</code>`}${read.length > 0 && html`<span class="muted">reads ${read.join(', ')}</span>`}${marks.length > 0 && html`<span class="badges">${marks.map((mark) => html`<${Badge} key=${mark}>${mark}<//>`)}</span>`}</span>`;
}

function Pin({ digest }: { readonly digest: string | undefined }): VNode {
  return digest === undefined ? html`<${Badge} tone="warn">not pinned<//>` : html`<${Id} id=${digest} length=${20} />`;
}

function Catalogues({ importing }: { readonly importing: (server: string) => () => void }): VNode {
  const [filters, setFilters] = useFilters(['server', 'search']);
  const pages = usePages<ListedTool>('/tools', { ...filters, limit: 25 });
  // The answer has more than the rows.
  const data = pages.data as ListedTools | undefined;
  const servers = data?.servers ?? [];
  const fields: readonly FilterField[] = [
    { name: 'search', label: 'Search', kind: 'text', placeholder: 'server or tool' },
    {
      name: 'server',
      label: 'Server',
      kind: 'choice',
      options: servers.map(({ server }) => [server, short(server, 40)] as const),
    },
  ];
  const isFiltered = filters.search !== undefined || filters.server !== undefined;
  return html`<section class="section" aria-labelledby="catalogues"><h2 id="catalogues">Catalogues in force</h2>
    ${servers.length > 0 && html`<ul class="servers">${servers.map((one) => html`<${Server} key=${one.server} catalogue=${one} isChosen=${filters.server === one.server} onImport=${importing(one.server)} />`)}</ul>`}
    <${Filters} fields=${fields} values=${filters} onChange=${setFilters} />
    <${List} pages=${pages} ways=${['Previous', 'Next']} caption="Tools of the catalogues in force, by server and name" columns=${COLUMNS} keyOf=${({ server, name }: ListedTool) => JSON.stringify([server, name])} empty=${isFiltered ? html`<${Empty} title="No tool matches" />` : html`<${Empty} title="The policy set in force has no catalogues">Without one, every tool call is unknown. "Import tools" makes a catalogue from the list of a server.<//>`} />
  </section>`;
}

interface ServerProps {
  readonly catalogue: CatalogueInfo;
  readonly isChosen: boolean;
  readonly onImport: () => void;
}

function Server({ catalogue, isChosen, onImport }: ServerProps): VNode {
  const { server, description, tools, pinned, trustAnnotations } = catalogue;
  return html`<li class="server">
    <div class="server-head"><${Link} to=${href('tools', undefined, isChosen ? {} : { server })} current=${isChosen}><${Name} text=${server} length=${40} /><//><button type="button" class="button button-small" onClick=${onImport}>Compare<span class="visually-hidden"> ${short(named(server), 40)} with its list of tools</span></button></div>
    <p class="muted server-about" title=${description}>${spelled(description)}</p>
    <p class="server-facts"><span class="num">${count(tools, 'tool')}</span>${pinned === tools ? html`<${Badge} tone="good">all pinned<//>` : html`<${Badge} tone="warn">${`${whole(tools - pinned)} not pinned`}<//>`}${trustAnnotations && html`<${Badge} tone="warn">hints of the server are trusted<//>`}</p>
  </li>`;
}
