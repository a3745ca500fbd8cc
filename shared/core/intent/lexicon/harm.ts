// The learned weights of harm in a lexicon: their schema, and their compilation into an estimator.
import Type, { type Static } from 'typebox';
import { createHarmEstimator, type HarmEstimator } from '../harm/estimate.ts';
import { WORD_SET_BITS } from '../harm/features.ts';
import { unpackWeights } from '../harm/packed.ts';
import { READING_NAMES } from '../harm/reading.ts';
import { object, record, rows } from './parts.ts';
import type { Report } from './tables.ts';

const Score = Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 });
/** Bytes in base64, in several lines. */
const Bytes = rows(Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$', maxLength: 2_000 }), { maxItems: 1_000 });
const ReadingName = Type.String({ pattern: `^(?:${READING_NAMES.join('|')})$` });

export const HarmSchema = object('harm', {
  bias: Score,
  harmfulAbove: Score,
  stretchAbove: Score,
  harmlessBelow: Score,
  surelyBelow: Type.Optional(Score),
  featureWeights: Bytes,
  words: Bytes,
  reading: record(ReadingName, Type.With(Score, { description: 'What it adds to the score.' })),
});

/** Undefined when the lexicon has no such weights. Mistakes are reported. */
export function compileHarm(file: Static<typeof HarmSchema> | undefined, report: Report): HarmEstimator | undefined {
  if (file === undefined) return undefined;
  const bytesIn = (member: 'featureWeights' | 'words') => new Uint8Array(Buffer.from(file[member].join(''), 'base64'));
  const weights = unpackWeights(bytesIn('featureWeights'));
  if (weights === undefined)
    report('/harm/featureWeights', 'are no weights of features: they end too early or too late');
  const words = bytesIn('words');
  // Without the texts of the bytes, which are a megabyte.
  const { bias, harmfulAbove, stretchAbove, harmlessBelow, surelyBelow = -Infinity, reading } = file;
  if (words.length !== WORD_SET_BITS / 8)
    report('/harm/words', `must be ${WORD_SET_BITS / 8} bytes, and has ${words.length}`);
  if (file.harmlessBelow > file.harmfulAbove)
    report('/harm/harmlessBelow', 'must not be above harmfulAbove: no text both does harm and does none');
  return weights === undefined
    ? undefined
    : createHarmEstimator({ bias, harmfulAbove, stretchAbove, harmlessBelow, surelyBelow, reading, weights, words });
}
