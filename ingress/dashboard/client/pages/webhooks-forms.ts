// The dialogs to create a webhook, to rotate its key, and to delete it.
import type { WebhookEventType } from '#shared/kernel/webhook-events.js';
import { api, type FieldError, useAction } from '../api.ts';
import type { MadeWebhook, Webhook } from '../answers.ts';
import type { ControlProps } from '../components/form.ts';
import { html, type VNode } from '../html.ts';
import { useKept } from '../session.ts';
import { Confirm, Dialog, Field, FormActions, FormError, Said } from '../ui.ts';

/** Every type of event, with what it reports. */
const EVENTS: Readonly<Record<WebhookEventType, string>> = {
  'decision.made': 'a decision was recorded',
  'approval.opened': 'a request needs an approval',
  'approval.decided': 'it was approved, rejected or withdrawn, or expired',
  'intent.decided': 'a submitted intent was decided',
  'trust.level_changed': "an agent's trust level changed",
  'proof.anchored': 'a proof is covered by a checkpoint',
  'policy.activated': 'a policy set is in force',
  'policy.refused': 'a policy folder was refused',
  'key.created': 'an API key was created',
  'key.revoked': 'an API key was revoked',
  'log.halted': 'the log is not signed any more',
  'audit.failed': 'the audit found a difference',
};
const VERDICTS = ['ALLOW', 'DENY', 'ESCALATE', 'DEGRADE'] as const;

const valueOf = (event: Event): string => (event.currentTarget as HTMLInputElement).value;
const lines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');
const at = (errors: readonly FieldError[], pointer: string): FieldError[] =>
  errors.filter((error) => error.pointer === pointer || error.pointer.startsWith(`${pointer}/`));

export interface CreateWebhookProps {
  readonly onMade: (made: MadeWebhook) => void;
  readonly onClose: () => void;
}

export function CreateWebhook({ onMade, onClose }: CreateWebhookProps): VNode {
  const [url, setUrl] = useKept('webhook url', '');
  const [description, setDescription] = useKept('webhook description', '');
  const [events, setEvents] = useKept<readonly string[]>('webhook events', []);
  const [verdicts, setVerdicts] = useKept<readonly string[]>('webhook verdicts', []);
  const [agents, setAgents] = useKept('webhook agents', '');
  const [signature, setSignature] = useKept('webhook signature', 'hmac');
  const create = useAction(async () => {
    const agentIds = lines(agents);
    const filter = {
      ...(verdicts.length === 0 ? {} : { verdicts }),
      ...(agentIds.length === 0 ? {} : { agentIds }),
    };
    const about = description.trim() === '' ? {} : { description: description.trim() };
    const given = events.includes('decision.made') && Object.keys(filter).length > 0 ? { filter } : {};
    onMade(
      await api<MadeWebhook>('/v1/webhooks', { body: { url: url.trim(), events, signature, ...about, ...given } }),
    );
  });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await create.run()) onClose();
  };
  const errors = create.error?.errors ?? [];
  return html`<${Dialog} title="Create a webhook" onClose=${onClose} wide>
    <form class="form" onSubmit=${submit} novalidate>
      <${Field} label="URL" hint="Messages are sent there with POST." errors=${at(errors, '/url')}>${(control: ControlProps) => html`<input ...${control} data-first type="url" autocomplete="off" spellcheck=${false} placeholder="https://receiver.example.com/custos" value=${url} onInput=${(event: Event) => setUrl(valueOf(event))} />`}<//>
      <${Field} label="Description (optional)" errors=${at(errors, '/description')}>${(control: ControlProps) => html`<input ...${control} autocomplete="off" maxlength="200" value=${description} onInput=${(event: Event) => setDescription(valueOf(event))} />`}<//>
      <${Choices} legend="Events" words=${Object.entries(EVENTS)} chosen=${events} errors=${at(errors, '/events')} onChange=${setEvents} />
      ${
        events.includes('decision.made') &&
        html`<${Choices} legend="Decisions with these verdicts (none chosen: all)" words=${VERDICTS.map((verdict) => [verdict, ''])} chosen=${verdicts} errors=${at(errors, '/filter/verdicts')} onChange=${setVerdicts} />
      <${Field} label="Decisions about these agents (optional)" hint="One id per line; when empty, all agents." errors=${at(errors, '/filter/agentIds')}>${(control: ControlProps) => html`<textarea ...${control} rows="2" spellcheck=${false} value=${agents} onInput=${(event: Event) => setAgents(valueOf(event))}></textarea>`}<//>`
      }
      <${Field} label="Signature" hint="Ed25519: the receiver verifies with a public key and has no secret." errors=${at(errors, '/signature')}>${(control: ControlProps) => html`<select ...${control} value=${signature} onChange=${(event: Event) => setSignature(valueOf(event))}><option value="hmac" selected=${signature === 'hmac'}>HMAC, with a shared secret</option><option value="ed25519" selected=${signature === 'ed25519'}>Ed25519, with a key pair</option></select>`}<//>
      ${errors.length === 0 && html`<${FormError} error=${create.error} />`}
      <${FormActions} verb="Create the webhook" busy=${create.busy} onCancel=${onClose} />
    </form>
  <//>`;
}

