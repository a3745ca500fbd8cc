// Who is signed in, as the pages know it.
import { useEffect, useRef, useState } from './html.ts';
import { createDrafts } from './kept.ts';
import { createStore, useStore } from './store.ts';
import type { SessionInfo } from './wire.ts';

export type SessionState =
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'out';
      /** Why a session that there was has ended. */
      readonly reason: string | undefined;
      /** Whether nobody asked for that. */
      readonly byItself: boolean;
    }
  | { readonly kind: 'in'; readonly session: SessionInfo };

const drafts = createDrafts();
const state = createStore<SessionState>({ kind: 'unknown' });

export const sessionState = (): SessionState => state.get();
export const useSessionState = (): SessionState => useStore(state);

export function signedIn(session: SessionInfo): void {
  state.set({ kind: 'in', session });
}

/** The place in the address bar stays, so that one is back there after signing in again. */
export function sessionEnded(reason: string | undefined): void {
  if (state.get().kind !== 'out') state.set({ kind: 'out', reason, byItself: true });
}

/** Somebody wanted it so: nothing of theirs is kept. */
export function signedOut(reason: string | undefined): void {
  drafts.forget();
  if (state.get().kind !== 'out') state.set({ kind: 'out', reason, byItself: false });
}

/** The session; only for what is rendered inside it. */
export function useSession(): SessionInfo {
  const current = useSessionState();
  if (current.kind !== 'in') throw new Error('nobody is signed in');
  return current.session;
}

/**
 * A state that outlives the end of the session: for what somebody types, and for the question that they were answering.
 * @param name one for each on the page
 */
export function useKept<T>(name: string, initial: T): [T, (value: T) => void] {
  const { keyId } = useSession();
  // What this component itself has put there under this name, or nothing.
  const [value, setValue] = useState<T>(() => (drafts.take(keyId, name) as T | undefined) ?? initial);
  const latest = useRef(value);
  latest.current = value;
  useEffect(
    () => () => {
      const now = state.get();
      if (now.kind === 'out' && now.byItself && latest.current !== undefined) drafts.put(keyId, name, latest.current);
    },
    [],
  );
  return [value, (next) => setValue(() => next)];
}

/** When one goes to another page: what was kept for the one before is of no use any more. */
export const forgetKept = (): void => drafts.forget();
