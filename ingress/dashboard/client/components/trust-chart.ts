// The trust score of an agent over time, in front of bands for the trust levels (uPlot). The same data are there as a table.
import uPlot from 'uplot';
import { moment, tickTimes, timeZone, whole } from '../format.ts';
import { html, useEffect, useRef, useState, type VNode } from '../html.ts';
import { colourOf, usePainted } from '../theme.ts';
import type { TrustCurve, TrustPoint } from '../wire/agents.ts';
import { Scroll } from './table.ts';

type Tiers = TrustCurve['tiers'];

export interface TrustChartProps {
  /** What the curve shows, in a sentence. */
  readonly summary: string;
  /** Oldest first. The last one is today's score. */
  readonly points: readonly TrustPoint[];
  readonly tiers: Tiers;
  /** The beginning of the chosen range in milliseconds since 1970; undefined: that of the first point. */
  readonly fromMs: number | undefined;
}

const HEIGHT = 320;
const MOST = 1_000;
/** Below this width there is room only for the numbers of the levels. */
const NARROW = 620;
/** The table has only the newest rows. */
const TABLE_ROWS = 20;

/** "3 successes, 1 violation" */
export function causeOf({ success, failure, violation }: TrustPoint['signals']): string {
  const part = (count: number, one: string, many: string): string =>
    count === 0 ? '' : `${whole(count)} ${count === 1 ? one : many}`;
  const parts = [
    part(success, 'success', 'successes'),
    part(failure, 'failure', 'failures'),
    part(violation, 'violation', 'violations'),
  ];
  return parts.filter((text) => text !== '').join(', ');
}

/** Paints a band for each level, its lower edge as a line, and its name at the right; that of the current level is bold. */
function bands(tiers: Tiers, current: number | undefined): uPlot.Plugin {
  const [fill, line, text, strong, font] = [
    colourOf('--accent'),
    colourOf('--chart-grid'),
    colourOf('--text-muted'),
    colourOf('--text'),
    window.getComputedStyle(document.body).fontFamily,
  ];
  return {
    hooks: {
      drawClear(plot) {
        const { ctx, bbox } = plot;
        const ratio = uPlot.pxRatio;
        const isNarrow = bbox.width / ratio < NARROW;
        ctx.save();
        ctx.textBaseline = 'middle';
        for (const { level, name, from, to } of tiers) {
          const top = plot.valToPos(Math.min(MOST, to + 1), 'y', true);
          const bottom = plot.valToPos(from, 'y', true);
          // Darker with each level, so that neighbours differ.
          ctx.globalAlpha = 0.02 + 0.018 * level;
          ctx.fillStyle = fill;
          ctx.fillRect(bbox.left, top, bbox.width, bottom - top);
          ctx.globalAlpha = 1;
          ctx.fillStyle = line;
          ctx.fillRect(bbox.left, bottom - ratio, bbox.width, ratio);
          ctx.fillStyle = level === current ? strong : text;
          ctx.font = `${level === current ? 600 : 400} ${Math.round(11 * ratio)}px ${font}`;
          ctx.fillText(
            isNarrow ? String(level) : `${level} ${name}`,
            bbox.left + bbox.width + 8 * ratio,
            (top + bottom) / 2,
          );
        }
        ctx.restore();
      },
    },
  };
}

/** A tooltip beside the pointer: time, score, level and cause of the nearest point. */
function tooltip(points: readonly TrustPoint[], tiers: Tiers): uPlot.Plugin {
  const box = document.createElement('div');
  box.className = 'chart-tip';
  box.hidden = true;
  return {
    hooks: {
      init: (plot) => plot.over.append(box),
      setCursor(plot) {
        const { idx, left = -1 } = plot.cursor;
        const point = typeof idx === 'number' ? points[idx] : undefined;
        box.hidden = point === undefined || left < 0;
        if (point === undefined) return;
        const { at, score, level, signals } = point;
        const lines = [
          moment(new Date(at), new Date()),
          `${score}, level ${level} ${tiers[level]?.name ?? ''}`,
          causeOf(signals) || 'now',
        ];
        box.replaceChildren(
          ...lines.map((line) => {
            const row = document.createElement('div');
            row.textContent = line;
            return row;
          }),
        );
        const x = plot.valToPos(Date.parse(at) / 1_000, 'x');
        const y = plot.valToPos(score, 'y');
        const isRight = x > plot.over.clientWidth / 2;
        box.style.left = `${isRight ? x - box.offsetWidth - 12 : x + 12}px`;
        box.style.top = `${Math.max(0, Math.min(plot.over.clientHeight - box.offsetHeight, y - box.offsetHeight / 2))}px`;
      },
    },
  };
}

