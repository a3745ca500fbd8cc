// Avoids that an unchanged lexicon is compiled again: most edits are of a policy, and the lexicon is the larger part of a set.
import type { Lexicon } from './types.ts';

type Compile = (json: unknown) => Lexicon;

/** The same compiler, which returns its last result again for equal JSON. */
export function rememberLast(compile: Compile): Compile {
  let last: { readonly text: string; readonly lexicon: Lexicon } | undefined;
  return (json) => {
    const text = JSON.stringify(json);
    if (last?.text !== text) last = { text, lexicon: compile(json) };
    return last.lexicon;
  };
}
