// Diagnoses a failed inclusion proof: which of index, size, path and record is wrong, as far as that can be determined.
//
// A proof is one equation: record, index and path must lead to the root that was signed for this size. When it does not hold, mathematics
// alone can not tell which side was changed, but two methods narrow it down.
// 1. Arithmetic: index and size determine the length of the path. Another length shows a wrong size (a checkpoint of another tree), or a
//    wrong path when no tree of any size has such a path for this index.
// 2. Repair: when the equation holds after one small change (another index, one hash removed, two swapped, one digit of one hash changed),
//    that change is the alteration; a collision of SHA-256 is practically impossible.
//
// All other failures are reported as an altered record: it is the likeliest target of a forger, and a path with a completely replaced hash
// can not be distinguished from it.
import { hashChildren, type InclusionProof, verifyInclusion } from './merkle.ts';
import type { FailureCode } from './failures.ts';

export interface Diagnosis {
  readonly failure: Extract<FailureCode, 'WRONG_SIZE' | 'WRONG_INDEX' | 'WRONG_PATH' | 'RECORD_ALTERED'>;
  readonly sentence: string;
}

/** About 20 ms of hashing. */
export const DEFAULT_SEARCH_HASHES = 20_000;

/** Number of hashes of a leaf's inclusion path (RFC 9162 section 2.1.3.2). 0 <= index < size. */
export function pathLength(index: number, size: number): number {
  let [fn, sn] = [index, size - 1];
  let length = 0;
  while (sn > 0) {
    length += 1;
    if (fn % 2 === 1 || fn === sn) while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    [fn, sn] = [half(fn), half(sn)];
  }
  return length;
}

/**
 * Describes what is wrong with a proof that does not verify. Costs at most about `searchHashes` hashes. @param isRecordSound whether the
 * record is canonical and agrees with receipt and log; if not, it is the altered part
 */
export function diagnose(
  proof: InclusionProof,
  isRecordSound: boolean,
  searchHashes = DEFAULT_SEARCH_HASHES,
): Diagnosis {
  const { index, size, path } = proof;
  const budget = { hashes: searchHashes };
  const expected = index < size ? pathLength(index, size) : undefined;
  if (isRecordSound) {
    const at = findIndex(proof, budget);
    if (at !== undefined)
      return { failure: 'WRONG_INDEX', sentence: `The record stands at index ${at} of the log, not at ${index}.` };
    const change = expected === undefined ? undefined : findPathChange(proof, expected, budget);
    if (change !== undefined) return { failure: 'WRONG_PATH', sentence: `The path was changed: ${change}.` };
  }
  if (expected === undefined)
    return {
      failure: 'WRONG_SIZE',
      sentence: `The checkpoint signs a tree of ${size} leaves, which has no index ${index}.`,
    };
  if (path.length !== expected) {
    const counts = `for index ${index} in the signed tree of ${size} leaves it needs ${expected} hashes and has ${path.length}`;
    return isLengthPossible(index, path.length)
      ? {
          failure: 'WRONG_SIZE',
          sentence: `The path belongs to a tree of another size, or hashes were taken from it or added: ${counts}.`,
        }
      : { failure: 'WRONG_PATH', sentence: `The path fits a tree of no size: ${counts}.` };
  }
  return {
    failure: 'RECORD_ALTERED',
    sentence: `The record (or the whole path) is not what the log holds at index ${index}: it does not lead to the root that the checkpoint signs.`,
  };
}

interface Budget {
  hashes: number;
}

function fits(proof: InclusionProof, budget: Budget): boolean {
  budget.hashes -= proof.path.length;
  return budget.hashes >= 0 && verifyInclusion(proof);
}

/** The index at which the proof holds: in a small tree all of them are tried, else those that differ by one slip. */
function findIndex(proof: InclusionProof, budget: Budget): number | undefined {
  const { index, size, path } = proof;
  // Half of the budget; the rest is for the path.
  const isSmall = size * (path.length + 1) <= budget.hashes / 2;
  for (const candidate of isSmall ? all(size) : slips(index)) {
    if (candidate === index || candidate < 0 || candidate >= size || pathLength(candidate, size) !== path.length)
      continue;
    if (fits({ ...proof, index: candidate }, budget)) return candidate;
  }
  return undefined;
}

