// Grows a Merkle tree leaf by leaf from its frontier: the perfect subtrees that add up to its size. Pure.
import { emptyRoot, hashChildren } from './merkle.ts';

/** A perfect interior node that was completed by appending leaves: the `index`-th (from 0) of those with 2^level leaves. */
export interface NewNode {
  readonly level: number;
  readonly index: number;
  readonly hash: Uint8Array;
}

export interface Frontier {
  readonly size: number;
  /** Largest first: one hash for each bit that is set in `size`. */
  readonly hashes: readonly Uint8Array[];
}

export const EMPTY_FRONTIER: Frontier = { size: 0, hashes: [] };

/** Number of hashes in the frontier of a tree of this size. */
export function frontierLength(size: number): number {
  let bits = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2;
  return bits;
}

/** The perfect subtrees in the frontier of a tree of this size, largest first. */
export function frontierNodes(size: number): { level: number; index: number }[] {
  const nodes: { level: number; index: number }[] = [];
  let start = 0;
  for (let level = Math.floor(Math.log2(Math.max(size, 1))); level >= 0; level -= 1) {
    const width = 2 ** level;
    if (size - start < width) continue;
    nodes.push({ level, index: start / width });
    start += width;
  }
  return nodes;
}

/** Appends leaf hashes, oldest first; returns the new frontier and the completed interior nodes. */
export function grow(frontier: Frontier, leafHashes: readonly Uint8Array[]): { frontier: Frontier; nodes: NewNode[] } {
  const hashes = [...frontier.hashes];
  const nodes: NewNode[] = [];
  let { size } = frontier;
  for (const leafHash of leafHashes) {
    let hash = leafHash;
    let level = 0;
    // Each carry joins two perfect subtrees of the same size.
    for (let rest = size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
      const left = hashes.pop();
      if (left === undefined) throw new Error('the frontier does not fit its size');
      level += 1;
      hash = hashChildren(left, hash);
      nodes.push({ level, index: Math.floor(size / 2 ** level), hash });
    }
    hashes.push(hash);
    size += 1;
  }
  return { frontier: { size, hashes }, nodes };
}

/** The root of the tree (RFC 6962 section 2.1): smaller subtrees are joined first. */
export function frontierRoot({ hashes }: Frontier): Uint8Array {
  const last = hashes.at(-1);
  if (last === undefined) return emptyRoot();
  return hashes.slice(0, -1).reduceRight((right, left) => hashChildren(left, right), last);
}
