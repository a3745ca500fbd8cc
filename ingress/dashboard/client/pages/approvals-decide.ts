// Deciding an approval: approve, reject, withdraw, or the outcome when that is not possible any more.
import type { ApprovalDetail } from '../answers.ts';
import { api, Problem, useAction } from '../api.ts';
import { html, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import { useKept, useSession } from '../session.ts';
import { Card, Confirm, Id, KeyValue, Name, Notice, Said, Time, useNow } from '../ui.ts';
import { wordsOf } from './decisions-parts.ts';
import { needsMore } from './approvals-approvers.ts';
import { isUrgent, statusAt, timeLeft, wasDecided } from './approvals-states.ts';

interface DecideProps {
  readonly approval: ApprovalDetail;
  readonly reload: () => void;
}

type Answer = 'approve' | 'reject' | 'withdraw';

const VERBS: Readonly<Record<Answer, string>> = { approve: 'Approve', reject: 'Reject', withdraw: 'Withdraw' };

export function DecideCard({ approval, reload }: DecideProps): VNode {
  const now = useNow();
  const [asked, setAsked] = useKept<Answer | undefined>('asked', undefined);
  const status = statusAt(approval, now);
  const late = mayStill(asked, status) ? undefined : wasDecided(approval, now);
  // An open dialog stays open: it shows what happened meanwhile.
  const dialog = asked !== undefined && html`<${Ask} ...${{ approval, reload, asked, setAsked, late }} />`;
  if (status === 'pending' || asked === 'approve' || asked === 'reject')
    return html`<${Pending} approval=${approval} setAsked=${setAsked} />${dialog}`;
  return html`<${Card} title="Decided">
    <${Outcome} approval=${approval} status=${status} />
    ${status === 'approved' && approval.mayDecide && html`<div class="decide-buttons"><button type="button" class="button" onClick=${() => setAsked('withdraw')}>Withdraw…</button></div>`}
  <//>${dialog}`;
}

function mayStill(asked: Answer | undefined, status: string): boolean {
  return status === (asked === 'withdraw' ? 'approved' : 'pending');
}

interface AskProps extends DecideProps {
  readonly asked: Answer;
  readonly setAsked: (asked: Answer | undefined) => void;
  readonly late: string | undefined;
}

/** The dialog that asks for the reason. */
function Ask({ approval, reload, asked, setAsked, late }: AskProps): VNode {
  const { approvalId, agentId } = approval;
  const path = `/v1/approvals/${encodeURIComponent(approvalId)}`;
  const decide = useAction(async (reason: string) => {
    try {
      await api(`${path}/${asked === 'approve' ? 'approve' : 'reject'}`, { body: { reason } });
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'E5001') throw error;
      // Somebody else decided first, or the agent has used it.
      const current = await api<ApprovalDetail>(path);
      throw new Problem(wasDecided(current), error);
    }
    reload();
  });
  const close = (): void => {
    setAsked(undefined);
    if (decide.error?.code === 'E5001') reload();
    decide.reset();
  };
  const verb = VERBS[asked];
  return html`<${Confirm} title=${asked === 'withdraw' ? 'Withdraw this approval?' : `${verb} this action?`} verb=${verb} dangerous=${asked !== 'approve'} reason=${{ label: 'Reason, kept in the log', required: true }} late=${late} action=${decide} onClose=${close}>
      <p><strong><${Name} text=${agentId} length=${120} /></strong> ${asked !== 'approve' ? 'is denied when it requests this again with this approval:' : needsMore(approval) ? 'may do this once, when all who must approve have approved:' : 'may then do this once:'}</p>
      <p><code><${Said} text=${wordsOf(approval.decision.intent)} /></code></p>
    <//>`;
}

interface PendingProps {
  readonly approval: ApprovalDetail;
  readonly setAsked: (asked: Answer) => void;
}

function Pending({ approval, setAsked }: PendingProps): VNode {
  const session = useSession();
  const now = useNow();
  const { expiresAt } = approval;
  const hasApproved = approval.votes.some(({ by }) => by === session.keyId);
  const mayApprove = approval.mayApprove && !hasApproved;
  const why = hasApproved
    ? 'You have approved this request; others must, too. You may still reject it.'
    : 'Your key may reject this request. It may not approve it: the rules name other keys, or yours is bound to agents.';
  const left = html`<span class=${isUrgent(expiresAt, now) ? 'time-left urgent' : 'time-left'}>${timeLeft(expiresAt, now)}</span>`;
  return html`<${Card} title="Your decision" aside=${left}>
    ${
      !approval.mayDecide
        ? html`<${Notice} tone="info" title=${approval.keyId === session.keyId ? 'The request was made with your key' : 'Your key created the key of the request, or was created by it'}>The key of a request may not decide about it, nor may a key that created it or was created by it. Sign in with another admin key, or let somebody else decide.<//>`
        : html`<div class="decide-buttons">
      ${mayApprove && html`<button type="button" class="button button-primary" onClick=${() => setAsked('approve')}>Approve…</button>`}
      <button type="button" class="button" onClick=${() => setAsked('reject')}>Reject…</button>
    </div>
    ${!mayApprove && html`<p class="muted">${why}</p>`}
    <p class="muted">An approval permits this request once, until <${Time} at=${expiresAt} as="moment" />. It does not override policies that deny.</p>`
    }
  <//>`;
}

interface OutcomeProps {
  readonly approval: ApprovalDetail;
  readonly status: string;
}

/** The state of an approval that is not pending. */
function Outcome({ approval, status }: OutcomeProps): VNode {
  const { decidedAt, decidedBy, reason, usedAt, usedBy, usedDecisionId, expiresAt } = approval;
  const now = useNow();
  return html`<div class="stack">
    ${status === 'approved' && html`<${Notice} tone="good" title="Approved, and not used yet">It can be used once; ${timeLeft(expiresAt, now)}.<//>`}
    ${status === 'used' && html`<${Notice} tone="good" title="Approved and used">It permitted one action and cannot be used again.<//>`}
    ${status === 'rejected' && html`<${Notice} tone="bad" title="Rejected">Requests with this approval are denied.<//>`}
    ${status === 'expired' && html`<${Notice} tone="neutral" title=${decidedBy === null ? 'Nobody decided in time' : 'Approved, but not used in time'}>The agent may repeat its request, which opens a new approval.<//>`}
  </div>
  <${KeyValue} items=${[
    ['Decided by', decidedBy === null ? undefined : html`<code>${decidedBy}</code>`],
    ['Decided', decidedAt === null ? undefined : html`<${Time} at=${decidedAt} as="moment" />`],
    ['Reason', reason === null ? undefined : html`<${Said} text=${reason} />`],
    ['Used by key', usedBy === null ? undefined : html`<code>${usedBy}</code>`],
    ['Used', usedAt === null ? undefined : html`<${Time} at=${usedAt} as="moment" />`],
    [
      'Used for',
      usedDecisionId === null
        ? undefined
        : html`<${Link} to=${href('decisions', usedDecisionId)}>decision <${Id} id=${usedDecisionId} length=${20} /><//>`,
    ],
    [status === 'expired' ? 'Expired' : 'Expires', html`<${Time} at=${expiresAt} as="moment" />`],
  ]} />`;
}
