// The page of one webhook: its settings, its state, and its deliveries with replay.
import { api, useAction, useApi, usePages } from '../api.ts';
import type { Delivery, MadeWebhook, Webhook } from '../answers.ts';
import { html, useCallback, useState, type VNode } from '../html.ts';
import { href, navigate, useFilters } from '../router.ts';
import {
  Card,
  type Column,
  Copy,
  Empty,
  type FilterField,
  Filters,
  FormError,
  Id,
  KeyValue,
  List,
  Notice,
  PageHead,
  Said,
  Status,
  Time,
  WhenLoaded,
} from '../ui.ts';
import type { ListPage } from '../wire.ts';
import { DeleteWebhook, RotateWebhook } from './webhooks-forms.ts';
import { statusOf, WebhookSecret } from './webhooks-parts.ts';

const BACK = { page: 'webhooks', label: 'Webhooks' };

export function WebhookPage({ id }: { readonly id: string }): VNode {
  const all = useApi<ListPage<Webhook>>('/v1/webhooks');
  const webhook = all.data?.items.find(({ webhookId }) => webhookId === id);
  if (all.data === undefined) return html`<${PageHead} title="Webhook" back=${BACK} /><${WhenLoaded} of=${all} />`;
  if (webhook === undefined)
    return html`<${PageHead} title="Webhook" back=${BACK} /><${Empty} title="There is no such webhook in this environment" />`;
  return html`<${Shown} webhook=${webhook} reload=${all.reload} />`;
}

const REASONS: Readonly<Record<string, string>> = {
  operator: 'An administrator disabled it.',
  gone: 'The receiver answered 410 (Gone).',
  failing: 'No message arrived for three days.',
};

function Shown({ webhook, reload }: { readonly webhook: Webhook; readonly reload: () => void }): VNode {
  const { webhookId, url, enabled, disabledAt, disabledReason, failingSince } = webhook;
  const [asked, setAsked] = useState<'rotate' | 'delete' | undefined>(undefined);
  const [made, setMade] = useState<MadeWebhook | undefined>(undefined);
  const forget = useCallback(() => setMade(undefined), []);
  const close = (): void => setAsked(undefined);
  const toggle = useAction(async () => {
    await api(`/v1/webhooks/${encodeURIComponent(webhookId)}`, { method: 'PATCH', body: { enabled: !enabled } });
    reload();
  });
  const onMade = (next: MadeWebhook): void => {
    setMade(next);
    reload();
  };
  const actions = html`<button type="button" class="button" disabled=${toggle.busy} onClick=${() => void toggle.run()}>${enabled ? 'Disable' : 'Enable'}</button>
    <button type="button" class="button" onClick=${() => setAsked('rotate')}>Rotate the key…</button>
    <button type="button" class="button" onClick=${() => setAsked('delete')}>Delete…</button>`;
  return html`<${PageHead} title="Webhook" lead=${html`<${Status} status=${statusOf(webhook)} /> <${Said} text=${url} />`} actions=${actions} back=${BACK} />
    <${FormError} error=${toggle.error} />
    ${!enabled && html`<div class="stack"><${Notice} tone="warn" title="Nothing is sent">${REASONS[disabledReason ?? ''] ?? ''} ${disabledAt && html`<${Time} at=${disabledAt} as="moment" />.`} After it is enabled, what waits is sent, and the events of the last three days.<//></div>`}
    ${enabled && failingSince !== null && html`<div class="stack"><${Notice} tone="warn" title="The receiver fails">No message has arrived since <${Time} at=${failingSince} as="moment" />. The deliveries show the answers.<//></div>`}
    ${made && html`<${WebhookSecret} made=${made} ready=${asked === undefined} onDone=${forget} />`}
    <div class="stack"><${Details} webhook=${webhook} /></div>
    <${Deliveries} webhookId=${webhookId} enabled=${enabled} />
    ${asked === 'rotate' && html`<${RotateWebhook} of=${webhook} onMade=${onMade} onClose=${close} />`}
    ${asked === 'delete' && html`<${DeleteWebhook} of=${webhook} onDone=${() => navigate(href('webhooks'))} onClose=${close} />`}`;
}

function Details({ webhook }: { readonly webhook: Webhook }): VNode {
  const { webhookId, description, events, filter, signature, publicKey, previousKeysUntil, createdAt, createdBy } =
    webhook;
  return html`<${Card} title="Details"><${KeyValue} items=${[
    ['Id', html`<${Id} id=${webhookId} copy />`],
    ['Description', description === null ? undefined : html`<${Said} text=${description} />`],
    ['Events', events.join(', ')],
    ['Verdicts', filter?.verdicts?.join(', ')],
    ['Agents', filter?.agentIds === undefined ? undefined : html`<${Said} text=${filter.agentIds.join(', ')} />`],
    [
      'Signature',
      publicKey === null ? signature : html`${signature} <code>${publicKey}</code><${Copy} text=${publicKey} />`,
    ],
    [
      'Old key',
      previousKeysUntil === null ? undefined : html`signs, too, until <${Time} at=${previousKeysUntil} as="moment" />`,
    ],
    ['Created', html`<${Time} at=${createdAt} as="moment" /> by <code>${createdBy}</code>`],
  ]} /><//>`;
}

