// Lets a worker compile a lexicon once for the set in force and for the folder that the set comes from: it is a quarter of its start.
import { compileLexicon } from '../../core/intent/lexicon/lexicon.ts';
import { digestOfLexicon } from '../../core/intent/lexicon/problems.ts';
import type { Lexicon } from '../../core/intent/lexicon/types.ts';
import { withoutSchema } from '../../core/policy/kinds.ts';
import { digestOfText } from '../../core/policy/own/compose.ts';
import { canonicalize } from '../../core/proof/canonical.ts';

type Compile = (json: unknown) => Lexicon;

export interface SharedLexicon {
  /** Of stored sets, which decide. Its last result is kept. */
  readonly ofStoredSets: Compile;
  /**
   * Of files that are only checked. Returns the kept lexicon for equal content, whose members may be in another order. Never the reverse:
   * all processes decide with what they compiled from the stored text.
   */
  readonly ofFiles: Compile;
}

export function shareLexicon(compile: Compile = compileLexicon): SharedLexicon {
  let last: { readonly digest: string; readonly lexicon: Lexicon } | undefined;
  return {
    ofStoredSets(json) {
      const lexicon = compile(json);
      // The members of a stored set are in canonical order.
      last = { digest: digestOfLexicon(json), lexicon };
      return lexicon;
    },
    ofFiles(json) {
      const isObject = typeof json === 'object' && json !== null;
      return last !== undefined && isObject && digestOfText(canonicalize(withoutSchema(json))) === last.digest
        ? last.lexicon
        : compile(json);
    },
  };
}
