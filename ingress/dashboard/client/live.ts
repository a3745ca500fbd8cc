// Live events: one stream for all that the visible page follows, opened again when it breaks, and honest about being away.
import { api } from './api.ts';
import { byService } from './clock.ts';
import { useEffect, useState } from './html.ts';
import { sessionEnded, sessionState } from './session.ts';
import { createStore, useStore } from './store.ts';
import type { SessionAnswer } from './wire.ts';

/** Without a word for this long the numbers are not live any more. */
const STALE_MS = 5_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

export interface LiveState {
  /** Whether numbers arrive; at first it is assumed. */
  readonly live: boolean;
  /** Why not, when the service says so. */
  readonly trouble: string | undefined;
  /** RFC 3339: when the last ones arrived, while none do. */
  readonly since: string | undefined;
  /** Whether they have just come back. */
  readonly isBack: boolean;
}

/** How long it is said that numbers arrive again. */
const BACK_MS = 6_000;
const LIVE: LiveState = { live: true, trouble: undefined, since: undefined, isBack: false };
const state = createStore<LiveState>(LIVE);
/** How many components follow a topic, and its last value. */
const followed = new Map<string, { readonly listeners: Set<(value: unknown) => void>; last: unknown }>();

let source: EventSource | undefined;
let opened = '';
let lastAtMs = Date.now();
let waitMs = FIRST_WAIT_MS;
let timer: number | undefined;

function heard(): void {
  lastAtMs = Date.now();
  waitMs = FIRST_WAIT_MS;
  const before = state.get();
  if (before.live) return;
  const back: LiveState = { ...LIVE, isBack: true };
  state.set(back);
  window.setTimeout(() => {
    if (state.get() === back) state.set(LIVE);
  }, BACK_MS);
}

/** No numbers arrive. */
function away(trouble: string | undefined): void {
  const { since } = state.get();
  state.set({ live: false, trouble, since: since ?? new Date(byService(lastAtMs)).toISOString(), isBack: false });
}

function close(): void {
  source?.close();
  source = undefined;
  opened = '';
  clearTimeout(timer);
}

function topicsNow(): string {
  return [...followed]
    .filter(([, { listeners }]) => listeners.size > 0)
    .map(([topic]) => topic)
    .sort()
    .join(',');
}

/** Opens the stream for what is followed now; does nothing when it is open for exactly that. */
function open(): void {
  const topics = topicsNow();
  if (document.hidden || topics === '' || sessionState().kind !== 'in') return close();
  if (source !== undefined && opened === topics) return;
  close();
  opened = topics;
  const stream = new EventSource(`/dashboard/api/events?topics=${encodeURIComponent(topics)}`);
  source = stream;
  for (const topic of topics.split(','))
    stream.addEventListener(topic, (event: MessageEvent<string>) => {
      heard();
      const entry = followed.get(topic);
      if (entry === undefined) return;
      entry.last = JSON.parse(event.data) as unknown;
      for (const listener of entry.listeners) listener(entry.last);
    });
  stream.addEventListener('trouble', (event: MessageEvent<string>) => {
    const { detail } = JSON.parse(event.data) as { detail: string };
    away(detail);
  });
  stream.addEventListener('ended', (event: MessageEvent<string>) => {
    const { detail } = JSON.parse(event.data) as { detail: string };
    close();
    sessionEnded(detail);
  });
  // The browser would repeat the request by itself, but stops for good when it is answered with an error.
  stream.addEventListener('error', () => {
    if (source !== stream) return;
    close();
    timer = window.setTimeout(() => void reopen(), waitMs);
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
  });
}

/** After a break: first whether one is still signed in. */
async function reopen(): Promise<void> {
  try {
    const { session } = await api<SessionAnswer>('/session');
    if (session === null) return sessionEnded('Your session has ended; sign in again.');
  } catch {
    // Not reachable, or too much asked: the stream will say so, too, and this comes round again.
  }
  open();
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) lastAtMs = Date.now();
  open();
});
window.setInterval(() => {
  const isStale = source !== undefined || opened === '' ? Date.now() - lastAtMs > STALE_MS : true;
  if (!document.hidden && topicsNow() !== '' && state.get().live && isStale) away(undefined);
}, 1_000);

/** The last value of a live topic, undefined before the first. */
export function useLive<T>(topic: string): T | undefined {
  const [value, setValue] = useState<T | undefined>(() => followed.get(topic)?.last as T | undefined);
  useEffect(() => {
    const entry = followed.get(topic) ?? { listeners: new Set<(value: unknown) => void>(), last: undefined };
    followed.set(topic, entry);
    // The server's routes say what a topic carries.
    const listener = (next: unknown): void => setValue(() => next as T);
    entry.listeners.add(listener);
    lastAtMs = Date.now();
    open();
    return () => {
      entry.listeners.delete(listener);
      if (entry.listeners.size === 0) entry.last = undefined;
      // A page that goes and one that comes follow the same: the stream stays.
      window.setTimeout(open, 0);
    };
  }, [topic]);
  return value;
}

export const useLiveState = (): LiveState => useStore(state);

/** When somebody signs out. */
export function stopLive(): void {
  close();
  for (const entry of followed.values()) entry.last = undefined;
  state.set(LIVE);
}
