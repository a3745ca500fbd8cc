// Finds the longest of many word sequences at a position of a text, in time bounded by the longest phrase.

/** A phrase that was found: what it stands for and how many words it spans. */
export interface PhraseMatch<T> {
  readonly value: T;
  readonly length: number;
}

/** Phrases of one or more words, each with a value. */
export class PhraseTable<T> {
  readonly #values = new Map<string, T>();
  /** First word to the lengths (in words, longest first) of the phrases that begin with it. */
  readonly #lengths = new Map<string, number[]>();

  /** Adds or replaces a phrase of words separated by single spaces. */
  add(phrase: string, value: T): void {
    const words = phrase.split(' ');
    const first = words[0] ?? '';
    const lengths = this.#lengths.get(first) ?? [];
    if (!lengths.includes(words.length)) lengths.push(words.length);
    lengths.sort((a, b) => b - a);
    this.#lengths.set(first, lengths);
    this.#values.set(phrase, value);
  }

  get(phrase: string): T | undefined {
    return this.#values.get(phrase);
  }

  /** The longest phrase that begins at `words[at]`, or undefined. */
  match(words: readonly string[], at: number): PhraseMatch<T> | undefined {
    const lengths = this.#lengths.get(words[at] ?? '');
    if (!lengths) return undefined;
    for (const length of lengths) {
      if (at + length > words.length) continue;
      const value = this.#values.get(length === 1 ? (words[at] ?? '') : words.slice(at, at + length).join(' '));
      if (value !== undefined) return { value, length };
    }
    return undefined;
  }

  /** All values found in a text, each once, in the order of their first phrase. */
  findAll(words: readonly string[]): T[] {
    const found = new Set<T>();
    for (let at = 0; at < words.length; at += 1) {
      const match = this.match(words, at);
      if (match) found.add(match.value);
    }
    return [...found];
  }
}
