// The webhooks of the organisation and environment: endpoints that receive events.
import { usePages } from '../api.ts';
import type { MadeWebhook, Webhook } from '../answers.ts';
import { html, useCallback, useState, type VNode } from '../html.ts';
import { href } from '../router.ts';
import { useKept, useSession } from '../session.ts';
import { type Column, Empty, List, PageHead, Said, Status, Time } from '../ui.ts';
import { CreateWebhook } from './webhooks-forms.ts';
import { WebhookSecret, statusOf } from './webhooks-parts.ts';

export function WebhooksPage(): VNode {
  const { organisation, environment } = useSession();
  const webhooks = usePages<Webhook>('/v1/webhooks');
  const [isCreating, setCreating] = useKept('creating a webhook', false);
  const [made, setMade] = useState<MadeWebhook | undefined>(undefined);
  const forget = useCallback(() => setMade(undefined), []);
  const onMade = (webhook: MadeWebhook): void => {
    setMade(webhook);
    webhooks.reload();
  };
  const create = html`<button type="button" class="button button-primary" onClick=${() => setCreating(true)}>Create a webhook…</button>`;
  const empty = html`<${Empty} title="There are no webhooks in this environment">A webhook sends events, such as decisions and approvals, to a URL of yours.<//>`;
  return html`<${PageHead} title="Webhooks" lead=${html`Endpoints that receive events of ${organisation} in the environment ${environment}, signed as Standard Webhooks describes.`} actions=${create} />
    ${made && html`<${WebhookSecret} key=${made.webhookId} made=${made} ready=${!isCreating} onDone=${forget} />`}
    <${List} pages=${webhooks} caption="Webhooks, newest first" columns=${COLUMNS} keyOf=${(each: Webhook) => each.webhookId} hrefOf=${(each: Webhook) => href('webhooks', each.webhookId)} empty=${empty} />
    ${isCreating && html`<${CreateWebhook} onMade=${onMade} onClose=${() => setCreating(false)} />`}`;
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    title: 'URL',
    cell: ({ url, description }) =>
      html`<${Said} text=${url} />${description !== null && html`<br /><span class="muted"><${Said} text=${description} /></span>`}`,
  },
  { title: 'Status', narrow: 'lead', cell: (webhook) => html`<${Status} status=${statusOf(webhook)} />` },
  { title: 'Events', cell: ({ events }) => html`<span class="muted">${events.join(', ')}</span>` },
  { title: 'Created', cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
];
