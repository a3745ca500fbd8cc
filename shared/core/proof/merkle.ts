// RFC 6962 / RFC 9162 Merkle trees over SHA-256: hashes, roots, proofs and their verification. Pure; hashes are 32 bytes.
import { Buffer } from 'node:buffer';
import { createHash, hash } from 'node:crypto';

/** The prefix of a leaf's hash input, RFC 6962 section 2.1. */
export const LEAF = Uint8Array.of(0x00);
const NODE = Uint8Array.of(0x01);
const HASH_BYTES = 32;
/** 0x01, left, right: a reused buffer, because creating a Hash object costs twice as much as hashing these bytes. */
const PAIR = Buffer.alloc(1 + 2 * HASH_BYTES, NODE);
/** 0x00 and a leaf's bytes: the same for most leaves. */
const PREFIXED_LEAF = Buffer.alloc(2_048, LEAF);
/** Paths in a tree of 2^53 leaves have 53 hashes; a consistency path may need one more. */
const MAX_PATH = 64;

/** SHA-256(0x00 || bytes), RFC 6962 section 2.1. */
export function hashLeaf(bytes: Uint8Array): Uint8Array {
  const end = LEAF.length + bytes.length;
  if (end > PREFIXED_LEAF.length) return createHash('sha256').update(LEAF).update(bytes).digest();
  PREFIXED_LEAF.set(bytes, LEAF.length);
  return hash('sha256', PREFIXED_LEAF.subarray(0, end), 'buffer');
}

/** SHA-256(0x01 || left || right), RFC 6962 section 2.1. */
export function hashChildren(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length !== HASH_BYTES || right.length !== HASH_BYTES)
    return createHash('sha256').update(NODE).update(left).update(right).digest();
  PAIR.set(left, 1);
  PAIR.set(right, 1 + HASH_BYTES);
  return hash('sha256', PAIR, 'buffer');
}

/** The root of a tree without leaves: SHA-256 of the empty string. */
export function emptyRoot(): Uint8Array {
  return createHash('sha256').digest();
}

/** The root over leaf hashes, oldest first. Linear time; an odd node is promoted, never duplicated. */
export function rootFromLeafHashes(hashes: readonly Uint8Array[]): Uint8Array {
  let level = hashes;
  if (level.length === 0) return emptyRoot();
  while (level.length > 1) level = parentsOf(level);
  return at(level, 0);
}

/** All levels of a tree, leaf hashes first, the root last: for the paths of all leaves (`pathIn`). At least one leaf. */
export function levelsOf(hashes: readonly Uint8Array[]): (readonly Uint8Array[])[] {
  const levels = [hashes];
  for (let level = hashes; level.length > 1; ) {
    level = parentsOf(level);
    levels.push(level);
  }
  return levels;
}

/** The inclusion path of a leaf, nearest first, from what `levelsOf` returned or any list of the same shape. 0 <= index < size. */
export function pathIn<Node>(levels: readonly (readonly Node[])[], index: number): Node[] {
  const path: Node[] = [];
  let i = index;
  for (const level of levels) {
    // A promoted node has no sibling.
    const sibling = level[i % 2 === 0 ? i + 1 : i - 1];
    if (sibling !== undefined) path.push(sibling);
    i = half(i);
  }
  return path;
}

function parentsOf(level: readonly Uint8Array[]): Uint8Array[] {
  const parents: Uint8Array[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const [left, right] = [at(level, i), level[i + 1]];
    parents.push(right === undefined ? left : hashChildren(left, right));
  }
  return parents;
}

/** Returns the hash of a perfect subtree: the `index`-th (from 0) of those with 2^level leaves. Called only for complete subtrees. */
export type NodeReader = (level: number, index: number) => Uint8Array;

/**
 * The inclusion path of leaf `index` in the tree of the first `size` leaves (RFC 9162 section 2.1.3.1), nearest first. Reads O(log size)
 * perfect nodes. @throws {RangeError} unless 0 <= index < size <= 2^53-1
 */
export function inclusionPath(index: number, size: number, node: NodeReader): Uint8Array[] {
  assertSize(size);
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) throw new RangeError('the index is outside the tree');
  const path: Uint8Array[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitPoint(end - start);
    if (index < middle) {
      path.push(subtreeRoot(middle, end, node));
      end = middle;
    } else {
      path.push(subtreeRoot(start, middle, node));
      start = middle;
    }
  }
  return path.reverse();
}

/**
 * The consistency path between the trees of the first `from` and the first `to` leaves (RFC 9162 section 2.1.4.1). Empty when from is 0 or
 * equals to. Reads O(log to) perfect nodes. @throws {RangeError} unless 0 <= from <= to <= 2^53-1
 */
