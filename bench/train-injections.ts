// Learns the weights by which texts that take an agent over are recognized beside the rules, from labelled texts that are not shipped.
// Usage: node dist/bench/train-injections.js [--write] FILE...
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { BUCKETS } from '../shared/core/intent/attack/features.ts';
import { featuresOfText } from '../shared/core/intent/attack/takeover.ts';
import { type FeatureText, type LearnedWeights, scoreOf } from '../shared/core/intent/attack/learned.ts';
import { RADIX } from '../shared/core/intent/lexicon/learned.ts';
import { compileLexicon } from '../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../shared/core/intent/lexicon/types.ts';
import { plainText } from '../shared/core/intent/text/text.ts';
import { findRoot } from '../shared/platform/config/root.ts';
import { prettyJson } from '../shared/kernel/pretty-json.ts';
import { lexiconFile } from '../test/support/lexicon.ts';
import { randomNumbers, shuffle } from './numbers.ts';

/** One text; any label but `injection` is benign. */
export interface TrainingRow {
  readonly text: string;
  readonly label?: string;
}

interface Example extends FeatureText {
  readonly target: 0 | 1;
}

const SEED = 18;
const EPOCHS = 20;
const RATE = 0.1;
const DECAY = 0.002;
/** An injection counts for two benign texts, of which there are more. */
const INJECTION_WEIGHT = 2;
/** A feature must occur in so many texts; rarer ones are names and accidents. */
const MIN_TEXTS = 3;
/** Weights are stored as integers of 1/8. */
const SCALE = 8;
const FOLDS = 5;
/** Share of benign texts, in cross-validation, that may score as attacks. The benign texts to learn from are look-alikes. */
const FALSE_ALARMS = 0.01;

/** The features of the rows. */
export function examplesOf(rows: readonly TrainingRow[], lexicon: Lexicon): Example[] {
  return rows.map(({ text, label }) => ({
    ...featuresOfText(plainText(text, (word) => lexicon.verbs.has(word)).text.trim(), lexicon),
    target: label === 'injection' ? 1 : 0,
  }));
}

/** The features of the highest-scoring window, and those of the whole text. */
function activeIn(example: Example, model: LearnedWeights): { score: number; features: Set<number> } {
  const { score, from, to } = scoreOf(example, model);
  const features = new Set(example.signs.keys());
  for (const chunk of example.chunks.slice(from, to))
    for (const feature of chunk.features.numbers) features.add(feature);
  return { score, features };
}

function frequentFeatures(examples: readonly Example[]): number[] {
  const texts = new Map<number, number>();
  for (const { chunks, signs } of examples)
    for (const feature of new Set([...signs.keys(), ...chunks.flatMap(({ features }) => features.numbers)]))
      texts.set(feature, (texts.get(feature) ?? 0) + 1);
  return [...texts].filter(([, count]) => count >= MIN_TEXTS).map(([feature]) => feature);
}

/**
 * Logistic regression by stochastic gradient descent with AdaGrad steps (Duchi, Hazan and Singer 2011). A text is represented by its
 * highest-scoring window (multiple-instance learning), because an injection is often one sentence of a long document.
 */
function fit(examples: readonly Example[]): LearnedWeights {
  const frequent = new Set(frequentFeatures(examples));
  const weights = new Float64Array(BUCKETS);
  const squares = new Map<number, number>();
  const model = { bias: -1, weights };
  let biasSquares = 1;
  const order = [...examples];
  const random = randomNumbers(SEED);
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    shuffle(order, random);
    for (const example of order) {
      const { score, features } = activeIn(example, model);
      const error = (1 / (1 + Math.exp(-score)) - example.target) * (example.target === 1 ? INJECTION_WEIGHT : 1);
      for (const feature of features) {
        if (!frequent.has(feature)) continue;
        const weight = weights[feature] ?? 0;
        const gradient = error + DECAY * weight;
        const sum = (squares.get(feature) ?? 1) + gradient * gradient;
        squares.set(feature, sum);
        weights[feature] = weight - (RATE * gradient) / Math.sqrt(sum);
      }
      biasSquares += error * error;
      model.bias -= (RATE * error) / Math.sqrt(biasSquares);
    }
  }
  return quantized(model);
}

function quantized({ bias, weights }: LearnedWeights): LearnedWeights {
  return { bias: Math.round(bias * SCALE), weights: Array.from(weights, (weight) => Math.round(weight * SCALE)) };
}

/** Scores of all examples by models that did not see them. */
function heldOutScores(examples: readonly Example[]): { target: 0 | 1; score: number }[] {
  return Array.from({ length: FOLDS }, (_, fold) => {
    const isHeldOut = (_example: Example, at: number) => at % FOLDS === fold;
    const model = fit(examples.filter((example, at) => !isHeldOut(example, at)));
    return examples
      .filter(isHeldOut)
      .map((example) => ({ target: example.target, score: scoreOf(example, model).score }));
  }).flat();
}

export interface Trained {
  /** The member `learned` of a lexicon. */
  readonly learned: { readonly bias: number; readonly weights: readonly string[] };
  /** Shares in cross-validation at the threshold of the result, rules aside. */
  readonly found: number;
  readonly falseAlarms: number;
}

function linesOf(weights: ArrayLike<number>): string[] {
  const byWeight = new Map<number, number[]>();
  for (const [feature, weight] of Array.from(weights).entries()) {
    if (weight === 0) continue;
    const features = byWeight.get(weight);
    if (features === undefined) byWeight.set(weight, [feature]);
    else features.push(feature);
  }
  return [...byWeight]
    .sort(([a], [b]) => b - a)
    .map(([weight, features]) =>
      [weight, ...features.sort((a, b) => a - b).map((feature) => feature.toString(RADIX))].join(' '),
    );
}

/** Learns from examples. The same examples give the same result. */
export function train(examples: readonly Example[]): Trained {
  const scores = heldOutScores(examples);
  const benign = scores.filter(({ target }) => target === 0).map(({ score }) => score);
  const threshold = Math.max(0, benign.sort((a, b) => b - a)[Math.floor(benign.length * FALSE_ALARMS)] ?? 0);
  const model = fit(examples);
  const share = (target: 0 | 1) => {
    const all = scores.filter((one) => one.target === target);
    return all.filter(({ score }) => score > threshold).length / Math.max(1, all.length);
  };
  return {
    learned: { bias: Math.min(0, model.bias - threshold), weights: linesOf(model.weights) },
    found: share(1),
    falseAlarms: share(0),
  };
}

/** The rows of JSON lines; members other than `text` and `label` are not read. */
export const trainingRowsOf = (text: string): TrainingRow[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as TrainingRow);

function main(): void {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });
  const file = path.join(findRoot(), 'policies', 'lexicon', 'learned.json');
  const rows = positionals.flatMap((name) => trainingRowsOf(readFileSync(name, 'utf8')));
  const { learned, found, falseAlarms } = train(examplesOf(rows, compileLexicon(JSON.parse(lexiconFile().text))));
  const json = JSON.stringify(learned);
  const digest = createHash('sha256').update(json).digest('hex');
  process.stderr.write(
    `${rows.length} texts; held out: ${(100 * found).toFixed(1)} % of injections found, ${(100 * falseAlarms).toFixed(1)} % false alarms; ${json.length} bytes, SHA-256 ${digest}\n`,
  );
  if (values.write === true) {
    const document = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, prettyJson({ ...document, learned }));
  } else process.stdout.write(`${json}\n`);
}

if (import.meta.filename === process.argv[1]) main();
