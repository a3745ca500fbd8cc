// Other languages: schema and compiler of their verbs and nouns, and the search for verbs in a text.
import Type, { type Static } from 'typebox';
import { DOING, list, Name, object, record, rows } from './parts.ts';
import { checkExamples, doingOf, type Report } from './tables.ts';
import type { Doing } from './types.ts';

const Text = Type.String({ minLength: 1, maxLength: 80, pattern: '^\\S(.*\\S)?$' });
const Texts = list(Text);
const More = Type.Optional(Texts);

const Verb = object('foreignVerb', {
  ...DOING,
  as: Name,
  forms: Texts,
  reports: More,
  tells: Type.Optional(Type.Union([Type.Literal('news'), Type.Literal('all')])),
  examples: Texts,
  against: Texts,
});

/** Lists of words, each of which is a set when it is compiled, and of phrases. */
const LISTS = {
  signs: Texts,
  negations: Texts,
  without: More,
  topics: More,
  secretly: More,
  inquiries: More,
  suggestions: More,
  urgings: More,
  joins: More,
  questions: Texts,
  all: Texts,
};
const PHRASES = ['secretly', 'inquiries', 'suggestions', 'urgings', 'questions'] as const;
type PhrasesOf = (typeof PHRASES)[number];
const holdsPhrases = (name: keyof typeof LISTS): boolean => PHRASES.some((one) => one === name);
type WordsOf = Exclude<keyof typeof LISTS, PhrasesOf>;
// Every name of the type is a key.
const LIST_NAMES = Object.keys(LISTS) as (keyof typeof LISTS)[];

const LanguageSchema = object('language', {
  name: Type.String({ minLength: 1, maxLength: 40 }),
  ...LISTS,
  fillers: Texts,
  nouns: record(Text, Name),
  outside: More,
  verbs: rows(Verb),
});

export const LanguagesSchema = record(Type.String({ pattern: '^[a-z]{2,3}$' }), LanguageSchema);
type Languages = Static<typeof LanguagesSchema>;

export interface ForeignVerb extends Doing {
  readonly verb: string;
  /** The words of the form, or the form itself in a script without spaces. */
  readonly head: readonly string[];
  /** The words that follow after a gap. */
  readonly rest: readonly string[] | undefined;
  /** In a question it only tells what has happened. */
  readonly reports: boolean;
  /** Of the verbs after it, those that report, or all, are only told. */
  readonly tells: 'news' | 'all' | undefined;
}

export interface Language
  extends Readonly<Record<WordsOf, ReadonlySet<string>>>,
    Readonly<Record<PhrasesOf, readonly string[]>> {
  readonly code: string;
  readonly outside: readonly string[];
  /** Written without spaces. */
  readonly isDense: boolean;
  readonly nouns: ReadonlyMap<string, string>;
  /** Nouns of several words by the first of them: `mot de passe`. */
  readonly longNouns: ReadonlyMap<string, readonly LongNoun[]>;
  /** Every word of the language that the lexicon lists. */
  readonly known: ReadonlySet<string>;
  /** In a script without spaces: the length of the longest of them by its first code unit. */
  readonly longest: ReadonlyMap<string, number>;
  /** Verbs by their first word, or by their first character in a script without spaces. */
  readonly verbs: ReadonlyMap<string, readonly ForeignVerb[]>;
  /** In a script without spaces: 1 at the code units with which one of them begins. */
  readonly firsts: Uint8Array;
}

export interface LongNoun {
  readonly words: readonly string[];
  readonly noun: string;
}

/** A verb in a text: indices of words, or offsets in a script without spaces. */
export interface ForeignMatch {
  readonly verb: ForeignVerb;
  readonly at: number;
  readonly end: number;
}

export const GAP = ' … ';
const MAX_GAP = 12;
const DENSE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;
const WORDS = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu;

export const foreignWords = (text: string): string[] =>
  (text.toLowerCase().match(WORDS) ?? []).map((word) => word.replaceAll('’', "'"));

/** Whether these words stand at `at`. */
export const follows = (words: readonly string[], at: number, sought: readonly string[]): boolean =>
  sought.every((word, i) => words[at + i] === word);

/** A pronoun that is joined to its verb: `exécute-la`, `apague-as`. */
const PRONOUN = /-(?:moi|nous|l[aeo]|les|lui|leur|en|y|[ao]s?|lhes?|me|se)$/;
export const withoutPronoun = (word: string): string => word.replace(PRONOUN, '');

const ELISION = /^(?:l|d|qu|n|s|j|m|t|c|dell|all|un|nell|sull|dall|quell)'/;
/** A word without the article that is joined to it: `l'ordine`. */
export const withoutElision = (word: string): string => (word.includes("'") ? word.replace(ELISION, '') : word);

/** The languages written with spaces that list a word, as bits by their index. */
export function languagesOfWord(word: string, languages: readonly Language[]): number {
  const own = withoutElision(word);
  return languages.reduce(
    (bits, { isDense, known, signs }, at) =>
      !isDense && (known.has(own) || signs.has(word)) ? bits | (1 << at) : bits,
    0,
  );
}

/** Whether a verb, the first word of which is at `at`, is there. */
function matchAt(words: readonly string[], at: number, verb: ForeignVerb): ForeignMatch | undefined {
  if (!follows(words, at + 1, verb.head.slice(1))) return undefined;
  const end = at + verb.head.length;
  if (verb.rest === undefined) return { verb, at, end };
  for (let next = end; next <= end + MAX_GAP && next < words.length; next += 1)
    if (follows(words, next, verb.rest)) return { verb, at, end };
  return undefined;
}

