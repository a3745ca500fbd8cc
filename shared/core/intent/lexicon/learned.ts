// The learned weights of a lexicon: their schema, and their compilation into a table.
import Type, { type Static } from 'typebox';
import { BUCKETS } from '../attack/features.ts';
import type { LearnedWeights } from '../attack/learned.ts';
import { object, rows } from './parts.ts';
import type { Report } from './tables.ts';

/** The base in which feature numbers are written. */
export const RADIX = 36;

const Line = Type.String({ pattern: '^-?[1-9][0-9]{0,3}( [0-9a-z]{1,4})+$', maxLength: 20_000 });

export const Learned = object('learned', {
  bias: Type.Integer({ minimum: -100_000, maximum: 0 }),
  weights: rows(Line, { maxItems: 2_000 }),
});

/** The table of the weights; undefined when the lexicon has none. Mistakes are reported. */
export function compileLearned(
  learned: Static<typeof Learned> | undefined,
  report: Report,
): LearnedWeights | undefined {
  if (learned === undefined) return undefined;
  const weights = new Int16Array(BUCKETS);
  for (const [at, line] of learned.weights.entries()) {
    const [weight = '', ...numbers] = line.split(' ');
    for (const digits of numbers) {
      const number = Number.parseInt(digits, RADIX);
      if (number >= BUCKETS) report(`/learned/weights/${at}`, `"${digits}" is not a number of a feature`);
      if ((weights[number] ?? 0) !== 0) report(`/learned/weights/${at}`, `"${digits}" has a weight already`);
      weights[number] = Number(weight);
    }
  }
  return { bias: learned.bias, weights };
}
