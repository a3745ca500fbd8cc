// The word of a human on an approval: approve, reject, or why it can't be given any more.
import { api, Problem, useAction } from '../api.ts';
import { html, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import { useKept, useSession } from '../session.ts';
import { Card, Confirm, Id, KeyValue, Name, Notice, Said, Time, useNow } from '../ui.ts';
import { wordsOf } from './decisions-parts.ts';
import { type ApprovalDetail, isUrgent, statusAt, timeLeft, wasDecided } from './approvals-types.ts';

interface DecideProps {
  readonly approval: ApprovalDetail;
  readonly reload: () => void;
}

type Answer = 'approve' | 'reject';

export function DecideCard({ approval, reload }: DecideProps): VNode {
  const now = useNow();
  const [asked, setAsked] = useKept<Answer | undefined>('asked', undefined);
  const status = statusAt(approval, now);
  // Whoever is writing a reason is not interrupted: what became of it meanwhile is said beside it.
  if (status === 'pending' || asked !== undefined)
    return html`<${Pending} ...${{ approval, reload, asked, setAsked }} late=${status === 'pending' ? undefined : wasDecided(approval)} />`;
  return html`<${Card} title="Decided"><${Outcome} approval=${approval} status=${status} /><//>`;
}

interface PendingProps extends DecideProps {
  readonly asked: Answer | undefined;
  readonly setAsked: (asked: Answer | undefined) => void;
  readonly late: string | undefined;
}

function Pending({ approval, reload, asked, setAsked, late }: PendingProps): VNode {
  const session = useSession();
  const now = useNow();
  const { approvalId, agentId, expiresAt } = approval;
  const path = `/v1/approvals/${encodeURIComponent(approvalId)}`;
  const decide = useAction(async (reason: string) => {
    try {
      await api(`${path}/${asked ?? 'reject'}`, { body: { reason } });
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'E5001') throw error;
      // Another one was faster: say who, and what.
      const current = await api<ApprovalDetail>(path);
      throw new Problem(wasDecided(current), { status: error.status, code: error.code, requestId: error.requestId });
    }
    reload();
  });
  const close = (): void => {
    setAsked(undefined);
    if (decide.error?.code === 'E5001') reload();
    decide.reset();
  };
  const left = html`<span class=${isUrgent(expiresAt, now) ? 'time-left urgent' : 'time-left'}>${timeLeft(expiresAt, now)}</span>`;
  return html`<${Card} title="Your decision" aside=${left}>
    ${
      !approval.mayDecide
        ? html`<${Notice} tone="info" title=${approval.keyId === session.keyId ? 'You asked with this key' : 'Your key made the one that asked, or was made by it'}>Whoever asks may not decide, nor may a key that made theirs or that theirs made. Sign in with another admin key, or let somebody else decide.<//>`
        : html`<div class="decide-buttons">
      <button type="button" class="button button-primary" onClick=${() => setAsked('approve')}>Approve…</button>
      <button type="button" class="button" onClick=${() => setAsked('reject')}>Reject…</button>
    </div>
    <p class="muted">Approved, it may be done once until <${Time} at=${expiresAt} as="moment" />. A policy that denies is not overruled.</p>`
    }
    ${
      asked !== undefined &&
      html`<${Confirm} title=${asked === 'approve' ? 'Approve this action?' : 'Reject this action?'} verb=${asked === 'approve' ? 'Approve' : 'Reject'} dangerous=${asked === 'reject'} reason=${{ label: 'Reason, which goes into the log', required: true }} late=${late} action=${decide} onClose=${close}>
        <p><strong><${Name} text=${agentId} length=${120} /></strong> ${asked === 'approve' ? 'may then do this one thing once:' : 'is denied when it asks for this again with this approval:'}</p>
        <p><code><${Said} text=${wordsOf(approval.decision.intent)} /></code></p>
      <//>`
    }
  <//>`;
}

interface OutcomeProps {
  readonly approval: ApprovalDetail;
  readonly status: string;
}

/** What there is to say of an approval that nobody can decide any more. */
function Outcome({ approval, status }: OutcomeProps): VNode {
  const { decidedAt, decidedBy, reason, usedAt, usedBy, usedDecisionId, expiresAt } = approval;
  const now = useNow();
  return html`<div class="stack">
    ${status === 'approved' && html`<${Notice} tone="good" title="Approved, and not used yet">It can be used once; ${timeLeft(expiresAt, now)}.<//>`}
    ${status === 'used' && html`<${Notice} tone="good" title="Approved and used">It let one action through, and is used up.<//>`}
    ${status === 'rejected' && html`<${Notice} tone="bad" title="Rejected">Whoever asks with it is denied.<//>`}
    ${status === 'expired' && html`<${Notice} tone="neutral" title=${decidedBy === null ? 'Nobody decided in time' : 'Approved, but not used in time'}>The agent may ask again, which opens a new one.<//>`}
  </div>
  <${KeyValue} items=${[
    ['Decided by', decidedBy === null ? undefined : html`<code>${decidedBy}</code>`],
    ['Decided', decidedAt === null ? undefined : html`<${Time} at=${decidedAt} as="moment" />`],
    ['Reason', reason === null ? undefined : html`<${Said} text=${reason} />`],
    ['Used by key', usedBy === null ? undefined : html`<code>${usedBy}</code>`],
    ['Used', usedAt === null ? undefined : html`<${Time} at=${usedAt} as="moment" />`],
    [
      'Led to',
      usedDecisionId === null
        ? undefined
        : html`<${Link} to=${href('decisions', usedDecisionId)}>decision <${Id} id=${usedDecisionId} length=${20} /><//>`,
    ],
    [status === 'expired' ? 'Expired' : 'Expires', html`<${Time} at=${expiresAt} as="moment" />`],
  ]} />`;
}
