// The sign-in page: exchanges an admin key for a session. The page does not keep the key.
import { api, useAction } from '../api.ts';
import { Mark } from '../components/mark.ts';
import { html, useEffect, useRef, useState, type VNode } from '../html.ts';
import { signedIn } from '../session.ts';
import { sessionChanged } from '../tabs.ts';
import { Notice } from '../ui.ts';
import { readStored, writeStored } from '../storage.ts';
import type { SignInAnswer } from '../wire.ts';

/** The token of this browser, which separates its sign-in attempts from those of strangers at the same address (devices.ts). */
const DEVICE = 'custos-device';

export function SignInPage({ reason }: { readonly reason: string | undefined }): VNode {
  const [key, setKey] = useState('');
  const [shown, setShown] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const signIn = useAction(async () => {
    const { session, device } = await api<SignInAnswer>('/session', {
      body: { key: key.trim(), device: readStored(DEVICE) },
      session: false,
    });
    writeStored(DEVICE, device);
    setKey('');
    if (session === null) return;
    signedIn(session);
    sessionChanged();
  });
  useEffect(() => {
    document.title = 'Sign in · Custos';
    field.current?.focus();
  }, []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (key.trim() === '') return field.current?.focus();
    if (!(await signIn.run())) field.current?.select();
  };
  return html`<main class="alone">
    <form class="sign-in" onSubmit=${submit}>
      <div class="sign-in-brand"><${Mark} /><span>Custos</span></div>
      <h1>Sign in</h1>
      <p class="lead">Use an API key with the scope <code>admin:*</code>. It starts a session of twelve hours and is not stored here.</p>
      ${reason !== undefined && signIn.error === undefined && html`<div role="status"><${Notice} tone="info" title=${reason}>After signing in you return to the same page.<//></div>`}
      <div class="field">
        <label for="key">Admin key</label>
        <div class="with-button">
          <input id="key" ref=${field} name="key" type=${shown ? 'text' : 'password'} autocomplete="current-password" autocapitalize="off" spellcheck=${false} placeholder="cst_live_…" value=${key} aria-invalid=${signIn.error !== undefined} aria-describedby="key-problem" onInput=${(event: Event) => setKey((event.currentTarget as HTMLInputElement).value)} />
          <button type="button" class="button" aria-pressed=${shown} onClick=${() => setShown(!shown)}>${shown ? 'Hide' : 'Show'}</button>
        </div>
      </div>
      <div id="key-problem" role="alert">${signIn.error && html`<${Notice} tone="bad" title=${titleOf(signIn.error.status)}>${signIn.error.message}<//>`}</div>
      <button type="submit" class="button button-primary button-wide" disabled=${signIn.busy}>${signIn.busy ? 'Signing in…' : 'Sign in'}</button>
      <p class="muted sign-in-help">The first start prints an admin key and stores it in the data folder, in the file <code>bootstrap-key</code>.</p>
    </form>
  </main>`;
}

function titleOf(status: number): string {
  if (status === 429) return 'Too many wrong keys';
  if (status === 403) return 'This key may not sign in';
  if (status === 401 || status === 400) return 'This key is not accepted';
  return 'Sign-in failed';
}
