// The list of approvals by state.
import type { Approval } from '../answers.ts';
import { usePages } from '../api.ts';
import type { CsvField } from '../csv.ts';
import { whole } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { useLive } from '../live.ts';
import { href, navigate, useFilters } from '../router.ts';
import { type Column, Download, Empty, Filters, List, LookUp, Name, PageHead, Said, Segments, Time } from '../ui.ts';
import type { WaitingApprovals } from '../wire/approvals.ts';
import { StatusNow } from './approvals-item.ts';
import { WaitingList } from './approvals-waiting.ts';
import { Asked, wordsOf } from './decisions-parts.ts';

const FILE: readonly CsvField<Approval>[] = [
  'approvalId',
  'status',
  'agentId',
  ['requested', ({ decision: { intent } }) => (intent.requested === undefined ? '' : wordsOf(intent))],
  ['intent', ({ decision }) => decision.intent.normalized],
  'keyId',
  'createdAt',
  'expiresAt',
  'decidedAt',
  'decidedBy',
  'reason',
  'usedAt',
  'usedDecisionId',
  ['decisionId', ({ decision }) => decision.decision_id],
];

const VIEWS = [
  ['', 'Waiting', ''],
  ['approved', 'Approved', 'No approval is unused'],
  ['used', 'Used', 'No approval was used yet'],
  ['rejected', 'Rejected', 'Nothing was rejected yet'],
  ['expired', 'Expired', 'Nothing has expired'],
  ['all', 'All', 'Nothing was escalated yet'],
] as const;

export function ApprovalList(): VNode {
  const [{ status, agentId }, setFilters] = useFilters(['status', 'agentId']);
  const [view, , nothing] = VIEWS.find(([name]) => name === status) ?? VIEWS[0];
  const live = useLive<WaitingApprovals>('approvals');
  const choices = VIEWS.map(([name, text]) => ({
    to: href('approvals', undefined, { status: name, agentId }),
    text: name === '' && live !== undefined && live.total > 0 ? `${text} (${whole(live.total)})` : text,
    isCurrent: name === view,
  }));
  return html`<${PageHead} title="Approvals" lead="Requests that need the approval of a person. An approval permits one request once, exactly as it was made." />
    <div class="toolbar">
      <${Segments} label="Approvals by state" choices=${choices} />
    </div>
    <div class="finders">
      <${LookUp} label="Approval id" placeholder="apr_…" onGo=${(text: string) => navigate(href('approvals', text))} />
      <${Filters} fields=${[{ name: 'agentId', label: 'Agent', kind: 'text', placeholder: 'the whole id' }]} values=${{ agentId }} onChange=${setFilters} />
    </div>
    ${view === '' ? html`<${WaitingList} agentId=${agentId} />` : html`<${Decided} key=${view} view=${view} nothing=${nothing} agentId=${agentId} />`}`;
}

interface DecidedProps {
  readonly view: string;
  readonly nothing: string;
  readonly agentId: string | undefined;
}

/** Approvals of the other states, newest first. */
function Decided({ view, nothing, agentId }: DecidedProps): VNode {
  const pages = usePages<Approval>('/v1/approvals', { status: view === 'all' ? undefined : view, agentId });
  return html`<div class="toolbar"><${Download} of=${pages} name="approvals" fields=${FILE} /></div>
    <${List} pages=${pages} caption="Approvals" columns=${DECIDED} keyOf=${(row: Approval) => row.approvalId} hrefOf=${(row: Approval) => href('approvals', row.approvalId)} empty=${html`<${Empty} title=${nothing} />`} />`;
}

const WHAT: Column<Approval> = {
  title: 'Request',
  cell: ({ decision }) => html`<${Asked} decision=${decision} />`,
};
const AGENT: Column<Approval> = {
  title: 'Agent',
  cell: ({ agentId }) => html`<${Name} text=${agentId} length=${32} />`,
};
const DECIDED: readonly Column<Approval>[] = [
  WHAT,
  AGENT,
  { title: 'State', cell: (row) => html`<${StatusNow} row=${row} />` },
  { title: 'When', cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
  {
    title: 'Decided by',
    cell: ({ decidedBy, decidedAt }) =>
      decidedBy === null || decidedAt === null
        ? html`<span class="muted">nobody</span>`
        : html`<code>${decidedBy}</code>, <${Time} at=${decidedAt} />`,
  },
  {
    title: 'Reason',
    cell: ({ reason }) => (reason === null ? html`<span class="muted">–</span>` : html`<${Said} text=${reason} />`),
  },
];
