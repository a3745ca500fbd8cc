// Shows a new key once. The secret is only in the state of this component.
import { html, useEffect, useRef, type VNode } from '../html.ts';
import { Copy, Notice, Said, Time } from '../ui.ts';
import type { MadeKey } from '../answers.ts';

export interface SecretCardProps {
  readonly made: MadeKey;
  /** Whether the dialog has closed: then this card takes the focus. */
  readonly ready: boolean;
  readonly onDone: () => void;
}

export function SecretCard({ made, ready, onDone }: SecretCardProps): VNode {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (ready) title.current?.focus();
  }, [ready]);
  const { replaces } = made;
  return html`<section class="card secret" aria-labelledby="secret-title">
    <div class="card-body">
      <h2 id="secret-title" tabindex="-1" ref=${title}>Your new key <${Said} text=${made.name} /></h2>
      <div class="secret-key"><code data-secret>${made.key}</code><${Copy} text=${made.key} label="Copy the key" /></div>
      <${Notice} tone="warn" title="The key is shown only once">Store it as a secret. If it gets lost, rotate or revoke it. ${
        made.expiresAt === null ? 'It does not expire.' : html`It expires <${Time} at=${made.expiresAt} />.`
      }${replaces && html` The old key <code>${replaces.keyId}</code> works until <${Time} at=${replaces.expiresAt} as="moment" />.`}<//>
      <div class="form-actions"><button type="button" class="button" onClick=${onDone}>I have stored it</button></div>
    </div>
  </section>`;
}
