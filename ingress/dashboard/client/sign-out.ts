// Signing out, from the menu and from the palette.
import { api } from './api.ts';
import { stopLive } from './live.ts';
import { signedOut } from './session.ts';
import { sessionChanged } from './tabs.ts';

export async function signOut(): Promise<void> {
  // When the request fails, the page still drops all data: the person asked to be signed out.
  const isDone = await api('/session', { method: 'DELETE' }).then(
    () => true,
    () => false,
  );
  stopLive();
  sessionChanged();
  signedOut(isDone ? undefined : 'The service did not answer; the session ends after an hour without use.');
}
