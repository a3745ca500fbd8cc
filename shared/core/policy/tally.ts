// Bounded counts by key: the first keys are counted individually, later ones together.
import { byText } from '../../kernel/order.ts';
import type { Table } from './difference-types.ts';

export type Counts = Record<string, number>;

/** Plain JSON, from which a later run continues. */
export interface TallyState {
  readonly entries: readonly (readonly [key: string, counts: Counts])[];
  readonly beyond: number;
}

/** @param limit number of keys counted individually @param state of an earlier tally with the same limit, to continue from */
export function createTally(limit: number, state: TallyState | undefined) {
  const entries = new Map<string, Counts>((state?.entries ?? []).map(([key, counts]) => [key, { ...counts }]));
  let beyond = state?.beyond ?? 0;
  return {
    add(parts: readonly string[], ...names: readonly string[]): void {
      const key = JSON.stringify(parts);
      let counts = entries.get(key);
      if (counts === undefined) {
        if (entries.size >= limit) {
          beyond += 1;
          return;
        }
        counts = {};
        entries.set(key, counts);
      }
      for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
    },
    state: (): TallyState => ({ entries: [...entries].sort(([a], [b]) => byText(a, b)), beyond }),
    table<Item>(
      shown: number,
      weigh: (counts: Counts) => number,
      itemOf: (key: readonly string[], counts: Counts) => Item,
    ): Table<Item> {
      const sorted = [...entries].sort(([a, x], [b, y]) => weigh(y) - weigh(x) || byText(a, b));
      return {
        // The key was written by add() from a list of texts.
        items: sorted.slice(0, shown).map(([key, counts]) => itemOf(JSON.parse(key) as string[], counts)),
        more: Math.max(0, sorted.length - shown),
        beyond,
      };
    },
  };
}
