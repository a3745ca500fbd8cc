// A small curve beside a number, without axes. It is decoration: the number states what it shows.
import { html, type VNode } from '../html.ts';

const WIDTH = 120;
const HEIGHT = 32;

export interface SparklineProps {
  /** Null: not known. */
  readonly values: readonly (number | null)[];
  /** A colour of the style sheet. */
  readonly colour: string;
}

export function Sparkline({ values, colour }: SparklineProps): VNode {
  const most = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const points = values.flatMap((value, i) =>
    value === null
      ? []
      : [
          `${((WIDTH * i) / Math.max(1, values.length - 1)).toFixed(1)} ${(HEIGHT - 2 - (HEIGHT - 4) * (value / most)).toFixed(1)}`,
        ],
  );
  if (points.length < 2)
    return html`<svg class="sparkline" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false"></svg>`;
  const line = `M${points.join('L')}`;
  const [first = '', last = ''] = [points[0]?.split(' ')[0], points.at(-1)?.split(' ')[0]];
  return html`<svg class="sparkline" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" focusable="false" style=${{ color: `var(${colour})` }}>
    <path class="sparkline-area" d=${`${line}L${last} ${HEIGHT}L${first} ${HEIGHT}Z`} />
    <path class="sparkline-line" d=${line} vector-effect="non-scaling-stroke" />
  </svg>`;
}
