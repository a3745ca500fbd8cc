// Hands what a check of policies needs of a compiled lexicon to a thread: compiling the lexicon again took most of the time of a check.
import {
  compileLexicon,
  compileStoredLexicon,
  digestOfCompiled,
  leftOutOf,
} from '../../core/intent/lexicon/lexicon.ts';
import {
  type KnownVerbs,
  knownVerbs,
  tableOfVerbs,
  type VerbTable,
  verbsOfTable,
} from '../../core/intent/lexicon/known-verbs.ts';
import { digestOfLexicon } from '../../core/intent/lexicon/problems.ts';
import { oncePerLexicon } from '../../core/intent/lexicon/remember.ts';
import type { Lexicon } from '../../core/intent/lexicon/types.ts';
import { withoutSchema } from '../../core/policy/kinds.ts';
import { canonicalize } from '../../core/proof/canonical.ts';
import { digestOfText } from '../../core/policy/own/compose.ts';

/** A lexicon that a process has compiled, as data. */
export interface HandedLexicon {
  /** Of the text that was compiled, as in a stored set. */
  readonly digest: string;
  /** Whether this version uses and has all of it: only then it would be accepted from a file. */
  readonly isWhole: boolean;
  readonly verbs: VerbTable;
}

const tableOnce = oncePerLexicon(tableOfVerbs);

/**
 * @param lexicon of the installation
 * @param slug of the organisation whose verbs are handed over; undefined: those of the installation
 */
export function handLexicon(lexicon: Lexicon, slug?: string): HandedLexicon | undefined {
  const digest = digestOfCompiled(lexicon);
  if (digest === undefined) return undefined;
  const verbs = tableOnce(slug === undefined ? lexicon : lexicon.forOrganisation(slug));
  return { digest, isWhole: leftOutOf(lexicon).length === 0, verbs };
}

/** Compilers whose result is the verbs of a lexicon, which is all that a check needs: those that were handed over for an equal text. */
export interface VerbCompilers {
  readonly ofFiles: (json: unknown) => KnownVerbs;
  readonly ofStoredSets: (json: unknown, digest?: string) => KnownVerbs;
}

/** @param slug as for `handLexicon` */
export function compilersOf(handed: HandedLexicon | undefined, slug?: string): VerbCompilers {
  const verbsOf = (lexicon: Lexicon): KnownVerbs =>
    knownVerbs(slug === undefined ? lexicon : lexicon.forOrganisation(slug));
  const isEqual = (json: unknown): boolean =>
    typeof json === 'object' && json !== null && digestOfText(canonicalize(withoutSchema(json))) === handed?.digest;
  return {
    ofFiles: (json) =>
      handed?.isWhole === true && isEqual(json) ? verbsOfTable(handed.verbs) : verbsOf(compileLexicon(json)),
    ofStoredSets: (json, digest = digestOfLexicon(json)) =>
      digest === handed?.digest ? verbsOfTable(handed.verbs) : verbsOf(compileStoredLexicon(json, digest)),
  };
}
