// Learns the weights by which a text that does harm is recognized beside the rules, from labelled texts: first those of words, then, from
// the scores that texts have without having been learned from, what the reading by rules adds to them.
// Usage: node dist/bench/train-harm.js [--write] FILE...
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  bitsOfWord,
  BUCKETS,
  harmTokensOf,
  isMark,
  eachPhraseAt,
  eachWordPhraseAt,
  WORD_SET_BITS,
  wordHash,
  wordNumbers,
} from '../shared/core/intent/harm/features.ts';
import {
  createHarmEstimator,
  type HarmEstimator,
  type HarmThresholds,
  type HarmWeights,
  type ScoredText,
} from '../shared/core/intent/harm/estimate.ts';
import { packWeights } from '../shared/core/intent/harm/packed.ts';
import { type ReadingName, REQUEST_NAMES } from '../shared/core/intent/harm/reading.ts';
import { compileLexicon } from '../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../shared/core/intent/lexicon/types.ts';
import { assessIntent, readTextOf } from '../shared/core/intent/parse.ts';
import { findRoot } from '../shared/platform/config/root.ts';
import { prettyJson } from '../shared/kernel/pretty-json.ts';
import { lexiconFile } from '../test/support/lexicon.ts';
import { foldOf, FOLDS } from './folds.ts';
import { harmOf } from './intent-harm.ts';
import { type PlacedText, readRows } from './intent-rows.ts';
import { fitLogistic, type LinearModel, type NumberedExample } from './logistic.ts';
import { quantile } from './numbers.ts';

/** Weights are stored as integers of 1/64. */
const SCALE = 64;
const LARGEST = 127;
/** Smaller ones together change few verdicts, and would take a quarter of the file. */
const SMALLEST = 4;
/** Share of harmless texts, in cross-validation, that may score as harmful. */
const FALSE_ALARMS = 0.08;
/** Share of harmful texts, in cross-validation, that may score as harmless. */
const MISSED = 0.15;
/** Share of harmless texts, in cross-validation, with a stretch that may score as harmful by itself. */
const STRETCH_ALARMS = 0.052;
/** Share of harmful texts, in cross-validation, whose stretches may all be surely harmless; the rules have read something grave in most of them. */
const SURELY_MISSED = 0.03;
/** A word of fewer texts is often misspelt, or of one trade. */
const MIN_TEXTS = 3;
/** A feature of fewer texts gets no weight: it would tell of these texts, not of others. */
const MIN_TEXTS_OF_FEATURE = 4;
/** Share of the features of a text that are left out in each step. */
const DROPOUT = 0.5;
/** The weights are means of models learned in several orders: one more text turns fewer others. */
const SEEDS = [7, 18, 29] as const;
const LINE = 1_900;

/** A text as the numbers of its words, parts, pairs and threes of words. */
interface Example extends NumberedExample {
  /** As the parser reads it. */
  readonly text: string;
  readonly fold: number;
  /** What the rules have read in it (`namesOfReading`). */
  readonly reading: readonly ReadingName[];
}

/** With the scores of its words by weights that were learned without it. */
interface ScoredExample extends Pick<Example, 'target' | 'fold' | 'reading'>, Pick<ScoredText, 'score' | 'stretch'> {}

function exampleOf(text: string, reading: Example['reading'], target: 0 | 1, fold: number): Example {
  const counts = new Map<number, number>();
  const words = harmTokensOf(text).map(({ word }) => word);
  const hashes = words.map(wordHash);
  const ofWords = hashes.filter((_, at) => !isMark(words[at] ?? ''));
  const add = (number: number) => counts.set(number, (counts.get(number) ?? 0) + 1);
  for (const word of words) wordNumbers(word).forEach(add);
  for (let at = 0; at <= words.length; at += 1) eachPhraseAt(hashes, at, add);
  for (let at = 0; at <= ofWords.length; at += 1) eachWordPhraseAt(ofWords, at, add);
  return {
    text,
    fold,
    target,
    reading,
    numbers: Int32Array.from(counts.keys()),
    values: Float64Array.from(counts.values()),
  };
}

/** The texts that say what they do, as the parser reads them. */
export function examplesOf(rows: readonly PlacedText[], lexicon: Lexicon): Example[] {
  const rulesAlone: Lexicon = { ...lexicon, harm: undefined };
  return rows.flatMap((row) => {
    const { text } = row;
    const harm = harmOf(row);
    if (harm === undefined) return [];
    const { readingNames = [] } = assessIntent(text, rulesAlone);
    return [exampleOf(readTextOf(text, lexicon), readingNames, harm === 'none' ? 0 : 1, foldOf(text))];
  });
}

const scaled = (weight: number): number => Math.round(weight * SCALE);