function* all(size: number): Iterable<number> {
  for (let i = 0; i < size; i += 1) yield i;
}

/** Neighbours, and numbers that differ in one bit or one decimal digit. */
function* slips(index: number): Iterable<number> {
  yield* [index - 1, index + 1, index - 2, index + 2];
  for (let bit = 1; bit <= 2 ** 52; bit *= 2) yield Math.floor(index / bit) % 2 === 1 ? index - bit : index + bit;
  const digits = String(index);
  for (let i = 0; i < digits.length; i += 1)
    for (const digit of '0123456789') yield Number(digits.slice(0, i) + digit + digits.slice(i + 1));
}

/** Describes the alteration of the path, if undoing one small change makes the proof hold. */
function findPathChange(proof: InclusionProof, expected: number, budget: Budget): string | undefined {
  const { path } = proof;
  const extra = path.length - expected;
  if (extra > 0) {
    for (let i = 0; i <= expected; i += 1) {
      if (fits({ ...proof, path: [...path.slice(0, i), ...path.slice(i + extra)] }, budget))
        return `${extra} of its hashes (from number ${i + 1} on) do not belong there`;
    }
    return undefined;
  }
  if (extra < 0) return undefined;
  if (fits({ ...proof, path: [...path].reverse() }, budget)) return 'its hashes stand in reverse order';
  for (let i = 1; i < path.length; i += 1) {
    const swapped = [...path.slice(0, i - 1), ...path.slice(i - 1, i + 1).reverse(), ...path.slice(i + 1)];
    if (fits({ ...proof, path: swapped }, budget)) return `its hashes number ${i} and ${i + 1} are swapped`;
  }
  // Single bits first, for all hashes; then any other hex digit.
  for (const masks of [BIT_MASKS, OTHER_DIGIT_MASKS]) {
    let rest = proof;
    for (let i = 0; i < path.length && budget.hashes > 0; i += 1) {
      if (findDigit(rest, masks, budget)) return `one digit of its hash number ${i + 1} is another`;
      rest = climb(rest);
    }
  }
  return undefined;
}

/** Whether the proof holds with one digit of its path's first hash changed. */
function findDigit(proof: InclusionProof, masks: readonly number[], budget: Budget): boolean {
  const [first, ...others] = proof.path;
  if (first === undefined) return false;
  const changed = Uint8Array.from(first);
  const candidate = { ...proof, path: [changed, ...others] };
  for (const [at, before] of first.entries()) {
    for (const mask of masks) {
      changed[at] = before ^ mask;
      if (fits(candidate, budget)) return true;
    }
    changed[at] = before;
  }
  return false;
}

/** The same proof one level higher, with the first hash of its path consumed. */
function climb({ index, size, leafHash, path, root }: InclusionProof): InclusionProof {
  const [sibling = leafHash, ...rest] = path;
  let [fn, sn] = [index, size - 1];
  const isRight = fn % 2 === 1 || fn === sn;
  if (isRight) while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
  const hash = isRight ? hashChildren(sibling, leafHash) : hashChildren(leafHash, sibling);
  return { index: half(fn), size: half(sn) + 1, leafHash: hash, path: rest, root };
}

const BIT_MASKS = [1, 2, 4, 8, 16, 32, 64, 128];
const OTHER_DIGIT_MASKS = Array.from({ length: 15 }, (_, i) => i + 1)
  .flatMap((digit) => [digit, digit * 16])
  .filter((mask) => !BIT_MASKS.includes(mask));

/** Whether some tree has a path of this length for this index. */
function isLengthPossible(index: number, length: number): boolean {
  // The path has one hash for each level below the highest bit in which index and size - 1 differ, and one for each set bit of the index
  // above it. That bit must be 0 in the index, or index and size - 1 are equal.
  if (ones(index) === length) return true;
  for (let level = 1, rest = index; level <= 53; level += 1, rest = half(rest)) {
    if (rest % 2 === 0 && level + ones(half(rest)) === length) return true;
  }
  return false;
}

function ones(n: number): number {
  let count = 0;
  for (let rest = n; rest > 0; rest = half(rest)) count += rest % 2;
  return count;
}

function half(n: number): number {
  return Math.floor(n / 2);
}
