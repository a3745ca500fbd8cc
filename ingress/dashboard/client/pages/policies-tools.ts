// The catalogues of the set in force: the tools of each server, and whether their definitions are pinned.
import { useApi, usePages } from '../api.ts';
import { count } from '../format.ts';
import { type ComponentChildren, html, type VNode } from '../html.ts';
import { useFilters } from '../router.ts';
import {
  Badge,
  Card,
  type Column,
  Empty,
  Filters,
  Id,
  KeyValue,
  List,
  PageHead,
  Said,
  ToolName,
  WhenLoaded,
} from '../ui.ts';
import type { CatalogueTool, PolicySetInfo, PolicyState } from '../wire.ts';

const COLUMNS: readonly Column<CatalogueTool>[] = [
  { title: 'Tool', cell: (tool) => html`<${ToolName} tool=${tool} />` },
  { title: 'Action', cell: ({ action }) => action },
  {
    title: 'Effect',
    cell: ({ effect }) =>
      effect === null
        ? html`<span class="muted">of the action</span>`
        : html`<${Badge} tone=${effect === 'destructive' ? 'bad' : 'neutral'}>${effect}<//>`,
  },
  {
    title: 'Resource',
    cell: ({ resource }) =>
      resource === null ? html`<span class="muted">the tool itself</span>` : html`<code>${resource}</code>`,
  },
  {
    title: 'Definition',
    cell: ({ definition }) =>
      definition === null
        ? html`<${Badge} tone="warn">not pinned<//>`
        : html`<${Id} id=${definition} length=${20} copy />`,
  },
];

export function ToolsPage({ views }: { readonly views: ComponentChildren }): VNode {
  const state = useApi<PolicyState>('/policies');
  return html`<${PageHead} title="Policies" lead="Catalogues say what the tools of a server do. A tool in no catalogue, or one that changed since it was pinned, is unknown." />
    ${views}
    <${WhenLoaded} of=${state} what="Reading the catalogues">${({ active }: PolicyState) => (active === null || active.servers.length === 0 ? html`<div class="list"><${Empty} title="The set in force has no catalogues">Files in the folder tools/ of the policies describe the tools of servers.<//></div>` : html`<${Tools} set=${active} />`)}<//>`;
}

function Tools({ set }: { readonly set: PolicySetInfo }): VNode {
  const [{ search }, setFilters] = useFilters(['search']);
  const pages = usePages<CatalogueTool>(`/policy-sets/${set.digest}/tools`, { search });
  return html`<${Card} title="Servers" class="facts"><${KeyValue} items=${set.servers.map(
    ({ server, description, tools, trustAnnotations }) => [
      server,
      html`${count(tools, 'tool')} <span class="muted"><${Said} text=${description} /></span>${trustAnnotations && html` <${Badge} tone="warn">hints of the server are trusted<//>`}`,
    ],
  )} /><//>
    <div class="section">
      <${Filters} fields=${[{ name: 'search', label: 'Search', kind: 'text', placeholder: 'server or tool' }]} values=${{ search }} onChange=${setFilters} />
      <${List} pages=${pages} caption="Tools" columns=${COLUMNS} keyOf=${({ server, name }: CatalogueTool) => `${server}/${name}`} ways=${['Previous', 'Next']} empty=${html`<${Empty} title="No tool matches" />`} />
    </div>`;
}