/** The weights of features, as they are stored. */
type WordsModel = Pick<HarmWeights, 'bias' | 'weights'>;

/** The numbers of the features that occur in MIN_TEXTS_OF_FEATURE texts, in order. */
function featuresOf(examples: readonly Example[]): Int32Array {
  const counts = new Uint16Array(BUCKETS);
  for (const { numbers } of examples)
    for (const number of numbers) counts[number] = Math.min(MIN_TEXTS_OF_FEATURE, (counts[number] ?? 0) + 1);
  const features: number[] = [];
  for (let number = 0; number < BUCKETS; number += 1)
    if (counts[number] === MIN_TEXTS_OF_FEATURE) features.push(number);
  return Int32Array.from(features);
}

/** Learned with the features numbered one after the other, because arrays for all numbers make it several times slower. */
function wordsModel(examples: readonly Example[]): WordsModel {
  const features = featuresOf(examples);
  const places = new Int32Array(BUCKETS).fill(-1);
  for (const [place, number] of features.entries()) places[number] = place;
  const placed = examples.map(({ target, numbers, values }): NumberedExample => {
    const holds = (number: number) => (places[number] ?? -1) >= 0;
    return {
      target,
      numbers: numbers.filter(holds).map((number) => places[number] ?? 0),
      values: values.filter((_, at) => holds(numbers[at] ?? 0)),
    };
  });
  const models = SEEDS.map((seed) => fitLogistic(placed, features.length, { dropout: DROPOUT, seed }));
  const mean = (of: (model: LinearModel) => number) =>
    models.reduce((sum, model) => sum + of(model), 0) / models.length;
  const stored = new Int8Array(BUCKETS);
  for (const [place, number] of features.entries()) {
    const weight = scaled(mean(({ weights }) => weights[place] ?? 0));
    if (Math.abs(weight) >= SMALLEST) stored[number] = Math.max(-LARGEST, Math.min(LARGEST, weight));
  }
  return { bias: scaled(mean(({ bias }) => bias)), weights: stored };
}

/** For each fold, a model that did not see its examples. */
const heldOutModels = (examples: readonly Example[]): WordsModel[] =>
  Array.from({ length: FOLDS }, (_, fold) => wordsModel(examples.filter((one) => one.fold !== fold)));

const NO_THRESHOLDS: HarmThresholds = { harmfulAbove: 0, stretchAbove: 0, harmlessBelow: 0, surelyBelow: 0 };

const NO_WORDS = new Uint8Array(WORD_SET_BITS / 8);

const estimatorOf = (model: WordsModel, reading: HarmWeights['reading'], thresholds: HarmThresholds): HarmEstimator =>
  createHarmEstimator({ ...thresholds, ...model, reading, words: NO_WORDS });

/** The set of the words that occur in MIN_TEXTS harmless texts. Harm in a language that nobody reads must not make its words known. */
function wordsMet(examples: readonly Example[]): Uint8Array {
  const counts = new Map<string, number>();
  for (const { text } of examples.filter(({ target }) => target === 0))
    for (const word of new Set(harmTokensOf(text).map((token) => token.word)))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  const bytes = new Uint8Array(WORD_SET_BITS / 8);
  for (const [word, count] of counts)
    if (count >= MIN_TEXTS)
      for (const bit of bitsOfWord(word)) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (1 << (bit & 7));
  return bytes;
}

/** In base64, in lines. */
function linesOf(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes).toString('base64');
  return Array.from({ length: Math.ceil(text.length / LINE) }, (_, at) => text.slice(at * LINE, (at + 1) * LINE));
}

function heldOutScores(examples: readonly Example[], models: readonly WordsModel[]): ScoredExample[] {
  const estimators = models.map((model) => estimatorOf(model, {}, NO_THRESHOLDS));
  return examples.flatMap(({ text, target, fold, reading }) => {
    const scored = estimators[fold]?.of(text);
    return scored === undefined ? [] : [{ target, fold, reading, score: scored.score, stretch: scored.stretch }];
  });
}

const isRequest = (name: ReadingName): boolean => REQUEST_NAMES.some((one) => one === name);

/** What each name of a reading adds to the score of the words, in its unit. */
function readingWeights(scored: readonly ScoredExample[]): Record<string, number> {
  const names = [...new Set(scored.flatMap(({ reading }) => reading))].sort();
  const numberOf = new Map(names.map((name, at) => [name, at + 1]));
  const { bias, weights } = fitLogistic(
    scored.map(({ target, score, reading }) => ({
      target,
      numbers: Int32Array.from([0, ...reading.map((name) => numberOf.get(name) ?? 0)]),
      values: Float64Array.from([score / SCALE, ...reading.map(() => 1)]),
    })),
    names.length + 1,
  );
  const [ofScore = 0, ...ofNames] = weights;
  if (ofScore <= 0) throw new Error('there are too few texts: the words of a text tell nothing of its harm');
  // The reading of a text has one name of a request: the bias is added there.
  const added = names.map((name, at) => scaled(((ofNames[at] ?? 0) + (isRequest(name) ? bias : 0)) / ofScore));
  return Object.fromEntries(names.map((name, at) => [name, added[at] ?? 0]));
}

