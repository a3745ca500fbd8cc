// The fitted weights of coverage and confidence: their schema, and their check.
import Type, { type Static } from 'typebox';
import { type ConfidenceWeights, type Doubt, DOUBTS } from '../assess/confidence.ts';
import type { CoverageWeights } from '../coverage/share.ts';
import { closed } from './parts.ts';
import type { Report } from './tables.ts';

const share = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: 1, description, examples: [example] });

function eachDoubt<Value>(valueOf: (doubt: Doubt) => Value): Record<Doubt, Value> {
  // Has exactly the names of DOUBTS.
  return Object.fromEntries(DOUBTS.map((doubt) => [doubt, valueOf(doubt)])) as Record<Doubt, Value>;
}

const DOUBT_TEXTS: Readonly<Record<Doubt, string>> = {
  code: 'The leading request is a command, a statement or a call.',
  object_unknown: 'It names no object.',
  object_unlisted: 'No noun of the lexicon names its object.',
  weak_verb: 'Its verb says little by itself.',
  question: 'It is a question.',
  later_sentence: 'It is not in the first sentence.',
  several_requests: 'There are other requests.',
  many_requests: 'There are at least five requests; counts beside several_requests.',
  long_text: 'The text has more than 120 words.',
  negated: 'Something must not be done.',
  obfuscated: 'The flag `obfuscated`.',
  prompt_injection: 'The flag `prompt_injection`.',
};

const CurvePoint = Type.Object(
  { product: share('The product of doubts.', 0.9), share: share('The share of correct readings.', 0.98) },
  closed,
);

const COVERAGE_EXAMPLE = { clauses: 0.5, hint: 0.5, harmless: 0.7, noObject: 0.8, smoothing: 1 };
const CONFIDENCE_EXAMPLE = {
  doubts: eachDoubt(() => 0.9),
  curve: [
    { product: 0, share: 0 },
    { product: 1, share: 0.99 },
  ],
  harmless: 0.8,
};

export const AssessmentSchema = Type.Object(
  {
    coverage: Type.Object(
      {
        clauses: share('Weight of the share of clauses that are read, beside that of known words.', 0.5),
        hint: share('Factor when words say that something is destroyed, paid or disclosed, and no request does.', 0.5),
        harmless: share('The least share of a text that is harmless by the learned weights of `harm`.', 0.7),
        noObject: share('Factor of a request that names no object.', 0.8),
        smoothing: Type.Number({
          minimum: 0,
          maximum: 20,
          description: 'Words that count as known in every text.',
          examples: [1],
        }),
      },
      { ...closed, description: 'How `coverage` is computed.', examples: [COVERAGE_EXAMPLE] },
    ),
    confidence: Type.Object(
      {
        doubts: Type.Object(
          eachDoubt((doubt) => share(DOUBT_TEXTS[doubt], 0.9)),
          {
            ...closed,
            description: 'Factors of what makes a reading less certain.',
            examples: [CONFIDENCE_EXAMPLE.doubts],
          },
        ),
        curve: Type.Array(CurvePoint, {
          minItems: 2,
          maxItems: 20,
          description: 'Maps the product of doubts to a share of correct readings. Both rise, from product 0 to 1.',
          examples: [CONFIDENCE_EXAMPLE.curve],
        }),
        harmless: share('The least confidence of a text that is harmless by the learned weights of `harm`.', 0.8),
      },
      { ...closed, description: 'How `confidence` is computed.', examples: [CONFIDENCE_EXAMPLE] },
    ),
  },
  {
    ...closed,
    description: 'Weights of coverage and confidence. Made by bench/fit-weights.ts, not by hand.',
    examples: [{ coverage: COVERAGE_EXAMPLE, confidence: CONFIDENCE_EXAMPLE }],
  },
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
