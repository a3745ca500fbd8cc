// Changes of the policy set: rollback, following the folder again, and changes that wait for a second person.
import { api, useAction, useApi, usePages } from '../api.ts';
import type { PolicyApprovalAnswer, PolicyComparisonAnswer, PolicyProposal } from '../answers.ts';
import { short } from '../format.ts';
import { type ComponentChildren, html, useState, type VNode } from '../html.ts';
import { href, Link, type PageProps } from '../router.ts';
import {
  Badge,
  Card,
  type Column,
  Confirm,
  Empty,
  Id,
  KeyValue,
  List,
  Notice,
  PageHead,
  Said,
  Time,
  type Tone,
  Verdict,
  WhenLoaded,
} from '../ui.ts';
import type { PolicyState } from '../wire.ts';
import { Authored, AuthorKey, differenceTo, REASON, stageWords } from './policies-authored.ts';

/** A button that puts an earlier set into force again. */
export function RollBack({ digest, reload }: { readonly digest: string; readonly reload: () => void }): VNode {
  const [isOpen, setOpen] = useState(false);
  const action = useAction(async (reason: string) => {
    await api('/v1/policies/rollback', { body: { digest, reason } });
    reload();
  });
  return html`<button type="button" class="button button-small" onClick=${() => setOpen(true)}>Roll back…</button>
    ${
      isOpen &&
      html`<${Confirm} title="Roll back to this set?" verb="Roll back" dangerous reason=${REASON} action=${action} onClose=${() => setOpen(false)}>
      <p>The set <code>${short(digest, 20)}</code> comes into force in every process, or waits for approval. Edits of the policy folder then do not come into force, until the folder is followed again.</p>
    <//>`
    }`;
}

/** What the folder has, while another set is pinned. */
export function FolderNotice({
  state,
  reload,
}: {
  readonly state: PolicyState;
  readonly reload: () => void;
}): VNode | null {
  const [isOpen, setOpen] = useState(false);
  const action = useAction(async (reason: string) => {
    await api('/v1/policies/follow-folder', { body: { reason } });
    reload();
  });
  const { active, source, folderDigest } = state;
  if (active === null || source === null || source === 'folder') return null;
  const differs = folderDigest !== null && folderDigest !== active.digest;
  return html`<div class="stack"><${Notice} tone="info" title="The policy folder is not followed">
    <p>The set in force was ${source === 'push' ? 'pushed' : 'rolled back to'}. ${folderDigest === null ? 'The folder has errors.' : differs ? html`The folder has <${Link} to=${differenceTo(active.digest, folderDigest)}>another set<//>.` : 'The folder has the same set.'}</p>
    <p><button type="button" class="button button-small" disabled=${folderDigest === null} onClick=${() => setOpen(true)}>Follow the folder…</button></p>
    ${
      isOpen &&
      html`<${Confirm} title="Follow the folder again?" verb="Follow the folder" reason=${REASON} action=${action} onClose=${() => setOpen(false)}>
      <p>The set of the folder comes into force in every process, or waits for approval. Later edits of the folder then come into force by themselves.</p>
    <//>`
    }
  <//></div>`;
}

const TONES: Readonly<Record<PolicyProposal['status'], Tone>> = {
  pending: 'warn',
  used: 'good',
  rejected: 'bad',
  superseded: 'neutral',
  expired: 'neutral',
};
const WORDS: Readonly<Record<PolicyProposal['status'], string>> = {
  pending: 'waits',
  used: 'approved',
  rejected: 'rejected',
  superseded: 'superseded',
  expired: 'expired',
};

