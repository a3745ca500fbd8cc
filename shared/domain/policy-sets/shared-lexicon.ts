// Lets a process compile a lexicon once for the set in force and for the folder that the set comes from: it is a quarter of its start.
import { compileLexicon, compileStoredLexicon, leftOutOf } from '../../core/intent/lexicon/lexicon.ts';
import { digestOfLexicon } from '../../core/intent/lexicon/problems.ts';
import type { Lexicon } from '../../core/intent/lexicon/types.ts';
import { withoutSchema } from '../../core/policy/kinds.ts';
import { readLexicon } from '../../core/policy/lexicon-files.ts';
import { digestOfText } from '../../core/policy/own/compose.ts';
import { canonicalize } from '../../core/proof/canonical.ts';
import { readPolicyFolder } from './folder.ts';

type Compile = (json: unknown, digest?: string) => Lexicon;

export interface SharedLexicon {
  /** Of stored sets, which decide. Its last result is kept, and returned for the same text. */
  readonly ofStoredSets: Compile;
  /**
   * Of files that are only checked. Returns the kept lexicon for equal content, whose members may be in another order. Never the reverse:
   * all processes decide with what they compiled from the stored text, or from a text that is equal to it.
   */
  readonly ofFiles: Compile;
  /** The kept lexicon. */
  readonly kept: () => Lexicon | undefined;
}

/** A lexicon with the digest of its canonical text. */
export interface DigestedLexicon {
  readonly digest: string;
  readonly lexicon: Lexicon;
}

/** The compilers of both kinds; only stored sets may have the form of an earlier version. */
const COMPILERS = { ofFiles: compileLexicon, ofStoredSets: compileStoredLexicon };

/** @param prepared kept from the beginning */
export function shareLexicon(
  compilers: Pick<SharedLexicon, 'ofFiles' | 'ofStoredSets'> = COMPILERS,
  prepared?: DigestedLexicon,
): SharedLexicon {
  let last = prepared;
  return {
    // The members of a stored set are in canonical order.
    ofStoredSets(json, digest = digestOfLexicon(json)) {
      if (last?.digest !== digest) last = { digest, lexicon: compilers.ofStoredSets(json, digest) };
      return last.lexicon;
    },
    ofFiles(json) {
      const isObject = typeof json === 'object' && json !== null;
      const isKept = (kept: DigestedLexicon): boolean =>
        leftOutOf(kept.lexicon).length === 0 && digestOfText(canonicalize(withoutSchema(json))) === kept.digest;
      return last !== undefined && isObject && isKept(last) ? last.lexicon : compilers.ofFiles(json);
    },
    kept: () => last?.lexicon,
  };
}

/**
 * Compiles the lexicon of a policy folder from the text that a stored set of it has. Undefined when there is none or it has mistakes, which
 * the check of the folder reports.
 */
export async function prepareLexicon(
  policyDir: string,
  compile: Compile = compileLexicon,
): Promise<DigestedLexicon | undefined> {
  try {
    const { lexicon, policies } = await readPolicyFolder(policyDir);
    const read = readLexicon(lexicon, policies);
    if ('findings' in read) return undefined;
    const text = canonicalize(withoutSchema(read.json));
    const json: unknown = JSON.parse(text);
    const digest = digestOfText(text);
    return { digest, lexicon: compile(json, digest) };
  } catch {
    return undefined;
  }
}
