// Avoids that what follows from a lexicon alone is worked out again.
import type { Lexicon } from './types.ts';

/** A function of a lexicon that computes its result once for each. */
export function oncePerLexicon<Result extends object>(compute: (lexicon: Lexicon) => Result): typeof compute {
  const results = new WeakMap<Lexicon, Result>();
  return (lexicon) => {
    let result = results.get(lexicon);
    if (result === undefined) {
      result = compute(lexicon);
      results.set(lexicon, result);
    }
    return result;
  };
}
