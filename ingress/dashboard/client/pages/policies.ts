// The policy pages: the set in force, the history of sets, and shadow mode. Its catalogues have the page of tools.
import { useApi } from '../api.ts';
import { html, useEffect, type VNode } from '../html.ts';
import { useLive } from '../live.ts';
import type { PageProps } from '../router.ts';
import { href, Link } from '../router.ts';
import { Badge, Card, Empty, Id, KeyValue, PageHead, Time, WhenLoaded } from '../ui.ts';
import type { PolicyState } from '../wire.ts';
import type { Overview } from '../wire/overview.ts';
import { Authored } from './policies-authored.ts';
import { DifferencePage, HistoryPage } from './policies-history.ts';
import { FolderNotice, ProposalPage, ProposalsPage } from './policies-changes.ts';
import { LastReading } from './policies-findings.ts';
import { PolicyPage, PolicyTable, SetPage, sizeOf } from './policies-set.ts';
import { StagesPage } from './policies-stages.ts';
import { ShadowPage } from './policies-shadow.ts';

const SET = /^([0-9a-f]{64})(?:\/(.+))?$/;

export function PoliciesPage({ id }: PageProps): VNode {
  if (id === undefined) return html`<${ActivePage} />`;
  if (id === 'history') return html`<${HistoryPage} views=${html`<${Views} current="history" />`} />`;
  if (id === 'stages') return html`<${StagesPage} views=${html`<${Views} current="stages" />`} />`;
  if (id === 'approvals') return html`<${ProposalsPage} views=${html`<${Views} current="approvals" />`} />`;
  if (id.startsWith('approvals/')) return html`<${ProposalPage} id=${id.slice('approvals/'.length)} />`;
  if (id === 'shadow') return html`<${ShadowPage} views=${html`<${Views} current="shadow" />`} />`;
  if (id === 'difference') return html`<${DifferencePage} />`;
  const [, digest, policy] = SET.exec(id) ?? [];
  if (digest === undefined)
    return html`<${PageHead} title="Not found" back=${{ page: 'policies', label: 'Policies' }} /><${Empty} title="There is no such set"><${Link} to=${href('policies', 'history')}>All sets<//><//>`;
  return policy === undefined
    ? html`<${SetPage} digest=${digest} />`
    : html`<${PolicyPage} digest=${digest} id=${policy} />`;
}

const VIEWS = [
  [undefined, 'In force'],
  ['history', 'History'],
  ['stages', 'Stages'],
  ['approvals', 'Approvals'],
  ['shadow', 'Shadow'],
] as const;

function Views({ current }: { readonly current: string | undefined }): VNode {
  return html`<nav class="tabs" aria-label="Views of the policies">${VIEWS.map(([id, text]) => html`<${Link} key=${text} to=${href('policies', id)} current=${id === current}>${text}<//>`)}</nav>`;
}

function ActivePage(): VNode {
  const state = useApi<PolicyState>('/policies');
  const live = useLive<Overview>('overview')?.system?.policies;
  // A new set, or a refused folder, is shown without a reload of the page.
  const seen = live && `${live.digest} ${live.lastReadAt} ${live.lastReadOk} ${live.findings}`;
  useEffect(() => {
    if (seen !== undefined) state.reload();
  }, [seen]);
  return html`<${PageHead} title="Policies" lead="One set for the whole installation, from the policy folder or pushed. When the folder has an error, the previous set stays in force." />
    <${Views} current=${undefined} />
    <${WhenLoaded} of=${state} what="Reading the set">${(data: PolicyState) => html`<${FolderNotice} state=${data} reload=${state.reload} /><${Active} state=${data} />`}<//>`;
}

function Active({ state }: { readonly state: PolicyState }): VNode {
  const { active, activatedAt, lastRead } = state;
  return html`<${LastReading} state=${state} />
    ${
      active === null
        ? html`<${Empty} title="No set is in force yet">All requests wait for the first set.<//>`
        : html`<${Card} title="In force" class="facts"><${KeyValue} items=${[
            ['Digest', html`<${Id} id=${active.digest} length=${40} copy />`],
            ['Since', activatedAt === null ? null : html`<${Time} at=${activatedAt} />`],
            ['By', html`<${Authored} of=${state} />`],
            ['Contains', sizeOf(active)],
            [
              'Tools',
              active.servers.length === 0 ? undefined : html`<${Link} to=${href('tools')}>Catalogues in force<//>`,
            ],
            [
              'Folder',
              html`<${Badge} tone=${lastRead.ok ? 'good' : 'bad'}>${lastRead.ok ? 'accepted' : 'refused'}<//>${lastRead.at !== null && html` <span class="muted">read <${Time} at=${lastRead.at} /></span>`}`,
            ],
          ]} /><//>
          <div class="section"><${PolicyTable} digest=${active.digest} /></div>`
    }`;
}
