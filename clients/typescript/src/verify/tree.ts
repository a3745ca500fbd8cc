// Inclusion proofs of RFC 9162 section 2.1.3 over SHA-256.
import { sha256 } from '../sha256.ts';
import { isEqual } from './encoding.ts';

export interface InclusionProof {
  readonly index: number;
  readonly size: number;
  readonly leaf: Uint8Array;
  /** Nearest sibling first. */
  readonly path: readonly Uint8Array[];
  readonly root: Uint8Array;
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export const hashLeaf = (bytes: Uint8Array): Uint8Array => sha256(LEAF, bytes);
export const hashNode = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(NODE, left, right);
/** Exact for all safe integers, unlike a shift. */
export const half = (n: number): number => Math.floor(n / 2);

/**
 * For each hash of a leaf's path whether it stands on the left, nearest first (the loop of section 2.1.3.2 without its hashes).
 * Needs 0 <= index < size.
 */
export function sidesOf(index: number, size: number): boolean[] {
  const sides: boolean[] = [];
  for (let [node, last] = [index, size - 1]; last > 0; [node, last] = [half(node), half(last)]) {
    const isLeft = node % 2 === 1 || node === last;
    sides.push(isLeft);
    // A node without a right sibling moves up until it has a left one.
    if (isLeft) while (node % 2 === 0 && node > 0) [node, last] = [half(node), half(last)];
  }
  return sides;
}

export function isIncluded({ root, ...about }: InclusionProof): boolean {
  const reached = rootOfPath(about);
  return reached !== undefined && isEqual(reached, root);
}

/** The root to which a path leads, or undefined when index, size and length of the path do not fit. */
export function rootOfPath({ index, size, leaf, path }: Omit<InclusionProof, 'root'>): Uint8Array | undefined {
  if (index >= size) return undefined;
  const sides = sidesOf(index, size);
  if (sides.length !== path.length) return undefined;
  let hash = leaf;
  for (const [i, sibling] of path.entries())
    hash = sides[i] === true ? hashNode(sibling, hash) : hashNode(hash, sibling);
  return hash;
}
