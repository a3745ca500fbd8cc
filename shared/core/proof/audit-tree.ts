// The auditor's Merkle trees: merkletreejs configured for RFC 6962, sharing no code with the writer of the log. Pure.
import { createHash } from 'node:crypto';
import { MerkleTree } from 'merkletreejs';

/** The auditor processes perfect subtrees of 2^10 leaves. */
export const SUBTREE_LEVEL = 10;
export const SUBTREE_LEAVES = 2 ** SUBTREE_LEVEL;
/** Roots are computed from blocks of 2^5 of the level below, so that one costs about a hundred hashes at any size. */
const STEP = 5;
const BLOCK = 2 ** STEP;

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

const LEAF_PREFIX = Uint8Array.of(0);
const NODE_PREFIX = Uint8Array.of(1);

/** Leaves are hashed before they are given to the package, which would hash them without the RFC 6962 prefix. */
export function otherLeafHash(record: Uint8Array): Buffer {
  return sha256(LEAF_PREFIX, record);
}

/**
 * All layers of the tree over these leaf hashes, leaves first. The package's default layout promotes an odd node, as RFC 6962 does; every
 * option of the package would give other roots.
 */
export function otherLayers(hashes: readonly Buffer[]): Buffer[][] {
  return new MerkleTree([...hashes], (pair: Buffer) => sha256(NODE_PREFIX, pair)).getLayers();
}

/** The root over leaf hashes, or over perfect subtrees of one size, of which the last may be incomplete. At least one. */
export function otherRoot(hashes: readonly Buffer[]): Buffer {
  const root = otherLayers(hashes).at(-1)?.[0];
  if (root === undefined) throw new RangeError('the empty tree has no layers');
  return root;
}

/** Returns the hash of the `index`-th perfect subtree of 2^level leaves. Called only for levels that are multiples of 5. */
export type BlockReader = (level: number, index: number) => Buffer;

/** The root of the first `size` leaves (at least one) from the perfect blocks on its right edge. */
export function otherRootAt(size: number, block: BlockReader): Buffer {
  let rest: Buffer | undefined;
  for (let level = 0; ; level += STEP) {
    const count = Math.floor(size / 2 ** level);
    const first = count - (count % BLOCK);
    const members = Array.from({ length: count - first }, (_, i) => block(level, first + i));
    // The remainder of the level below is an incomplete block: the last member.
    if (rest !== undefined) members.push(rest);
    if (members.length > 0) rest = otherRoot(members);
    if (first === 0 && rest !== undefined) return rest;
    if (first === 0) throw new RangeError('the empty tree has no root here');
  }
}

/** Perfect subtrees of 2^level leaves, oldest first, and of 2^(level+5), 2^(level+10) ... above them. */
export interface Blocks {
  readonly count: () => number;
  push(hash: Buffer): void;
  /** @throws {RangeError} when there is no such block */
  at(level: number, index: number): Buffer;
}

/** @param level the level of the pushed blocks, a multiple of 5. @param offset number of such blocks before the first pushed one */
export function createBlocks(level: number, offset = 0): Blocks {
  const layers: Buffer[][] = [[]];
  return {
    count: () => layers[0]?.length ?? 0,
    push(hash) {
      let pushed = hash;
      for (let i = 0; ; i += 1) {
        const layer = (layers[i] ??= []);
        layer.push(pushed);
        if (layer.length % BLOCK !== 0) return;
        pushed = otherRoot(layer.slice(-BLOCK));
      }
    },
    at(of, index) {
      const i = (of - level) / STEP;
      const hash = layers[i]?.[index - offset / BLOCK ** i];
      if (hash === undefined) throw new RangeError(`no block ${index} of level ${of}`);
      return hash;
    },
  };
}