export function TrustChart({ summary, points, tiers, fromMs }: TrustChartProps): VNode {
  const place = useRef<HTMLDivElement>(null);
  const painted = usePainted();
  const [asTable, setAsTable] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const make = (): uPlot => {
      const isNarrow = element.clientWidth < NARROW;
      const axis = {
        stroke: colourOf('--text-muted'),
        ticks: { show: false },
        font: '12px Inter, system-ui, sans-serif',
      };
      const times = points.map(({ at }) => Date.parse(at) / 1_000);
      const end = times.at(-1) ?? 0;
      return new uPlot(
        {
          width: element.clientWidth,
          height: HEIGHT,
          legend: { show: false },
          cursor: { drag: { x: false, y: false }, y: false, points: { size: 8 } },
          padding: [10, isNarrow ? 22 : 104, 0, 0],
          scales: {
            x: { time: true, range: () => [fromMs === undefined ? (times[0] ?? 0) : fromMs / 1_000, end] },
            y: { range: () => [0, MOST] },
          },
          axes: [
            {
              ...axis,
              grid: { show: false },
              size: 28,
              space: 70,
              values: (_plot, splits, _axis, _space, step) => tickTimes(splits, step),
            },
            { ...axis, grid: { show: false }, size: 46, splits: () => [0, 250, 500, 750, 1_000] },
          ],
          series: [
            {},
            {
              label: 'Score',
              stroke: colourOf('--accent'),
              width: 2,
              points: { show: points.length <= 40, size: 5 },
            },
          ],
          plugins: [bands(tiers, points.at(-1)?.level), tooltip(points, tiers)],
        },
        [times, points.map(({ score }) => score)],
        element,
      );
    };
    let plot = make();
    const observer = new ResizeObserver(() => {
      if (plot.width === element.clientWidth) return;
      // The room at the right depends on the width.
      plot.destroy();
      plot = make();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [points, tiers, fromMs, painted, asTable]);
  const canvas = html`<div ref=${place} class="chart-canvas trust-canvas" role="img" aria-label=${summary}></div>`;
  return html`<figure class="chart">
    <figcaption>
      <span class="muted chart-note">Score of 1,000, times in ${timeZone(new Date())}</span>
      <button type="button" class="button button-quiet button-small" aria-pressed=${asTable} onClick=${() => setAsTable(!asTable)}>${asTable ? 'As a chart' : 'As a table'}</button>
    </figcaption>
    ${asTable ? html`<${PointTable} points=${points} tiers=${tiers} />` : canvas}
  </figure>`;
}

function PointTable({ points, tiers }: Pick<TrustChartProps, 'points' | 'tiers'>): VNode {
  const rows = points.slice(-TABLE_ROWS).reverse();
  return html`<${Scroll} label="Trust score over time"><table class="plain">
    <caption class="visually-hidden">Trust score over time, newest first</caption>
    <thead><tr><th scope="col">Time</th><th scope="col" class="end">Score</th><th scope="col">Level</th><th scope="col">Signals</th></tr></thead>
    <tbody>${rows.map(({ at, score, level, signals }) => html`<tr key=${at}><th scope="row" class="num">${moment(new Date(at), new Date())}</th><td class="end num">${score}</td><td>${level} ${tiers[level]?.name}</td><td>${causeOf(signals) || 'now'}</td></tr>`)}</tbody>
  </table><//>`;
}
