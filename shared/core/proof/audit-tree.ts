// The auditor's Merkle trees: merkletreejs configured for RFC 6962, sharing no code with the writer of the log. Pure.
import { hash } from 'node:crypto';
import { MerkleTree } from 'merkletreejs';

/** The auditor processes perfect subtrees of 2^10 leaves. */
export const SUBTREE_LEVEL = 10;
export const SUBTREE_LEAVES = 2 ** SUBTREE_LEVEL;
/** By default roots are computed from blocks of 2^5 of the level below, so that few levels need memory. */
const STEP = 5;

// One call for each hash: an incremental hash costs twice the time for inputs this short.
const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer');

/** RFC 6962 section 2.1. */
export const LEAF_PREFIX = Uint8Array.of(0);
const NODE_PREFIX = Uint8Array.of(1);

/** Leaves are hashed before they are given to the package, which would hash them without the RFC 6962 prefix. */
export function otherLeafHash(record: Uint8Array): Buffer {
  return sha256(Buffer.concat([LEAF_PREFIX, record]));
}

const RFC_6962 = { concatenator: (pair: readonly Uint8Array[]): Buffer => Buffer.concat([NODE_PREFIX, ...pair]) };

/**
 * All layers of the tree over these leaf hashes, leaves first. The package's default layout promotes an odd node, as RFC 6962 does; the
 * only option adds the prefix of a node.
 */
export function otherLayers(hashes: readonly Buffer[]): Buffer[][] {
  return new MerkleTree([...hashes], sha256, RFC_6962).getLayers();
}

/** The root over leaf hashes, or over perfect subtrees of one size, of which the last may be incomplete. At least one. */
export function otherRoot(hashes: readonly Buffer[]): Buffer {
  const root = otherLayers(hashes).at(-1)?.[0];
  if (root === undefined) throw new RangeError('the empty tree has no layers');
  return root;
}

/** Returns the hash of the `index`-th perfect subtree of 2^level leaves. */
export type BlockReader = (level: number, index: number) => Buffer;

/**
 * The root of the first `size` leaves (at least one) from the perfect blocks on its right edge.
 * @param step the levels that are read are its multiples: 1 costs the fewest hashes, one a level
 */
export function otherRootAt(size: number, block: BlockReader, step = STEP): Buffer {
  let rest: Buffer | undefined;
  for (let level = 0; ; level += step) {
    const count = Math.floor(size / 2 ** level);
    const first = count - (count % 2 ** step);
    const members = Array.from({ length: count - first }, (_, i) => block(level, first + i));
    // The remainder of the level below is an incomplete block: the last member.
    if (rest !== undefined) members.push(rest);
    if (members.length > 0) rest = otherRoot(members);
    if (first === 0 && rest !== undefined) return rest;
    if (first === 0) throw new RangeError('the empty tree has no root here');
  }
}

/** Perfect subtrees of 2^level leaves, oldest first, and those of the levels above them, `step` by `step`. */
export interface Blocks {
  readonly count: () => number;
  push(hash: Buffer): void;
  /** @throws {RangeError} when there is no such block */
  at(level: number, index: number): Buffer;
}

/** @param level the level of the pushed blocks, a multiple of the step */
export function createBlocks(level: number, step = STEP): Blocks {
  const layers: Buffer[][] = [[]];
  return {
    count: () => layers[0]?.length ?? 0,
    push(hash) {
      let pushed = hash;
      for (let i = 0; ; i += 1) {
        const layer = (layers[i] ??= []);
        layer.push(pushed);
        if (layer.length % 2 ** step !== 0) return;
        pushed = otherRoot(layer.slice(-(2 ** step)));
      }
    },
    at(of, index) {
      const hash = layers[(of - level) / step]?.[index];
      if (hash === undefined) throw new RangeError(`no block ${index} of level ${of}`);
      return hash;
    },
  };
}
