// The tiles of the overview: a number, its course over the range, and its change against the same time before.
import { Sparkline } from '../components/sparkline.ts';
import { compact, milliseconds, whole } from '../format.ts';
import { type ComponentChildren, html, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import { useSession } from '../session.ts';
import { Time } from '../ui.ts';
import type { Activity, Overview } from '../wire/overview.ts';
import {
  type Change,
  deniedShare,
  drawn,
  LAYERS,
  pointChange,
  type RangeInfo,
  relativeChange,
  totalOf,
  YESTERDAY,
} from './overview-numbers.ts';

const percent = (share: number | undefined): string =>
  share === undefined ? '–' : `${share > 0 && share < 0.1 ? (100 * share).toFixed(1) : Math.round(100 * share)} %`;

const SIGNS = { up: ['▲', 'more than'], down: ['▼', 'less than'], same: ['=', 'as'] } as const;

export interface TilesProps {
  readonly overview: Overview;
  /** Undefined until it is loaded. */
  readonly activity: Activity | undefined;
  readonly range: RangeInfo;
}

export function Tiles({ overview, activity, range }: TilesProps): VNode {
  const { totals, before, latency } = activity ?? {};
  const of = (verdict: (typeof LAYERS)[number]): readonly (number | null)[] =>
    activity === undefined ? [] : drawn(activity, activity.counts[verdict]);
  const denied = of('DENY');
  const all = denied.map((_, i) => {
    const values = LAYERS.map((verdict) => of(verdict)[i] ?? null);
    return values.includes(null) ? null : values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  });
  const from = activity && new Date(activity.startMs).toISOString();
  const share = totals && deniedShare(totals);
  const [next] = overview.approvals.next;
  const isBound = useSession().bound !== null;
  return html`<ul class="tiles" aria-label=${`Numbers ${range.words}`}>
    ${
      !isBound &&
      html`<${Tile} label="Decisions" value=${totals === undefined ? '–' : compact(totalOf(totals))} to=${href('decisions', undefined, { from })} colour="--accent" values=${all}
      change=${totals && before && relativeChange(totalOf(totals), totalOf(before))} than=${range.before} />
    <${Tile} label="Denied" value=${percent(share)} hint=${totals && whole(totals.DENY)} to=${href('decisions', undefined, { q: 'verdict:deny', from })} colour="--verdict-deny"
      values=${denied} change=${totals && before && pointChange(share, deniedShare(before))} than=${range.before} />`
    }
    <${Tile} label="Approvals waiting" value=${compact(overview.approvals.total)} to=${href('approvals')} colour="--verdict-escalate" values=${of('ESCALATE')}
      change=${totals && before && relativeChange(totals.ESCALATE, before.ESCALATE)} than=${isBound ? undefined : range.before} about="escalated"
      hint=${next && html`due <${Time} at=${next.expiresAt} />`} />
    ${
      overview.system === null
        ? html`<${Tile} label="Agents" value=${compact(overview.agents.total)} hint=${`${compact(overview.agents.byStatus['ACTIVE'] ?? 0)} active`} to=${href('agents')} colour="--accent" values=${[]} />`
        : html`<${Tile} label="Latency, p99" value=${latency?.total.p99Ms === undefined || latency.total.p99Ms === null ? '–' : milliseconds(latency.total.p99Ms)}
            colour="--info" values=${latency?.p99Ms ?? []}
            change=${latency && latency.total.p99Ms !== null && latency.before.p99Ms !== null ? relativeChange(latency.total.p99Ms, latency.before.p99Ms) : undefined} than=${range.before} />`
    }
  </ul>`;
}

interface TileProps {
  readonly label: string;
  readonly value: string;
  readonly hint?: ComponentChildren;
  readonly to?: string;
  readonly colour: string;
  readonly values: readonly (number | null)[];
  readonly change?: Change | undefined;
  /** "yesterday" */
  readonly than?: string;
  /** What the change is about, when that is not the number itself. */
  readonly about?: string;
}

function Tile({ label, value, hint, to, colour, values, change, than = '', about }: TileProps): VNode {
  return html`<li class="tile">
    <p class="tile-label">${to === undefined ? label : html`<${Link} to=${to} label=${`${label}: ${value}`}>${label}<//>`}</p>
    <p class="tile-value">${value}${hint && html` <span class="tile-hint">${hint}</span>`}</p>
    <p class="tile-change"><${Changed} change=${change} than=${than} about=${about} /></p>
    <${Sparkline} values=${values} colour=${colour} />
  </li>`;
}

function Changed({ change, than = '', about }: Pick<TileProps, 'change' | 'than' | 'about'>): VNode | null {
  if (than === '') return null;
  if (change === undefined)
    return html`<span class="muted">no data ${than === YESTERDAY ? 'at this time yesterday' : `for the ${than}`}</span>`;
  const { direction, text } = change;
  const [sign, words] = SIGNS[direction];
  return html`<span aria-hidden="true">${sign}</span> <span class="num">${text}</span><span class="visually-hidden"> ${words} ${than}</span> <span class="muted">${about ?? html`<span aria-hidden="true">vs ${than}</span>`}</span>`;
}