const FIELDS: readonly FilterField[] = [
  { name: 'state', label: 'State', kind: 'choice', options: ['pending', 'delivered', 'failed'] },
];

function Deliveries({ webhookId, enabled }: { readonly webhookId: string; readonly enabled: boolean }): VNode {
  const [filters, setFilters] = useFilters(['state']);
  const path = `/v1/webhooks/${encodeURIComponent(webhookId)}/deliveries`;
  const pages = usePages<Delivery>(path, { ...filters, limit: 50 });
  const replay = useAction(async (deliveryId: string) => {
    await api(`${path}/${encodeURIComponent(deliveryId)}/replay`, { method: 'POST' });
    pages.reload();
  });
  const again = (deliveryId: string): VNode =>
    html`<button type="button" class="button button-small" disabled=${replay.busy || !enabled} aria-label=${`Replay ${deliveryId}`} onClick=${() => void replay.run(deliveryId)}>Replay</button>`;
  const columns = [
    ...COLUMNS,
    { title: 'Actions', align: 'end' as const, cell: (each: Delivery) => again(each.deliveryId) },
  ];
  const empty = html`<${Empty} title=${filters.state === undefined ? 'No deliveries in the last week' : 'No delivery is in this state'} />`;
  return html`<h2>Deliveries</h2>
    <div class="toolbar"><${Filters} fields=${FIELDS} values=${filters} onChange=${setFilters} /><button type="button" class="button" onClick=${pages.reload}>Refresh</button></div>
    <${FormError} error=${replay.error} />
    <${List} pages=${pages} caption="Deliveries, newest first" columns=${columns} keyOf=${(each: Delivery) => each.deliveryId} empty=${empty} />`;
}

const COLUMNS: readonly Column<Delivery>[] = [
  {
    title: 'Event',
    cell: ({ type, subject, deliveryId }) =>
      html`${type}<br /><span class="muted"><${Said} text=${subject} /> <${Id} id=${deliveryId} copy /></span>`,
  },
  {
    title: 'State',
    cell: ({ state, nextAttemptAt }) =>
      html`<${Status} status=${state} />${nextAttemptAt !== null && html`<br /><span class="muted">next attempt <${Time} at=${nextAttemptAt} /></span>`}`,
  },
  { title: 'Attempts', align: 'end', cell: ({ attempts }) => attempts },
  {
    title: 'Last answer',
    cell: ({ responseStatus, error, durationMs, lastAttemptAt }) =>
      lastAttemptAt === null
        ? html`<span class="muted">none yet</span>`
        : html`${[responseStatus, error].filter((part) => part !== null).join(' ')}<br /><span class="muted">${durationMs} ms, <${Time} at=${lastAttemptAt} /></span>`,
  },
  { title: 'Created', cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
];
