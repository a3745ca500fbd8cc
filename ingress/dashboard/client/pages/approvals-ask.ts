// What was asked, and by whom: the parts of a row of waiting approvals.
import { count, short } from '../format.ts';
import { html, useState, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import { Badge, Name, Peek, Said, Status, Time, ToolName, Trust } from '../ui.ts';
import { firstOf, partsOf, type UnreadSpan } from '../unread.ts';
import type { AgentGlance, ApprovalGroup, SecondReaderShown, WaitingApproval, WordsRead } from '../wire/approvals.ts';
import { RiskLevel, wordsOf } from './decisions-parts.ts';

/** Longer words of a caller are folded. */
const MAX_WORDS = 280;

/** The tool, or the request in the caller's words. */
export function AskTitle({ ask, id }: { readonly ask: WaitingApproval; readonly id: string }): VNode {
  const { tool, intent } = ask.decision;
  return html`<p class="ask-title" id=${id}><${Link} to=${href('approvals', ask.approvalId)} class="row-link">${
    tool === undefined ? html`<${Name} text=${wordsOf(intent)} length=${110} />` : html`<${ToolName} tool=${tool} />`
  }<//> <${RiskLevel} risk=${intent.risk} /></p>`;
}

/** What differs between alike requests: words, arguments and context. */
export function AskDetails({ ask }: { readonly ask: WaitingApproval }): VNode {
  const { call, masked, context, isLarge, decision } = ask;
  const hasContext = context !== null && Object.keys(context).length > 0;
  return html`
    <${AskedWords} words=${ask} />
    ${isElsewhere(decision) && html`<p class="ask-line"><span class="muted">On</span> <${Name} text=${decision.intent.resource} length=${90} /></p>`}
    ${call !== null && html`<${Peek} label="Arguments" value=${call.arguments} masked=${masked} />`}
    ${hasContext && html`<${Peek} label="Context" value=${context} />`}
    ${isLarge && html`<p class="ask-line muted">Arguments and context are too large for this list. <${Link} to=${href('approvals', ask.approvalId)}>Show them<//></p>`}`;
}

/** The words of the request with what its reading leaves out. */
export function AskedWords({ words: { text, reading, secondReader } }: { readonly words: WordsRead }): VNode {
  return html`
    ${text !== null && html`<${Words} text=${text} unread=${reading?.unread ?? []} />`}
    ${reading !== null && html`<p class="ask-line"><span class="muted">Read:</span> ${coverageText(reading)}</p>`}
    ${secondReader !== null && html`<p class="ask-line"><span class="muted">Second reader:</span> <${Said} text=${secondReaderText(secondReader)} /></p>`}`;
}

/** `62 % of the text; what is marked was left out`. */
function coverageText({ coverage, unread }: NonNullable<WaitingApproval['reading']>): string {
  return `${Math.round(coverage * 100)} % of the text${unread.length > 0 ? '; what is marked was left out' : ''}`;
}

/** `raised to effect destructive because: It empties the table.` */
function secondReaderText({ outcome, raised, why }: SecondReaderShown): string {
  // A text can talk the reader into a reason that persuades the approver, so only reasons for more strictness are shown.
  if (outcome !== 'raised') return outcome;
  return `raised to ${raised.join(', ')}${why === null ? '' : ` because: ${why}`}`;
}

/** What differs between alike requests, on one line. */
export function summaryOf({ text, call, context, decision }: WaitingApproval): string {
  if (text !== null) return text;
  const value = call?.arguments ?? context;
  return value === null || Object.keys(value).length === 0 ? wordsOf(decision.intent) : JSON.stringify(value);
}

/** Whether a call acts on something other than the tool itself. */
function isElsewhere({ tool, intent }: WaitingApproval['decision']): boolean {
  return tool !== undefined && intent.resource !== `tools/${tool.server}/${tool.name}`;
}

interface WordsProps {
  readonly text: string;
  /** What the reading leaves out. */
  readonly unread: readonly UnreadSpan[];
}

function Words({ text, unread }: WordsProps): VNode {
  const [all, setAll] = useState(false);
  const isLong = text.length > MAX_WORDS;
  const parts = partsOf(text, unread);
  const shown = all || !isLong ? parts : [...firstOf(parts, MAX_WORDS), { text: '…', isUnread: false }];
  return html`<blockquote class="ask-words">${shown.map((part) => (part.isUnread ? html`<mark><span class="visually-hidden">left out: </span><${Said} text=${part.text} /></mark>` : html`<${Said} text=${part.text} />`))}${isLong && html` <button type="button" class="button button-quiet button-small" onClick=${() => setAll(!all)}>${all ? 'Less' : 'All of it'}</button>`}</blockquote>`;
}

/** Why a person must decide, and who asked when. */
export function AskWhy({ ask, asked = true }: { readonly ask: WaitingApproval; readonly asked?: boolean }): VNode {
  const [first, ...more] = ask.decision.reasons;
  return html`<p class="ask-line"><span class="muted">Why:</span> ${first && html`<${Said} text=${first.message} />`}${more.length > 0 && html` <span class="muted">and ${more.length} more</span>`}${asked && html` <span class="muted">· <${AskWhen} ask=${ask} /></span>`}</p>`;
}

export function AskWhen({ ask }: { readonly ask: WaitingApproval }): VNode {
  return html`asked <${Time} at=${ask.createdAt} /> with ${ask.keyName === null ? html`key <code>${ask.keyId}</code>` : html`<${Name} text=${ask.keyName} length=${30} />`}`;
}

/** The agent beside its request: trust, last verdicts, and what was decided about alike requests. */
export function AskAgent({ agent, earlier }: Pick<ApprovalGroup, 'agent' | 'earlier'>): VNode {
  const { agentId, status, trust } = agent;
  return html`<div class="ask-agent">
    <p class="ask-agent-name"><${Link} to=${href('agents', agentId)}><${Name} text=${agentId} length=${34} /><//>${status === null ? html` <${Badge} tone="warn">not registered<//>` : status !== 'ACTIVE' && html` <${Status} status=${status} />`}</p>
    <p><${Trust} level=${trust.level} score=${trust.score} /></p>
    <${Verdicts} verdicts=${agent.verdicts} />
    <${Earlier} earlier=${earlier} />
  </div>`;
}

const WORDS = { ALLOW: 'allowed', DENY: 'denied', ESCALATE: 'escalated', DEGRADE: 'degraded' } as const;

function Verdicts({ verdicts }: Pick<AgentGlance, 'verdicts'>): VNode | null {
  if (verdicts.length === 0) return null;
  const sums = Object.entries(WORDS).flatMap(([verdict, word]) => {
    const n = verdicts.filter((each) => each === verdict).length;
    return n === 0 ? [] : [`${n} ${word}`];
  });
  const text = `Last ${count(verdicts.length, 'decision')}: ${sums.join(', ')}`;
  return html`<p class="ask-verdicts" title=${text}><span class="visually-hidden">${text}</span>${[...verdicts].reverse().map((verdict) => html`<i aria-hidden="true" class=${`verdict-${verdict.toLowerCase()}`}></i>`)}<span aria-hidden="true" class="muted">last ${verdicts.length}</span></p>`;
}

function Earlier({ earlier: { approved, rejected, expired, last } }: Pick<ApprovalGroup, 'earlier'>): VNode {
  const parts = [
    approved > 0 && `approved ${approved}`,
    rejected > 0 && `rejected ${rejected}`,
    expired > 0 && `expired ${expired}`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return html`<p class="ask-earlier muted">Never asked before</p>`;
  return html`<p class="ask-earlier">Before: ${parts.join(', ')}</p>
    ${last && html`<p class="ask-earlier muted">Last ${last.state} <${Time} at=${last.at} /> by ${last.byName === null ? html`<code>${last.by}</code>` : html`<${Name} text=${last.byName} length=${24} />`}: “<${Said} text=${short(last.reason, 80)} />”</p>`}`;
}
