// Who is signed in, as the pages know it.
import { createStore, useStore } from './store.ts';
import type { SessionInfo } from './wire.ts';

export type SessionState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'out' /** Why a session that there was has ended. */; readonly reason: string | undefined }
  | { readonly kind: 'in'; readonly session: SessionInfo };

const state = createStore<SessionState>({ kind: 'unknown' });

export const sessionState = (): SessionState => state.get();
export const useSessionState = (): SessionState => useStore(state);

export function signedIn(session: SessionInfo): void {
  state.set({ kind: 'in', session });
}

/** The place in the address bar stays, so that one is back there after signing in again. */
export function sessionEnded(reason: string | undefined): void {
  if (state.get().kind !== 'out') state.set({ kind: 'out', reason });
}

/** The session; only for what is rendered inside it. */
export function useSession(): SessionInfo {
  const current = useSessionState();
  if (current.kind !== 'in') throw new Error('nobody is signed in');
  return current.session;
}
