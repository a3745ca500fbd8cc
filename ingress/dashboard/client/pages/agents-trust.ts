// An agent's trust over time: the score as a curve, and the signals that changed it.
import { useApi, usePages } from '../api.ts';
import type { TrustAnswer, TrustChange } from '../answers.ts';
import { byService } from '../clock.ts';
import { count, short, whole } from '../format.ts';
import { html, useMemo, type VNode } from '../html.ts';
import { href, Link } from '../router.ts';
import type { ListPage } from '../wire.ts';
import { Card, Chart, type Column, Empty, List, tierName, Time, Trust, WhenLoaded } from '../ui.ts';

/** The newest changes: one page of the history. */
const POINTS = 200;

export function TrustOverTime({ agentId, trust }: { readonly agentId: string; readonly trust: TrustAnswer }): VNode {
  const history = useApi<ListPage<TrustChange>>(`/v1/trust/${encodeURIComponent(agentId)}/history`, { limit: POINTS });
  const aside = history.data?.nextCursor ? `The last ${whole(POINTS)} changes` : undefined;
  return html`<${Card} title="Trust over time" aside=${aside}>
    <${WhenLoaded} of=${history}>${({ items }: ListPage<TrustChange>) => html`<${Curve} changes=${items} trust=${trust} />`}<//>
  <//>`;
}

function Curve({ changes, trust }: { readonly changes: readonly TrustChange[]; readonly trust: TrustAnswer }): VNode {
  const { times, series } = useMemo(() => {
    // The curve ends with today's score, because the score also changes without signals (decay).
    const points = [
      ...changes.map(({ at, score }) => [Date.parse(at), score] as const).reverse(),
      [byService(Date.now()), trust.score] as const,
    ];
    return {
      times: points.map(([at]) => at),
      series: [{ label: 'Score', colour: '--accent', values: points.map(([, score]) => score) }],
    };
  }, [changes, trust.score]);
  const first = changes.at(-1);
  if (first === undefined)
    return html`<${Empty} title="No signals yet">The score is that without evidence. Signals (POST /v1/trust/signals) change it.<//>`;
  const scores = changes.map(({ score }) => score);
  const summary = `${count(changes.length, 'change')}: from ${first.score} to ${trust.score} now (${tierName(trust.level)}); at least ${Math.min(...scores)}, at most ${Math.max(...scores)}.`;
  return html`<${Chart} title="Trust score over time" summary=${summary} times=${times} series=${series} format=${whole} unit="score of 1,000" atMost=${1_000} height=${200} />`;
}

/** "3 successes, 1 violation" */
function causeOf({ success, failure, violation }: TrustChange['cause']): string {
  const parts = [
    success > 0 && count(success, 'success', 'successes'),
    failure > 0 && count(failure, 'failure'),
    violation > 0 && count(violation, 'violation'),
  ];
  return parts.filter(Boolean).join(', ');
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
  const pages = usePages<TrustChange>(`/v1/trust/${encodeURIComponent(agentId)}/history`, { limit: 20 });
  if (pages.data !== undefined && pages.items.length === 0 && pages.page === 1) return html``;
  return html`<section class="section" aria-labelledby="causes"><h2 id="causes">Changes of trust</h2>
    <${List} pages=${pages} caption="Changes of trust, newest first" columns=${COLUMNS} keyOf=${({ cause }: TrustChange) => String(cause.lastSignal)} />
  </section>`;
}
