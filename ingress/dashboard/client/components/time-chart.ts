// Charts of counts over time (uPlot): stacked areas or curves, a tooltip with all series, marks, and a selection by drag or click.
import uPlot from 'uplot';
import { html, type RefObject, useEffect, useMemo, useRef, useState, type VNode } from '../html.ts';
import { bucketLabel, moment, tickTimes, timeZone } from '../format.ts';
import { colourOf, usePainted } from '../theme.ts';
import { hatch, type Hatch, HATCHES } from './hatch.ts';
import { isolatedIn, layerAt, stackOf } from './stack.ts';
import { Scroll } from './table.ts';

export interface TimeSeries {
  readonly name: string;
  readonly label: string;
  /** A colour of the style sheet, such as `--verdict-allow`. */
  readonly colour: string;
  /** Series must be distinguishable without colour: the filling of an area, and the dash of a curve. */
  readonly hatch: Hatch;
  readonly dash?: readonly number[];
  /** For each bucket; null: not known. */
  readonly values: readonly (number | null)[];
}

export interface ChartMark {
  readonly atMs: number;
  readonly sign: string;
  readonly text: string;
}

/** A part of the time axis that the reader chose, and the series that was clicked. */
export interface ChartSelection {
  readonly fromMs: number;
  readonly toMs: number;
  readonly series: string | undefined;
}

export interface TimeChartProps {
  readonly title: string;
  /** The text alternative: what the chart shows, in a sentence. */
  readonly summary: string;
  /** The beginning of the first bucket, milliseconds since 1970. */
  readonly startMs: number;
  readonly stepMs: number;
  /** From the bottom up. All have the same number of buckets. */
  readonly series: readonly TimeSeries[];
  readonly isStacked?: boolean;
  readonly format: (value: number) => string;
  /** The values are counts: the axis has only whole numbers. */
  readonly isCount?: boolean;
  readonly marks?: readonly ChartMark[];
  /** Absent: nothing can be selected. */
  readonly onSelect?: (selection: ChartSelection) => void;
  readonly height?: number;
}

/** The table has only the newest rows. */
const TABLE_ROWS = 20;
/** Distances between the labels of an axis of counts: 1, 2, 5, 10, 20, ... */
const WHOLE_STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();
/** A shorter drag is a click. */
const LEAST_DRAG_PX = 6;

interface Hover {
  readonly bucket: number;
  readonly leftPx: number;
  /** Of the plot, so that the tooltip stays within it. */
  readonly widthPx: number;
}

export function TimeChart(props: TimeChartProps): VNode {
  const { title, summary, startMs, stepMs, series, format, marks = [] } = props;
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [asTable, setAsTable] = useState(false);
  const shown = useMemo(() => series.filter(({ name }) => !hidden.includes(name)), [series, hidden]);
  const [place, hover] = usePlot(props, shown, asTable);
  const toggle = (name: string): void =>
    setHidden(hidden.includes(name) ? hidden.filter((each) => each !== name) : [...hidden, name]);
  return html`<figure class="time-chart">
    <figcaption>
      <span class="visually-hidden">${title}. ${summary}</span>
      <div class="legend" role="group" aria-label=${`Series of ${title}`}>${series.map((each) => html`<button type="button" key=${each.name} class="legend-item" aria-pressed=${!hidden.includes(each.name)} onClick=${() => toggle(each.name)}><${Swatch} of=${each} />${each.label}</button>`)}</div>
      <button type="button" class="button button-quiet button-small" aria-pressed=${asTable} onClick=${() => setAsTable(!asTable)}>${asTable ? 'As a chart' : 'As a table'}</button>
    </figcaption>
    ${
      asTable
        ? html`<${DataTable} ...${props} series=${shown} />`
        : html`<div class="chart-place">
            <div ref=${place} class="chart-canvas" role="img" aria-label=${`${title}. ${summary}`}></div>
            ${hover && html`<${Tooltip} hover=${hover} startMs=${startMs} stepMs=${stepMs} series=${shown} isStacked=${props.isStacked} format=${format} marks=${marks} />`}
          </div>`
    }
  </figure>`;
}

function Swatch({ of: { colour, dash, hatch: name, values } }: { readonly of: TimeSeries }): VNode {
  const style = { stroke: `var(${colour})`, fill: `var(${colour})` };
  // A curve has no area.
  const area = dash === undefined && values.length > 0 ? HATCHES[name] : undefined;
  return html`<svg class="chart-swatch" width="14" height="10" viewBox="0 0 14 10" aria-hidden="true" focusable="false" style=${style}>
    ${area === undefined ? html`<line x1="0" y1="5" x2="14" y2="5" stroke-width="2" stroke-dasharray=${dash?.join(' ')} />` : html`<rect class="chart-swatch-area" width="14" height="10" rx="2" stroke="none" /><path d=${area} fill="none" stroke-width="1.4" /><line x1="0" y1="1" x2="14" y2="1" stroke-width="2" />`}
  </svg>`;
}

