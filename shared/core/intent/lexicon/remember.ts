// Avoids that the same is worked out again: the compiled form of an unchanged lexicon, and what follows from a lexicon alone.
import { digestOfLexicon } from './problems.ts';
import type { Lexicon } from './types.ts';

type Compile = (json: unknown, digest?: string) => Lexicon;

/** The same compiler, which returns its last result again for equal JSON: most edits are of a policy, and the lexicon is the larger part of a set. */
export function rememberLast(compile: Compile): Compile {
  let last: { readonly digest: string; readonly lexicon: Lexicon } | undefined;
  return (json, digest = digestOfLexicon(json)) => {
    if (last?.digest !== digest) last = { digest, lexicon: compile(json, digest) };
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
