// The page of one approval: what a person needs to decide, and the outcome.
import type { AgentAnswer, Approval, ApprovalDetail, TrustAnswer } from '../answers.ts';
import { useApi } from '../api.ts';
import { html, useEffect, type VNode } from '../html.ts';
import { useLive } from '../live.ts';
import { href, Link } from '../router.ts';
import { useSession } from '../session.ts';
import {
  Badge,
  Card,
  Empty,
  Id,
  JsonView,
  KeyValue,
  PageHead,
  Said,
  Status,
  Time,
  ToolCall,
  Trust,
  useNow,
  WhenLoaded,
} from '../ui.ts';
import type { WaitingApprovals, WordsRead } from '../wire/approvals.ts';
import { AskedWords } from './approvals-ask.ts';
import { ApproversCard } from './approvals-approvers.ts';
import { DecideCard } from './approvals-decide.ts';
import { isMissing, statusAt } from './approvals-states.ts';
import { Badges, intentFacts, wordsOf } from './decisions-parts.ts';

const BACK = { page: 'approvals', label: 'Approvals' };

export function ApprovalPage({ id }: { readonly id: string }): VNode {
  const approval = useApi<ApprovalDetail>(`/v1/approvals/${encodeURIComponent(id)}`);
  const live = useLive<WaitingApprovals>('approvals');
  const { data } = approval;
  // Somebody else may decide while this page is open.
  const isStale = data?.status === 'pending' && isMissing(data, live);
  useEffect(() => {
    if (isStale) approval.reload();
  }, [isStale, live?.at]);
  // The head is the same element while loading, because it has the focus.
  return html`<${PageHead} title=${data === undefined ? 'Approval' : html`<${Said} text=${wordsOf(data.decision.intent)} />`} lead=${data && html`Requested by <${Said} text=${data.agentId} /> <${Time} at=${data.createdAt} />. <${StatusNow} row=${data} />`} back=${BACK} />
    <${WhenLoaded} of=${approval} what="Reading the approval">${(shown: ApprovalDetail) => html`<${Shown} approval=${shown} reload=${approval.reload} />`}<//>`;
}

interface ShownProps {
  readonly approval: ApprovalDetail;
  readonly reload: () => void;
}

function Shown({ approval, reload }: ShownProps): VNode {
  return html`<div class="decide-layout">
      <div class="decide-main">
        <${WhyCard} approval=${approval} />
        <${CallCard} approval=${approval} />
        <${WordsCard} approval=${approval} />
        <${WhatCard} approval=${approval} />
        <${ContextCard} context=${approval.context} />
      </div>
      <div class="decide-side">
        <${DecideCard} approval=${approval} reload=${reload} />
        <${ApproversCard} approval=${approval} />
        <${AgentCard} approval=${approval} />
      </div>
    </div>`;
}

export function StatusNow({ row }: { readonly row: Approval }): VNode {
  return html`<${Status} status=${statusAt(row, useNow())} />`;
}

/** The reasons of the ESCALATE. */
function WhyCard({ approval }: { readonly approval: Approval }): VNode {
  const { reasons, decision_id } = approval.decision;
  return html`<${Card} title="Why a person must decide" aside=${html`<${Link} to=${href('decisions', decision_id)}>The decision<//>`}>
    <ul class="reasons">${reasons.map(
      (reason) => html`<li class="reason" key=${`${reason.policy}/${reason.rule}/${reason.effect}`}>
        <p><${Said} text=${reason.message} /></p>
        <p class="reason-source"><code>${reason.code}</code> <span class="muted">${reason.policy} / ${reason.rule}</span></p>
      </li>`,
    )}</ul>
  <//>`;
}

/** The tool call that an approval would permit. */
function CallCard({ approval: { decision, bound, masked } }: { readonly approval: ApprovalDetail }): VNode | null {
  const { tool } = decision;
  if (tool === undefined) return null;
  return html`<${Card} title="Tool call" aside="All of it is bound by the approval">
    <${ToolCall} tool=${tool} facts=${bound?.tool} masked=${masked} missing="Erased by retention." />
  <//>`;
}

/** The agent's own words, if the intent was read from a text that is still kept. */
function WordsCard({ approval: { approvalId, intentId } }: { readonly approval: Approval }): VNode | null {
  const { data } = useApi<WordsRead>(intentId === null ? null : `/approvals/${encodeURIComponent(approvalId)}/words`);
  if (data === undefined || data.text === null) return null;
  return html`<${Card} title="Words of the agent"><div class="stack"><${AskedWords} words=${data} /></div><//>`;
}

/** What the agent requested. */
function WhatCard({ approval }: { readonly approval: ApprovalDetail }): VNode {
  const read = approval.bound?.intent;
  const listed = (texts: readonly string[] | undefined): VNode | undefined =>
    texts === undefined || texts.length === 0 ? undefined : html`<${Badges} texts=${texts} />`;
  return html`<${Card} title="Request">
    <${KeyValue} items=${[
      ...intentFacts(approval.decision.intent),
      ['Data classes', listed(read?.data_classes)],
      ['Flags', listed(read?.flags)],
      ['Places', listed(read?.places)],
    ]} />
  <//>`;
}

function ContextCard({ context }: { readonly context: ApprovalDetail['context'] }): VNode {
  return html`<${Card} title="Context from the caller" aside="Not verified">
    ${
      context === null
        ? html`<${Empty} title="Erased by retention" />`
        : Object.keys(context).length === 0
          ? html`<p class="muted">None.</p>`
          : html`<${JsonView} value=${context} label="The caller's context" />`
    }
  <//>`;
}

/** The agent, with its trust at the time of the request and now. */
function AgentCard({ approval }: { readonly approval: Approval }): VNode {
  const { agentId, keyId, intentId } = approval;
  const { trust } = approval.decision;
  const path = encodeURIComponent(agentId);
  const now = useApi<TrustAnswer>(`/v1/trust/${path}`).data;
  const agent = useApi<AgentAnswer>(now?.registered === true ? `/v1/agents/${path}` : null).data;
  const session = useSession();
  return html`<${Card} title="Agent">
    <${KeyValue} items=${[
      ['Agent', html`<${Link} to=${href('agents', agentId)}><${Said} text=${agentId} /><//>`],
      ['Name', agent && html`<${Said} text=${agent.name} />`],
      ['Description', agent?.description ? html`<${Said} text=${agent.description} />` : undefined],
      [
        'State',
        now &&
          (now.registered
            ? agent && html`<${Status} status=${agent.status} />`
            : html`<${Badge} tone="warn">not registered<//>`),
      ],
      [
        'Trust then',
        html`<${Trust} level=${trust.effective_level} score=${trust.score} />${trust.effective_level < trust.recorded_level && html` <span class="muted">lowered by its claim; the recorded level is ${trust.recorded_level}</span>`}`,
      ],
      ['Trust now', now && html`<${Trust} level=${now.level} score=${now.score} />`],
      ['Uncertainty', trust.uncertainty.toFixed(3)],
      [
        'API key',
        html`<${Link} to=${href('keys', undefined, { search: keyId })}><code>${keyId}</code><//>${keyId === session.keyId && html` <span class="muted">yours</span>`}`,
      ],
      ['Approval id', html`<${Id} id=${approval.approvalId} copy />`],
      ['Intent id', intentId === null ? undefined : html`<${Id} id=${intentId} copy />`],
    ]} />
  <//>`;
}
