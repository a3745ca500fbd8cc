// Who must approve a request, and who has: in a line of the list, and as a card of the page of one approval.
import type { Approval, ApprovalDetail } from '../answers.ts';
import { html, type VNode } from '../html.ts';
import { Badge, Card, Notice, Said, Time } from '../ui.ts';

type Demand = NonNullable<Approval['approvers']>[number];

/** The demand that is furthest from being met. */
function furthest(approvers: readonly Demand[] | null): Demand | undefined {
  return approvers?.toSorted((a, b) => b.missing - a.missing)[0];
}

/** "1 of 2"; undefined: any admin key may approve. */
export function progressOf({ approvers }: Pick<Approval, 'approvers'>): string | undefined {
  const demand = furthest(approvers);
  return demand && `${demand.approvedBy.length} of ${demand.atLeast}`;
}

/** Whether an approval may need more votes than the next one. */
export function needsMore({ approvers }: Pick<Approval, 'approvers'>): boolean {
  return (approvers ?? []).reduce((sum, { missing }) => sum + missing, 0) > 1;
}

/** The keys and tags that a rule names. */
function Named({ of: { keys, tags } }: { readonly of: Demand }): VNode {
  const names = [...tags.map((tag) => ['tag', tag] as const), ...keys.map((key) => ['key', key] as const)];
  return html`${names.map(([kind, name], i) => html`<span key=${`${kind} ${name}`}>${i > 0 && ' or '}${kind} <code>${name}</code></span>`)}`;
}

/** One line for each rule that names approvers. */
export function ApproverLines({ of }: { readonly of: Pick<Approval, 'approvers'> }): VNode | null {
  if (of.approvers === null) return null;
  return html`${of.approvers.map((demand) => html`<p class="ask-line muted" key=${`${demand.policy}/${demand.rule}`}>Approved by ${demand.approvedBy.length} of ${demand.atLeast}: <${Named} of=${demand} /></p>`)}`;
}

/** Each rule with its approvers, and the votes; nothing when any admin key may approve. */
export function ApproversCard({ approval }: { readonly approval: ApprovalDetail }): VNode | null {
  const { approvers, votes, canBeMet, status } = approval;
  if (approvers === null) return null;
  return html`<${Card} title="Who must approve" aside=${`${progressOf(approval)} approved`}>
    ${status === 'pending' && !canBeMet && html`<${Notice} tone="warn" title="Nobody can complete this approval">There are not enough valid admin keys that the rules name. Create one with such a tag, or reject the request.<//>`}
    <ul class="reasons">${approvers.map(
      (demand) => html`<li class="reason" key=${`${demand.policy}/${demand.rule}`}>
        <p><${Badge} tone=${demand.missing === 0 ? 'good' : 'neutral'}>${`${demand.approvedBy.length} of ${demand.atLeast}`}<//> <${Named} of=${demand} /></p>
        <p class="reason-source"><span class="muted">${demand.policy} / ${demand.rule}</span></p>
      </li>`,
    )}</ul>
    ${votes.map((vote) => html`<p class="reason-source" key=${vote.by}><code>${vote.by}</code> approved <${Time} at=${vote.at} />: <${Said} text=${vote.reason} /></p>`)}
  <//>`;
}
