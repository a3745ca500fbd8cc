// Finds out which part of a failed inclusion proof was changed, as far as that can be determined.
//
// The proof is one equation: it tells that a part was changed, not which. Two methods narrow it down. Arithmetic: index and size demand a
// certain length of the path. Repair: when the equation holds after one small change, that change undoes the alteration, because a
// collision of SHA-256 is practically impossible. All other failures count as an altered record, a forger's likeliest aim.
import { half, hashNode, type InclusionProof, isIncluded, sidesOf } from './tree.ts';
import type { FailureCode } from './failures.ts';

/** About 50 ms of hashing. A half of it is for other indexes, the rest for changes of the path. */
const MAX_HASHES = 20_000;

export interface Diagnosis {
  readonly failure: Extract<FailureCode, 'WRONG_SIZE' | 'WRONG_INDEX' | 'WRONG_PATH' | 'RECORD_ALTERED'>;
  readonly sentence: string;
}

/** @param isSound whether the record is canonical and agrees with receipt and log; otherwise it is what was changed */
export function diagnose(proof: InclusionProof, isSound: boolean): Diagnosis {
  const { index, size, path } = proof;
  const isInside = index < size;
  const budget = new Budget(MAX_HASHES);
  if (isSound) {
    const other = findIndex(proof, budget);
    if (other !== undefined)
      return { failure: 'WRONG_INDEX', sentence: `The record is at index ${other} of the log, not at ${index}.` };
    if (isInside && isPathRepairable(proof, budget))
      return {
        failure: 'WRONG_PATH',
        sentence: 'The path was changed: the proof holds after one small correction of it.',
      };
  }
  if (!isInside) return { failure: 'WRONG_SIZE', sentence: `The signed tree of ${size} leaves has no index ${index}.` };
  const needed = sidesOf(index, size).length;
  if (path.length !== needed) {
    const sentence = `For index ${index} of ${size} leaves the path needs ${needed} hashes, and has ${path.length}.`;
    return { failure: isLengthPossible(index, path.length) ? 'WRONG_SIZE' : 'WRONG_PATH', sentence };
  }
  return { failure: 'RECORD_ALTERED', sentence: `The record is not what the log holds at index ${index}.` };
}

/** Limits the hashes that a diagnosis computes. */
class Budget {
  #left: number;

  constructor(hashes: number) {
    this.#left = hashes;
  }

  get left(): number {
    return this.#left;
  }

  /** Whether the proof holds; false when the budget is spent. */
  holds(proof: InclusionProof): boolean {
    this.#left -= proof.path.length;
    return this.#left >= 0 && isIncluded(proof);
  }
}

function findIndex(proof: InclusionProof, budget: Budget): number | undefined {
  const { index, size, path } = proof;
  const isSmall = size * (path.length + 1) <= MAX_HASHES / 2;
  const candidates = isSmall ? Array.from({ length: size }, (_, i) => i) : slipsOf(index);
  return candidates.find(
    (other) =>
      other !== index &&
      other >= 0 &&
      other < size &&
      sidesOf(other, size).length === path.length &&
      budget.holds({ ...proof, index: other }),
  );
}

/** Neighbours of a number, and those that differ from it in one bit or in one decimal digit. */
function slipsOf(index: number): number[] {
  const bits = Array.from({ length: 53 }, (_, i) => 2 ** i);
  const digits = String(index);
  return [
    ...[-1, 1, -2, 2].map((distance) => index + distance),
    ...bits.map((bit) => (Math.floor(index / bit) % 2 === 1 ? index - bit : index + bit)),
    ...Array.from(digits, (_, i) => [...'0123456789'].map((digit) => digits.slice(0, i) + digit + digits.slice(i + 1)))
      .flat()
      .map(Number),
  ];
}

/** Whether the proof holds after one small change of its path. */
function isPathRepairable(proof: InclusionProof, budget: Budget): boolean {
  const { index, size, path } = proof;
  const needed = sidesOf(index, size).length;
  const extra = path.length - needed;
  if (extra < 0) return false;
  const holds = (changed: readonly Uint8Array[]): boolean => budget.holds({ ...proof, path: changed });
  if (extra > 0)
    return Array.from({ length: needed + 1 }, (_, i) => path.toSpliced(i, extra)).some((changed) => holds(changed));
  if (holds(path.toReversed())) return true;
  const swapped = path.slice(1).map((hash, i) => path.toSpliced(i, 2, hash, ...path.slice(i, i + 1)));
  return (
    swapped.some((changed) => holds(changed)) ||
    [SINGLE_BITS, OTHER_DIGITS].some((masks) => isDigitWrong(proof, masks, budget))
  );
}

const SINGLE_BITS = [1, 2, 4, 8, 16, 32, 64, 128];
/** What changes one hex digit of a byte in more than one bit. */
const OTHER_DIGITS = Array.from({ length: 16 }, (_, digit) => [digit, digit * 16])
  .flat()
  .filter((mask) => mask > 0 && !SINGLE_BITS.includes(mask));

/** Whether the proof holds with one digit of one hash changed. Hashes below the changed one are computed once. */
function isDigitWrong(
  { index, size, leaf, path, root }: InclusionProof,
  masks: readonly number[],
  budget: Budget,
): boolean {
  let [rest, hash] = [{ index, size, leaf, path, root }, leaf];
  for (const [i, isLeft] of sidesOf(index, size).entries()) {
    const sibling = path[i] ?? hash;
    for (const [at, byte] of sibling.entries())
      for (const mask of masks) {
        const changed = sibling.with(at, byte ^ mask);
        if (budget.left <= 0) return false;
        if (budget.holds({ ...rest, path: [changed, ...rest.path.slice(1)] })) return true;
      }
    hash = isLeft ? hashNode(sibling, hash) : hashNode(hash, sibling);
    rest = oneLevelUp(rest, hash);
  }
  return false;
}

/** The rest of a proof above the node that the leaf and the first hash of the path make. */
function oneLevelUp({ index, size, path, root }: InclusionProof, leaf: Uint8Array): InclusionProof {
  let [node, last] = [index, size - 1];
  if (node % 2 === 1 || node === last) while (node % 2 === 0 && node > 0) [node, last] = [half(node), half(last)];
  return { index: half(node), size: half(last) + 1, leaf, path: path.slice(1), root };
}

/** Whether a tree of some size has a path of this length for this index. */
function isLengthPossible(index: number, length: number): boolean {
  // The length depends only on the highest bit in which index and size - 1 differ: it is 0 in the index, or there is none.
  const lastLeaves = Array.from({ length: 53 }, (_, i) => 2 ** i)
    .filter((bit) => Math.floor(index / bit) % 2 === 0)
    .map((bit) => index + bit);
  return [index, ...lastLeaves].some((last) => sidesOf(index, last + 1).length === length);
}
