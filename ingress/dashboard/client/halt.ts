// Halting and resuming the environment: the halt in force, and which of the two dialogs is open.
import type { HaltAnswer } from './answers.ts';
import { api } from './api.ts';
import { amendLive, useLive } from './live.ts';
import { createStore, useStore } from './store.ts';
import type { Overview } from './wire/overview.ts';

const asked = createStore<'halt' | 'resume' | undefined>(undefined);

export const useAskedHalt = (): 'halt' | 'resume' | undefined => useStore(asked);
/** Opens a dialog, from a button or the command palette. */
export const askHalt = (): void => asked.set('halt');
export const askResume = (): void => asked.set('resume');
export const closeHalt = (): void => asked.set(undefined);

/** The one source for every page: the live overview. Undefined before its first event. */
export function useHalt(): Overview['halt'] | undefined {
  return useLive<Overview>('overview')?.halt;
}

/** The answer takes effect on the page at once; the next event has the same. */
function show({ halted, reason, since }: HaltAnswer): void {
  const halt = halted && reason !== null && since !== null ? { reason, since } : null;
  amendLive<Overview>('overview', (overview) => ({ ...overview, halt }));
}

/** @throws {Problem} */
export async function halt(reason: string): Promise<void> {
  show(await api<HaltAnswer>('/v1/halt', { body: { reason } }));
}

/** @throws {Problem} */
export async function resume(reason: string): Promise<void> {
  show(await api<HaltAnswer>('/v1/halt', { method: 'DELETE', body: { reason } }));
}
