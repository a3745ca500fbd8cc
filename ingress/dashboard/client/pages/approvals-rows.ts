// The rows of waiting approvals: one request, or a group of alike ones that can be decided together.
import { api, asProblem } from '../api.ts';
import { count } from '../format.ts';
import { html, useEffect, useId, useState, type VNode } from '../html.ts';
import { Badge, Name, Said, useNow } from '../ui.ts';
import type { ApprovalGroup, WaitingApproval, WaitingApprovals, WaitingMembers } from '../wire/approvals.ts';
import { ApproverLines } from './approvals-approvers.ts';
import { AskAgent, AskDetails, AskTitle, AskWhen, AskWhy, summaryOf } from './approvals-ask.ts';
import type { Desk, Mark, Verb } from './approvals-desk.ts';
import { ReasonForm } from './approvals-reason.ts';
import { isMissing, isUrgent, timeLeft } from './approvals-states.ts';

interface RowProps {
  readonly desk: Desk;
  readonly live: WaitingApprovals | undefined;
}

const VERBS: Readonly<Record<Verb, string>> = { approve: 'Approve', reject: 'Reject' };
const isEnd = (mark: Mark | undefined): boolean => mark?.kind === 'done' || mark?.kind === 'closed';

/** Why a request cannot be decided here; undefined: it can. */
function whyNot(ask: WaitingApproval, mark: Mark | undefined, live: WaitingApprovals | undefined, now: Date) {
  if (isEnd(mark)) return 'decided';
  if (Date.parse(ask.expiresAt) <= now.getTime()) return 'expired';
  if (isMissing(ask, live) && mark === undefined) return 'elsewhere';
  return ask.mayDecide ? undefined : 'hands';
}

/** What the session may do with some of these requests. */
const verbsOf = (asks: readonly WaitingApproval[]): readonly Verb[] =>
  asks.some(({ mayApprove }) => mayApprove) ? ['approve', 'reject'] : ['reject'];

const LATE = {
  elsewhere: 'Somebody else decided meanwhile. Show the list again to see the rest.',
  expired: 'It has expired: nobody decided in time.',
} as const;

/** A single request. @param group given: the row of a request that has no alike ones, with its agent */
export function AskRow({
  ask,
  group,
  desk,
  live,
}: RowProps & { readonly ask: WaitingApproval; readonly group?: ApprovalGroup }): VNode {
  const id = useId();
  const now = useNow();
  const { approvalId } = ask;
  const mark = desk.marks.get(approvalId);
  const not = whyNot(ask, mark, live, now);
  const asked = desk.asked?.id === approvalId ? desk.asked : undefined;
  const ended = not !== undefined && not !== 'hands';
  return html`<article class=${`ask ${group === undefined ? 'ask-member' : ''}`} tabindex="0" data-ask=${approvalId} data-ended=${ended ? '' : undefined} data-shut=${not === 'hands' ? '' : undefined} aria-labelledby=${id}>
    <div class="ask-what">
      ${group === undefined ? html`<p class="visually-hidden" id=${id}>Request of ${new Date(ask.createdAt).toISOString().slice(11, 19)}</p>` : html`<${AskTitle} ask=${ask} id=${id} />`}
      ${ended ? group === undefined && html`<p class="ask-line muted"><${Name} text=${summaryOf(ask)} length=${100} /></p>` : html`<${AskDetails} ask=${ask} />`}
      ${!ended && html`<${ApproverLines} of=${ask} />`}
      ${ended ? '' : group === undefined ? html`<p class="ask-line muted"><${AskWhen} ask=${ask} /></p>` : html`<${AskWhy} ask=${ask} />`}
    </div>
    ${group !== undefined && html`<${AskAgent} agent=${group.agent} earlier=${group.earlier} />`}
    <div class="ask-act">
      <${Left} ask=${ask} mark=${mark} not=${not} />
      ${not === undefined && html`<${Buttons} verbs=${verbsOf([ask])} onAsk=${(verb: Verb) => desk.ask({ id: approvalId, verb })} />`}
      ${not === undefined && !ask.mayApprove && html`<p class="ask-line muted">${ask.hasApproved ? 'You have approved it; others must, too.' : 'Your key may only reject it: the rules name other keys, or yours is bound to agents.'}</p>`}
      ${not === 'hands' && html`<p class="ask-line muted">Your key may not decide this: it made the request, or the two keys come from each other.</p>`}
    </div>
    ${
      asked !== undefined &&
      !isEnd(mark) &&
      html`<${ReasonForm} verb=${asked.verb} action=${VERBS[asked.verb]} busy=${mark?.kind === 'working'} late=${not === 'elsewhere' || not === 'expired' ? LATE[not] : undefined} error=${mark?.kind === 'failed' ? mark.text : undefined} onCancel=${desk.cancel} onDecide=${(reason: string) => void desk.decide(approvalId, [approvalId], asked.verb, reason)} />`
    }
  </article>`;
}