const COLUMNS: readonly Column<PolicyProposal>[] = [
  {
    title: 'Set',
    cell: ({ approvalId, digest }) =>
      html`<${Link} to=${href('policies', `approvals/${approvalId}`)} label=${`Change to ${short(digest, 20)}`}><${Id} id=${digest} length=${20} /><//>`,
  },
  { title: 'State', cell: ({ status }) => html`<${Badge} tone=${TONES[status]}>${WORDS[status]}<//>` },
  { title: 'By', cell: (row) => html`<${Authored} of=${row} />` },
  { title: 'Proposed', cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
  { title: 'Decided by', cell: ({ decidedBy }) => decidedBy ?? html`<span class="muted">nobody</span>` },
];

export function ProposalsPage({ views }: { readonly views: ComponentChildren }): VNode {
  const pages = usePages<PolicyProposal>('/v1/policies/approvals');
  return html`<${PageHead} title="Policies" lead="With CUSTOS_POLICY_APPROVALS=1 a change of the policy set waits here until a second person approves it." />
    ${views}
    <${List} pages=${pages} caption="Changes of the policy set that needed approval" columns=${COLUMNS} keyOf=${({ approvalId }: PolicyProposal) => approvalId} empty=${html`<${Empty} title="No change needed approval" />`} />`;
}

export function ProposalPage({ id }: PageProps): VNode {
  const change = useApi<PolicyApprovalAnswer>(`/v1/policies/approvals/${encodeURIComponent(id ?? '')}`);
  return html`<${PageHead} title="Change of the policy set" back=${{ to: href('policies', 'approvals'), label: 'Approvals' }} />
    <${WhenLoaded} of=${change} what="Comparing the sets">${(shown: PolicyApprovalAnswer) => html`<${Proposal} change=${shown} reload=${change.reload} />`}<//>`;
}

function Proposal({ change, reload }: { readonly change: PolicyApprovalAnswer; readonly reload: () => void }): VNode {
  const { digest, previousDigest, status, createdAt, expiresAt, decidedBy, decisionReason, comparison } = change;
  return html`<${Card} title="Proposed" class="facts"><${KeyValue} items=${[
    ['State', html`<${Badge} tone=${TONES[status]}>${WORDS[status]}<//>`],
    ['For', change.stage === undefined ? undefined : `${stageWords(change.stage)} this set`],
    [
      'By',
      html`<${Authored} of=${change} />${change.authorKey !== null && html`<div><${AuthorKey} of=${change.authorKey} /></div>`}`,
    ],
    ['Set', html`<${Id} id=${digest} length=${40} copy />`],
    [
      'Difference',
      previousDigest === null ? undefined : html`<${Link} to=${differenceTo(previousDigest, digest)}>line by line<//>`,
    ],
    ['Proposed', html`<${Time} at=${createdAt} as="moment" />`],
    ['Expires', status === 'pending' ? html`<${Time} at=${expiresAt} as="moment" />` : undefined],
    [
      'Approved by',
      change.votes.length === 0
        ? undefined
        : html`<ul class="plain">${change.votes.map(({ by, at, reason }) => html`<li key=${by}><code>${by}</code> <${Time} at=${at} />: <${Said} text=${reason} /></li>`)}</ul>`,
    ],
    ['Decided by', decidedBy === null ? undefined : html`<code>${decidedBy}</code>`],
    ['Because', decisionReason === null ? undefined : html`<${Said} text=${decisionReason} />`],
  ]} /><//>
  ${status === 'pending' && html`<${Decide} change=${change} reload=${reload} />`}
  ${comparison !== undefined && html`<${Compared} comparison=${comparison} />`}`;
}

function Decide({ change, reload }: { readonly change: PolicyApprovalAnswer; readonly reload: () => void }): VNode {
  const [asked, setAsked] = useState<'approve' | 'reject' | undefined>(undefined);
  const action = useAction(async (reason: string) => {
    await api(`/v1/policies/approvals/${encodeURIComponent(change.approvalId)}/${asked ?? 'reject'}`, {
      body: { reason },
    });
    reload();
  });
  if (!change.mayDecide)
    return html`<${Card} title="Your decision"><${Notice} tone="info" title="You may not decide">The author may not decide about the change, nor may a key that the author created or that created it.<//><//>`;
  return html`<${Card} title="Your decision">
    <div class="decide-buttons">
      <button type="button" class="button button-primary" onClick=${() => setAsked('approve')}>Approve…</button>
      <button type="button" class="button" onClick=${() => setAsked('reject')}>Reject…</button>
    </div>
    ${
      asked !== undefined &&
      html`<${Confirm} title=${asked === 'approve' ? 'Put this set into force?' : 'Reject this change?'} verb=${asked === 'approve' ? 'Approve' : 'Reject'} dangerous=${asked === 'reject'} reason=${REASON} action=${action} onClose=${() => setAsked(undefined)}>
      <p>${asked === 'approve' ? 'The set comes into force in every process within two seconds.' : 'Nothing comes into force.'}</p>
    <//>`
    }
  <//>`;
}

const CHANGES: Readonly<Record<PolicyComparisonAnswer['parts'][number]['change'], Tone>> = {
  added: 'good',
  removed: 'bad',
  changed: 'info',
};

/** The changed parts, and requests that would be answered differently. */
function Compared({ comparison }: { readonly comparison: PolicyComparisonAnswer }): VNode {
  const { parts, examples, withoutExample } = comparison;
  return html`<${Card} title="What would differ">
    <p class="badges">${parts.map(({ name, change }) => html`<span key=${name}><code>${name}</code> <${Badge} tone=${CHANGES[change]}>${change}<//></span>`)}</p>
    ${examples.length > 0 && html`<h3>Requests that would be answered differently</h3>`}
    <ul class="folder-findings" aria-label="Requests that would be answered differently">${examples.map(
      ({ rule, intent, environment, facts, before, after, differs }) => html`<li key=${rule} class="folder-finding">
        <p><code><${Said} text=${intent} /></code> in ${environment}: <${Verdict} verdict=${before} /> becomes <${Verdict} verdict=${after} />${differs.some(isBeside) && html` <span class="muted">with other ${differs.filter(isBeside).join(', ')}</span>`}</p>
        <p class="finding-more"><code>${rule}</code>: <${Said} text=${wordsOf(facts)} /></p>
      </li>`,
    )}</ul>
    ${withoutExample.length > 0 && html`<p class="muted">No such request was found for ${withoutExample.join(', ')}.</p>`}
  <//>`;
}

const isBeside = (aspect: string): boolean => aspect !== 'verdict';

function wordsOf(facts: Readonly<Record<string, unknown>>): string {
  return Object.entries(facts)
    .map(([path, value]) => (value === null ? `${path} missing` : `${path} ${JSON.stringify(value)}`))
    .join(', ');
}
