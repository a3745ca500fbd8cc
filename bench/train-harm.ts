// Learns the weights by which a text that does harm is recognized beside the rules, from labelled texts.
// Usage: node dist/bench/train-harm.js [--write] FILE...
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { BUCKETS, EDGE, harmTokensOf, pairNumber, wordHash, wordNumbers } from '../shared/core/intent/harm/features.ts';
import { createHarmEstimator, type HarmEstimator, type HarmWeights } from '../shared/core/intent/harm/estimate.ts';
import { compileLexicon } from '../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../shared/core/intent/lexicon/types.ts';
import { readTextOf } from '../shared/core/intent/parse.ts';
import { findRoot } from '../shared/platform/config/root.ts';
import { prettyJson } from '../shared/kernel/pretty-json.ts';
import { lexiconFile } from '../test/support/lexicon.ts';
import { foldOf, FOLDS } from './folds.ts';
import { harmOf } from './intent-harm.ts';
import { type PlacedText, readRows } from './intent-rows.ts';
import { quantile, randomNumbers, shuffle } from './numbers.ts';

const SEED = 18;
const EPOCHS = 20;
const RATE = 0.1;
const DECAY = 1e-4;
/** Weights are stored as integers of 1/64. */
const SCALE = 64;
const LARGEST = 127;
/** Share of harmless texts, in cross-validation, that may score as harmful. */
const FALSE_ALARMS = 0.03;
/** Share of harmful texts, in cross-validation, that may score as harmless. */
const MISSED = 0.07;
const LINE = 1_900;

interface Example {
  readonly fold: number;
  readonly target: 0 | 1;
  /** Distinct feature numbers, and how often each occurs. */
  readonly numbers: Int32Array;
  readonly counts: Float64Array;
}

interface Model {
  bias: number;
  readonly weights: Float64Array;
}

function exampleOf(text: string, target: 0 | 1, fold: number): Example {
  const counts = new Map<number, number>();
  const count = (number: number): void => void counts.set(number, (counts.get(number) ?? 0) + 1);
  let before = EDGE;
  for (const { word } of harmTokensOf(text)) {
    for (const number of wordNumbers(word)) count(number);
    const hash = wordHash(word);
    count(pairNumber(before, hash));
    before = hash;
  }
  count(pairNumber(before, EDGE));
  return { fold, target, numbers: Int32Array.from(counts.keys()), counts: Float64Array.from(counts.values()) };
}

/** The texts that say what they do, as the parser reads them. */
export function examplesOf(rows: readonly PlacedText[], lexicon: Lexicon): Example[] {
  return rows.flatMap((row) => {
    const harm = harmOf(row);
    return harm === undefined
      ? []
      : [exampleOf(readTextOf(row.text, lexicon), harm === 'none' ? 0 : 1, foldOf(row.text))];
  });
}

function scoreOf({ numbers, counts }: Example, { bias, weights }: Model): number {
  let score = bias;
  for (const [at, number] of numbers.entries()) score += (weights[number] ?? 0) * (counts[at] ?? 0);
  return score;
}

/** Logistic regression by stochastic gradient descent with AdaGrad steps (Duchi, Hazan and Singer 2011); weights are multiples of 1/SCALE. */
function fit(examples: readonly Example[]): Model {
  const weights = new Float64Array(BUCKETS);
  const squares = new Float64Array(BUCKETS).fill(1);
  const model: Model = { bias: 0, weights };
  let biasSquares = 1;
  const order = [...examples];
  const random = randomNumbers(SEED);
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    shuffle(order, random);
    for (const example of order) {
      const error = 1 / (1 + Math.exp(-scoreOf(example, model))) - example.target;
      for (const [at, number] of example.numbers.entries()) {
        const weight = weights[number] ?? 0;
        const gradient = error * (example.counts[at] ?? 0) + DECAY * weight;
        const sum = (squares[number] ?? 1) + gradient * gradient;
        squares[number] = sum;
        weights[number] = weight - (RATE * gradient) / Math.sqrt(sum);
      }
      biasSquares += error * error;
      model.bias -= (RATE * error) / Math.sqrt(biasSquares);
    }
  }
  const scaled = (weight: number) => Math.max(-LARGEST, Math.min(LARGEST, Math.round(weight * SCALE)));
  return { bias: Math.round(model.bias * SCALE), weights: weights.map(scaled) };
}

