// Staged policy sets, with promotion and drop; and the organisations that have another set than the installation's.
import { api, useAction, useApi } from '../api.ts';
import type { PolicyStage } from '../answers.ts';
import { count, short, whole } from '../format.ts';
import { type ComponentChildren, html, useState, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import { Badge, Card, type Column, Confirm, Empty, Id, KeyValue, PageHead, Table, Time, WhenLoaded } from '../ui.ts';
import type { ListPage, OrganisationSets, OrganisationSet } from '../wire.ts';
import { Authored, differenceTo, REASON } from './policies-authored.ts';

const LEAD =
  'A staged set is in force for some organisations, or evaluated for a share of decisions in shadow, before it is promoted for all.';

export function StagesPage({ views }: { readonly views: ComponentChildren }): VNode {
  const stages = useApi<ListPage<PolicyStage>>('/v1/policies/stages');
  const organisations = useApi<OrganisationSets>('/policy-organisations');
  const reload = (): void => {
    stages.reload();
    organisations.reload();
  };
  return html`<${PageHead} title="Policies" lead=${LEAD} />
    ${views}
    <${WhenLoaded} of=${organisations} what="Reading the organisations">${({
      inForce,
      items,
    }: OrganisationSets) => html`
      <${WhenLoaded} of=${stages} what="Reading the stages">${({ items: staged }: ListPage<PolicyStage>) =>
        staged.length === 0
          ? html`<div class="list"><${Empty} title="No set is staged">A push with stage, or <code>custos policy push</code> with <code>--stage</code>, stages one.<//></div>`
          : staged.map(
              (stage) => html`<${Stage} key=${stage.digest} stage=${stage} inForce=${inForce} reload=${reload} />`,
            )}<//>
      <${Card} title="Organisations with another set" flush><${Table} caption="Organisations with another set than the installation's" columns=${COLUMNS} rows=${items} keyOf=${({ organisation }: OrganisationSet) => organisation} empty=${html`<${Empty} title="All organisations have the same set" />`} /><//>`}<//>`;
}

interface StageProps {
  readonly stage: PolicyStage;
  readonly inForce: string | null;
  readonly reload: () => void;
}

function Stage({ stage, inForce, reload }: StageProps): VNode {
  const { digest, organisations, share, shareOf, shadow, stagedAt, author, reason } = stage;
  return html`<${Card} title=${`Staged set ${short(digest, 12)}`} class="facts">
    <${KeyValue} items=${[
      ['Set', html`<${Link} to=${href('policies', digest)}><${Id} id=${digest} length=${40} /><//>`],
      [
        'Difference',
        inForce === null ? undefined : html`<${Link} to=${differenceTo(inForce, digest)}>to the set in force<//>`,
      ],
      ['In force for', organisations.length === 0 ? undefined : organisations.join(', ')],
      [
        'In shadow for',
        share === null
          ? undefined
          : `${percent(share)} of decisions of ${shareOf === null ? 'all' : shareOf.join(', ')}`,
      ],
      [
        'In shadow',
        shadow === null
          ? undefined
          : `${count(shadow.changed.decisions, 'answer')} of ${whole(shadow.decisions.evaluated)} would differ`,
      ],
      ['By', html`<${Authored} of=${{ author, reason, source: 'stage' }} />`],
      ['Staged', html`<${Time} at=${stagedAt} as="moment" />`],
    ]} />
    <div class="decide-buttons"><${Promote} digest=${digest} reload=${reload} /><${Drop} digest=${digest} reload=${reload} /></div>
  <//>`;
}

const percent = (share: number): string => `${Math.round(1_000 * share) / 10} %`;

interface ActionProps {
  readonly digest: string;
  readonly reload: () => void;
}

function Promote({ digest, reload }: ActionProps): VNode {
  const [isOpen, setOpen] = useState(false);
  const action = useAction(async (reason: string) => {
    await api('/v1/policies/promote', { body: { digest, reason } });
    reload();
  });
  return html`<button type="button" class="button button-primary" onClick=${() => setOpen(true)}>Promote…</button>
    ${
      isOpen &&
      html`<${Confirm} title="Put this set into force for all?" verb="Promote" reason=${REASON} action=${action} onClose=${() => setOpen(false)}>
      <p>The set <code>${short(digest, 20)}</code> comes into force for all organisations, or waits for approval. The policy folder is not followed then.</p>
    <//>`
    }`;
}

function Drop({ digest, reload }: ActionProps): VNode {
  const [isOpen, setOpen] = useState(false);
  const action = useAction(async (reason: string) => {
    await api(`/v1/policies/stages/${digest}`, { method: 'DELETE', body: { reason } });
    reload();
  });
  return html`<button type="button" class="button" onClick=${() => setOpen(true)}>Drop…</button>
    ${
      isOpen &&
      html`<${Confirm} title="Drop this stage?" verb="Drop" dangerous reason=${REASON} action=${action} onClose=${() => setOpen(false)}>
      <p>Its organisations get the set that is in force for all, or the change waits for approval. The set stays stored.</p>
    <//>`
    }`;
}

const COLUMNS: readonly Column<OrganisationSet>[] = [
  { title: 'Organisation', cell: ({ organisation }) => organisation },
  {
    title: 'Set',
    cell: ({ digest }) =>
      digest === null
        ? html`<span class="muted">unknown: its row was changed outside the service</span>`
        : html`<${Link} to=${href('policies', digest)}><${Id} id=${digest} length=${20} /><//>`,
  },
  {
    title: 'Why',
    cell: ({ organisation, digest, hasOwn, staged, misfits }) =>
      html`<span class="badges">${hasOwn && html`<${Link} to=${href('policies', digest ?? undefined, { search: `${organisation}/` })}><${Badge} tone="info">own policies<//><//>`}${staged !== null && html`<${Badge}>staged<//>`}${misfits > 0 && html`<${Badge} tone="warn">${`${whole(misfits)} no longer fit`}<//>`}</span>`,
  },
  {
    title: 'By',
    cell: ({ author, reason }) => html`<${Authored} of=${{ author, reason, source: 'push' }} />`,
  },
];