/** Keeps a plot of the shown series in its place, and the bucket below the pointer. */
function usePlot(
  props: TimeChartProps,
  shown: readonly TimeSeries[],
  asTable: boolean,
): [place: RefObject<HTMLDivElement | null>, hover: Hover | undefined] {
  const { startMs, stepMs, isStacked = false, isCount = false, format, marks = [], height = 240 } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef({ ...props, shown, marks });
  latest.current = { ...props, shown, marks };
  const painted = usePainted();
  const [hover, setHover] = useState<Hover | undefined>(undefined);
  const shape = JSON.stringify([shown.map(({ name }) => name), isStacked, height, stepMs]);
  const data = (): uPlot.AlignedData => {
    const length = shown[0]?.values.length ?? 0;
    // A bucket is drawn in its middle.
    const times = Array.from({ length }, (_, bucket) => (startMs + (bucket + 0.5) * stepMs) / 1_000);
    const values = shown.map((each) => each.values);
    return [times, ...(isStacked ? stackOf(values).reverse() : values.map((list) => [...list]))] as uPlot.AlignedData;
  };

  // A new plot when its appearance changes; new values are set in the effect below.
  useEffect(() => {
    const element = place.current;
    if (element === null || asTable) return undefined;
    const grid = { stroke: colourOf('--chart-grid'), width: 1 };
    const axis = {
      stroke: colourOf('--text-muted'),
      grid,
      ticks: { show: false },
      font: `12px ${getComputedStyle(element).fontFamily}`,
    };
    // The upper edge of an empty layer is that of the layer below, which is drawn later and covers it: no line of DENY where nothing was denied.
    const drawn = isStacked ? [...shown].reverse() : shown;
    const paints = drawn.map(({ colour, hatch: name }) => ({
      stroke: colourOf(colour),
      fill: hatch(name, colourOf(colour)),
    }));
    const select = (made: uPlot): void => {
      const { onSelect, shown: layers } = latest.current;
      const { left, width } = made.select;
      made.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      if (onSelect === undefined) return;
      const at = (px: number): number => Math.floor((made.posToVal(px, 'x') * 1_000 - latest.current.startMs) / stepMs);
      const isClick = width < LEAST_DRAG_PX;
      const [first, last] = isClick
        ? [at(made.cursor.left ?? 0), at(made.cursor.left ?? 0)]
        : [at(left), at(left + width)];
      const value = made.posToVal(made.cursor.top ?? 0, 'y');
      const layer =
        isClick && isStacked
          ? layerAt(
              layers.map(({ values }) => values[first] ?? 0),
              value,
            )
          : undefined;
      const end = latest.current.startMs + (layers[0]?.values.length ?? 0) * stepMs;
      onSelect({
        fromMs: Math.max(latest.current.startMs, latest.current.startMs + first * stepMs),
        toMs: Math.min(end, latest.current.startMs + (last + 1) * stepMs),
        series: layer === undefined ? undefined : layers[layer]?.name,
      });
    };
    const made = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { drag: { x: true, y: false, setScale: false }, y: false, points: { size: 6 } },
        padding: [12, 12, 0, 0],
        scales: {
          x: {
            time: true,
            range: () => {
              const {
                startMs: from,
                stepMs: step,
                shown: [first],
              } = latest.current;
              return [from / 1_000, (from + (first?.values.length ?? 1) * step) / 1_000];
            },
          },
          y: { range: (_plot, _min, max) => [0, Math.max(1, (max ?? 0) * 1.12)] },
        },
        axes: [
          { ...axis, size: 28, space: 80, values: (_plot, splits, _axis, _space, step) => tickTimes(splits, step) },
          {
            ...axis,
            size: 52,
            space: 44,
            ...(isCount ? { incrs: WHOLE_STEPS } : {}),
            values: (_plot, splits) => splits.map((value) => format(value)),
          },
        ],
        series: [
          {},
          ...drawn.map(({ label, dash }, i) => ({
            label,
            stroke: paints[i]?.stroke ?? '',
            width: 1.5,
            points: isStacked
              ? { show: false }
              : {
                  show: true,
                  size: 5,
                  filter: (plotted: uPlot, at: number) => isolatedIn([...(plotted.data[at] ?? [])]),
                },
            spanGaps: false,
            ...(isStacked && i === drawn.length - 1 ? { fill: () => paints[i]?.fill ?? '' } : {}),
            ...(dash === undefined || isStacked ? {} : { dash: [...dash] }),
          })),
        ],
        ...(isStacked
          ? {
              bands: drawn
                .slice(1)
                .map((_, i) => ({ series: [i + 1, i + 2] as [number, number], fill: () => paints[i]?.fill ?? '' })),
            }
          : {}),
        hooks: {
          draw: [(plotted) => drawMarks(plotted, latest.current.marks)],
          setSelect: [select],
          setCursor: [
            ({ cursor: { idx, left } }) =>
              setHover(
                idx === null || idx === undefined || left === undefined || left < 0
                  ? undefined
                  : { bucket: idx, leftPx: left + made.over.offsetLeft, widthPx: element.clientWidth },
              ),
          ],
        },
      },
      data(),
      element,
    );
    plot.current = made;
    made.over.classList.toggle('selectable', latest.current.onSelect !== undefined);
    // A drag of no width does not set a selection.
    const onClick = (): void => select(made);
    made.over.addEventListener('click', onClick);
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
      setHover(undefined);
    };
  }, [shape, painted, asTable]);
  useEffect(() => plot.current?.setData(data()), [startMs, shown, marks]);
  return [place, asTable ? undefined : hover];
}

