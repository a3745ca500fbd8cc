// Fits the weights of confidence: factors of doubts by coordinate descent on the log loss, and the curve by a monotone fit.
import { type ConfidenceWeights, type Doubt, DOUBTS, productOf } from '../shared/core/intent/assess/confidence.ts';
import type { FitExample } from './fit-examples.ts';
import { fitOf } from './intent-calibration.ts';

/** 0.4, 0.42 .. 0.98: every doubt lowers the product. */
const FACTORS = Array.from({ length: 30 }, (_, at) => Math.round(40 + 2 * at) / 100);
const PASSES = 6;
/** Pulls factors towards those in force, so that a doubt with few texts keeps its factor. */
const PULL = 3;
/** A block of the curve has so many texts. */
const BLOCK = 40;
const LIMIT = 0.97;
/** Readings with a lower product are doubtful. */
const DOUBTFUL = 0.7;
/** So that one more doubt can be seen in three decimals. */
const LAST_RISE = 0.025;

interface Answer {
  readonly doubts: NonNullable<FitExample['doubts']>;
  readonly right: boolean;
}

function answersOf(examples: readonly FitExample[]): Answer[] {
  return examples.flatMap(({ doubts, right }) =>
    doubts === undefined || right === undefined ? [] : [{ doubts, right }],
  );
}

type Factors = Record<Doubt, number>;

function lossOf(answers: readonly Answer[], doubts: Factors, prior: Factors): number {
  let loss = 0;
  for (const { doubts: seen, right } of answers) {
    const product = Math.min(LIMIT, productOf(seen, { doubts }));
    loss -= Math.log(right ? product : 1 - product);
  }
  for (const doubt of DOUBTS) loss += PULL * Math.log(doubts[doubt] / prior[doubt]) ** 2;
  return loss;
}

function fitDoubts(answers: readonly Answer[], prior: Factors): Factors {
  const doubts = { ...prior };
  let best = lossOf(answers, doubts, prior);
  for (let pass = 0; pass < PASSES; pass += 1) {
    for (const doubt of DOUBTS) {
      for (const factor of FACTORS) {
        const loss = lossOf(answers, { ...doubts, [doubt]: factor }, prior);
        if (loss >= best - 1e-9) continue;
        best = loss;
        doubts[doubt] = factor;
      }
    }
  }
  return doubts;
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

/** The middles of the blocks with their smoothed shares; both rise strictly, and nothing is certain. */
function curveOf(answers: readonly Answer[], doubts: Factors): ConfidenceWeights['curve'] {
  const blocks = fitOf(
    answers.map(({ doubts: seen, right }) => ({ raw: productOf(seen, { doubts }), right })),
    BLOCK,
  );
  const curve = [{ product: 0, share: 0 }];
  for (const { fromRaw, toRaw, shareSmoothed } of blocks) {
    const point = { product: rounded((fromRaw + toRaw) / 2), share: rounded(Math.min(LIMIT, shareSmoothed)) };
    const last = curve.at(-1);
    if (last === undefined || point.product <= last.product || point.product >= 1) continue;
    curve.push({ ...point, share: Math.max(point.share, rounded(last.share + 0.001)) });
  }
  // Most answers have the highest products, so that the curve ends little above the share of the last block.
  return [...curve, { product: 1, share: rounded((curve.at(-1)?.share ?? 0) + LAST_RISE) }];
}

/** The share of right readings among the harmless texts whose product of doubts is low; their number of texts pulls to the one in force. */
function harmlessShare(answers: readonly Answer[], doubts: Factors, prior: number): number {
  const doubtful = answers.filter(
    ({ doubts: seen }) => seen.isHarmless === true && productOf(seen, { doubts }) < DOUBTFUL,
  );
  const right = doubtful.filter((answer) => answer.right).length;
  return rounded(Math.min(LIMIT, (right + PULL * prior) / (doubtful.length + PULL)));
}

export function fitConfidence(examples: readonly FitExample[], prior: ConfidenceWeights): ConfidenceWeights {
  const answers = answersOf(examples);
  const doubts = fitDoubts(answers, { ...prior.doubts });
  return { doubts, curve: curveOf(answers, doubts), harmless: harmlessShare(answers, doubts, prior.harmless) };
}
