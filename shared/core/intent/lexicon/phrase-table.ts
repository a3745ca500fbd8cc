// Finds the longest of many phrases at a position of a text, in time bounded by the longest phrase.

/** A match: the value of the phrase and the number of words that it spans. */
export interface PhraseMatch<T> {
  readonly value: T;
  readonly length: number;
}

const wordsOf = (phrase: string): readonly string[] => (phrase.includes(' ') ? phrase.split(' ') : [phrase]);

/** A node of the trie: the phrase that ends here, and the words that may follow. */
interface Step<T> {
  match: PhraseMatch<T> | undefined;
  next: Map<string, Step<T>> | undefined;
}

/** A small number for the length and the letters at both ends of a word: it excludes most words that begin no phrase. */
const SHAPES = 4_096;
const shapeOf = (word: string): number =>
  ((word.charCodeAt(0) << 7) ^ (word.charCodeAt(word.length - 1) << 2) ^ word.length) & (SHAPES - 1);

/** Phrases of one or more words, each with a value. Its own phrases hide equal ones of the table below, if there is one. */
export class PhraseTable<T> {
  readonly #below: PhraseTable<T> | undefined;
  /** A trie of words: look-ups use the words of the text and never build a string. */
  readonly #first = new Map<string, Step<T>>();
  /** 1 at the shapes of the first words. */
  readonly #shapes = new Uint8Array(SHAPES);

  constructor(below?: PhraseTable<T>) {
    this.#below = below;
  }

  /** Adds or replaces a phrase of words separated by single spaces. */
  add(phrase: string, value: T): void {
    const words = wordsOf(phrase);
    this.#shapes[shapeOf(words[0] ?? '')] = 1;
    let steps = this.#first;
    const last = words.length - 1;
    for (let at = 0; at <= last; at += 1) {
      const word = words[at] ?? '';
      let step = steps.get(word);
      if (step === undefined) {
        step = { match: undefined, next: undefined };
        steps.set(word, step);
      }
      if (at === last) step.match = { value, length: words.length };
      else steps = step.next ??= new Map();
    }
  }

  /** Whether a phrase begins with this word. */
  opensWith(word: string): boolean {
    return this.#first.has(word) || this.#below?.opensWith(word) === true;
  }

  get(phrase: string): T | undefined {
    if (!phrase.includes(' ')) return this.#first.get(phrase)?.match?.value ?? this.#below?.get(phrase);
    let steps: Map<string, Step<T>> | undefined = this.#first;
    let step: Step<T> | undefined;
    for (const word of phrase.split(' ')) {
      step = steps?.get(word);
      steps = step?.next;
    }
    return step?.match?.value ?? this.#below?.get(phrase);
  }

  /** The longest phrase that begins at `words[at]`, or undefined. */
  match(words: readonly string[], at: number): PhraseMatch<T> | undefined {
    let found: PhraseMatch<T> | undefined;
    const first = words[at] ?? '';
    let step = this.#shapes[shapeOf(first)] === 1 ? this.#first.get(first) : undefined;
    for (let next = at + 1; step !== undefined; next += 1) {
      if (step.match !== undefined) found = step.match;
      const word = words[next];
      step = word === undefined ? undefined : step.next?.get(word);
    }
    const below = this.#below?.match(words, at);
    return below !== undefined && below.length > (found?.length ?? 0) ? below : found;
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
