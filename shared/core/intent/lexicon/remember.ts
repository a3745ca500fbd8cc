// Avoids that the same is worked out again: the compiled form of an unchanged lexicon, and what follows from a lexicon alone.
import type { Lexicon } from './types.ts';

type Compile = (json: unknown) => Lexicon;

/** The same compiler, which returns its last result again for equal JSON: most edits are of a policy, and the lexicon is the larger part of a set. */
export function rememberLast(compile: Compile): Compile {
  let last: { readonly text: string; readonly lexicon: Lexicon } | undefined;
  return (json) => {
    const text = JSON.stringify(json);
    if (last?.text !== text) last = { text, lexicon: compile(json) };
    return last.lexicon;
  };
}

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