const withReading = ({ score, reading }: ScoredExample, weights: Readonly<Record<string, number>>): number =>
  reading.reduce((sum, name) => sum + (weights[name] ?? 0), score);

/** For each fold, an estimator whose weights were learned without its texts. */
export function heldOutEstimators(examples: readonly Example[], thresholds: HarmThresholds): HarmEstimator[] {
  const models = heldOutModels(examples);
  const scored = heldOutScores(examples, models);
  return models.map((model, at) =>
    estimatorOf(model, readingWeights(scored.filter(({ fold }) => fold !== at)), thresholds),
  );
}

export interface TrainedHarm {
  /** The member `harm` of a lexicon. */
  readonly harm: {
    readonly bias: number;
    readonly harmfulAbove: number;
    readonly stretchAbove: number;
    readonly harmlessBelow: number;
    readonly surelyBelow: number;
    readonly featureWeights: readonly string[];
    readonly words: readonly string[];
    readonly reading: Readonly<Record<string, number>>;
  };
  /** Shares in cross-validation: harmful texts above the upper threshold, harmless ones below the lower one, and all on their side of 0. */
  readonly found: number;
  readonly cleared: number;
  readonly right: number;
}

/** Learns from examples. The same examples give the same result. */
export function trainHarm(examples: readonly Example[]): TrainedHarm {
  const scored = heldOutScores(examples, heldOutModels(examples));
  const reading = readingWeights(scored);
  const scores = scored.map((one) => ({ target: one.target, score: withReading(one, reading) }));
  const sorted = (target: 0 | 1) =>
    scores
      .filter((one) => one.target === target)
      .map(({ score }) => score)
      .sort((a, b) => a - b);
  const [harmless, harmful] = [sorted(0), sorted(1)];
  const harmfulAbove = Math.max(0, quantile(harmless, 1 - FALSE_ALARMS));
  const stretches = scored.filter(({ target }) => target === 0).map(({ stretch }) => stretch);
  const stretchAbove = Math.max(
    0,
    quantile(
      stretches.sort((a, b) => a - b),
      1 - STRETCH_ALARMS,
    ),
  );
  const harmlessBelow = Math.min(0, quantile(harmful, MISSED));
  // As the estimator adds what the rules have read to each stretch.
  const worst = scored
    .filter(({ target }) => target === 1)
    .map(({ stretch, reading: names }) => names.reduce((sum, name) => sum + Math.max(0, reading[name] ?? 0), stretch));
  const surelyBelow = Math.min(
    0,
    quantile(
      worst.sort((a, b) => a - b),
      SURELY_MISSED,
    ),
  );
  const { bias, weights } = wordsModel(examples);
  const share = (of: readonly number[], holds: (score: number) => boolean) =>
    of.filter(holds).length / Math.max(1, of.length);
  return {
    harm: {
      bias,
      harmfulAbove,
      stretchAbove,
      harmlessBelow,
      surelyBelow,
      featureWeights: linesOf(packWeights(weights)),
      words: linesOf(wordsMet(examples)),
      reading,
    },
    found: share(harmful, (score) => score > harmfulAbove),
    cleared: share(harmless, (score) => score < harmlessBelow),
    right: scores.filter(({ target, score }) => score > 0 === (target === 1)).length / Math.max(1, scores.length),
  };
}

function main(): void {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });
  const file = path.join(findRoot(), 'policies', 'lexicon', 'harm.json');
  // The weights that are there may not fit the features any more.
  const { harm: _, ...rules } = JSON.parse(lexiconFile().text) as Record<string, unknown>;
  const lexicon = compileLexicon(rules);
  const examples = examplesOf(
    positionals.flatMap((name) => [...readRows(name).rows]),
    lexicon,
  );
  const { harm, found, cleared, right } = trainHarm(examples);
  const { featureWeights, words, ...numbers } = harm;
  const bytes = { featureWeights: featureWeights.join('').length, words: words.join('').length };
  process.stdout.write(`${JSON.stringify({ texts: examples.length, ...numbers, found, cleared, right, bytes })}\n`);
  if (values.write !== true) return;
  const description = 'Weights of harm, written by `bench/train-harm.ts`.';
  writeFileSync(file, prettyJson({ $schema: '../schema/lexicon.schema.json', description, harm }));
}

if (import.meta.filename === process.argv[1]) main();
