// Divides a number of places fairly over owners, such as organisations: what one of them keeps long delays no other.

export interface Shares {
  /** Whether there is a place for this owner now. */
  readonly mayTake: (owner: string) => boolean;
  /** Takes a place. @returns false: there is none for this owner */
  readonly take: (owner: string) => boolean;
  /** Gives a place of this owner back. */
  readonly giveBack: (owner: string) => void;
}

/**
 * An owner may take a place while it holds fewer than are free: alone at most half of them, rounded up, a second one half of the rest. So
 * there is a place for the next one until log2(total) owners hold all they may.
 */
export function createShares(total: number): Shares {
  const held = new Map<string, number>();
  let free = total;
  const heldBy = (owner: string): number => held.get(owner) ?? 0;
  const mayTake = (owner: string): boolean => heldBy(owner) < free;
  return {
    mayTake,
    take(owner) {
      if (!mayTake(owner)) return false;
      held.set(owner, heldBy(owner) + 1);
      free -= 1;
      return true;
    },
    giveBack(owner) {
      const left = heldBy(owner) - 1;
      if (left > 0) held.set(owner, left);
      else held.delete(owner);
      free += 1;
    },
  };
}
