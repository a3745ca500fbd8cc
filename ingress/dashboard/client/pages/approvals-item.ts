// One approval: all that a human needs to decide, the decision, and what became of it.
import type { AgentAnswer, TrustAnswer } from '../answers.ts';
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
  Trust,
  useNow,
  WhenLoaded,
} from '../ui.ts';
import type { WaitingApprovals } from '../wire.ts';
import { DecideCard } from './approvals-decide.ts';
import { type Approval, type ApprovalDetail, statusAt } from './approvals-types.ts';
import { RiskLevel, wordsOf } from './decisions-parts.ts';

const BACK = { to: href('approvals'), label: 'Approvals' };

export function ApprovalPage({ id }: { readonly id: string }): VNode {
  const approval = useApi<ApprovalDetail>(`/v1/approvals/${encodeURIComponent(id)}`);
  const live = useLive<WaitingApprovals>('approvals');
  // Somebody else may decide while one reads.
  const isListed = live?.newest.some(({ approvalId }) => approvalId === id) ?? false;
  useEffect(() => {
    if (approval.data !== undefined) approval.reload();
  }, [isListed]);
  const { data } = approval;
  // The same head from the beginning: it has the focus.
  return html`<${PageHead} title=${data === undefined ? 'Approval' : html`<${Said} text=${wordsOf(data.decision.intent)} />`} lead=${data && html`<${Said} text=${data.agentId} /> asked for this <${Time} at=${data.createdAt} />. <${StatusNow} row=${data} />`} back=${BACK} />
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
        <${WhatCard} approval=${approval} />
        <${ContextCard} context=${approval.context} />
      </div>
      <div class="decide-side">
        <${DecideCard} approval=${approval} reload=${reload} />
        <${AgentCard} approval=${approval} />
      </div>
    </div>`;
}

export function StatusNow({ row }: { readonly row: Approval }): VNode {
  return html`<${Status} status=${statusAt(row, useNow())} />`;
}

/** Why the policies left it to a human. */
function WhyCard({ approval }: { readonly approval: Approval }): VNode {
  const { reasons, decision_id } = approval.decision;
  return html`<${Card} title="Why a human must decide" aside=${html`<${Link} to=${href('decisions', decision_id)}>The whole decision<//>`}>
    <ul class="reasons">${reasons.map(
      (reason) => html`<li class="reason" key=${`${reason.policy}/${reason.rule}/${reason.effect}`}>
        <p><${Said} text=${reason.message} /></p>
        <p class="reason-source"><code>${reason.code}</code> <span class="muted">${reason.policy} / ${reason.rule}</span></p>
      </li>`,
    )}</ul>
  <//>`;
}

/** What the agent wants to do. */
function WhatCard({ approval }: { readonly approval: ApprovalDetail }): VNode {
  const { intent } = approval.decision;
  const { risk } = intent;
  const read = approval.bound?.intent;
  return html`<${Card} title="What it wants to do">
    <${KeyValue} items=${[
      ['Asked', html`<code><${Said} text=${wordsOf(intent)} /></code>`],
      ['Read as', html`<code><${Said} text=${intent.normalized} /></code>`],
      ['Resource', html`<code><${Said} text=${intent.resource} /></code>`],
      [
        'Action',
        intent.verb === intent.action
          ? intent.action
          : html`${intent.action} <span class="muted">as <${Said} text=${intent.verb} /></span>`,
      ],
      ['Effect', html`<${Badge} tone=${intent.effect === 'destructive' ? 'bad' : 'neutral'}>${intent.effect}<//>`],
      [
        'Traits',
        intent.traits.length === 0
          ? undefined
          : html`<span class="badges">${intent.traits.map((trait) => html`<${Badge} key=${trait}>${trait}<//>`)}</span>`,
      ],
      ['Data classes', read && listed(read.data_classes)],
      ['Flags', read && listed(read.flags)],
      ['Places', read && listed(read.places)],
      ['Risk', html`<${RiskLevel} risk=${risk} />`],
      [
        'Risk factors',
        risk.factors.length === 0
          ? undefined
          : html`<ul class="factors">${risk.factors.map(({ factor, score, message }) => html`<li key=${factor}><span class="num">+${score}</span> <${Said} text=${message} /></li>`)}</ul>`,
      ],
    ]} />
  <//>`;
}

function listed(names: readonly string[]): VNode | undefined {
  if (names.length === 0) return undefined;
  return html`<span class="badges">${names.map((name) => html`<${Badge} key=${name}><${Said} text=${name} /><//>`)}</span>`;
}

function ContextCard({ context }: { readonly context: ApprovalDetail['context'] }): VNode {
  return html`<${Card} title="What the caller sent along" aside="Its own words; nothing here was checked">
    ${
      context === null
        ? html`<${Empty} title="Erased by retention" />`
        : Object.keys(context).length === 0
          ? html`<p class="muted">Nothing.</p>`
          : html`<${JsonView} value=${context} label="The caller's context" />`
    }
  <//>`;
}

/** Who acts: what its trust was when it asked, and what it is now. */
function AgentCard({ approval }: { readonly approval: Approval }): VNode {
  const { agentId, keyId, intentId } = approval;
  const { trust } = approval.decision;
  const path = encodeURIComponent(agentId);
  const now = useApi<TrustAnswer>(`/v1/trust/${path}`).data;
  const agent = useApi<AgentAnswer>(now?.registered === true ? `/v1/agents/${path}` : null).data;
  const session = useSession();
  return html`<${Card} title="Who asks">
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
        html`<${Trust} level=${trust.effective_level} score=${trust.score} />${trust.effective_level < trust.recorded_level && html` <span class="muted">it claimed no more; recorded is level ${trust.recorded_level}</span>`}`,
      ],
      ['Trust now', now && html`<${Trust} level=${now.level} score=${now.score} />`],
      ['Uncertainty', trust.uncertainty.toFixed(3)],
      [
        'Asked with key',
        html`<code>${keyId}</code>${keyId === session.keyId && html` <span class="muted">yours</span>`}`,
      ],
      ['Approval id', html`<${Id} id=${approval.approvalId} copy />`],
      ['Intent id', intentId === null ? undefined : html`<${Id} id=${intentId} copy />`],
    ]} />
  <//>`;
}