interface ButtonsProps {
  readonly onAsk: (verb: Verb) => void;
  readonly verbs: readonly Verb[];
  readonly all?: boolean;
}

export function Buttons({ onAsk, verbs, all }: ButtonsProps): VNode {
  return html`<div class="ask-buttons">${verbs.map(
    (verb) =>
      html`<button key=${verb} type="button" data-verb=${verb} class="button button-small" onClick=${() => onAsk(verb)}>${VERBS[verb]}${all === true ? ' all' : ''}…</button>`,
  )}</div>`;
}

interface LeftProps {
  readonly ask: Pick<WaitingApproval, 'expiresAt'>;
  readonly mark: Mark | undefined;
  readonly not: string | undefined;
}

/** The time left, or the result. */
export function Left({ ask, mark, not }: LeftProps): VNode {
  const now = useNow();
  if (mark?.kind === 'done' && mark.waits !== undefined)
    return html`<p class="ask-left"><${Badge} tone="good">${mark.waits} approved<//> <span class="ask-line muted">Others must approve, too.</span></p>`;
  if (mark?.kind === 'done')
    return html`<p class="ask-left"><${Badge} tone=${mark.verb === 'approve' ? 'good' : 'bad'}>${mark.verb === 'approve' ? 'approved' : 'rejected'}<//> <span class="ask-line muted"><${Said} text=${mark.reason} /></span></p>`;
  if (mark?.kind === 'closed')
    return html`<p class="ask-left"><${Badge} tone="warn">too late<//> <span class="ask-line muted"><${Said} text=${mark.text} /></span></p>`;
  if (mark?.kind === 'working') return html`<p class="ask-left muted">Working…</p>`;
  if (mark?.kind === 'failed')
    return html`<p class="ask-left"><${Badge} tone="bad">failed<//> <span class="ask-line muted"><${Said} text=${mark.text} /></span></p>`;
  if (not === 'elsewhere') return html`<p class="ask-left"><${Badge}>decided meanwhile<//></p>`;
  const text = timeLeft(ask.expiresAt, now);
  return html`<p class="ask-left num">${isUrgent(ask.expiresAt, now) ? html`<${Badge} tone="warn">${text}<//>` : text}</p>`;
}

/** As many members are shown and decided at once. */
const MEMBERS = 100;

