// Which nodes of a log's tree are stored: those of every fifth level. The others are computed from the stored hashes below them, because
// a row for each node would be about a row for each leaf. Pure.

/** A node is computed from at most 2^4 hashes. Divides the level of the auditor's subtrees (audit-tree.ts). */
const STEP = 5;
/** Most hashes that one node is computed from. */
export const MOST_UNDER = 2 ** (STEP - 1);

/** Whether the nodes of a level are stored. Level 0 is the leaves, which have their own hashes. */
export const isStoredLevel = (level: number): boolean => level % STEP === 0;

/** Consecutive stored hashes [first, past) of one level. */
export interface StoredRange {
  readonly level: number;
  readonly first: number;
  readonly past: number;
}

/** The stored hashes under a node; the node itself when its level is stored. */
export function storedUnder(level: number, index: number): StoredRange {
  const width = 2 ** (level % STEP);
  return { level: level - (level % STEP), first: index * width, past: (index + 1) * width };
}
