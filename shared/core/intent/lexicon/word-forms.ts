// Finds the forms of certain verbs in whatever spelling: inflected, with digits for letters, or one typing mistake away.
import { inLetters } from '../text/text.ts';
import { participles, verbForms } from './inflection.ts';
import { nearWords } from './one-edit.ts';

export type FoundForm = 'word' | 'participle';

/** Shorter words are too often one letter away from another word. */
const MIN_MISSPELT = 5;

export interface WordForms {
  /** The form that a lower-case word is, or is meant to be. */
  find(word: string): FoundForm | undefined;
}

/** @param others words that are no misspellings, beside those that `isKnown` knows */
export function compileWordForms(
  verbs: readonly string[],
  others: readonly string[],
  isKnown: (word: string) => boolean,
): WordForms {
  const forms = new Map<string, FoundForm>();
  for (const verb of verbs) {
    for (const form of participles(verb)) forms.set(form, 'participle');
    for (const [form] of verbForms(verb)) forms.set(form, 'word');
  }
  const near = nearWords(forms.keys(), MIN_MISSPELT);
  const known = new Set(others);
  const misspelt = (word: string): FoundForm | undefined => {
    const meant = near.meantBy(word);
    return meant === undefined || known.has(word) || isKnown(word) ? undefined : forms.get(meant);
  };
  return {
    find(word) {
      const plain = forms.get(word);
      if (plain !== undefined) return plain;
      const read = /\d/.test(word) && /[a-z]/.test(word) ? forms.get(inLetters(word)) : undefined;
      return read ?? misspelt(word);
    },
  };
}
