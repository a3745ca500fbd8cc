// The shipped lexicon, compiled once for the parser tests.
import { lexiconFile } from '../../support/lexicon.ts';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import type { ParsedIntent } from '../../../shared/core/intent/types.ts';

/** The lexicon file as parsed JSON: a fresh copy with each call. */
export function lexiconJson(): Record<string, unknown> {
  return JSON.parse(lexiconFile().text) as Record<string, unknown>;
}

let compiled: Lexicon | undefined;

export function shippedLexicon(): Lexicon {
  compiled ??= compileLexicon(lexiconJson());
  return compiled;
}

/** The members of a parse that text cases name: entities beside the others, and alternatives by their normalized forms. */
export const readingOf = ({ entities, alternatives, ...members }: ParsedIntent): object => ({
  ...members,
  ...entities,
  alternatives: alternatives.map(({ normalized }) => normalized),
});
