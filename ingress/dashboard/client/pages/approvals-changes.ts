// Changes of the policy set among the waiting approvals: what would differ, who wants it and why, decided like any other.
import { api, useApi } from '../api.ts';
import type { PolicyApprovalAnswer, PolicyProposal } from '../answers.ts';
import { count } from '../format.ts';
import { html, useEffect, useId, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import { useSession } from '../session.ts';
import { Badge, Id, Said, Time, useNow, Verdict } from '../ui.ts';
import type { WaitingChange, WaitingChanges } from '../wire/approvals.ts';
import type { Desk, Verb } from './approvals-desk.ts';
import { Buttons, Left } from './approvals-rows.ts';
import { ReasonForm } from './approvals-reason.ts';
import { Authored, AuthorKey, differenceTo, stageWords } from './policies-authored.ts';

/** Examples and parts of the difference in a row; the page of the change has all. */
const FEW = 3;
const PARTS = 8;

interface ChangesProps {
  readonly desk: Desk;
  /** Changes when the list is read again. */
  readonly turn: unknown;
}

/** The changes of policies that wait; nothing without any, and for keys that may not see them. */
export function WaitingChangeList({ desk, turn }: ChangesProps): VNode | null {
  const { isOperator } = useSession();
  const changes = useApi<WaitingChanges>(isOperator ? '/policies/waiting' : null);
  useEffect(() => {
    if (turn !== undefined) changes.reload();
  }, [turn]);
  const items = changes.data?.items ?? [];
  if (items.length === 0) return null;
  return html`<section class="ask-changes" aria-labelledby="changes"><h2 id="changes">Changes of policies</h2>
    <div class="card ask-list">${items.map((change) => html`<${ChangeRow} key=${change.approvalId} change=${change} desk=${desk} />`)}</div>
  </section>`;
}

/** "1 of 2"; undefined: one approval is enough. */
const progressOf = ({ votes }: Pick<PolicyProposal, 'votes'>, quorum: number): string | undefined =>
  quorum > 1 ? `${votes.length} of ${quorum}` : undefined;

const senderOf =
  (quorum: number) =>
  async (approvalId: string, verb: Verb, reason: string): Promise<string | undefined> => {
    const path = `/v1/policies/approvals/${encodeURIComponent(approvalId)}/${verb}`;
    const decided = await api<PolicyProposal>(path, { body: { reason } });
    return decided.status === 'pending' ? progressOf(decided, quorum) : undefined;
  };

function ChangeRow({ change, desk }: { readonly change: WaitingChange; readonly desk: Desk }): VNode {
  const id = useId();
  const now = useNow();
  const { approvalId, digest, quorum, votes, createdAt, reason } = change;
  const detail = useApi<PolicyApprovalAnswer>(`/v1/policies/approvals/${encodeURIComponent(approvalId)}`);
  const { keyId } = useSession();
  const mark = desk.marks.get(approvalId);
  const hasEnded = mark?.kind === 'done' || mark?.kind === 'closed' || Date.parse(change.expiresAt) <= now.getTime();
  const { mayDecide = false, authorKey = null } = detail.data ?? {};
  const asked = desk.asked?.id === approvalId ? desk.asked : undefined;
  const progress = progressOf(change, quorum);
  const decide = (verb: Verb, why: string): void =>
    void desk.decide(approvalId, [approvalId], verb, why, senderOf(quorum));
  return html`<article class="ask" tabindex="0" data-ask=${approvalId} data-ended=${hasEnded ? '' : undefined} data-shut=${mayDecide ? undefined : ''} aria-labelledby=${id}>
    <div class="ask-what">
      <p class="ask-title" id=${id}><${Link} to=${href('policies', `approvals/${approvalId}`)} class="row-link">${stageWords(change.stage)} <${Id} id=${digest} length=${12} /><//></p>
      ${reason !== null && html`<blockquote class="ask-words"><${Said} text=${reason} /></blockquote>`}
      ${!hasEnded && html`<${Difference} change=${change} detail=${detail.data} />`}
    </div>
    <div class="ask-agent">
      <p><${Authored} of=${{ ...change, reason: null }} /></p>
      ${authorKey !== null && html`<p><${AuthorKey} of=${authorKey} /></p>`}
      <p class="muted">proposed <${Time} at=${createdAt} /></p>
      ${progress !== undefined && html`<p>Approved by ${progress}</p>`}
      ${votes.map((vote) => html`<p key=${vote.by} class="muted"><code>${vote.by}</code> approved <${Time} at=${vote.at} />: <${Said} text=${vote.reason} /></p>`)}
    </div>
    <div class="ask-act">
      <${Left} ask=${change} mark=${mark} not=${undefined} />
      ${!hasEnded && mayDecide && html`<${Buttons} verbs=${['approve', 'reject']} onAsk=${(verb: Verb) => desk.ask({ id: approvalId, verb })} />`}
      ${detail.error !== undefined && html`<p class="ask-line" role="alert">${detail.error.message}</p>`}
      ${!hasEnded && detail.data !== undefined && !mayDecide && html`<p class="ask-line muted">${votes.some(({ by }) => by === keyId) ? 'You have approved it; others must, too.' : 'Your key may not decide this: it proposed the change, or the two keys come from each other, or others are named.'}</p>`}
    </div>
    ${
      asked !== undefined &&
      !hasEnded &&
      html`<${ReasonForm} verb=${asked.verb} action=${asked.verb === 'approve' ? 'Approve' : 'Reject'} busy=${mark?.kind === 'working'} error=${mark?.kind === 'failed' ? mark.text : undefined} onCancel=${desk.cancel} onDecide=${(why: string) => decide(asked.verb, why)} />`
    }
  </article>`;
}

interface DifferenceProps {
  readonly change: WaitingChange;
  readonly detail: PolicyApprovalAnswer | undefined;
}

/** The changed parts, and some requests that would be answered differently. */
function Difference({ change: { previousDigest, digest }, detail }: DifferenceProps): VNode {
  const whole =
    previousDigest !== null &&
    html`<${Link} to=${differenceTo(previousDigest, digest)}>The difference line by line<//>`;
  if (detail === undefined) return html`<p class="ask-line muted">Comparing the sets… ${whole}</p>`;
  const { parts = [], examples = [] } = detail.comparison ?? {};
  const more = parts.length - PARTS;
  return html`<p class="ask-line badges">${parts.slice(0, PARTS).map(({ name, change }) => html`<span key=${name}><code>${name}</code> <${Badge} tone=${change === 'removed' ? 'bad' : change === 'added' ? 'good' : 'info'}>${change}<//></span>`)}${more > 0 && html`<span class="muted">and ${count(more, 'other part')}</span>`}</p>
    <ul class="plain ask-line" aria-label="Requests that would be answered differently">${examples
      .slice(0, FEW)
      .map(
        ({ rule, intent, environment, before, after }) =>
          html`<li key=${rule}><code><${Said} text=${intent} /></code> in ${environment}: <${Verdict} verdict=${before} /> becomes <${Verdict} verdict=${after} /></li>`,
      )}</ul>
    <p class="ask-line">${whole}</p>`;
}
