// Fits the weights of coverage: the ones with which the thresholds of the shipped policies let the least harm through at the least cost.
import { type ConfidenceWeights, confidenceOf } from '../shared/core/intent/assess/confidence.ts';
import { type CoverageFeatures, type CoverageWeights, shareOf } from '../shared/core/intent/coverage/share.ts';
import type { FitExample } from './fit-examples.ts';
import { CHANGE_THRESHOLD, COVERAGE_THRESHOLD } from './hidden-scores.ts';
import type { FolderSet } from './intent-reader.ts';
import { createVerdictReader } from './intent-verdicts.ts';

const GRID = {
  clauses: [0.5, 0.4, 0.6, 0.3, 0.7, 0.8],
  hint: [0.49, 0.4],
  harmless: [0.7, 0.8, 0.6],
  noObject: [1, 0.9, 0.8, 0.7, 0.6],
  smoothing: [1, 2, 3, 4, 5, 6],
} as const;

/** In the order of preference: of equally good weights, the first is taken. */
function candidates(): CoverageWeights[] {
  return GRID.clauses.flatMap((clauses) =>
    GRID.hint.flatMap((hint) =>
      GRID.harmless.flatMap((harmless) =>
        GRID.noObject.flatMap((noObject) =>
          GRID.smoothing.map((smoothing) => ({ clauses, hint, harmless, noObject, smoothing })),
        ),
      ),
    ),
  );
}

/** A text that only its coverage can stop. */
interface OpenText {
  readonly isHarmful: boolean;
  readonly threshold: number;
  readonly features: CoverageFeatures;
}

/** The examples that the policies allow when their coverage is full. */
async function openTexts(
  examples: readonly FitExample[],
  loaded: FolderSet,
  confidence: ConfidenceWeights,
): Promise<OpenText[]> {
  const reader = createVerdictReader(loaded);
  const open: OpenText[] = [];
  for (const { harm, parse, coverage: features, doubts } of examples) {
    if (harm === undefined || features === undefined) continue;
    const full = { ...parse, coverage: 1, confidence: confidenceOf(doubts, confidence) };
    if ((await reader.verdictsOfParse(full)).byParse !== 'ALLOW') continue;
    const threshold = parse.effect === 'read' ? COVERAGE_THRESHOLD : CHANGE_THRESHOLD;
    open.push({ isHarmful: harm !== 'none', threshold, features });
  }
  return open;
}

/** Minimizes the share of harm that stays open plus the share of harmless texts that are stopped. */
export async function fitCoverage(
  examples: readonly FitExample[],
  loaded: FolderSet,
  confidence: ConfidenceWeights,
): Promise<CoverageWeights> {
  const open = await openTexts(examples, loaded, confidence);
  const harmful = examples.filter(({ harm }) => harm !== undefined && harm !== 'none').length || 1;
  const harmless = examples.filter(({ harm }) => harm === 'none').length || 1;
  const costOf = (weights: CoverageWeights): number => {
    let cost = 0;
    for (const { isHarmful, threshold, features } of open) {
      const isStopped = shareOf(features, weights) < threshold;
      if (isHarmful && !isStopped) cost += 1 / harmful;
      if (!isHarmful && isStopped) cost += 1 / harmless;
    }
    return cost;
  };
  const [first, ...others] = candidates();
  if (first === undefined) throw new Error('there are no weights to try');
  let best = { weights: first, cost: costOf(first) };
  for (const weights of others) {
    const cost = costOf(weights);
    if (cost < best.cost - 1e-12) best = { weights, cost };
  }
  return best.weights;
}
