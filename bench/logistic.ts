// Logistic regression over numbered features.
import { randomNumbers, shuffle } from './numbers.ts';

const SEED = 18;
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
  for (const [at, number] of numbers.entries()) score += (weights[number] ?? 0) * (values[at] ?? 0);
  return score;
}

/** By stochastic gradient descent with AdaGrad steps (Duchi, Hazan and Singer 2011). The same examples give the same model. */
export function fitLogistic(examples: readonly NumberedExample[], features: number): LinearModel {
  const weights = new Float64Array(features);
  const squares = new Float64Array(features).fill(1);
  let [bias, biasSquares] = [0, 1];
  const order = [...examples];
  const random = randomNumbers(SEED);
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    shuffle(order, random);
    for (const example of order) {
      const error = 1 / (1 + Math.exp(-scoreOf(example, { bias, weights }))) - example.target;
      for (const [at, number] of example.numbers.entries()) {
        const weight = weights[number] ?? 0;
        const gradient = error * (example.values[at] ?? 0) + DECAY * weight;
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
