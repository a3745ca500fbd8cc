// The charts of the overview: decisions by verdict and times of requests, over a range that the address keeps.
import { useApi } from '../api.ts';
import { TimeChart, type ChartMark, type ChartSelection, type TimeSeries } from '../components/time-chart.ts';
import { compact, count, milliseconds, moment, rate, short, spelled, whole } from '../format.ts';
import { html, useEffect, useMemo, useRef, type VNode } from '../html.ts';
import { href, Link, navigate, usePlace } from '../router.ts';
import { useSession } from '../session.ts';
import { Card, type Column, Empty, Segments, Table } from '../ui.ts';
import type { Activity, ActivityMark, LatencyRow, Overview } from '../wire/overview.ts';
import type { Verdict } from '../wire.ts';
import { drawn, LAYERS, type RangeInfo, rangeOf, RANGES, stepText, totalOf } from './overview-numbers.ts';

const LOOKS: Readonly<Record<Verdict, Pick<TimeSeries, 'colour' | 'hatch'>>> = {
  ALLOW: { colour: '--verdict-allow', hatch: 'plain' },
  DEGRADE: { colour: '--verdict-degrade', hatch: 'level' },
  ESCALATE: { colour: '--verdict-escalate', hatch: 'dots' },
  DENY: { colour: '--verdict-deny', hatch: 'diagonal' },
};
const SIGNS: Readonly<Record<ActivityMark['kind'], string>> = { policies: '◆', halt: '■', resume: '▶' };
/** Marks listed below the chart. */
const MAX_LISTED = 4;

/**
 * The activity of a range, read again while live numbers arrive. That of the range before stays until the new one is there. A key that is bound to
 * agents gets none.
 */
export function useActivity(
  range: RangeInfo,
  route: string | undefined,
  live: Overview | undefined,
): Activity | undefined {
  const { bound } = useSession();
  const { data, reload } = useApi<Activity>(bound === null ? '/overview/activity' : null, { range: range.name, route });
  const shown = useRef<Activity | undefined>(undefined);
  const readMs = useRef(0);
  useEffect(() => {
    readMs.current = performance.now();
  }, [data]);
  useEffect(() => {
    if (live === undefined || performance.now() - readMs.current < range.refreshMs) return;
    readMs.current = performance.now();
    reload();
  }, [live]);
  if (data !== undefined) shown.current = data;
  return shown.current;
}

/** Links to the same page with another range. */
export function RangeChoice({ range }: { readonly range: RangeInfo }): VNode {
  const { query } = usePlace();
  const given = Object.fromEntries(query);
  const choices = RANGES.map(({ name, label }) => ({
    to: href('', undefined, { ...given, range: name }),
    text: label,
    isCurrent: name === range.name,
  }));
  return html`<${Segments} label="Range" choices=${choices} />`;
}

function markOf({ atMs, kind, text }: ActivityMark): ChartMark {
  const words = {
    policies: `Policy set ${short(text, 13)} took effect`,
    halt: `Halted: ${spelled(text)}`,
    resume: text === '' ? 'Resumed' : `Resumed: ${spelled(text)}`,
  };
  return { atMs, sign: SIGNS[kind], text: words[kind] };
}

function openDecisions({ fromMs, toMs, series }: ChartSelection): void {
  const time = (ms: number): string => new Date(ms).toISOString();
  const q = series && `verdict:${series.toLowerCase()}`;
  navigate(href('decisions', undefined, { q, from: time(fromMs), to: time(toMs) }));
}

