// Shows a new secret once. It is only in the state of the page that made it.
import { type ComponentChildren, html, useEffect, useRef, type VNode } from '../html.ts';
import { Notice } from './layout.ts';
import { Copy } from './text.ts';

export interface SecretCardProps {
  readonly title: ComponentChildren;
  readonly secret: string;
  /** `key` or `secret`. */
  readonly noun: string;
  /** Whether the dialog has closed: then this card takes the focus. */
  readonly ready: boolean;
  readonly onDone: () => void;
  /** What to do with it. */
  readonly children: ComponentChildren;
}

export function SecretCard({ title, secret, noun, ready, onDone, children }: SecretCardProps): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (ready) heading.current?.focus();
  }, [ready]);
  // A page in the browser's back/forward cache must not contain the secret.
  useEffect(() => {
    window.addEventListener('pagehide', onDone);
    return () => window.removeEventListener('pagehide', onDone);
  }, [onDone]);
  return html`<section class="card secret" aria-labelledby="secret-title">
    <div class="card-body">
      <h2 id="secret-title" tabindex="-1" ref=${heading}>${title}</h2>
      <div class="secret-key"><code data-secret>${secret}</code><${Copy} text=${secret} label=${`Copy the ${noun}`} /></div>
      <${Notice} tone="warn" title=${`Copy the ${noun} now: it is shown only once`}>${children}<//>
      <div class="form-actions"><button type="button" class="button" onClick=${onDone}>Done</button></div>
    </div>
  </section>`;
}
