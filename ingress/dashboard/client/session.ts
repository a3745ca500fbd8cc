// The session, as the pages know it.
import { useEffect, useRef, useState } from './html.ts';
import { createDrafts } from './kept.ts';
import { forgetRecent } from './recent.ts';
import { createStore, useStore } from './store.ts';
import type { SessionInfo } from './wire.ts';

export type SessionState =
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'out';
      /** Why the session ended. */
      readonly reason: string | undefined;
      /** Whether it expired; otherwise somebody signed out. */
      readonly isExpired: boolean;
    }
  | { readonly kind: 'in'; readonly session: SessionInfo };

const drafts = createDrafts();
const state = createStore<SessionState>({ kind: 'unknown' });

export const sessionState = (): SessionState => state.get();
export const useSessionState = (): SessionState => useStore(state);

/**
 * The headers that name the environment and the key that this window shows: another window may have switched the session or signed in with
 * another key, and what was meant for one must not be carried out in the other.
 */
export function shownSession(): Readonly<Record<string, string>> {
  const now = state.get();
  return now.kind === 'in'
    ? { 'x-custos-environment': now.session.environment, 'x-custos-key': now.session.keyId }
    : {};
}

export function signedIn(session: SessionInfo): void {
  forgetRecent();
  state.set({ kind: 'in', session });
}

/** The session expired. The address stays, so that signing in again returns to the same page. */
export function sessionEnded(reason: string | undefined): void {
  if (state.get().kind !== 'out') state.set({ kind: 'out', reason, isExpired: true });
}

/**
 * Somebody signed out: their input is dropped. The live stream may have reported the end of the session before; then it did
 * not expire, and this reason replaces the other.
 */
export function signedOut(reason: string | undefined): void {
  drafts.forget();
  forgetRecent();
  const before = state.get();
  const isReported = before.kind === 'out' && before.isExpired && before.reason !== undefined;
  if (before.kind !== 'out' || isReported) state.set({ kind: 'out', reason, isExpired: false });
}

/** The session, for components that are shown only when signed in. */
export function useSession(): SessionInfo {
  const current = useSessionState();
  if (current.kind !== 'in') throw new Error('nobody is signed in');
  return current.session;
}

/**
 * A state that survives the expiry of the session: for text input, and for the open dialog.
 * @param name unique on the page
 */
export function useKept<T>(name: string, initial: T): [T, (value: T) => void] {
  const { keyId } = useSession();
  // Only this component stores values under this name.
  const [value, setValue] = useState<T>(() => (drafts.take(keyId, name) as T | undefined) ?? initial);
  const latest = useRef(value);
  latest.current = value;
  useEffect(
    () => () => {
      const now = state.get();
      if (now.kind === 'out' && now.isExpired && latest.current !== undefined) drafts.put(keyId, name, latest.current);
    },
    [],
  );
  return [value, (next) => setValue(() => next)];
}

/** Drops the input of the page that is left. */
export const forgetKept = (): void => drafts.forget();
