// The overview: current numbers and problems, updated live.
import { useApi } from '../api.ts';
import { LogFacts } from '../components/log-facts.ts';
import { QueueTable } from '../components/queue-table.ts';
import { compact, count, duration, milliseconds, rate, short, whole } from '../format.ts';
import { html, useEffect, useMemo, useState, type VNode } from '../html.ts';
import { useLive, useLiveState } from '../live.ts';
import { href, Link } from '../router.ts';
import { useSession } from '../session.ts';
import {
  Badge,
  Bars,
  Card,
  Chart,
  type Column,
  Empty,
  Id,
  KeyValue,
  Notice,
  PageHead,
  Stat,
  Stats,
  Table,
  tierName,
  Time,
  WhenLoaded,
} from '../ui.ts';
import type { LatencyRow, Overview, ProcessInfo, RateSample, SystemState, Verdict, WaitingApprovals } from '../wire.ts';
import { problemsOf } from './problems.ts';

const VERDICTS: readonly Verdict[] = ['ALLOW', 'DENY', 'ESCALATE', 'DEGRADE'];
const LOOKS: Readonly<Record<Verdict, { readonly colour: string; readonly dash?: readonly number[] }>> = {
  ALLOW: { colour: '--verdict-allow' },
  DENY: { colour: '--verdict-deny', dash: [6, 3] },
  ESCALATE: { colour: '--verdict-escalate', dash: [2, 3] },
  DEGRADE: { colour: '--verdict-degrade', dash: [8, 3, 2, 3] },
};
const KEPT_MS = 600_000;

const total = (counts: Readonly<Record<Verdict, number>>): number =>
  VERDICTS.reduce((sum, verdict) => sum + counts[verdict], 0);

export function OverviewPage(): VNode {
  const first = useApi<Overview>('/overview');
  const live = useLive<Overview>('overview');
  const overview = live ?? first.data;
  const history = useHistory(first.data, live);
  return html`<${PageHead} title="Overview" lead=${overview && html`Current numbers and problems. <span class="muted">As of <${Time} at=${overview.at} as="moment" />, version ${overview.version}.</span>`} />
    <${WhenLoaded} of=${{ ...first, data: overview, error: live === undefined ? first.error : undefined }} what="Reading the numbers">${(data: Overview) => html`<${Numbers} overview=${data} history=${history} />`}<//>`;
}

/** The history of the first answer, and the live samples since then. */
function useHistory(first: Overview | undefined, live: Overview | undefined): readonly RateSample[] {
  const [history, setHistory] = useState<readonly RateSample[]>([]);
  useEffect(() => {
    if (first !== undefined) setHistory(first.decisions.history);
  }, [first]);
  useEffect(() => {
    if (live === undefined) return;
    const { now } = live.decisions;
    const since = Date.parse(now.at) - KEPT_MS;
    setHistory((before) =>
      before.at(-1)?.at === now.at
        ? before
        : [...before.filter(({ at }) => Date.parse(at) >= since && at < now.at), now],
    );
  }, [live]);
  return history;
}

