// The weights of features as bytes of a file: only those that are not 0, each with its distance to the one before.
import { BUCKETS } from './features.ts';

/** A byte that stands for so many numbers without a weight, and for no weight. */
const SKIP = 255;

/** For each weight that is not 0, in the order of their numbers: how many numbers without one lie before it, and the weight. */
export function packWeights(weights: Int8Array): Uint8Array {
  const bytes: number[] = [];
  let gap = 0;
  for (const weight of weights) {
    if (weight === 0) {
      gap += 1;
      continue;
    }
    for (; gap >= SKIP; gap -= SKIP) bytes.push(SKIP);
    bytes.push(gap, weight & 0xff);
    gap = 0;
  }
  return Uint8Array.from(bytes);
}

/** Undefined for bytes that end before a weight, or have one for a number that no feature has. */
export function unpackWeights(bytes: Uint8Array): Int8Array | undefined {
  const weights = new Int8Array(BUCKETS);
  let number = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const gap = bytes[at] ?? 0;
    number += gap;
    if (gap === SKIP) continue;
    at += 1;
    const weight = bytes[at];
    if (weight === undefined || number >= BUCKETS) return undefined;
    weights[number] = weight;
    number += 1;
  }
  return weights;
}
