// Shows a new key once.
import { html, type VNode } from '../html.ts';
import { Said, SecretCard, Time } from '../ui.ts';
import type { MadeKey } from '../answers.ts';

export interface KeySecretProps {
  readonly made: MadeKey;
  readonly ready: boolean;
  readonly onDone: () => void;
}

export function KeySecret({ made, ready, onDone }: KeySecretProps): VNode {
  const { replaces } = made;
  return html`<${SecretCard} title=${html`Your new key <${Said} text=${made.name} />`} secret=${made.key} noun="key" ready=${ready} onDone=${onDone}>Store it as a secret. If it gets lost, rotate or revoke it. ${
    made.expiresAt === null ? 'It does not expire.' : html`It expires <${Time} at=${made.expiresAt} />.`
  }${replaces && html` The old key <code>${replaces.keyId}</code> works until <${Time} at=${replaces.expiresAt} as="moment" />.`}<//>`;
}
