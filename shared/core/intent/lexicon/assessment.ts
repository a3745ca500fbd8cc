// The fitted weights of coverage and confidence: their schema, and their check.
import Type, { type Static } from 'typebox';
import { type ConfidenceWeights, type Doubt, DOUBTS } from '../assess/confidence.ts';
import type { CoverageWeights } from '../coverage/share.ts';
import { object, rows } from './parts.ts';
import type { Report } from './tables.ts';

const Share = Type.Number({ minimum: 0, maximum: 1 });

function eachDoubt<Value>(valueOf: (doubt: Doubt) => Value): Record<Doubt, Value> {
  // Has exactly the names of DOUBTS.
  return Object.fromEntries(DOUBTS.map((doubt) => [doubt, valueOf(doubt)])) as Record<Doubt, Value>;
}

const Coverage = object('coverageWeights', {
  clauses: Share,
  hint: Share,
  harmless: Share,
  noObject: Share,
  byName: Type.Optional(Share),
  smoothing: Type.Number({ minimum: 0, maximum: 20 }),
});
const Confidence = object('confidenceWeights', {
  doubts: object(
    'doubts',
    eachDoubt(() => Share),
  ),
  curve: rows(object('curvePoint', { product: Share, share: Share }), { minItems: 2, maxItems: 20 }),
  harmless: Share,
});
export const AssessmentSchema = object('assessment', { coverage: Coverage, confidence: Confidence });

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
