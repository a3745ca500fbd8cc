// Other windows of this browser share the cookie: when somebody signs in or out in one, all of them must show that, and none
// may go on with what another key was shown.
import { api } from './api.ts';
import { stopLive } from './live.ts';
import { sessionState, signedIn, signedOut } from './session.ts';
import type { SessionAnswer } from './wire.ts';

const AGAIN_MS = 1_000;
const channel = new BroadcastChannel('custos-session');

/** Says to the other windows that the session of this browser is another one now. */
export function sessionChanged(): void {
  // A channel has no target: only pages of this origin hear it.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
  channel.postMessage('changed');
}

/** Asks whose session it is now. */
async function lookAgain(): Promise<void> {
  let session: SessionAnswer['session'];
  try {
    ({ session } = await api<SessionAnswer>('/session'));
  } catch {
    // Not reachable now; until it is known whose session it is, this is asked again.
    window.setTimeout(() => void lookAgain(), AGAIN_MS);
    return;
  }
  const before = sessionState();
  if (session === null) {
    if (before.kind !== 'in') return;
    stopLive();
    signedOut('You have signed out in another window.');
  } else if (before.kind !== 'in' || before.session.keyId !== session.keyId) {
    stopLive();
    signedIn(session);
  }
}

export function watchTabs(): void {
  channel.addEventListener('message', () => void lookAgain());
  // A page that the browser kept while one was elsewhere has not heard what happened meanwhile.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void lookAgain();
  });
}
