// The pages of a policy set and of one policy.
import type { Policy } from '#shared/core/policy/schema.js';
import { useApi, usePages } from '../api.ts';
import { count, short } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { href, useFilters } from '../router.ts';
import { Badge, Card, type Column, Empty, Filters, Id, KeyValue, List, PageHead, Time, WhenLoaded } from '../ui.ts';
import type { PolicyHead, PolicySetInfo } from '../wire.ts';
import { BudgetsOfPolicy } from './budgets-parts.ts';
import { Codes, Effect, PolicyBody } from './policies-rules.ts';

const COLUMNS: readonly Column<PolicyHead>[] = [
  { title: 'Policy', cell: ({ id }) => id },
  { title: 'Description', cell: ({ description }) => html`<span class="muted">${description}</span>` },
  { title: 'Stage', cell: ({ stage }) => stage },
  {
    title: 'Target',
    cell: ({ target }) =>
      html`<${Codes} texts=${target.actions} most=${4} /> <span class="muted">on</span> <${Codes} texts=${target.resources} most=${3} />`,
  },
  { title: 'Rules', align: 'end', cell: ({ rules }) => rules },
  {
    title: 'Effects',
    cell: ({ effects }) =>
      html`<span class="badges">${effects.map((type) => html`<${Effect} key=${type} type=${type} />`)}</span>`,
  },
];

/** The policies of a set, with a search. */
export function PolicyTable({ digest }: { readonly digest: string }): VNode {
  const [{ search }, setFilters] = useFilters(['search']);
  const pages = usePages<PolicyHead>(`/policy-sets/${digest}/policies`, { search });
  const empty =
    search === undefined
      ? html`<${Empty} title="The set has no policies">Every verdict is DENY.<//>`
      : html`<${Empty} title="No policy matches" />`;
  return html`<${Filters} fields=${[{ name: 'search', label: 'Search', kind: 'text', placeholder: 'id, words, resource or rule' }]} values=${{ search }} onChange=${setFilters} />
    <${List} pages=${pages} caption="Policies" columns=${COLUMNS} keyOf=${({ id }: PolicyHead) => id} hrefOf=${({ id }: PolicyHead) => href('policies', `${digest}/${id}`)} empty=${empty} />`;
}

/** A set that is or was in force. */
export function SetPage({ digest }: { readonly digest: string }): VNode {
  const set = useApi<PolicySetInfo>(`/policy-sets/${digest}`);
  return html`<${PageHead} title=${`Set ${short(digest, 20)}`} lead=${set.data && (set.data.isActive ? 'This set is in force.' : 'This set is not in force for all organisations.')} back=${{ to: href('policies', 'history'), label: 'History' }} />
    <${WhenLoaded} of=${set} what="Reading the set">${(data: PolicySetInfo) => html`<${SetFacts} set=${data} /><div class="section"><${PolicyTable} digest=${digest} /></div>`}<//>`;
}

function SetFacts({ set }: { readonly set: PolicySetInfo }): VNode {
  return html`<${Card} class="facts"><${KeyValue} items=${[
    ['Digest', html`<${Id} id=${set.digest} length=${40} copy />`],
    ['First seen', html`<${Time} at=${set.createdAt} as="moment" />`],
    ['Contains', sizeOf(set)],
    [
      'State',
      html`<${Badge} tone=${set.isActive ? 'good' : 'neutral'}>${set.isActive ? 'in force' : 'not in force for all'}<//>`,
    ],
  ]} /><//>`;
}

export function sizeOf({ policies, rules, servers }: PolicySetInfo): string {
  const tools = servers.reduce((sum, server) => sum + server.tools, 0);
  return [
    count(policies, 'policy', 'policies'),
    count(rules, 'rule'),
    ...(servers.length === 0 ? [] : [`${count(tools, 'tool')} of ${count(servers.length, 'server')}`]),
  ].join(', ');
}

interface PolicyAnswer {
  readonly set: PolicySetInfo;
  readonly policy: Policy;
}

export function PolicyPage({ digest, id }: { readonly digest: string; readonly id: string }): VNode {
  const answer = useApi<PolicyAnswer>(`/policy-sets/${digest}/policies/${encodeURIComponent(id)}`);
  const isActive = answer.data?.set.isActive ?? true;
  const back = isActive
    ? { page: 'policies', label: 'Policies' }
    : { to: href('policies', digest), label: `Set ${short(digest, 12)}` };
  return html`<${PageHead} title=${id} lead=${answer.data?.policy.description} back=${back} />
    ${!isActive && html`<p class="muted section">The set of this policy is not in force for all organisations.</p>`}
    <${WhenLoaded} of=${answer} what="Reading the policy">${({ policy }: PolicyAnswer) => html`${isActive && html`<${BudgetsOfPolicy} policy=${id} />`}<${PolicyBody} policy=${policy} />`}<//>`;
}
