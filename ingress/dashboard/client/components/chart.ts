// Charts: curves over time (uPlot) with a summary in words and as a table, and bars for counts.
import uPlot from 'uplot';
import { html, useEffect, useRef, useState, type VNode } from '../html.ts';
import { moment, tickTimes, timeZone } from '../format.ts';
import { Scroll } from './table.ts';
import { colourOf, usePainted } from '../theme.ts';

export interface Series {
  readonly label: string;
  /** A colour of the style sheet, such as `--verdict-allow`. */
  readonly colour: string;
  /** Curves must be distinguishable without colour. */
  readonly dash?: readonly number[];
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly title: string;
  /** The text alternative: what the curves show, in a sentence. */
  readonly summary: string;
  /** Milliseconds since 1970, rising. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly format?: (value: number) => string;
  /** The unit of the scale, such as "decisions/s". */
  readonly unit?: string;
  /** Default: 220 */
  readonly height?: number;
  /** The smallest upper end of the scale, so that noise does not fill the chart. */
  readonly atLeast?: number;
  /** The fixed upper end of the scale. */
  readonly atMost?: number;
}

/** The table has only the newest rows. */
const TABLE_ROWS = 12;

export function Chart(props: ChartProps): VNode {
  const { title, summary, times, series, format = String, unit, height = 220, atLeast = 1, atMost } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const painted = usePainted();
  const [asTable, setAsTable] = useState(false);
  const shape = JSON.stringify([
    series.map(({ label, colour, dash }) => [label, colour, dash]),
    height,
    atLeast,
    atMost,
  ]);
  const data = (): uPlot.AlignedData => [
    times.map((ms) => ms / 1_000),
    ...series.map(({ values }) => [...values] as (number | null)[]),
  ];

  // A new plot when its appearance changes; new values are set in the effect below.
  useEffect(() => {
    const element = place.current;
    if (element === null || asTable) return undefined;
    const grid = { stroke: colourOf('--chart-grid'), width: 1 };
    const axis = { stroke: colourOf('--text-muted'), grid, ticks: { show: false }, font: '12px system-ui, sans-serif' };
    const made = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { size: 6 } },
        padding: [8, 22, 0, 0],
        scales: {
          x: { time: true },
          y: { range: (_plot, _min, max) => [0, atMost ?? Math.max(atLeast, (max ?? 0) * 1.1)] },
        },
        axes: [
          { ...axis, size: 28, space: 70, values: (_plot, splits, _axis, _space, step) => tickTimes(splits, step) },
          { ...axis, size: 48, values: (_plot, splits) => splits.map((value) => format(value)) },
        ],
        series: [
          {},
          ...series.map(({ label, colour, dash }) => ({
            label,
            stroke: colourOf(colour),
            width: 1.75,
            points: { show: false },
            spanGaps: true,
            ...(dash === undefined ? {} : { dash: [...dash] }),
          })),
        ],
      },
      data(),
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [shape, painted, asTable]);
  useEffect(() => plot.current?.setData(data()), [times, series]);

  return html`<figure class="chart">
    <figcaption>
      <span class="visually-hidden">${title}. ${summary}</span>
      <ul class="legend">${series.map(({ label, colour, dash, values }) => html`<li key=${label}><svg width="18" height="8" aria-hidden="true" focusable="false"><line x1="0" y1="4" x2="18" y2="4" style=${{ stroke: `var(${colour})` }} stroke-width="2" stroke-dasharray=${dash?.join(' ')} /></svg>${label} <span class="num">${lastOf(values, format)}</span></li>`)}</ul>
      <span class="chart-side"><span class="muted">${unit === undefined ? '' : `${unit}, `}times in ${timeZone(new Date())}</span><button type="button" class="button button-quiet button-small" aria-pressed=${asTable} onClick=${() => setAsTable(!asTable)}>${asTable ? 'As a chart' : 'As a table'}</button></span>
    </figcaption>
    ${asTable ? html`<${DataTable} ...${{ title, times, series, format }} />` : html`<div ref=${place} class="chart-canvas" role="img" aria-label=${`${title}. ${summary}`} style=${{ height: `${height}px` }}></div>`}
  </figure>`;
}

function DataTable({
  title,
  times,
  series,
  format,
}: Pick<ChartProps, 'title' | 'times' | 'series'> & { readonly format: (value: number) => string }): VNode {
  const rows = times
    .map((_, at) => at)
    .slice(-TABLE_ROWS)
    .reverse();
  return html`<${Scroll} label=${title}><table class="plain">
    <caption class="visually-hidden">${title}</caption>
    <thead><tr><th scope="col">Time (${timeZone(new Date())})</th>${series.map(({ label }) => html`<th scope="col" class="end">${label}</th>`)}</tr></thead>
    <tbody>${rows.map((at) => html`<tr key=${times[at]}><th scope="row" class="num">${moment(new Date(times[at] ?? 0), new Date())}</th>${series.map(({ values }) => html`<td class="end num">${values[at] === null || values[at] === undefined ? '' : format(values[at])}</td>`)}</tr>`)}</tbody>
  </table><//>`;
}

function lastOf(values: readonly (number | null)[], format: (value: number) => string): string {
  const last = values.at(-1);
  return last === undefined || last === null ? '' : format(last);
}

export interface BarsProps {
  /** What is counted; for screen readers. */
  readonly caption: string;
  readonly items: readonly { readonly label: string; readonly value: number }[];
  readonly format?: (value: number) => string;
}

/** Counts as a table; its bars are decoration. */
export function Bars({ caption, items, format = String }: BarsProps): VNode {
  const most = Math.max(1, ...items.map(({ value }) => value));
  return html`<table class="bars">
    <caption class="visually-hidden">${caption}</caption>
    <tbody>${items.map(({ label, value }) => html`<tr key=${label}><th scope="row">${label}</th><td class="bar-cell"><span class=${value === 0 ? 'bar bar-none' : 'bar'} aria-hidden="true" style=${{ width: `${(100 * value) / most}%` }}></span></td><td class="end num">${format(value)}</td></tr>`)}</tbody>
  </table>`;
}
