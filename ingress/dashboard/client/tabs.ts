// Keeps all windows of this browser on the same session, because they share the cookie: after signing in or out in one window,
// the others read the session again and drop the data of another key.
import { api } from './api.ts';
import { stopLive } from './live.ts';
import { sessionState, signedIn, signedOut } from './session.ts';
import type { SessionAnswer, SessionInfo } from './wire.ts';

const RETRY_MS = 1_000;
const channel = new BroadcastChannel('custos-session');

/** Tells the other windows that the session has changed. */
export function sessionChanged(): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel reaches only this origin
  channel.postMessage('changed');
}

const isSame = (a: SessionInfo, b: SessionInfo): boolean => a.keyId === b.keyId && a.environment === b.environment;

/** Reads the session again. */
async function readSession(): Promise<void> {
  let session: SessionAnswer['session'];
  try {
    ({ session } = await api<SessionAnswer>('/session'));
  } catch {
    window.setTimeout(() => void readSession(), RETRY_MS);
    return;
  }
  const before = sessionState();
  if (session === null) {
    if (before.kind === 'unknown') return;
    stopLive();
    signedOut('You have signed out in another window.');
  } else if (before.kind !== 'in' || !isSame(before.session, session)) {
    stopLive();
    signedIn(session);
  }
}

export function watchTabs(): void {
  channel.addEventListener('message', () => void readSession());
  // A page that the browser restores from its back/forward cache has missed the messages.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void readSession();
  });
}
