// Random choices that a seed repeats: sfc32, a small generator with 128 bits of state.
import { createHash } from 'node:crypto';

export interface Randomness {
  /** 0 <= x < 1 */
  next(): number;
  /** A number of this range. */
  between(least: number, most: number): number;
  /** An element of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
  /** Different elements, at most as many as there are. */
  several<T>(list: readonly T[], count: number): T[];
}

/** The same seed gives the same choices. */
export function createRandomness(seed: string): Randomness {
  const digest = createHash('sha256').update(seed).digest();
  let [a, b, c, count] = [0, 4, 8, 12].map((at) => digest.readUInt32LE(at)) as [number, number, number, number];
  const next = (): number => {
    const sum = (((a + b) | 0) + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return (sum >>> 0) / 2 ** 32;
  };
  const pick = <T>(list: readonly T[]): T => {
    const chosen = list[Math.floor(next() * list.length)];
    if (chosen === undefined) throw new Error('nothing to choose from');
    return chosen;
  };
  return {
    next,
    pick,
    between: (least, most) => least + next() * (most - least),
    several(list, wanted) {
      const left = [...list];
      return Array.from({ length: Math.min(wanted, left.length) }, () => {
        const chosen = pick(left);
        left.splice(left.indexOf(chosen), 1);
        return chosen;
      });
    },
  };
}
