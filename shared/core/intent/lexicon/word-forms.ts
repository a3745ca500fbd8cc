// Finds the forms of certain verbs in whatever spelling: inflected, with digits for letters, or one typing mistake away.
import { participles, verbForms } from './inflection.ts';

export type FoundForm = 'word' | 'participle';

/** Shorter words are too often one letter away from another word. */
const MIN_MISSPELT = 5;

/** Digits and signs that stand for letters. */
const LETTERS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  $: 's',
  '@': 'a',
  '!': 'i',
};

/** A word with its digits and signs read as letters; undefined when it has none between letters. */
function inLetters(word: string): string | undefined {
  if (!/\d/.test(word) || !/[a-z]/.test(word)) return undefined;
  return word.replace(/[013457]/g, (sign) => LETTERS[sign] ?? sign);
}

/** The word, and each with one letter left out: two words have one in common when they are one edit or transposition apart. */
function shortened(word: string): string[] {
  const found = [word];
  for (let at = 0; at < word.length; at += 1) found.push(word.slice(0, at) + word.slice(at + 1));
  return found;
}

/** Whether two words differ by one letter more, less or other, or by two neighbours in the wrong order. */
function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let from = 0;
  while (from < a.length && a[from] === b[from]) from += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  const [restA, restB] = [a.slice(from, endA), b.slice(from, endB)];
  if (restA.length <= 1 && restB.length <= 1) return true;
  return restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0];
}

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
  const near = new Map<string, string[]>();
  for (const form of forms.keys()) {
    if (form.length < MIN_MISSPELT || form.includes(' ')) continue;
    for (const short of shortened(form)) near.set(short, [...(near.get(short) ?? []), form]);
  }
  const known = new Set(others);
  const misspelt = (word: string): FoundForm | undefined => {
    if (word.length < MIN_MISSPELT || word.length > 20 || known.has(word) || isKnown(word)) return undefined;
    for (const short of shortened(word)) {
      const meant = near.get(short)?.find((form) => form.startsWith(word.charAt(0)) && isOneEdit(form, word));
      if (meant !== undefined) return forms.get(meant);
    }
    return undefined;
  };
  return {
    find(word) {
      const plain = forms.get(word);
      if (plain !== undefined) return plain;
      const read = inLetters(word);
      return (read === undefined ? undefined : forms.get(read)) ?? misspelt(word);
    },
  };
}