/** For each fold, a model that did not see its examples. */
const heldOutModels = (examples: readonly Example[]): Model[] =>
  Array.from({ length: FOLDS }, (_, fold) => fit(examples.filter((one) => one.fold !== fold)));

/** Scores of all examples by models that did not see them. */
function heldOutScores(
  examples: readonly Example[],
  models: readonly Model[],
): { readonly target: 0 | 1; readonly score: number }[] {
  return examples.flatMap((example) => {
    const model = models[example.fold];
    return model === undefined ? [] : [{ target: example.target, score: scoreOf(example, model) }];
  });
}

export type HarmThresholds = Pick<HarmWeights, 'harmfulAbove' | 'harmlessBelow'>;

/** For each fold, an estimator that did not see its texts. */
export function heldOutEstimators(examples: readonly Example[], thresholds: HarmThresholds): HarmEstimator[] {
  return heldOutModels(examples).map(({ bias, weights }) =>
    createHarmEstimator({ ...thresholds, bias, weights: Int8Array.from(weights) }),
  );
}

export interface TrainedHarm {
  /** The member `harm` of a lexicon. */
  readonly harm: {
    readonly bias: number;
    readonly harmfulAbove: number;
    readonly harmlessBelow: number;
    readonly weights: readonly string[];
  };
  /** Shares in cross-validation: harmful texts above the upper threshold, harmless ones below the lower one, and all on their side of 0. */
  readonly found: number;
  readonly cleared: number;
  readonly right: number;
}

/** Learns from examples. The same examples give the same result. */
export function trainHarm(examples: readonly Example[]): TrainedHarm {
  const scores = heldOutScores(examples, heldOutModels(examples));
  const sorted = (target: 0 | 1) =>
    scores
      .filter((one) => one.target === target)
      .map(({ score }) => score)
      .sort((a, b) => a - b);
  const [harmless, harmful] = [sorted(0), sorted(1)];
  const harmfulAbove = Math.max(0, quantile(harmless, 1 - FALSE_ALARMS));
  const harmlessBelow = Math.min(0, quantile(harmful, MISSED));
  const { bias, weights } = fit(examples);
  const text = Buffer.from(Int8Array.from(weights).buffer).toString('base64');
  const share = (of: readonly number[], holds: (score: number) => boolean) =>
    of.filter(holds).length / Math.max(1, of.length);
  return {
    harm: {
      bias,
      harmfulAbove,
      harmlessBelow,
      weights: Array.from({ length: Math.ceil(text.length / LINE) }, (_, at) => text.slice(at * LINE, (at + 1) * LINE)),
    },
    found: share(harmful, (score) => score > harmfulAbove),
    cleared: share(harmless, (score) => score < harmlessBelow),
    right: scores.filter(({ target, score }) => score > 0 === (target === 1)).length / Math.max(1, scores.length),
  };
}

function main(): void {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });
  const file = path.join(findRoot(), 'policies', 'lexicon', 'harm.json');
  const lexicon = compileLexicon(JSON.parse(lexiconFile().text));
  const examples = examplesOf(
    positionals.flatMap((name) => [...readRows(name).rows]),
    lexicon,
  );
  const { harm, found, cleared, right } = trainHarm(examples);
  const { weights, ...numbers } = harm;
  process.stdout.write(
    `${JSON.stringify({ texts: examples.length, ...numbers, found, cleared, right, weights: weights.join('').length })}\n`,
  );
  if (values.write !== true) return;
  const description = 'Weights of harm, written by `bench/train-harm.ts`.';
  writeFileSync(file, prettyJson({ $schema: '../schema/lexicon.schema.json', description, harm }));
}

if (import.meta.filename === process.argv[1]) main();
