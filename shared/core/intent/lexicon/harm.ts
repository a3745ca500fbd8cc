// The learned weights of harm in a lexicon: their schema, and their compilation into an estimator.
import Type, { type Static } from 'typebox';
import { createHarmEstimator, type HarmEstimator } from '../harm/estimate.ts';
import { WORD_SET_BITS } from '../harm/features.ts';
import { unpackWeights } from '../harm/packed.ts';
import { READING_NAMES } from '../harm/reading.ts';
import { closed } from './parts.ts';
import type { Report } from './tables.ts';

const score = (description: string, example: number) =>
  Type.Integer({ minimum: -1_000_000, maximum: 1_000_000, description, examples: [example] });

/** Bytes in base64, in several lines. */
const bytesOf = (what: string, example: string) =>
  Type.Array(Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$', maxLength: 2_000 }), {
    maxItems: 500,
    description: `${what} In base64, in several lines.`,
    examples: [[example]],
  });

export const HarmSchema = Type.Object(
  {
    bias: score('The score of a text without words.', -35),
    harmfulAbove: score('A text with a higher score, with what the rules have read, does harm.', 60),
    stretchAbove: score('A text with a stretch of 16 words and marks of a higher score does harm.', 240),
    harmlessBelow: score(
      'A text with a lower score does none, unless one of its stretches has a score above harmfulAbove.',
      -80,
    ),
    featureWeights: bytesOf(
      'For each feature with a weight, in the order of their numbers: one byte that says how many numbers without one lie before it (255: as many, and more follow), and a signed byte, the weight.',
      'AAEC/w==',
    ),
    words: bytesOf(
      `The set of the words that were met in training: a Bloom filter of ${WORD_SET_BITS} bits, in each byte the lowest first.`,
      'AAEC/w==',
    ),
    reading: Type.Record(
      Type.String({ pattern: `^(?:${READING_NAMES.join('|')})$` }),
      score('What it adds to the score.', 40),
      {
        ...closed,
        description:
          'What the reading of a text adds to the score of its words: `delete destructive`, an action with its effect, `code`, `external`, `hinted` and `destroys`.',
        examples: [{ 'delete destructive': 90, 'read read': -70, hinted: 60 }],
      },
    ),
  },
  {
    ...closed,
    description:
      'Weights of words, parts of words, pairs and threes of words, and of what the rules read, by which texts that do harm are recognized beside the rules. Made by bench/train-harm.ts, not by hand.',
    examples: [
      {
        bias: -35,
        harmfulAbove: 60,
        stretchAbove: 240,
        harmlessBelow: -80,
        featureWeights: ['AAEC/w=='],
        words: ['AAEC/w=='],
        reading: { 'read read': -70 },
      },
    ],
  },
);

/** Undefined when the lexicon has no such weights. Mistakes are reported. */
export function compileHarm(file: Static<typeof HarmSchema> | undefined, report: Report): HarmEstimator | undefined {
  if (file === undefined) return undefined;
  const bytesIn = (member: 'featureWeights' | 'words') => new Uint8Array(Buffer.from(file[member].join(''), 'base64'));
  const weights = unpackWeights(bytesIn('featureWeights'));
  if (weights === undefined)
    report('/harm/featureWeights', 'are no weights of features: they end too early or too late');
  const words = bytesIn('words');
  if (words.length !== WORD_SET_BITS / 8)
    report('/harm/words', `must be ${WORD_SET_BITS / 8} bytes, and has ${words.length}`);
  if (file.harmlessBelow > file.harmfulAbove)
    report('/harm/harmlessBelow', 'must not be above harmfulAbove: no text both does harm and does none');
  return weights === undefined ? undefined : createHarmEstimator({ ...file, weights, words });
}
