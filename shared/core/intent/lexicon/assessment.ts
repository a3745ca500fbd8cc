// The fitted weights of coverage and confidence: their schema, and their check.
import Type, { type Static } from 'typebox';
import { type ConfidenceWeights, type Doubt, DOUBTS } from '../assess/confidence.ts';
import type { CoverageWeights } from '../coverage/share.ts';
import { object, rows } from './parts.ts';
import type { Report } from './tables.ts';

const share = (example: number) => Type.Number({ minimum: 0, maximum: 1, examples: [example] });

function eachDoubt<Value>(valueOf: (doubt: Doubt) => Value): Record<Doubt, Value> {
  // Has exactly the names of DOUBTS.
  return Object.fromEntries(DOUBTS.map((doubt) => [doubt, valueOf(doubt)])) as Record<Doubt, Value>;
}

const COVERAGE_EXAMPLE = { clauses: 0.5, hint: 0.5, harmless: 0.7, noObject: 0.8, smoothing: 1 };
const CONFIDENCE_EXAMPLE = {
  doubts: eachDoubt(() => 0.9),
  curve: [
    { product: 0, share: 0 },
    { product: 1, share: 0.99 },
  ],
  harmless: 0.8,
};

const Coverage = object(
  'coverageWeights',
  {
    clauses: share(0.5),
    hint: share(0.5),
    harmless: share(0.7),
    noObject: share(0.8),
    smoothing: Type.Number({ minimum: 0, maximum: 20, examples: [1] }),
  },
  { examples: [COVERAGE_EXAMPLE] },
);

const Doubts = object(
  'doubts',
  eachDoubt(() => share(0.9)),
  { examples: [CONFIDENCE_EXAMPLE.doubts] },
);
const CurvePoint = object('curvePoint', { product: share(0.9), share: share(0.98) });
const Confidence = object(
  'confidenceWeights',
  {
    doubts: Doubts,
    curve: rows(CurvePoint, CONFIDENCE_EXAMPLE.curve, { minItems: 2, maxItems: 20 }),
    harmless: share(0.8),
  },
  { examples: [CONFIDENCE_EXAMPLE] },
);

export const AssessmentSchema = object(
  'assessment',
  { coverage: Coverage, confidence: Confidence },
  { examples: [{ coverage: COVERAGE_EXAMPLE, confidence: CONFIDENCE_EXAMPLE }] },
);

export interface Assessment {
  readonly coverage: CoverageWeights;
  readonly confidence: ConfidenceWeights;
}

const UNFITTED_DOUBT = 0.85;

/** Of a lexicon without fitted weights: clauses and words count alike, all doubts count alike, and confidence is their product. */
export const UNFITTED: Assessment = {
  coverage: { clauses: 0.5, hint: 0.5, harmless: 0.7, noObject: 1, smoothing: 1 },
  confidence: {
    doubts: eachDoubt(() => UNFITTED_DOUBT),
    curve: [
      { product: 0, share: 0 },
      { product: 1, share: 1 },
    ],
    harmless: 0.8,
  },
};

/** The weights of a lexicon, with mistakes reported. */
export function compileAssessment(file: Static<typeof AssessmentSchema> | undefined, report: Report): Assessment {
  if (file === undefined) return UNFITTED;
  const at = '/assessment/confidence/curve';
  const { curve } = file.confidence;
  for (const [index, point] of curve.entries()) {
    const before = curve[index - 1];
    if (before !== undefined && (point.product <= before.product || point.share <= before.share))
      report(`${at}/${index}`, 'must rise: both values are greater than those of the point before');
  }
  if (curve[0]?.product !== 0 || curve.at(-1)?.product !== 1)
    report(at, 'must begin with product 0 and end with product 1');
  return file;
}