export function DecisionChart({ activity }: { readonly activity: Activity }): VNode {
  // Until that of a new range arrives, the chart shows the old one.
  const range = rangeOf(activity.range);
  const { startMs, stepMs, counts, totals, marks } = activity;
  const series = useMemo(
    () =>
      LAYERS.map(
        (verdict): TimeSeries => ({
          name: verdict,
          label: verdict,
          ...LOOKS[verdict],
          values: drawn(activity, counts[verdict]),
        }),
      ),
    [activity],
  );
  const signs = useMemo(() => marks.map(markOf), [activity]);
  const all = totalOf(totals);
  const summary = `${count(all, 'decision')} ${range.words}: ${LAYERS.map((verdict) => `${whole(totals[verdict])} ${verdict}`).join(', ')}.`;
  return html`<${Card} title="Decisions" class="chart-card" aside=${html`<span class="num">${whole(all)}</span> ${range.words}, ${rate(all / range.seconds)}/s`}>
    <${TimeChart} title=${`Decisions per ${stepText(stepMs)} by verdict`} summary=${summary} startMs=${startMs} stepMs=${stepMs} series=${series} isStacked isCount marks=${signs} format=${(value: number) => compact(Math.round(value))} onSelect=${openDecisions} height=${260} />
    <p class="chart-foot muted"><span>Per ${stepText(stepMs)}. Click or drag to open the decisions of that time.</span></p>
    ${
      marks.length > 0 &&
      html`<ul class="chart-marks">${marks
        .slice(-MAX_LISTED)
        .reverse()
        .map((mark) => html`<${MarkRow} key=${`${mark.kind} ${mark.atMs}`} mark=${mark} />`)}</ul>`
    }
  <//>`;
}

function MarkRow({ mark }: { readonly mark: ActivityMark }): VNode {
  const { isOperator } = useSession();
  const { sign, text } = markOf(mark);
  const time = html`<span class="num muted">${moment(new Date(mark.atMs), new Date())}</span>`;
  return html`<li><span class=${`mark-sign mark-${mark.kind}`} aria-hidden="true">${sign}</span> ${mark.kind === 'policies' && isOperator ? html`<${Link} to=${href('policies')}>${text}<//>` : html`<span>${text}</span>`} ${time}</li>`;
}

/** The times of requests as curves, and all endpoints; choosing one draws its times. */
export function LatencyChart({ activity }: { readonly activity: Activity }): VNode | null {
  const range = rangeOf(activity.range);
  const { latency, startMs, stepMs } = activity;
  const { query } = usePlace();
  const series = useMemo(
    (): TimeSeries[] =>
      latency === null
        ? []
        : [
            {
              name: 'p50',
              label: 'p50',
              colour: '--verdict-allow',
              hatch: 'plain',
              dash: [6, 3],
              values: latency.p50Ms,
            },
            { name: 'p99', label: 'p99', colour: '--info', hatch: 'plain', dash: [], values: latency.p99Ms },
          ],
    [activity],
  );
  if (latency === null) return null;
  const { total, routes, route } = latency;
  const time = (ms: number | null): string => (ms === null ? '–' : milliseconds(ms));
  const columns: readonly Column<LatencyRow>[] = [
    {
      title: 'Endpoint',
      cell: (row) =>
        html`<${Link} to=${href('', undefined, { ...Object.fromEntries(query), endpoint: row.route === route ? undefined : row.route })} current=${row.route === route}><code>${row.route}</code><//>`,
    },
    { title: 'Requests', align: 'end', cell: ({ requests }) => compact(requests), sortBy: ({ requests }) => requests },
    { title: 'p50', align: 'end', cell: ({ p50Ms }) => time(p50Ms), sortBy: ({ p50Ms }) => p50Ms ?? 0 },
    { title: 'p99', align: 'end', cell: ({ p99Ms }) => time(p99Ms), sortBy: ({ p99Ms }) => p99Ms ?? 0 },
  ];
  const what = route ?? 'all endpoints';
  return html`<${Card} title="Latency" class="chart-card" aside=${html`<code>${what}</code>, p50 ${time(total.p50Ms)}, p99 ${time(total.p99Ms)}`}>
    ${
      routes.length === 0
        ? html`<${Empty} title=${`No requests ${range.words}`}>Requests to the API of all ingress processes appear here within ten seconds.<//>`
        : html`<${TimeChart} title=${`Time to an answer, ${what}`} summary=${`${count(total.requests, 'request')} ${range.words}, half of them within ${time(total.p50Ms)}, 99 % within ${time(total.p99Ms)}.`} startMs=${startMs} stepMs=${stepMs} series=${series} format=${milliseconds} height=${190} />
          <div class="latency-routes"><${Table} plain caption="Latency by endpoint" columns=${columns} rows=${routes.slice(0, 6)} keyOf=${(row: LatencyRow) => row.route} /></div>`
    }
  <//>`;
}