export function consistencyPath(from: number, to: number, node: NodeReader): Uint8Array[] {
  assertSize(to);
  if (!Number.isSafeInteger(from) || from < 0 || from > to) throw new RangeError('the sizes are not in order');
  if (from === 0 || from === to) return [];
  const path: Uint8Array[] = [];
  let [start, end] = [0, to];
  while (from !== end) {
    const middle = start + splitPoint(end - start);
    if (from <= middle) {
      path.push(subtreeRoot(middle, end, node));
      end = middle;
    } else {
      path.push(subtreeRoot(start, middle, node));
      start = middle;
    }
  }
  // With start 0 the old tree is perfect itself, and the verifier already has its hash.
  if (start > 0) path.push(subtreeRoot(start, end, node));
  return path.reverse();
}

export interface InclusionProof {
  readonly index: number;
  readonly size: number;
  readonly leafHash: Uint8Array;
  readonly path: readonly Uint8Array[];
  readonly root: Uint8Array;
}

/**
 * Whether a leaf is at `index` in the tree of `size` leaves with this root (RFC 9162 section 2.1.3.2). Returns false, and never throws, for
 * a wrong index, size or root, a path too short or too long, and hashes that are not 32 bytes.
 */
export function verifyInclusion({ root, ...about }: InclusionProof): boolean {
  const reached = rootOfPath(about);
  return reached !== undefined && isHash(root) && equal(reached, root);
}

/** The root to which a path leads (RFC 9162 section 2.1.3.2), or undefined where `verifyInclusion` is false for every root. */
export function rootOfPath({ index, size, leafHash, path }: Omit<InclusionProof, 'root'>): Uint8Array | undefined {
  if (!isSize(size) || !Number.isSafeInteger(index) || index < 0 || index >= size) return undefined;
  if (path.length > MAX_PATH || ![leafHash, ...path].every(isHash)) return undefined;
  let [fn, sn] = [index, size - 1];
  let hash = leafHash;
  for (const sibling of path) {
    if (sn === 0) return undefined;
    if (fn % 2 === 1 || fn === sn) {
      hash = hashChildren(sibling, hash);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      hash = hashChildren(hash, sibling);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 ? hash : undefined;
}

export interface ConsistencyProof {
  readonly from: number;
  readonly to: number;
  readonly fromRoot: Uint8Array;
  readonly toRoot: Uint8Array;
  readonly path: readonly Uint8Array[];
}

/**
 * Whether the tree of `to` leaves with root `toRoot` extends the tree of `from` leaves with root `fromRoot` (RFC 9162 section 2.1.4.2).
 * Returns false, and never throws, for any mismatch. Every tree extends the empty one.
 */
export function verifyConsistency({ from, to, fromRoot, toRoot, path }: ConsistencyProof): boolean {
  if (!isSize(from) || !isSize(to) || from > to) return false;
  if (path.length > MAX_PATH || ![fromRoot, toRoot, ...path].every(isHash)) return false;
  if (from === 0) return path.length === 0 && equal(fromRoot, emptyRoot()) && (to > 0 || equal(toRoot, emptyRoot()));
  if (from === to) return path.length === 0 && equal(fromRoot, toRoot);
  // A perfect old tree is the first node of the path itself and is omitted from it.
  const nodes = isPowerOfTwo(from) ? [fromRoot, ...path] : path;
  const [first, ...rest] = nodes;
  if (first === undefined) return false;
  let [fn, sn] = [from - 1, to - 1];
  while (fn % 2 === 1) [fn, sn] = [half(fn), half(sn)];
  let [oldHash, newHash] = [first, first];
  for (const sibling of rest) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      oldHash = hashChildren(sibling, oldHash);
      newHash = hashChildren(sibling, newHash);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      newHash = hashChildren(newHash, sibling);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && equal(oldHash, fromRoot) && equal(newHash, toRoot);
}

/** The root over leaves [start, end), where start is a multiple of the largest power of two that fits. */
function subtreeRoot(start: number, end: number, node: NodeReader): Uint8Array {
  const size = end - start;
  const left = isPowerOfTwo(size) ? size : splitPoint(size);
  const hash = node(Math.log2(left), start / left);
  return left === size ? hash : hashChildren(hash, subtreeRoot(start + left, end, node));
}

/** The largest power of two smaller than `size` (at least 2). Numbers are exact here; 32-bit operators would overflow. */
function splitPoint(size: number): number {
  let k = 1;
  while (k * 2 < size) k *= 2;
  return k;
}

function isPowerOfTwo(n: number): boolean {
  return splitPoint(n) * 2 === n || n === 1;
}

function half(n: number): number {
  return Math.floor(n / 2);
}

function isSize(n: number): boolean {
  return Number.isSafeInteger(n) && n >= 0;
}

function assertSize(n: number): void {
  if (!isSize(n)) throw new RangeError('the size is not a whole number of leaves');
}

function isHash(value: unknown): boolean {
  return value instanceof Uint8Array && value.length === HASH_BYTES;
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function at(list: readonly Uint8Array[], index: number): Uint8Array {
  const value = list[index];
  if (value === undefined) throw new RangeError('no hash at this index');
  return value;
}
