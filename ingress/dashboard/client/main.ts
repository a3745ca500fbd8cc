// The start of the dashboard: shows the sign-in page, or the pages when a session exists.
import { api, Problem } from './api.ts';
import { html, render, useEffect, useState, type VNode } from './html.ts';
import { SignInPage } from './pages/sign-in.ts';
import { sessionEnded, signedIn, useSessionState } from './session.ts';
import { Shell } from './shell.ts';
import { watchTabs } from './tabs.ts';
import { startTheme } from './theme.ts';
import { ErrorState, Loading } from './ui.ts';
import type { SessionAnswer } from './wire.ts';

function App(): VNode {
  const state = useSessionState();
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const readSession = (): void => {
    setProblem(undefined);
    api<SessionAnswer>('/session').then(
      ({ session }) => (session === null ? sessionEnded(undefined) : signedIn(session)),
      (error: unknown) => setProblem(error instanceof Problem ? error : new Problem(String(error), { status: 0 })),
    );
  };
  useEffect(readSession, []);
  useEffect(() => {
    if (problem === undefined) return undefined;
    const timer = window.setTimeout(readSession, 3_000);
    return () => clearTimeout(timer);
  }, [problem]);
  // The key makes Preact drop all state when another API key signs in, or the session switches the environment.
  if (state.kind === 'in') return html`<${Shell} key=${`${state.session.keyId} ${state.session.environment}`} />`;
  if (state.kind === 'out') return html`<${SignInPage} reason=${state.reason} />`;
  return html`<main class="alone">${problem === undefined ? html`<${Loading} what="Opening" />` : html`<${ErrorState} error=${problem} onRetry=${readSession} />`}</main>`;
}

startTheme();
watchTabs();
const place = document.getElementById('app');
if (place !== null) render(html`<${App} />`, place);