/** Longer forms first, and those of two parts before those of one. */
const lengthOf = ({ head, rest }: ForeignVerb): number =>
  head.length * 100 + (head[0]?.length ?? 0) + (rest?.length ?? 0) * 1_000;

const NO_MATCHES: readonly ForeignMatch[] = [];

/** The verbs that a word may begin. */
export const verbsOpenedBy = (word: string, { verbs }: Language): readonly ForeignVerb[] | undefined =>
  verbs.get(word) ?? (word.includes('-') ? verbs.get(withoutPronoun(word)) : undefined);

export function verbsAmong(words: readonly string[], language: Language): readonly ForeignMatch[] {
  let found: ForeignMatch[] | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const among = verbsOpenedBy(words[at] ?? '', language);
    if (among === undefined) continue;
    for (const verb of among) {
      const match = matchAt(words, at, verb);
      if (match === undefined) continue;
      (found ??= []).push(match);
      at = match.end - 1;
      break;
    }
  }
  return found ?? NO_MATCHES;
}

/** The verb that begins with the character at `at`. Not a closure of the loop over a text, which would allocate for each character. */
const denseVerbAt = (text: string, at: number, { verbs }: Language): ForeignVerb | undefined =>
  verbs.get(text.charAt(at))?.find(({ head }) => text.startsWith(head[0] ?? '', at));

/** The verbs in a text without spaces: the longest form at each place. */
export function verbsWithin(text: string, language: Language): ForeignMatch[] {
  const found: ForeignMatch[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (language.firsts[text.charCodeAt(at)] !== 1) continue;
    const verb = denseVerbAt(text, at, language);
    if (verb === undefined) continue;
    const end = at + (verb.head[0]?.length ?? 1);
    found.push({ verb, at, end });
    at = end - 1;
  }
  return found;
}

function longNounsOf(nouns: Readonly<Record<string, string>>): ReadonlyMap<string, readonly LongNoun[]> {
  const found = new Map<string, LongNoun[]>();
  for (const [text, noun] of Object.entries(nouns)) {
    const words = foreignWords(text);
    const [first = ''] = words;
    if (words.length > 1) found.set(first, [...(found.get(first) ?? []), { words, noun }]);
  }
  return found;
}

/** Phrases of which single words say nothing about the language of a text. */
const NOT_KNOWN: ReadonlySet<string> = new Set(['inquiries', 'suggestions', 'urgings']);

function compileLanguage(code: string, file: Languages[string]): Language {
  const isDense = file.verbs.some(({ forms }) => forms.some((form) => DENSE.test(form)));
  const verbs = new Map<string, ForeignVerb[]>();
  const known = new Set<string>();
  const know = (text: string): void => {
    for (const word of isDense ? [text] : foreignWords(text)) known.add(word);
  };
  for (const group of file.verbs) {
    for (const form of [...group.forms, ...(group.reports ?? [])]) {
      know(form);
      const [head = '', rest] = form.toLowerCase().split(GAP);
      const verb: ForeignVerb = {
        ...doingOf(group),
        verb: group.as,
        head: isDense ? [head] : foreignWords(head),
        rest: rest === undefined ? undefined : foreignWords(rest),
        reports: group.reports?.includes(form) ?? false,
        tells: group.tells,
      };
      const first = isDense ? head.charAt(0) : (verb.head[0] ?? '');
      const among = verbs.get(first);
      if (among === undefined) verbs.set(first, [verb]);
      else among.push(verb);
    }
  }
  for (const of of verbs.values()) of.sort((a, b) => lengthOf(b) - lengthOf(a));
  const lists = LIST_NAMES.map((name) => [name, file[name] ?? []] as const);
  for (const [name, list] of lists) if (!NOT_KNOWN.has(name)) for (const word of list) know(word);
  for (const word of [...file.fillers, ...Object.keys(file.nouns)]) know(word);
  const firsts = new Uint8Array(isDense ? 0x10000 : 0);
  for (const first of verbs.keys()) firsts[first.charCodeAt(0)] = 1;
  const longest = new Map<string, number>();
  if (isDense)
    for (const word of known) {
      const first = word.charAt(0);
      longest.set(first, Math.max(word.length, longest.get(first) ?? 0));
    }
  return {
    code,
    isDense,
    ...(Object.fromEntries(lists.map(([name, list]) => [name, holdsPhrases(name) ? list : new Set(list)])) as Record<
      WordsOf,
      Set<string>
    > &
      Record<PhrasesOf, string[]>),
    nouns: new Map(Object.entries(file.nouns)),
    longNouns: longNounsOf(file.nouns),
    outside: file.outside ?? [],
    known,
    longest,
    verbs,
    firsts,
  };
}

/** Compiles the languages and checks the examples of their verbs; mistakes are reported with the pointer of the member. */
export function compileLanguages(languages: Languages, report: Report): Language[] {
  return Object.entries(languages).map(([code, file]) => {
    const language = compileLanguage(code, file);
    const asksFor = (text: string, { action }: Languages[string]['verbs'][number]): boolean =>
      (language.isDense ? verbsWithin(text, language) : verbsAmong(foreignWords(text), language)).some(
        ({ verb }) => verb.action === action,
      );
    for (const [at, group] of file.verbs.entries()) {
      const says = { lacks: `no form of "${group.as}" is`, has: `a form of "${group.as}" is` };
      checkExamples(group, `/languages/${code}/verbs/${at}`, (text) => asksFor(text, group), says, report);
    }
    return language;
  });
}