function Numbers({
  overview,
  history,
}: {
  readonly overview: Overview;
  readonly history: readonly RateSample[];
}): VNode {
  const { decisions, system, log, agents } = overview;
  const problems = problemsOf(overview);
  return html`
    <div class="stack" role="region" aria-label="Problems">
      ${problems.length === 0 ? html`<${AllWell} at=${overview.at} />` : problems.map((problem) => html`<${Notice} key=${problem.title} tone=${problem.tone} title=${problem.title}>${problem.since !== undefined && html`Since <${Time} at=${problem.since} as="moment" /> (<${Time} at=${problem.since} />). `}${problem.text}${problem.page !== undefined && html` <${Link} to=${href(problem.page.name)}>Open ${problem.page.title}<//>`}<//>`)}
    </div>
    <${DemoHint} overview=${overview} />
    <${Figures} overview=${overview} />
    <${Card} title="Decisions per second" aside="Last ten minutes"><${RateChart} history=${history} /><//>
    <div class="masonry">
      ${system && html`<${Card} title="Latency" flush aside=${`This process, last ${duration(system.latency.overSeconds)}`}><${Table} caption="Latency by endpoint" columns=${LATENCY_COLUMNS} rows=${system.latency.rows} keyOf=${({ route }: LatencyRow) => route} empty=${html`<${Empty} title="No requests yet" />`} /><//>`}
      ${system && html`<${Card} title="Queues" flush><${QueueTable} queues=${system.queues} /><//>`}
      <${Card} title="Log">${log === null ? html`<${Empty} title="Nothing is recorded yet">The log begins with the first decision.<//>` : html`<${LogFacts} log=${log} />`}<//>
      <${Card} title="Trust levels" aside=${count(agents.total, 'agent')}><${TrustLevels} overview=${overview} /><//>
      ${system && html`<${Card} title="Policy set" aside=${html`<${Link} to=${href('policies')}>Policies<//>`}><${PolicyFacts} policies=${system.policies} /><//>`}
      ${system && html`<${Card} title="Processes" flush aside=${count(system.workersAlive, 'worker') + ' alive'}><${Table} caption="Processes" columns=${PROCESS_COLUMNS} rows=${system.processes} keyOf=${({ host, pid, startedAt }: ProcessInfo) => `${host} ${pid} ${startedAt}`} /><//>`}
    </div>
    <p class="visually-hidden">${whole(total(decisions.lastHour.counts))} decisions in the last hour.</p>`;
}

/** Without live numbers the current state is not known. */
function AllWell({ at }: { readonly at: string }): VNode {
  const { live } = useLiveState();
  return live
    ? html`<p class="all-well"><span class="all-well-mark" aria-hidden="true">✓</span> No problems.</p>`
    : html`<p class="muted">No problems at <${Time} at=${at} as="moment" />. The current state is not known.</p>`;
}

/** Tells people who have just run the demo where its data are. */
function DemoHint({ overview: { decisions, agents } }: { readonly overview: Overview }): VNode | null {
  const { environment } = useSession();
  if (environment !== 'live' || agents.total > 0 || total(decisions.lastHour.counts) > 0) return null;
  return html`<div class="stack"><${Notice} tone="info" title="No agents in live, and no decisions in the last hour">
    The dashboard shows only the environment of your key. <code>npm run demo</code> works in <code>test</code>: create an admin key for that environment under <${Link} to=${href('keys')}>Keys<//>, and sign in with it.
  <//></div>`;
}

function Figures({ overview }: { readonly overview: Overview }): VNode {
  const { decisions, system, log, agents } = overview;
  const hour = decisions.lastHour;
  const asked = total(hour.counts);
  const allowed = hour.counts.ALLOW + hour.counts.DEGRADE;
  const waiting = system?.queues?.reduce((sum, queue) => sum + queue.waiting, 0);
  const oldest = Math.max(0, ...(system?.queues ?? []).map((queue) => queue.oldestWaitingSeconds));
  return html`<${Stats}>
    <${Stat} label="Decisions/s" value=${rate(total(decisions.now.perSecond))} hint="average of 10 s" />
    <${Stat} label="Last hour" value=${`${hour.complete ? '' : 'over '}${compact(asked)}`} hint=${asked === 0 ? 'no requests' : `${Math.round((100 * allowed) / asked)} % allowed`} />
    <${Stat} label="Agents" value=${compact(agents.total)} hint=${`${compact(agents.byStatus['ACTIVE'] ?? 0)} active`} />
    <${Stat} label="Log size" value=${compact(log?.size ?? 0)} hint=${log?.checkpoint ? html`signed <${Time} at=${log.checkpoint.signedAt} />` : 'not signed yet'} />
    <${WaitingApprovalsStat} />
    ${system && html`<${Stat} label="Workers alive" value=${system.workersAlive} tone=${system.workersAlive === 0 ? 'bad' : 'neutral'} hint=${system.workersAlive === 0 ? 'jobs wait' : 'heartbeat within 3 s'} />`}
    ${system && html`<${Stat} label="Waiting jobs" value=${waiting === undefined ? '–' : compact(waiting)} tone=${oldest > 30 ? 'warn' : 'neutral'} hint=${waiting === undefined ? 'no answer' : waiting === 0 ? 'none' : `oldest ${duration(oldest)}`} />`}
    ${system && html`<${Stat} label="Outbox" value=${compact(system.outbox.waiting)} tone=${system.outbox.oldestSeconds > 10 ? 'warn' : 'neutral'} hint=${system.outbox.waiting === 0 ? 'empty' : `oldest ${duration(system.outbox.oldestSeconds)}`} />`}
    ${system && html`<${Stat} label="Dead jobs" to=${href('dead-jobs')} value=${compact(system.deadJobs)} tone=${system.deadJobs > 0 ? 'warn' : 'neutral'} hint=${system.deadJobs === 0 ? 'none' : 'need a decision'} />`}
  <//>`;
}

function WaitingApprovalsStat(): VNode {
  const live = useLive<WaitingApprovals>('approvals');
  const total = live?.total ?? 0;
  return html`<${Stat} label="Approvals" to=${href('approvals')} value=${live === undefined ? '–' : compact(total)} tone=${total > 0 ? 'warn' : 'neutral'} hint=${live === undefined ? '' : total === 0 ? 'none waiting' : 'waiting for a person'} />`;
}

function RateChart({ history }: { readonly history: readonly RateSample[] }): VNode {
  const times = useMemo(() => history.map(({ at }) => Date.parse(at)), [history]);
  const series = useMemo(
    () =>
      VERDICTS.map((verdict) => ({
        label: verdict,
        ...LOOKS[verdict],
        values: history.map(({ perSecond }) => perSecond[verdict]),
      })),
    [history],
  );
  const peak = Math.max(0, ...history.map(({ perSecond }) => total(perSecond)));
  const now = history.at(-1);
  const summary =
    now === undefined
      ? 'No measurements yet.'
      : `Now ${VERDICTS.map((verdict) => `${rate(now.perSecond[verdict])} ${verdict}`).join(', ')} per second; at most ${rate(peak)} in total.`;
  return html`<${Chart} title="Decisions per second by verdict" summary=${summary} times=${times} series=${series} format=${rate} unit="decisions/s" />`;
}

const LATENCY_COLUMNS: readonly Column<LatencyRow>[] = [
  { title: 'Endpoint', cell: ({ route }) => html`<code>${route}</code>` },
  { title: 'Requests', align: 'end', cell: ({ requests }) => compact(requests) },
  { title: 'p50', align: 'end', cell: ({ p50Ms }) => milliseconds(p50Ms) },
  { title: 'p99', align: 'end', cell: ({ p99Ms }) => milliseconds(p99Ms) },
];

function TrustLevels({ overview }: { readonly overview: Overview }): VNode {
  const { total: all, byLevel } = overview.agents;
  if (all === 0)
    return html`<${Empty} title="No agents are registered">Other agents have the trust score without evidence.<//>`;
  const items = byLevel.map((value, level) => ({ label: `${level} ${tierName(level)}`, value }));
  return html`<${Bars} caption="Registered agents by trust level" items=${items} format=${compact} />`;
}

function PolicyFacts({ policies }: { readonly policies: SystemState['policies'] }): VNode {
  return html`<${KeyValue} items=${[
    ['Digest', policies.digest === null ? null : html`<${Id} id=${policies.digest} length=${24} copy />`],
    ['In force since', policies.activatedAt === null ? null : html`<${Time} at=${policies.activatedAt} />`],
    [
      'Last reading',
      html`<${Badge} tone=${policies.lastReadOk ? 'good' : 'bad'}>${policies.lastReadOk ? 'accepted' : 'refused'}<//> ${policies.lastReadAt === null ? '' : html`<${Time} at=${policies.lastReadAt} />`}`,
    ],
    ['Findings', policies.findings === 0 ? undefined : whole(policies.findings)],
  ]} />`;
}

const PROCESS_COLUMNS: readonly Column<ProcessInfo>[] = [
  { title: 'Process', cell: ({ role, pid }) => html`${role} <span class="muted num">${pid}</span>` },
  { title: 'Host', cell: ({ host }) => html`<span title=${host}>${short(host, 18)}</span>` },
  { title: 'Started', cell: ({ startedAt }) => html`<${Time} at=${startedAt} />` },
  {
    title: 'State',
    cell: ({ alive, silentSeconds }) =>
      html`<${Badge} tone=${alive ? 'good' : 'bad'}>${alive ? 'alive' : `no heartbeat for ${duration(silentSeconds)}`}<//>`,
  },
];
