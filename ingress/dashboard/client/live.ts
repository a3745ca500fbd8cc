// Live numbers: one stream of server-sent events for all topics of the visible page. It reconnects with back-off, and the page
// shows while it is down.
import { api } from './api.ts';
import { byService } from './clock.ts';
import { useEffect, useState } from './html.ts';
import { sessionEnded, sessionState } from './session.ts';
import { createStore, useStore } from './store.ts';
import type { SessionAnswer } from './wire.ts';

/** After this time without an event the numbers are shown as stale. */
const STALE_MS = 5_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

export interface LiveState {
  /** Whether numbers arrive; assumed at the start. */
  readonly live: boolean;
  /** The reason, when the service gave one. */
  readonly trouble: string | undefined;
  /** RFC 3339: when the last numbers arrived, while none do. */
  readonly since: string | undefined;
  /** Whether they arrive again after an interruption, for a few seconds. */
  readonly isBack: boolean;
}

/** How long the page shows that numbers arrive again. */
const BACK_MS = 6_000;
const LIVE: LiveState = { live: true, trouble: undefined, since: undefined, isBack: false };
const state = createStore<LiveState>(LIVE);
/** The subscribers of each topic, and its last value. */
const subscriptions = new Map<string, { readonly listeners: Set<(value: unknown) => void>; last: unknown }>();

let source: EventSource | undefined;
let opened = '';
/** When the last numbers arrived, by a clock that nobody sets: a wall clock that is set back would make them look fresh for as long. */
let lastMs = performance.now();
let waitMs = FIRST_WAIT_MS;
let timer: number | undefined;

function setLive(): void {
  lastMs = performance.now();
  waitMs = FIRST_WAIT_MS;
  const before = state.get();
  if (before.live) return;
  const back: LiveState = { ...LIVE, isBack: true };
  state.set(back);
  window.setTimeout(() => {
    if (state.get() === back) state.set(LIVE);
  }, BACK_MS);
}

function setStale(trouble: string | undefined): void {
  const { since } = state.get();
  state.set({
    live: false,
    trouble,
    since: since ?? new Date(byService(Date.now() - (performance.now() - lastMs))).toISOString(),
    isBack: false,
  });
}

function close(): void {
  source?.close();
  source = undefined;
  opened = '';
  clearTimeout(timer);
}

function topicsNow(): string {
  return [...subscriptions]
    .filter(([, { listeners }]) => listeners.size > 0)
    .map(([topic]) => topic)
    .sort()
    .join(',');
}

/** Opens the stream for the topics of the page; does nothing when it is open for exactly these. */
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
      setLive();
      const entry = subscriptions.get(topic);
      if (entry === undefined) return;
      entry.last = JSON.parse(event.data) as unknown;
      for (const listener of entry.listeners) listener(entry.last);
    });
  stream.addEventListener('trouble', (event: MessageEvent<string>) => {
    const { detail } = JSON.parse(event.data) as { detail: string };
    setStale(detail);
  });
  stream.addEventListener('ended', (event: MessageEvent<string>) => {
    const { detail } = JSON.parse(event.data) as { detail: string };
    close();
    sessionEnded(detail);
  });
  // EventSource reconnects by itself, but stops after an error status.
  stream.addEventListener('error', () => {
    if (source !== stream) return;
    close();
    timer = window.setTimeout(() => void reopen(), waitMs);
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
  });
}

/** Reconnects, unless the session has ended. */
async function reopen(): Promise<void> {
  try {
    const { session } = await api<SessionAnswer>('/session');
    if (session === null) return sessionEnded('Your session has ended; sign in again.');
  } catch {
    // The service is away or overloaded: opening the stream fails as well, and reconnects later.
  }
  open();
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) lastMs = performance.now();
  open();
});
window.setInterval(() => {
  const isStale = source !== undefined || opened === '' ? performance.now() - lastMs > STALE_MS : true;
  if (!document.hidden && topicsNow() !== '' && state.get().live && isStale) setStale(undefined);
}, 1_000);

/** The last value of a live topic, undefined before the first. */
export function useLive<T>(topic: string): T | undefined {
  const [value, setValue] = useState<T | undefined>(() => subscriptions.get(topic)?.last as T | undefined);
  useEffect(() => {
    const entry = subscriptions.get(topic) ?? { listeners: new Set<(value: unknown) => void>(), last: undefined };
    subscriptions.set(topic, entry);
    // The server's routes define the values of a topic.
    const listener = (next: unknown): void => setValue(() => next as T);
    entry.listeners.add(listener);
    lastMs = performance.now();
    open();
    return () => {
      entry.listeners.delete(listener);
      if (entry.listeners.size === 0) entry.last = undefined;
      // Later, so that the stream stays open when the next page subscribes to the same topics.
      window.setTimeout(open, 0);
    };
  }, [topic]);
  return value;
}

/** Applies a change that this page has made to the last value of a topic, until the service sends the next one. */
export function amendLive<T>(topic: string, change: (value: T) => T): void {
  const entry = subscriptions.get(topic);
  if (entry?.last === undefined) return;
  entry.last = change(entry.last as T);
  for (const listener of entry.listeners) listener(entry.last);
}

export const useLiveState = (): LiveState => useStore(state);

/** To be called when the session changes. */
export function stopLive(): void {
  close();
  for (const entry of subscriptions.values()) entry.last = undefined;
  state.set(LIVE);
}
