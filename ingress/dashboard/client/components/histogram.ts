// Counts over time as stacked bars. A click on a bar, or dragging over several, chooses their time span; with the keyboard the arrows
// move along the bars, and Enter chooses one.
import { count, moment, tickTimes, timeZone, whole } from '../format.ts';
import { html, useRef, useState, type VNode } from '../html.ts';

export interface HistogramLayer {
  readonly label: string;
  /** Names the class of its bars: `.layer-deny`. */
  readonly name: string;
  readonly counts: readonly number[];
}

export interface HistogramProps {
  readonly title: string;
  /** The beginning of the first bar, milliseconds since 1970. */
  readonly startMs: number;
  readonly stepMs: number;
  /** From the bottom to the top. */
  readonly layers: readonly HistogramLayer[];
  /** Bars before this time are not complete, milliseconds since 1970. */
  readonly completeFromMs: number | undefined;
  readonly onChoose: (fromMs: number, toMs: number) => void;
}

const HEIGHT = 100;
/** Labels of the time axis. */
const TICKS = 6;

interface Chosen {
  readonly first: number;
  readonly last: number;
}

export function Histogram(props: HistogramProps): VNode {
  const { title, startMs, stepMs, layers, completeFromMs, onChoose } = props;
  const bars = layers[0]?.counts.length ?? 0;
  const totals = Array.from({ length: bars }, (_, at) =>
    layers.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0),
  );
  const most = Math.max(1, ...totals);
  const [at, setAt] = useState<number | undefined>(undefined);
  const [dragged, setDragged] = useState<Chosen | undefined>(undefined);
  const began = useRef<number | undefined>(undefined);
  const choose = ({ first, last }: Chosen): void => onChoose(startMs + first * stepMs, startMs + (last + 1) * stepMs);
  const barAt = ({ currentTarget, clientX }: PointerEvent): number => {
    const { left, width } = (currentTarget as Element).getBoundingClientRect();
    return Math.min(bars - 1, Math.max(0, Math.floor(((clientX - left) / width) * bars)));
  };
  const between = (a: number, b: number): Chosen => ({ first: Math.min(a, b), last: Math.max(a, b) });
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    began.current = barAt(event);
    setDragged(between(barAt(event), barAt(event)));
  };
  const onPointerMove = (event: PointerEvent): void => {
    setAt(barAt(event));
    if (began.current !== undefined) setDragged(between(began.current, barAt(event)));
  };
  const onPointerUp = (event: PointerEvent): void => {
    if (began.current === undefined) return;
    const chosen = between(began.current, barAt(event));
    began.current = undefined;
    setDragged(undefined);
    choose(chosen);
  };
  const leave = (): void => {
    began.current = undefined;
    setDragged(undefined);
    setAt(undefined);
  };
  const current = at ?? bars - 1;
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Readonly<Record<string, number>> = {
      ArrowLeft: current - 1,
      ArrowRight: current + 1,
      Home: 0,
      End: bars - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) {
      event.preventDefault();
      setAt(at === undefined ? current : Math.min(bars - 1, Math.max(0, to)));
    } else if (event.key === 'Enter' && at !== undefined) choose({ first: at, last: at });
  };
  const words = wordsOf(props, current, totals);
  const times = Array.from({ length: bars }, (_, bar) => startMs + bar * stepMs);
  return html`<figure class="histogram">
    <div class="histogram-plot" role="slider" tabindex="0" aria-label=${title} aria-valuemin=${0} aria-valuemax=${Math.max(0, bars - 1)} aria-valuenow=${current} aria-valuetext=${words}
      onPointerDown=${onPointerDown} onPointerMove=${onPointerMove} onPointerUp=${onPointerUp} onPointerLeave=${leave} onPointerCancel=${leave} onKeyDown=${onKeyDown} onBlur=${leave}>
      <span class="histogram-most num" aria-hidden="true">${whole(most)}</span>
      <svg viewBox=${`0 0 ${bars} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
        ${completeFromMs !== undefined && html`<rect class="histogram-missing" x="0" y="0" height=${HEIGHT} width=${Math.max(0, (completeFromMs - startMs) / stepMs)} />`}
        ${at !== undefined && dragged === undefined && html`<rect class="histogram-at" x=${at} y="0" width="1" height=${HEIGHT} />`}
        ${dragged && html`<rect class="histogram-chosen" x=${dragged.first} y="0" width=${dragged.last - dragged.first + 1} height=${HEIGHT} />`}
        ${totals.map((total, bar) => total > 0 && html`<${Bar} key=${bar} bar=${bar} layers=${layers} most=${most} />`)}
      </svg>
      ${at !== undefined && html`<div class=${at > bars / 2 ? 'histogram-tip to-left' : 'histogram-tip'} style=${{ left: `${(100 * (at + 0.5)) / Math.max(1, bars)}%` }}><${Tip} ...${props} at=${at} /></div>`}
    </div>
    <div class="histogram-axis num" aria-hidden="true">${axisOf(times, stepMs)}</div>
  </figure>`;
}

function Bar({
  bar,
  layers,
  most,
}: {
  readonly bar: number;
  readonly layers: readonly HistogramLayer[];
  readonly most: number;
}): VNode {
  let top = HEIGHT;
  return html`<g>${layers.map(({ name, counts }) => {
    const value = counts[bar] ?? 0;
    if (value === 0) return null;
    // A single decision among very many is still visible.
    const height = Math.max(2, (value / most) * (HEIGHT - 4));
    top -= height;
    return html`<rect class=${`layer-${name}`} x=${bar + 0.08} y=${top} width="0.84" height=${height} />`;
  })}</g>`;
}

function spanWords({ startMs, stepMs }: Pick<HistogramProps, 'startMs' | 'stepMs'>, at: number): string {
  const now = new Date();
  return `${moment(new Date(startMs + at * stepMs), now)} to ${moment(new Date(startMs + (at + 1) * stepMs), now)}`;
}

function wordsOf(props: HistogramProps, at: number, totals: readonly number[]): string {
  if (at < 0) return 'no bars';
  const parts = props.layers.flatMap(({ label, counts }) => (counts[at] ? [`${whole(counts[at])} ${label}`] : []));
  return `${spanWords(props, at)}: ${totals[at] === 0 ? 'none' : parts.join(', ')}`;
}

function Tip({ at, ...props }: HistogramProps & { readonly at: number }): VNode {
  const total = props.layers.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0);
  return html`<p class="histogram-tip-title num">${spanWords(props, at)}</p>
    <dl>${props.layers.map(({ label, name, counts }) => html`<div key=${name}><dt><span class=${`swatch layer-${name}`}></span>${label}</dt><dd class="num">${whole(counts[at] ?? 0)}</dd></div>`)}</dl>
    <p class="muted">${count(total, 'decision')}</p>`;
}

function axisOf(times: readonly number[], stepMs: number): VNode[] {
  const every = Math.max(1, Math.ceil(times.length / TICKS));
  const shown = times.filter((_, bar) => bar % every === 0);
  const labels = tickTimes(
    shown.map((ms) => ms / 1_000),
    (stepMs * every) / 1_000,
  );
  const zone = timeZone(new Date());
  return [
    ...labels.map(
      (label, n) => html`<span key=${n} style=${{ left: `${(100 * n * every) / times.length}%` }}>${label}</span>`,
    ),
    html`<span class="histogram-zone">${zone}</span>`,
  ];
}
