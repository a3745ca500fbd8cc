// Logistic regression over numbered features.
import { randomNumbers, shuffle } from './numbers.ts';

const EPOCHS = 20;
const RATE = 0.1;
const DECAY = 1e-4;

export interface NumberedExample {
  readonly target: 0 | 1;
  /** Distinct feature numbers, and the value of each. */
  readonly numbers: Int32Array;
  readonly values: Float64Array;
}

export interface LinearModel {
  readonly bias: number;
  /** By feature number. */
  readonly weights: Float64Array;
}

/** The logarithm of the odds that the target is 1. */
function scoreOf({ numbers, values }: Omit<NumberedExample, 'target'>, { bias, weights }: LinearModel): number {
  let score = bias;
  for (let at = 0; at < numbers.length; at += 1) score += (weights[numbers[at] ?? 0] ?? 0) * (values[at] ?? 0);
  return score;
}

/** An example without a share of its features, the others so much larger that their sum is expected to be the same. */
function partOf({ numbers, values }: NumberedExample, dropout: number, random: () => number) {
  const part = { numbers: new Int32Array(numbers.length), values: new Float64Array(numbers.length) };
  let length = 0;
  for (let at = 0; at < numbers.length; at += 1) {
    if (random() < dropout) continue;
    part.numbers[length] = numbers[at] ?? 0;
    part.values[length] = (values[at] ?? 0) / (1 - dropout);
    length += 1;
  }
  return { numbers: part.numbers.subarray(0, length), values: part.values.subarray(0, length) };
}

/**
 * By stochastic gradient descent with AdaGrad steps (Duchi, Hazan and Singer 2011). The same examples give the same model.
 * @param seed of the order of the examples, and of what is left out
 * @param dropout the share of features that each step leaves out, at random: so that no weight relies on others that stand beside it in
 *   these examples, and may not in others (Srivastava et al. 2014)
 */
export function fitLogistic(
  examples: readonly NumberedExample[],
  features: number,
  { dropout = 0, seed = 18 }: { readonly dropout?: number; readonly seed?: number } = {},
): LinearModel {
  const weights = new Float64Array(features);
  const squares = new Float64Array(features).fill(1);
  let [bias, biasSquares] = [0, 1];
  const order = [...examples];
  const random = randomNumbers(seed);
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    shuffle(order, random);
    for (const example of order) {
      const seen = dropout === 0 ? example : partOf(example, dropout, random);
      const error = 1 / (1 + Math.exp(-scoreOf(seen, { bias, weights }))) - example.target;
      for (let at = 0; at < seen.numbers.length; at += 1) {
        const number = seen.numbers[at] ?? 0;
        const weight = weights[number] ?? 0;
        const gradient = error * (seen.values[at] ?? 0) + DECAY * weight;
        const sum = (squares[number] ?? 1) + gradient * gradient;
        squares[number] = sum;
        weights[number] = weight - (RATE * gradient) / Math.sqrt(sum);
      }
      biasSquares += error * error;
      bias -= (RATE * error) / Math.sqrt(biasSquares);
    }
  }
  return { bias, weights };
}
