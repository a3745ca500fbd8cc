// The path from a leaf to the root of an RFC 6962 tree, and a diagnosis when it does not lead to the signed root. Independent of
// shared/core/proof.
import { type Bytes, equal, sha256 } from './bytes.ts';
import { Failure } from './failures.ts';

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
/** Hashes that a diagnosis may compute: about a second. */
const SEARCH_HASHES = 20_000;
/** Changes of a hex digit: one bit first, then all others, because flipped bits are more likely than typing errors. */
const MASKS = [
  [1, 2, 4, 8],
  [3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15],
];

export interface Place {
  readonly index: number;
  readonly size: number;
  readonly leafHash: Bytes;
  readonly path: readonly Bytes[];
  readonly root: Bytes;
}

export function hashLeaf(record: Uint8Array): Promise<Bytes> {
  return sha256(LEAF, record);
}

/**
 * The sides of the siblings from the leaf up: a tree splits at the largest power of two below its size (RFC 9162 section 2.1.3).
 * 0 <= index < size.
 */
export function siblingSides(index: number, size: number): ('left' | 'right')[] {
  const sides: ('left' | 'right')[] = [];
  for (let [at, leaves] = [index, size]; leaves > 1; ) {
    let half = 1;
    while (half * 2 < leaves) half *= 2;
    if (at < half) {
      sides.push('right');
      leaves = half;
    } else {
      sides.push('left');
      at -= half;
      leaves -= half;
    }
  }
  return sides.reverse();
}

function join(hash: Bytes, sibling: Bytes, side: 'left' | 'right' | undefined): Promise<Bytes> {
  return side === 'left' ? sha256(NODE, sibling, hash) : sha256(NODE, hash, sibling);
}

/** The root of leaf and path; undefined when the length of the path does not match index and size. */
export async function rootOf({ index, size, leafHash, path }: Omit<Place, 'root'>): Promise<Bytes | undefined> {
  if (index >= size) return undefined;
  const sides = siblingSides(index, size);
  if (sides.length !== path.length) return undefined;
  let hash = leafHash;
  for (const [i, sibling] of path.entries()) hash = await join(hash, sibling, sides[i]);
  return hash;
}

/**
 * Finds out why a path does not lead to the signed root: by arithmetic, and by undoing small changes until it does. Without a
 * result the record counts as altered.
 * @param isRecordSound whether the record matches receipt and log; otherwise it is the altered part
 */
export async function diagnose(place: Place, isRecordSound: boolean): Promise<Failure> {
  const { index, size, path } = place;
  if (isRecordSound) {
    const found = await findChange(place);
    if (found !== undefined) return found;
  }
  if (index >= size)
    return new Failure('WRONG_SIZE', `The checkpoint signs a tree of ${size} leaves, which has no index ${index}.`);
  const needed = siblingSides(index, size).length;
  if (path.length !== needed) {
    const counts = `for index ${index} in the signed tree of ${size} leaves it needs ${needed} hashes and has ${path.length}`;
    return fitsSomeSize(index, path.length)
      ? new Failure(
          'WRONG_SIZE',
          `The path belongs to a tree of another size, or hashes were taken from it or added: ${counts}.`,
        )
      : new Failure('WRONG_PATH', `The path fits a tree of no size: ${counts}.`);
  }
  return new Failure(
    'RECORD_ALTERED',
    `The record (or the whole path) is not what the log holds at index ${index}: it does not lead to the root that the checkpoint signs.`,
  );
}

/** Whether any tree has a path of this length for this index. */
function fitsSomeSize(index: number, length: number): boolean {
  // The length depends only on the highest bit in which index and size - 1 differ.
  const sizes = [index + 1];
  for (let bit = 1; bit <= 2 ** 52; bit *= 2) if (Math.floor(index / bit) % 2 === 0) sizes.push(index + bit + 1);
  return sizes.some((size) => siblingSides(index, size).length === length);
}

async function findChange(place: Place): Promise<Failure | undefined> {
  const { index, size, path, root } = place;
  const budget = { hashes: SEARCH_HASHES };
  const holds = async (changed: Partial<Place>): Promise<boolean> => {
    budget.hashes -= (changed.path ?? path).length;
    if (budget.hashes < 0) return false;
    const found = await rootOf({ ...place, ...changed });
    return found !== undefined && equal(found, root);
  };
  for (const at of likelyIndexes(index, size, path.length))
    if (await holds({ index: at }))
      return new Failure('WRONG_INDEX', `The record stands at index ${at} of the log, not at ${index}.`);
  if (index >= size) return undefined;
  const changed = (what: string): Failure => new Failure('WRONG_PATH', `The path was changed: ${what}.`);
  const needed = siblingSides(index, size).length;
  const extra = path.length - needed;
  if (extra < 0) return undefined;
  if (extra > 0) {
    for (let i = 0; i <= needed; i += 1)
      if (await holds({ path: path.toSpliced(i, extra) }))
        return changed(`${extra} of its hashes (from number ${i + 1} on) do not belong there`);
    return undefined;
  }
  if (await holds({ path: path.toReversed() })) return changed('its hashes stand in reverse order');
  for (let i = 1; i < path.length; i += 1)
    if (await holds({ path: [...path.slice(0, i - 1), ...path.slice(i - 1, i + 1).reverse(), ...path.slice(i + 1)] }))
      return changed(`its hashes number ${i} and ${i + 1} are swapped`);
  const at = await findDigit(place, budget);
  return at === undefined ? undefined : changed(`one digit of its hash number ${at + 1} is another`);
}

/** All indexes of a small tree; of a large one, those that differ in one digit or bit. */
function* likelyIndexes(index: number, size: number, length: number): Generator<number> {
  const isSmall = size * (length + 1) <= SEARCH_HASHES / 2;
  const candidates = isSmall ? Array.from({ length: size }, (_, i) => i) : slips(index);
  for (const at of new Set(candidates))
    if (at !== index && at >= 0 && at < size && siblingSides(at, size).length === length) yield at;
}

function slips(index: number): number[] {
  const bits = Array.from({ length: 53 }, (_, n) => 2 ** n).map((bit) =>
    Math.floor(index / bit) % 2 === 1 ? index - bit : index + bit,
  );
  const digits = String(index);
  const others = [...digits].flatMap((_, i) =>
    [...'0123456789'].map((digit) => Number(digits.slice(0, i) + digit + digits.slice(i + 1))),
  );
  return [index - 1, index + 1, index - 2, index + 2, ...bits, ...others];
}

/** The index of the path's hash that leads to the root after a change of one hex digit; undefined: none does. */
async function findDigit(
  { index, size, leafHash, path, root }: Place,
  budget: { hashes: number },
): Promise<number | undefined> {
  const sides = siblingSides(index, size);
  const climb = async (from: Bytes, start: number): Promise<Bytes> => {
    let hash = from;
    for (let i = start; i < path.length; i += 1) hash = await join(hash, path[i] ?? hash, sides[i]);
    return hash;
  };
  for (const masks of MASKS) {
    let below = leafHash;
    for (const [i, sibling] of path.entries()) {
      for (let digit = 0; digit < 2 * sibling.length; digit += 1) {
        for (const mask of masks) {
          budget.hashes -= path.length - i;
          if (budget.hashes < 0) return undefined;
          const other = Uint8Array.from(sibling);
          const at = Math.floor(digit / 2);
          other[at] = (other[at] ?? 0) ^ (digit % 2 === 0 ? mask * 16 : mask);
          if (equal(await climb(await join(below, other, sides[i]), i + 1), root)) return i;
        }
      }
      below = await join(below, sibling, sides[i]);
    }
  }
  return undefined;
}
