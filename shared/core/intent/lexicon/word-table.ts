// What a lexicon knows about a word by itself, found by one look-up: the readers of a text ask for the same words again and again.
import { hasDense } from '../languages/known.ts';
import { plain } from '../languages/told.ts';
import { ownCopy } from '../text/words.ts';
import { singular } from './inflection.ts';
import { languagesOfWord } from './languages.ts';
import type { Telling, VerbReading, Words } from './types.ts';
import type { FoundForm } from './word-forms.ts';
import { isOf, K, type KindSet } from './word-kinds.ts';

/** Whether the words as they stand need no reading in signals: the lexicon knows them. */
const isKnown = (word: string, { verbForms, domainOfNoun, plurals, commonWords }: Words): boolean =>
  verbForms.get(word) !== undefined || domainOfNoun.has(word) || plurals.has(word) || commonWords.has(word);

/** What is known about a lower-case word. */
export class WordInfo {
  /** The word itself: texts that repeat it share this string, which makes looking it up cheap. */
  readonly word: string;
  /** Without typographic apostrophes and the signs that open a Spanish question. */
  readonly plain: string;
  readonly kinds: KindSet;
  /** Signals that begin with it, or with the word that it is meant to be, and the kinds of that word for frames. */
  readonly telling: Telling | undefined;
  /** The word of signals and frames that it is meant to be, when that is another one. */
  readonly meant: string | undefined;
  /** It, or a part of it, occurs in requests that describe themselves as not allowed. */
  readonly isClue: boolean;
  readonly isForeign: boolean;
  /** The languages beside English that list it, as bits by their index. */
  readonly languages: number;
  /** It has no meaning of its own: an article, a preposition, a filler. */
  readonly isEmpty: boolean;
  readonly opensClause: boolean;
  /** It changes nothing about what is requested, or it names something. */
  readonly isListed: boolean;
  /** It may begin a phrasing. */
  readonly opensPhrasing: boolean;
  readonly form: VerbReading | undefined;
  readonly isParticiple: boolean;
  /** The form of a verb that destroys which it is, or is meant to be. */
  readonly destroys: FoundForm | undefined;
  /** Of the lexicon only what `isKnown` needs, which organisations share: words are remembered longer than the lexicon of one. */
  readonly #abroad: Words['languages'];
  readonly #harm: Words['harm'];
  #isKnown: boolean | undefined;

  constructor(word: string, words: Words) {
    const { wordKinds, commonWords } = words;
    const near = words.misspelt.meantBy(word);
    const meant = near === undefined || isKnown(word, words) ? undefined : near;
    const noun = singular(word.includes("'") ? word.replace(/'s?$/, '') : word, words.plurals);
    const isClue = (part: string): boolean => isOf(wordKinds.of(part), K.illicit_clue);
    this.word = word;
    this.plain = plain(word);
    this.kinds = wordKinds.of(word);
    this.telling = words.telling.get(meant ?? word);
    this.meant = meant;
    this.isClue = isClue(word) || (word.includes('-') && word.split('-').some(isClue));
    this.isForeign = words.foreignWords.has(word);
    this.languages = languagesOfWord(word, words.languages);
    this.isEmpty = words.fillers.has(word) || words.functionWords.has(word);
    this.opensClause = words.clauseOpeners.has(word);
    this.isListed =
      commonWords.has(word) ||
      commonWords.has(noun) ||
      words.domainOfNoun.has(noun) ||
      words.genericNouns.has(noun) ||
      words.containerNouns.has(noun) ||
      words.synonyms.has(noun);
    this.opensPhrasing = words.phrasings.kinds.opensWith(word);
    this.form = words.verbForms.get(word);
    this.isParticiple = words.participles.get(word) !== undefined;
    this.destroys = words.destructiveWords.find(word);
    this.#abroad = words.languages;
    this.#harm = words.harm;
  }

  /** The lexicon lists it in whatever language, or the learned weights of harm have met it. Only few tokens are asked. */
  get isKnown(): boolean {
    this.#isKnown ??=
      this.isListed ||
      this.isEmpty ||
      this.form !== undefined ||
      this.isParticiple ||
      // What is written without spaces is read by its characters.
      hasDense(this.word) ||
      languagesOfWord(this.plain, this.#abroad) !== 0 ||
      this.#harm?.hasMet(this.word) !== false;
    return this.#isKnown;
  }
}

const MAX_LENGTH = 40;
/** Words that all tables of a lexicon remember together. */
const MAX_REMEMBERED = 30_000;

/** What the tables of an installation and its organisations remember; all is forgotten when it is too much. */
export class WordMemory {
  readonly #tables = new Set<Map<string, WordInfo>>();
  #left = MAX_REMEMBERED;

  add(table: Map<string, WordInfo>, info: WordInfo): void {
    if (this.#left === 0) {
      for (const one of this.#tables) one.clear();
      this.#tables.clear();
      this.#left = MAX_REMEMBERED;
    }
    this.#left -= 1;
    this.#tables.add(table);
    table.set(info.word, info);
  }
}

export class WordTable {
  readonly #words: Words;
  readonly #memory: WordMemory;
  readonly #known = new Map<string, WordInfo>();

  constructor(words: Words, memory: WordMemory) {
    this.#words = words;
    this.#memory = memory;
  }

  of(word: string): WordInfo {
    let info = this.#known.get(word);
    if (info === undefined) {
      info = new WordInfo(word.length <= MAX_LENGTH ? ownCopy(word) : word, this.#words);
      if (word.length <= MAX_LENGTH) this.#memory.add(this.#known, info);
    }
    return info;
  }
}
