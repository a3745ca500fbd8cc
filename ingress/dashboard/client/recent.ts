// The item pages that were opened last, for the palette. They stay in the memory of this window and are dropped with its session.
import { createStore, useStore } from './store.ts';

export interface RecentItem {
  readonly page: string;
  readonly id: string;
}

const MAX_ITEMS = 8;
const items = createStore<readonly RecentItem[]>([]);

/** Puts an item at the beginning. */
export function remember(item: RecentItem): void {
  const others = items.get().filter(({ page, id }) => page !== item.page || id !== item.id);
  items.set([item, ...others].slice(0, MAX_ITEMS));
}

export const forgetRecent = (): void => items.set([]);
export const useRecent = (): readonly RecentItem[] => useStore(items);
