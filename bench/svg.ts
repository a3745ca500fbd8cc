// Line charts as plain SVG: logarithmic x axis, linear or logarithmic y axis, light and dark, without script or fonts.

export interface Series {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
  /** `log` for values that differ by factors of ten and more. Default: linear from zero. */
  readonly yScale?: 'linear' | 'log';
}

const SIZE = { width: 720, height: 400 };
const PLOT = { left: 76, right: 24, top: 52, bottom: 84 };
const COLOURS = ['#2563eb', '#dc2626', '#059669', '#d97706', '#7c3aed'];

const STYLE = `text{font:13px system-ui,sans-serif;fill:#1f2937}.title{font-size:16px;font-weight:600}.grid{stroke:#d1d5db}.axis{stroke:#6b7280}svg{background:#fff}
@media(prefers-color-scheme:dark){text{fill:#e5e7eb}.grid{stroke:#374151}.axis{stroke:#9ca3af}svg{background:#111827}}`;

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The least of 1, 2, 5, 10, 20, ... that is not below `value`. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= value) ?? value;
}

function label(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 10_000 ? `${value / 1_000}k` : String(Number(value.toPrecision(3)));
}

interface Axis {
  readonly place: (value: number) => number;
  readonly ticks: readonly number[];
}

function yAxis(chart: Chart): Axis {
  const values = chart.series.flatMap((series) => series.points.map(({ y }) => y)).filter((y) => y > 0);
  const bottom = SIZE.height - PLOT.bottom;
  const height = bottom - PLOT.top;
  const most = Math.max(...values, Number.MIN_VALUE);
  if (chart.yScale === 'log') {
    const from = Math.floor(Math.log10(Math.min(...values)));
    const to = Math.max(from + 1, Math.ceil(Math.log10(most)));
    const ticks = Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));
    return { place: (y) => bottom - ((Math.log10(y) - from) / (to - from)) * height, ticks };
  }
  const step = roundUp(most / 6);
  const count = Math.ceil(most / step);
  return {
    place: (y) => bottom - (y / (step * count)) * height,
    ticks: Array.from({ length: count + 1 }, (_, i) => i * step),
  };
}

function xAxis(chart: Chart): Axis {
  const ticks = [...new Set(chart.series.flatMap((series) => series.points.map(({ x }) => x)))].sort((a, b) => a - b);
  const from = Math.log10(ticks[0] ?? 1);
  const span = Math.log10(ticks.at(-1) ?? 10) - from || 1;
  const width = SIZE.width - PLOT.left - PLOT.right;
  return { place: (x) => PLOT.left + ((Math.log10(x) - from) / span) * width, ticks };
}

/** The chart as an SVG document. Every series needs values above zero. */
export function drawChart(chart: Chart): string {
  const x = xAxis(chart);
  const y = yAxis(chart);
  const bottom = SIZE.height - PLOT.bottom;
  const right = SIZE.width - PLOT.right;
  const n = (value: number): string => value.toFixed(1);
  const parts = [
    `<text class="title" x="${PLOT.left}" y="26">${escape(chart.title)}</text>`,
    `<text x="${PLOT.left}" y="44">${escape(chart.yLabel)}</text>`,
    ...y.ticks.map(
      (tick) =>
        `<line class="grid" x1="${PLOT.left}" x2="${right}" y1="${n(y.place(tick))}" y2="${n(y.place(tick))}"/>` +
        `<text x="${PLOT.left - 8}" y="${n(y.place(tick) + 4)}" text-anchor="end">${label(tick)}</text>`,
    ),
    ...x.ticks.map(
      (tick) => `<text x="${n(x.place(tick))}" y="${bottom + 20}" text-anchor="middle">${label(tick)}</text>`,
    ),
    `<line class="axis" x1="${PLOT.left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>`,
    `<text x="${(PLOT.left + right) / 2}" y="${bottom + 40}" text-anchor="middle">${escape(chart.xLabel)}</text>`,
  ];
  chart.series.forEach((series, i) => {
    const colour = COLOURS[i % COLOURS.length];
    const points = series.points.map((point) => `${n(x.place(point.x))},${n(y.place(point.y))}`);
    const legendX = PLOT.left + i * 210;
    parts.push(
      `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.join(' ')}"/>`,
      ...points.map((point) => {
        const [cx, cy] = point.split(',');
        return `<circle cx="${cx}" cy="${cy}" r="4" fill="${colour}"/>`;
      }),
      `<rect x="${legendX}" y="${SIZE.height - 26}" width="14" height="4" fill="${colour}"/>`,
      `<text x="${legendX + 20}" y="${SIZE.height - 20}">${escape(series.name)}</text>`,
    );
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-label="${escape(chart.title)}">` +
    `<style>${STYLE}</style>\n${parts.join('\n')}\n</svg>\n`
  );
}