/** A dashed line with a sign for each mark. */
function drawMarks(plot: uPlot, marks: readonly ChartMark[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colourOf('--text-muted');
  ctx.lineWidth = window.devicePixelRatio;
  ctx.font = `${11 * window.devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'center';
  for (const { atMs, sign } of marks) {
    const x = Math.round(plot.valToPos(atMs / 1_000, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.setLineDash([4, 4]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top + 6);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillText(sign, x, bbox.top + 2);
  }
  ctx.restore();
}

function Tooltip({
  hover,
  startMs,
  stepMs,
  series,
  isStacked,
  format,
  marks,
}: Pick<TimeChartProps, 'startMs' | 'stepMs' | 'series' | 'isStacked' | 'format'> & {
  readonly hover: Hover;
  readonly marks: readonly ChartMark[];
}): VNode {
  const fromMs = startMs + hover.bucket * stepMs;
  const here = marks.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + stepMs);
  const values = series.map((each) => each.values[hover.bucket] ?? null);
  const total = values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const isRight = hover.leftPx > hover.widthPx / 2;
  const style = isRight ? { right: `${hover.widthPx - hover.leftPx + 12}px` } : { left: `${hover.leftPx + 12}px` };
  // The topmost layer first, as in the chart.
  return html`<div class="chart-tooltip" style=${style} aria-hidden="true">
    <p class="num">${bucketLabel(fromMs, stepMs)}</p>
    <table><tbody>
      ${series
        .map(
          (each, i) =>
            html`<tr key=${each.name}><th scope="row"><${Swatch} of=${each} />${each.label}</th><td class="end num">${values[i] === null ? '–' : format(values[i] ?? 0)}</td></tr>`,
        )
        .reverse()}
      ${isStacked === true && html`<tr class="total"><th scope="row">Total</th><td class="end num">${format(total)}</td></tr>`}
    </tbody></table>
    ${here.map(({ sign, text, atMs }) => html`<p class="tooltip-mark" key=${atMs}><span aria-hidden="true">${sign}</span> ${text}</p>`)}
  </div>`;
}

function DataTable({ title, startMs, stepMs, series, format, onSelect }: TimeChartProps): VNode {
  const length = series[0]?.values.length ?? 0;
  const rows = Array.from({ length }, (_, bucket) => bucket)
    .slice(-TABLE_ROWS)
    .reverse();
  const time = (bucket: number): VNode | string => {
    const fromMs = startMs + bucket * stepMs;
    const text = moment(new Date(fromMs), new Date());
    if (onSelect === undefined) return text;
    return html`<button type="button" class="link-button" onClick=${() => onSelect({ fromMs, toMs: fromMs + stepMs, series: undefined })}>${text}</button>`;
  };
  return html`<${Scroll} label=${title}><table class="plain">
    <caption class="visually-hidden">${title}, the newest ${rows.length} values</caption>
    <thead><tr><th scope="col">From (${timeZone(new Date())})</th>${series.map(({ label, name }) => html`<th scope="col" class="end" key=${name}>${label}</th>`)}</tr></thead>
    <tbody>${rows.map((bucket) => html`<tr key=${bucket}><th scope="row" class="num">${time(bucket)}</th>${series.map(({ values, name }) => html`<td class="end num" key=${name}>${values[bucket] === null || values[bucket] === undefined ? '–' : format(values[bucket] ?? 0)}</td>`)}</tr>`)}</tbody>
  </table><//>`;
}
