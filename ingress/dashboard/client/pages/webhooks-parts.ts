// Parts of the pages of webhooks: their state in one word, and a new key.
import type { MadeWebhook, Webhook } from '../answers.ts';
import { html, type VNode } from '../html.ts';
import { Copy, Notice, SecretCard, Time } from '../ui.ts';

/** `failing` is enabled: messages are sent again. */
export function statusOf({ enabled, failingSince }: Webhook): 'disabled' | 'failing' | 'enabled' {
  if (!enabled) return 'disabled';
  return failingSince === null ? 'enabled' : 'failing';
}

export interface WebhookSecretProps {
  readonly made: MadeWebhook;
  readonly ready: boolean;
  readonly onDone: () => void;
}

/** The secret of a new key, or the public key, which is not secret. */
export function WebhookSecret({ made, ready, onDone }: WebhookSecretProps): VNode {
  const { secret, publicKey, previousKeysUntil: until } = made;
  const overlap =
    until && html` Messages have signatures of the old key, too, until <${Time} at=${until} as="moment" />.`;
  if (secret === undefined)
    return html`<div class="stack"><${Notice} tone="good" title="Messages are signed with a new key pair">The receiver verifies with <code>${publicKey}</code> <${Copy} text=${publicKey} label="Copy the public key" />${overlap}<//></div>`;
  return html`<${SecretCard} title="The secret of your webhook" secret=${secret} noun="secret" ready=${ready} onDone=${onDone}>Store it at the receiver, which verifies the messages with it. If it gets lost, rotate it.${overlap}<//>`;
}
