// An agent's trust over time: the score as a curve over the trust levels, and the signals that changed it.
import { useApi, usePages } from '../api.ts';
import type { TrustAnswer, TrustChange } from '../answers.ts';
import { byService } from '../clock.ts';
import { causeOf, TrustChart } from '../components/trust-chart.ts';
import { count, short, whole } from '../format.ts';
import { html, useMemo, useState, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import type { TrustCurve } from '../wire/agents.ts';
import { Card, type Column, Empty, List, tierName, Time, Trust, WhenLoaded } from '../ui.ts';

const DAY_MS = 86_400_000;
const RANGES = [
  ['7 days', 7],
  ['30 days', 30],
  ['90 days', 90],
  ['All', undefined],
] as const;
const DEFAULT_DAYS = 30;

export interface TrustOverTimeProps {
  readonly agentId: string;
  readonly trust: TrustAnswer;
}

export function TrustOverTime({ agentId, trust }: TrustOverTimeProps): VNode {
  const [days, setDays] = useState<number | undefined>(DEFAULT_DAYS);
  // Rounded, so that the request stays the same while the page is open.
  const fromMs = useMemo(
    () => (days === undefined ? undefined : Math.floor(byService(Date.now()) / 60_000) * 60_000 - days * DAY_MS),
    [days, agentId],
  );
  const from = fromMs === undefined ? undefined : new Date(fromMs).toISOString();
  const curve = useApi<TrustCurve>(`/agents/${encodeURIComponent(agentId)}/trust`, { from });
  const ranges = html`<div class="segments" role="group" aria-label="Range">${RANGES.map(([text, value]) => html`<button key=${text} type="button" class="segment" aria-pressed=${days === value} onClick=${() => setDays(value)}>${text}</button>`)}</div>`;
  return html`<${Card} title="Trust over time" aside=${ranges}>
    <${WhenLoaded} of=${curve}>${(data: TrustCurve) => html`<${Curve} curve=${data} trust=${trust} fromMs=${fromMs} />`}<//>
  <//>`;
}

interface CurveProps {
  readonly curve: TrustCurve;
  readonly trust: TrustAnswer;
  readonly fromMs: number | undefined;
}

function Curve({ curve, trust, fromMs }: CurveProps): VNode {
  const { points, tiers, changes, more } = curve;
  const { score, level, asOf } = trust;
  // The curve ends with today's score, because the score also drifts without signals.
  const shown = useMemo(() => {
    const now = {
      at: new Date(byService(Date.now())).toISOString(),
      score,
      level,
      signals: { success: 0, failure: 0, violation: 0 },
    };
    return [...points, now];
  }, [points, score, level]);
  if (points.length === 0)
    return asOf.signals === 0
      ? html`<${Empty} title="No signals yet">The score is that of an agent without evidence. Signals (POST /v1/trust/signals) change it.<//>`
      : html`<${Empty} title="No signals in this range">Choose a longer range to see earlier changes.<//>`;
  const scores = shown.map((point) => point.score);
  const summary = `Trust score over time. ${count(changes, 'change')}: from ${points[0]?.score ?? score} to ${score} now (${tierName(level)}); at least ${Math.min(...scores)}, at most ${Math.max(...scores)}.`;
  return html`<${TrustChart} summary=${summary} points=${shown} tiers=${tiers} fromMs=${more ? undefined : fromMs} />
    ${more && html`<p class="muted chart-note">The newest ${whole(changes)} changes of this range.</p>`}`;
}

const COLUMNS: readonly Column<TrustChange>[] = [
  { title: 'When', cell: ({ at }) => html`<${Time} at=${at} />` },
  { title: 'Signals', cell: ({ cause }) => causeOf(cause) },
  { title: 'New score', cell: ({ level, score }) => html`<${Trust} level=${level} score=${score} />` },
  {
    title: 'Receipt',
    cell: ({ cause }) =>
      html`<${Link} to=${href('receipts', cause.proofId)}><code>${short(cause.proofId, 20)}</code><//>`,
  },
];

export function TrustCauses({ agentId }: { readonly agentId: string }): VNode {
  const pages = usePages<TrustChange>(`/v1/trust/${encodeURIComponent(agentId)}/history`, { limit: 10 });
  if (pages.data !== undefined && pages.items.length === 0 && pages.page === 1) return html``;
  return html`<section class="section" aria-labelledby="causes"><h2 id="causes">Changes of trust</h2>
    <${List} pages=${pages} caption="Changes of trust, newest first" columns=${COLUMNS} keyOf=${({ cause }: TrustChange) => String(cause.lastSignal)} />
  </section>`;
}
