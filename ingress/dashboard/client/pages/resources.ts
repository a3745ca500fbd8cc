// The page of resources: what policies know of each, from the policy folder or registered, and the forms to change it.
import { usePages } from '../api.ts';
import { spelled } from '../format.ts';
import { html, useState, type VNode } from '../html.ts';
import { useFilters } from '../router.ts';
import { useSession } from '../session.ts';
import { Badge, Card, type Column, Empty, type FilterField, Filters, List, Name, PageHead, Time } from '../ui.ts';
import type { KnownResource, ListedResources } from '../wire/resources.ts';
import { DeleteResource, EditResource } from './resources-forms.ts';

const LEAD =
  'Attributes of resources are facts for policies. An entry whose name ends with * holds for everything below it; the most specific entry decides for each attribute.';
const FIELDS: readonly FilterField[] = [
  { name: 'prefix', label: 'Name begins with', kind: 'text', placeholder: 'db/customers' },
];

type Asked = { readonly what: 'edit' | 'delete'; readonly of: KnownResource | undefined };

export function ResourcesPage(): VNode {
  const { bound } = useSession();
  if (bound !== null)
    return html`<${PageHead} title="Resources" lead=${LEAD} /><${Card}><${Empty} title="Your key is bound to agents">Such keys may neither read nor change resources.<//><//>`;
  return html`<${Resources} />`;
}

function Resources(): VNode {
  const [filters, setFilters] = useFilters(['prefix']);
  const pages = usePages<KnownResource>('/resources', filters);
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  // The answer has more than the rows.
  const data = pages.data as ListedResources | undefined;
  const close = (): void => setAsked(undefined);
  const create = html`<button type="button" class="button button-primary" disabled=${data === undefined} onClick=${() => setAsked({ what: 'edit', of: undefined })}>Register a resource…</button>`;
  const empty =
    filters.prefix === undefined
      ? html`<${Empty} title="No resource is known">Policies see no attributes of resources.<//>`
      : html`<${Empty} title="No name begins so" />`;
  return html`<${PageHead} title="Resources" lead=${LEAD} actions=${create} />
    <${Filters} fields=${FIELDS} values=${filters} onChange=${setFilters} />
    ${data !== undefined && !data.hasFolder && html`<p class="muted">Entries of the policy folder are shown to the operator only, in the environment live.</p>`}
    <${List} pages=${pages} ways=${['Previous', 'Next']} caption="Resources by name" columns=${columnsOf(setAsked)} keyOf=${({ name }: KnownResource) => name} empty=${empty} />
    ${asked?.what === 'edit' && data !== undefined && html`<${EditResource} of=${asked.of} declared=${data.declared} onDone=${pages.reload} onClose=${close} />`}
    ${asked?.what === 'delete' && asked.of !== undefined && html`<${DeleteResource} of=${asked.of} onDone=${pages.reload} onClose=${close} />`}`;
}

const columnsOf = (ask: (asked: Asked) => void): readonly Column<KnownResource>[] => [
  { title: 'Resource', cell: ({ name }) => html`<${Name} text=${name} length=${80} />` },
  { title: 'Attributes', cell: (row) => html`<${Attributes} of=${row} />` },
  {
    title: 'Source',
    cell: ({ registered, inFolder }) =>
      html`<span class="badges">${inFolder !== null && html`<${Badge}>policy folder<//>`}${registered !== null && html`<${Badge} tone="info">registered<//>`}</span>`,
  },
  {
    title: 'Changed',
    align: 'end',
    minor: true,
    cell: ({ registered }) => (registered === null ? '' : html`<${Time} at=${registered.updatedAt} />`),
  },
  {
    title: 'Actions',
    align: 'end',
    cell: (row) => {
      const named = html`<span class="visually-hidden"> ${row.name}</span>`;
      return html`<span class="resource-actions"><button type="button" class="button button-small" onClick=${() => ask({ what: 'edit', of: row })}>${row.registered === null ? 'Override…' : 'Edit…'}${named}</button>${row.registered !== null && html`<button type="button" class="button button-small" onClick=${() => ask({ what: 'delete', of: row })}>Remove…${named}</button>`}</span>`;
    },
  },
];

interface Entry {
  readonly class?: string | null | undefined;
  readonly owner?: string | null | undefined;
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

/** All attributes of an entry in one list. */
function attributesOf({ class: kind, owner, attributes = {} }: Entry): [name: string, value: unknown][] {
  const named: [string, unknown][] = [
    ['class', kind],
    ['owner', owner],
  ];
  return [...named.filter(([, value]) => value !== undefined && value !== null), ...Object.entries(attributes)];
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Attributes({ of: { registered, inFolder } }: { readonly of: KnownResource }): VNode {
  const fromFolder = inFolder === null ? [] : attributesOf(inFolder);
  const own = registered === null ? [] : attributesOf(registered);
  const values = [...new Map([...fromFolder, ...own])];
  const ignored = new Map((registered?.attributesIgnored ?? []).map(({ name, message }) => [name, message]));
  if (values.length === 0) return html`<span class="muted">none</span>`;
  return html`<ul class="plain">${values.map(
    ([name, value]) =>
      html`<li key=${name}><code>${name}</code> <bdi>${spelled(textOf(value))}</bdi>${ignored.has(name) && html` <span class="note">counts as missing in rules: it ${ignored.get(name)}</span>`}</li>`,
  )}</ul>`;
}