interface ChoicesProps {
  readonly legend: string;
  /** Each word with its meaning. */
  readonly words: readonly (readonly [word: string, meaning: string])[];
  readonly chosen: readonly string[];
  readonly errors: readonly FieldError[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function Choices({ legend, words, chosen, errors, onChange }: ChoicesProps): VNode {
  const toggle = (word: string): void =>
    onChange(chosen.includes(word) ? chosen.filter((each) => each !== word) : [...chosen, word]);
  return html`<fieldset class="choices">
    <legend>${legend}</legend>
    ${words.map(([word, meaning]) => html`<label class="choice" key=${word}><input type="checkbox" checked=${chosen.includes(word)} onChange=${() => toggle(word)} /><span><code>${word}</code> <span class="muted">${meaning}</span></span></label>`)}
    ${errors.map(({ message }) => html`<p class="field-error" role="alert">${message}</p>`)}
  </fieldset>`;
}

export interface WebhookDialogProps {
  readonly of: Webhook;
  readonly onClose: () => void;
}

const OVERLAPS = [
  ['0m', 'At once'],
  ['1h', 'In an hour'],
  ['24h', 'In a day'],
  ['7d', 'In 7 days'],
] as const;

export function RotateWebhook({
  of: webhook,
  onMade,
  onClose,
}: WebhookDialogProps & { readonly onMade: (made: MadeWebhook) => void }): VNode {
  const [overlap, setOverlap] = useKept('webhook overlap', '24h');
  const rotate = useAction(async () => {
    const path = `/v1/webhooks/${encodeURIComponent(webhook.webhookId)}/rotate`;
    onMade(await api<MadeWebhook>(path, { body: { overlap } }));
  });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await rotate.run()) onClose();
  };
  return html`<${Dialog} title="Rotate the key?" onClose=${onClose}>
    <form class="form" onSubmit=${submit}>
      <div class="dialog-text">A new key signs the messages to <strong><${Said} text=${webhook.url} /></strong>.</div>
      <${Field} label="The old key expires" hint="Until then messages have both signatures.">${(control: ControlProps) => html`<select ...${control} data-first value=${overlap} onChange=${(event: Event) => setOverlap(valueOf(event))}>${OVERLAPS.map(([value, text]) => html`<option key=${value} value=${value} selected=${value === overlap}>${text}</option>`)}</select>`}<//>
      <${FormError} error=${rotate.error} />
      <${FormActions} verb="Rotate" busy=${rotate.busy} onCancel=${onClose} />
    </form>
  <//>`;
}

export function DeleteWebhook({
  of: webhook,
  onDone,
  onClose,
}: WebhookDialogProps & { readonly onDone: () => void }): VNode {
  const remove = useAction(async () => {
    await api(`/v1/webhooks/${encodeURIComponent(webhook.webhookId)}`, { method: 'DELETE' });
    onDone();
  });
  return html`<${Confirm} title="Delete this webhook?" verb="Delete" dangerous action=${remove} onClose=${onClose}>
    <p>Nothing is sent to <strong><${Said} text=${webhook.url} /></strong> any more, and its deliveries are deleted. To keep them, disable it instead.</p>
  <//>`;
}
