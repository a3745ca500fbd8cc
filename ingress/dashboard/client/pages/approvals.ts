// The list of approvals by state.
import type { Approval } from '../answers.ts';
import { usePages } from '../api.ts';
import type { CsvField } from '../csv.ts';
import { count } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { useLive } from '../live.ts';
import { href, navigate, useFilters } from '../router.ts';
import {
  Badge,
  type Column,
  Download,
  Empty,
  Filters,
  List,
  LookUp,
  Name,
  PageHead,
  Said,
  Segments,
  Time,
  Trust,
  useNow,
} from '../ui.ts';
import type { WaitingApprovals } from '../wire/approvals.ts';
import { StatusNow } from './approvals-item.ts';
import { isDecidedElsewhere, isUrgent, statusAt, timeLeft } from './approvals-states.ts';
import { Asked, RiskLevel, wordsOf } from './decisions-parts.ts';

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
  const pages = usePages<Approval>('/v1/approvals', {
    status: view === '' ? 'pending' : view === 'all' ? undefined : view,
    agentId,
  });
  const live = useLive<WaitingApprovals>('approvals');
  const choices = VIEWS.map(([name, text]) => ({
    to: href('approvals', undefined, { status: name, agentId }),
    text: name === '' && live !== undefined && live.total > 0 ? `${text} (${live.total})` : text,
    isCurrent: name === view,
  }));
  const columns = view === '' ? waitingColumns(live) : DECIDED;
  const empty =
    view === ''
      ? html`<${Empty} title="No approvals are waiting">Requests that policies escalate${agentId === undefined ? '' : ' for this agent'} appear here by themselves.<//>`
      : html`<${Empty} title=${nothing} />`;
  return html`<${PageHead} title="Approvals" lead="Requests that need the approval of a person. An approval permits one request once, exactly as it was made." actions=${html`<${Download} of=${pages} name="approvals" fields=${FILE} />`} />
    <div class="toolbar">
      <${Segments} label="Approvals by state" choices=${choices} />
      <${Fresh} shown=${view === '' && pages.page === 1 && pages.data !== undefined ? pages.items : undefined} live=${live} agentId=${agentId} onShow=${pages.reload} />
    </div>
    <div class="finders">
      <${LookUp} label="Approval id" placeholder="apr_…" onGo=${(text: string) => navigate(href('approvals', text))} />
      <${Filters} fields=${[{ name: 'agentId', label: 'Agent', kind: 'text', placeholder: 'the whole id' }]} values=${{ agentId }} onChange=${setFilters} />
    </div>
    <${List} pages=${pages} caption="Approvals" columns=${columns} keyOf=${(row: Approval) => row.approvalId} hrefOf=${(row: Approval) => href('approvals', row.approvalId)} empty=${empty} />`;
}

interface FreshProps {
  /** The rows of the first page of pending approvals; undefined on other pages. */
  readonly shown: readonly Approval[] | undefined;
  readonly live: WaitingApprovals | undefined;
  readonly agentId: string | undefined;
  readonly onShow: () => void;
}

/** A button that shows new approvals. The list does not move by itself, so that it can be read. */
function Fresh({ shown, live, agentId, onShow }: FreshProps): VNode {
  const known = new Set((shown ?? []).map((row) => row.approvalId));
  const newest = (shown ?? [])[0]?.approvalId ?? '';
  const fresh =
    shown === undefined || live === undefined
      ? []
      : live.newest.filter(
          (each) =>
            !known.has(each.approvalId) &&
            each.approvalId > newest &&
            (agentId === undefined || each.agentId === agentId),
        );
  return html`<div class="fresh" role="status">${fresh.length > 0 && html`<button type="button" class="button button-primary button-small" onClick=${onShow}>Show ${count(fresh.length, 'new approval')}</button>`}</div>`;
}

const WHAT: Column<Approval> = {
  title: 'Request',
  cell: ({ decision }) => html`<${Asked} decision=${decision} />`,
};
const AGENT: Column<Approval> = {
  title: 'Agent',
  cell: ({ agentId }) => html`<${Name} text=${agentId} length=${32} />`,
};
const WHY: Column<Approval> = {
  title: 'Why',
  cell: ({ decision }) => {
    const [first] = decision.reasons;
    const more = decision.reasons.length - 1;
    return html`${first === undefined ? '' : html`<${Said} text=${first.message} />`}${more > 0 && html` <span class="muted">and ${more} more</span>`}`;
  },
};

function waitingColumns(live: WaitingApprovals | undefined): readonly Column<Approval>[] {
  return [
    WHAT,
    AGENT,
    {
      title: 'Trust',
      minor: true,
      cell: ({ decision: { trust } }) => html`<${Trust} level=${trust.effective_level} />`,
    },
    { title: 'Risk', cell: ({ decision: { intent } }) => html`<${RiskLevel} risk=${intent.risk} />` },
    WHY,
    { title: 'When', cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
    { title: 'Time left', align: 'end', cell: (row) => html`<${Left} row=${row} live=${live} />` },
  ];
}

/** The time left, or that the approval was decided: its row stays until the list is loaded again. */
function Left({ row, live }: { readonly row: Approval; readonly live: WaitingApprovals | undefined }): VNode {
  const now = useNow();
  if (statusAt(row, now) === 'expired') return html`<span class="muted">${timeLeft(row.expiresAt, now)}</span>`;
  if (isDecidedElsewhere(row, live)) return html`<${Badge}>decided<//>`;
  const text = timeLeft(row.expiresAt, now);
  return isUrgent(row.expiresAt, now)
    ? html`<${Badge} tone="warn">${text}<//>`
    : html`<span class="num">${text}</span>`;
}

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
