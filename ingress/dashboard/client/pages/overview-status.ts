// The head of the overview: one line on the state of the service, and what needs a person.
import { byService } from '../clock.ts';
import { count } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { useLiveState } from '../live.ts';
import { mayOpen } from '../page-access.ts';
import { href, Link } from '../router.ts';
import { useSession } from '../session.ts';
import { Badge, Name, Said, Time } from '../ui.ts';
import type { DueApproval, Overview } from '../wire/overview.ts';
import { problemsOf, type ShownProblem, type Task, tasksOf } from './problems.ts';

/** The state of the service in one line; below it, each problem with what to do. */
export function StatusLine({ overview }: { readonly overview: Overview }): VNode {
  const { live } = useLiveState();
  const problems = problemsOf(overview);
  const [worst] = problems;
  const tone = worst?.tone ?? (live ? 'good' : 'neutral');
  // Without live numbers the state now is not known.
  const words =
    worst === undefined
      ? live
        ? 'All systems normal'
        : 'The current state is not known'
      : problems.length === 1
        ? worst.title
        : `${count(problems.length, 'problem')}: ${worst.title}`;
  return html`<section class=${`status-line tone-${tone}`} aria-label="Status">
    <p class="status-head"><span class="status-dot" aria-hidden="true">${tone === 'good' ? '✓' : tone === 'neutral' ? '?' : '!'}</span><strong>${words}</strong><span class="status-at muted">as of <${Time} at=${overview.at} as="moment" /></span></p>
    ${problems.length > 0 && html`<ul class="status-problems">${problems.map((problem) => html`<${ProblemRow} key=${problem.title} problem=${problem} isOnly=${problems.length === 1} />`)}</ul>`}
  </section>`;
}

function ProblemRow({ problem, isOnly }: { readonly problem: ShownProblem; readonly isOnly: boolean }): VNode {
  const { tone, title, text, since, page } = problem;
  return html`<li class=${`tone-${tone}`}>
    <span class="status-mark" aria-hidden="true"></span>
    <div>${!isOnly && html`<strong>${title}</strong> `}<span class="status-text">${since !== undefined && html`Since <${Time} at=${since} as="moment" /> (<${Time} at=${since} />). `}<${Said} text=${text} /></span></div>
    ${page !== undefined && html`<${Link} to=${href(page.name)} class="status-link">Open ${page.title}<//>`}
  </li>`;
}

/** Work for people, most urgent first. */
export function NeedsYou({ overview }: { readonly overview: Overview }): VNode {
  const session = useSession();
  const tasks = tasksOf(overview).filter(({ page }) => mayOpen({ name: page }, session));
  const total = tasks.reduce((sum, task) => sum + task.count, 0);
  return html`<section class="card needs" aria-labelledby="needs-title">
    <div class="card-head"><h2 id="needs-title">Needs you${total > 0 && html` <span class="count-badge">${total}</span>`}</h2></div>
    ${
      tasks.length === 0
        ? html`<div class="needs-none"><span class="needs-check" aria-hidden="true">✓</span><p class="empty-title">Nothing needs you</p><p class="empty-text">Approvals, dead jobs, failing webhooks and findings appear here.</p></div>`
        : html`<ul class="needs-list">${tasks.map((task) => html`<${TaskRow} key=${task.title} task=${task} approvals=${overview.approvals} />`)}</ul>`
    }
  </section>`;
}

function TaskRow({ task, approvals }: { readonly task: Task; readonly approvals: Overview['approvals'] }): VNode {
  const { page, tone, title, text } = task;
  const rows = page === 'approvals' ? approvals.next : [];
  const more = page === 'approvals' ? approvals.total - rows.length : 0;
  return html`<li class=${`task tone-${tone}`}>
    <div class="task-head"><${Link} to=${href(page)} class="task-title">${title}<//><span class="task-arrow" aria-hidden="true">→</span></div>
    ${rows.length === 0 ? html`<p class="muted">${text}</p>` : html`<ul class="due">${rows.map((row) => html`<${DueRow} key=${row.approvalId} row=${row} />`)}</ul>`}
    ${rows.length > 0 && more > 0 && html`<p class="muted">and ${count(more, 'more', 'more')}</p>`}
  </li>`;
}

function DueRow({ row: { approvalId, agentId, requested, expiresAt } }: { readonly row: DueApproval }): VNode {
  return html`<li>
    <${Link} to=${href('approvals', approvalId)} class="due-what"><code><${Name} text=${requested ?? approvalId} length=${40} /></code><//>
    <span class="due-who"><${Name} text=${agentId} length=${28} /></span>
    <${Badge} tone=${Date.parse(expiresAt) - byService(Date.now()) < 300_000 ? 'warn' : 'neutral'}>expires <${Time} at=${expiresAt} /><//>
  </li>`;
}
