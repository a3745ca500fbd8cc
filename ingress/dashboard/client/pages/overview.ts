// The overview: is the service fine, what needs a person, and what happens.
import { useApi } from '../api.ts';
import { compact, count } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { useLive } from '../live.ts';
import { useFilters } from '../router.ts';
import { useSession } from '../session.ts';
import { Bars, Card, Empty, Notice, PageHead, tierName, WhenLoaded } from '../ui.ts';
import type { Activity, Overview } from '../wire/overview.ts';
import { DecisionChart, LatencyChart, RangeChoice, useActivity } from './overview-activity.ts';
import { type RangeInfo, rangeOf, totalOf } from './overview-numbers.ts';
import { NeedsYou, StatusLine } from './overview-status.ts';
import { Processes, SystemParts } from './overview-system.ts';
import { Tiles } from './overview-tiles.ts';

export function OverviewPage(): VNode {
  const [{ range: name, endpoint }] = useFilters(['range', 'endpoint']);
  const range = rangeOf(name);
  const first = useApi<Overview>('/overview');
  const live = useLive<Overview>('overview');
  const activity = useActivity(range, endpoint, live);
  const overview = live ?? first.data;
  const { bound } = useSession();
  return html`<${PageHead} title="Overview" actions=${bound === null && html`<${RangeChoice} range=${range} />`} />
    <${WhenLoaded} of=${{ ...first, data: overview, error: live === undefined ? first.error : undefined }} what="Reading the numbers">${(data: Overview) => html`<${State} overview=${data} activity=${activity} range=${range} />`}<//>`;
}

interface StateProps {
  readonly overview: Overview;
  readonly activity: Activity | undefined;
  readonly range: RangeInfo;
}

function State({ overview, activity, range }: StateProps): VNode {
  const { system } = overview;
  return html`
    <${StatusLine} overview=${overview} />
    <${DemoHint} overview=${overview} activity=${activity} />
    <div class="overview-grid">
      <div class="overview-side">
        <${NeedsYou} overview=${overview} />
        <${SystemParts} overview=${overview} />
      </div>
      <div class="overview-main">
        <${Tiles} overview=${overview} activity=${activity} range=${activity === undefined ? range : rangeOf(activity.range)} />
        ${activity && html`<${DecisionChart} activity=${activity} /><${LatencyChart} activity=${activity} />`}
      </div>
      <${Card} class="overview-trust" title="Agents by trust level" aside=${count(overview.agents.total, 'agent')}><${TrustLevels} agents=${overview.agents} /><//>
    </div>
    ${system && html`<${Processes} processes=${system.processes} />`}
    <p class="overview-foot muted">Custos ${overview.version}</p>`;
}

/** Tells people who have just run the demo where its data are. */
function DemoHint({ overview: { agents }, activity }: Pick<StateProps, 'overview' | 'activity'>): VNode | null {
  const { environment, isOperator } = useSession();
  // The demo's data belong to the operator's organisation.
  if (
    !isOperator ||
    environment !== 'live' ||
    agents.total > 0 ||
    activity === undefined ||
    totalOf(activity.totals) > 0
  )
    return null;
  return html`<div class="stack"><${Notice} tone="info" title="Nothing has happened in live yet">
    The dashboard shows one environment at a time. <code>npm run demo</code> works in <code>test</code>: choose Test in the menu of environments, which shows Live now.
  <//></div>`;
}

function TrustLevels({ agents: { total, byLevel } }: { readonly agents: Overview['agents'] }): VNode {
  if (total === 0)
    return html`<${Empty} title="No agents are registered">Decisions about other agents use at most 250, the trust score without evidence.<//>`;
  const items = byLevel.map((value, level) => ({ label: `${level} ${tierName(level)}`, value })).reverse();
  return html`<${Bars} caption="Registered agents by trust level" items=${items} format=${compact} />`;
}