/** Alike requests: the first of them stands for all, until the group is opened. */
export function AskGroup({ group, desk, live }: RowProps & { readonly group: ApprovalGroup }): VNode {
  const id = useId();
  const now = useNow();
  const [isOpen, setOpen] = useState(false);
  const [members, setMembers] = useState<readonly WaitingApproval[] | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const shown = members ?? group.items;
  const [first] = shown;
  const open = async (): Promise<void> => {
    setOpen(true);
    setProblem(undefined);
    if (members !== undefined || group.items.length === group.count) return;
    try {
      const query = { group: group.id, limit: MEMBERS };
      setMembers((await api<WaitingMembers>('/approvals/waiting/alike', { query })).items);
    } catch (error) {
      setProblem(asProblem(error).message);
    }
  };
  const whyNotOf = (ask: WaitingApproval) => whyNot(ask, desk.marks.get(ask.approvalId), live, now);
  const decidable = shown.filter((ask) => whyNotOf(ask) === undefined);
  const shut = decidable.length > 0 ? [] : shown.filter((ask) => whyNotOf(ask) === 'hands');
  const asked = desk.asked?.id === group.id ? desk.asked : undefined;
  const chosen = asked?.verb === 'approve' ? decidable.filter(({ mayApprove }) => mayApprove) : decidable;
  // Nothing is decided that is not on the page: the form waits until all members are read.
  useEffect(() => {
    if (asked !== undefined) void open();
  }, [asked?.id]);
  if (first === undefined) return html``;
  const isWorking = shown.some(({ approvalId }) => desk.marks.get(approvalId)?.kind === 'working');
  const ask = (verb: Verb): void => desk.ask({ id: group.id, verb });
  const isRead = isOpen && (members !== undefined || group.items.length === group.count);
  return html`<section class="ask-group" aria-labelledby=${id}>
    <article class="ask" tabindex="0" data-ask=${group.id} data-group="" data-ended=${decidable.length === 0 && shut.length === 0 ? '' : undefined} data-shut=${shut.length > 0 ? '' : undefined} aria-labelledby=${id}>
      <div class="ask-what">
        <${AskTitle} ask=${first} id=${id} />
        <p class="ask-line"><${Badge} tone="info">${`${count(group.count, 'request')} alike`}<//> <button type="button" class="button button-quiet button-small" aria-expanded=${isOpen} onClick=${() => (isOpen ? setOpen(false) : void open())}>${isOpen ? 'Hide them' : 'Show them'}</button></p>
        ${!isOpen && html`<${AskDetails} ask=${first} />`}
        ${!isOpen && html`<${ApproverLines} of=${first} />`}
        <${AskWhy} ask=${first} asked=${false} />
      </div>
      <${AskAgent} agent=${group.agent} earlier=${group.earlier} />
      <div class="ask-act">
        ${decidable.length > 0 && html`<p class="ask-left num">${soonest(decidable, now)}</p><${Buttons} all verbs=${verbsOf(decidable)} onAsk=${ask} />`}
        ${shut.length > 0 && html`<p class="ask-left num">${soonest(shut, now)}</p><p class="ask-line muted">Your key may not decide these: it made the requests, or the two keys come from each other.</p>`}
      </div>
      ${problem !== undefined && html`<p class="ask-line" role="alert">${problem}</p>`}
      ${
        asked !== undefined &&
        html`<${ReasonForm} verb=${asked.verb} action=${`${VERBS[asked.verb]} these ${chosen.length}`} busy=${isWorking || !isRead} onCancel=${desk.cancel} late=${chosen.length === 0 && !isWorking ? 'All of them were decided meanwhile.' : undefined} onDecide=${(
          reason: string,
        ) =>
          void desk.decide(
            group.id,
            chosen.map(({ approvalId }) => approvalId),
            asked.verb,
            reason,
          )} />`
      }
    </article>
    ${isOpen && html`<div class="ask-members">${shown.map((each) => html`<${AskRow} key=${each.approvalId} ask=${each} desk=${desk} live=${live} />`)}${shown.length < group.count && isRead && html`<p class="ask-line muted">The first ${shown.length} of ${group.count}, soonest expiry first. The others are shown when these are decided.</p>`}</div>`}
  </section>`;
}

function soonest(asks: readonly WaitingApproval[], now: Date): VNode | string {
  const at = asks.map(({ expiresAt }) => expiresAt).sort()[0] ?? '';
  const text = timeLeft(at, now);
  return isUrgent(at, now) ? html`<${Badge} tone="warn">${text}<//>` : text;
}
