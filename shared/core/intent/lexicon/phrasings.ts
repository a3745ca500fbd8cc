// Phrasings: patterns of words that say in other words that something is destroyed, paid or given away. Schema, compiler and search.
import Type, { type Static } from 'typebox';
import { wordsOfText } from '../text/words.ts';
import { participles, plural, verbForms } from './inflection.ts';
import { count, flag, Kinds, list, Name, object, oneOf, Phrase, record, rows, slots } from './parts.ts';
import {
  matchesAmong,
  type Pattern as KindPattern,
  type PatternMatch,
  type Placed,
  setReader,
  unionOf,
} from './patterns.ts';
import { PhraseTable } from './phrase-table.ts';
import { checkExamples, type Report } from './tables.ts';
import { kindsByWord, type KindSet, meet } from './word-kinds.ts';
import type { WordInfo } from './word-table.ts';

/** What a phrasing says in other words. */
const SAYINGS = ['destruction', 'payment', 'disclosure'] as const;
export type Saying = (typeof SAYINGS)[number];

const Kind = object('phrasingKind', {
  verbs: Type.Optional(list(Phrase)),
  nouns: Type.Optional(list(Phrase)),
  words: Type.Optional(list(Phrase)),
});
const Texts = rows(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 1 });

const Pattern = object('pattern', {
  name: Name,
  says: oneOf(SAYINGS),
  slots: slots('Kinds of which one must stand here.'),
  gap: count(0, 12),
  unless: Type.Optional(Kinds),
  across: flag,
  examples: Texts,
  against: Texts,
});

export const PhrasingsSchema = object('phrasings', {
  kinds: record(Name, Kind),
  questions: Type.Optional(object('asking', { open: Name, unless: Name, recounts: Type.Optional(Name) })),
  patterns: rows(Pattern),
});
type Phrasings = Static<typeof PhrasingsSchema>;

const DEFAULT_GAP = 4;

function formsOf({ verbs = [], nouns = [], words = [] }: Phrasings['kinds'][string]): string[] {
  const ofNouns = nouns.flatMap((noun) => [noun, `${noun}'s`, plural(noun)]);
  return [
    ...words,
    ...ofNouns,
    ...verbs.flatMap((verb) => [...verbForms(verb).map(([form]) => form), ...participles(verb)]),
  ];
}

export interface Phrasing extends KindPattern {
  readonly name: string;
  readonly says: Saying;
  /** The slots may be in different sentences. */
  readonly across: boolean;
}

export interface PhrasingTable {
  readonly kinds: PhraseTable<KindSet>;
  readonly patterns: readonly Phrasing[];
  /** Kinds with which a sentence opens that only asks, unless it has one of the kinds `pleads`. */
  readonly asks: KindSet;
  readonly pleads: KindSet;
  /** Kinds with which a question about the past opens. */
  readonly recounts: KindSet;
}

/** The phrases of all kinds. Of those at a place the longest counts, so it also fills the slots of the shorter ones at its beginning. */
function phrasesOf({ kinds }: Phrasings, names: readonly string[], inSlots: KindSet): PhraseTable<KindSet> {
  const kindsOf = kindsByWord(names, (name) => formsOf(kinds[name] ?? {}));
  const table = new PhraseTable<KindSet>();
  for (const [form, own] of kindsOf) {
    const words = form.split(' ');
    const shorter = words.slice(1).flatMap((_, at) => kindsOf.get(words.slice(0, at + 1).join(' ')) ?? []);
    const begun = shorter.length === 0 ? undefined : unionOf(shorter);
    table.add(form, begun === undefined ? own : own.map((bits, at) => bits | ((begun[at] ?? 0) & (inSlots[at] ?? 0))));
  }
  return table;
}

/** Compiles the phrasings and checks their examples; mistakes are reported with the pointer of the member. */
export function compilePhrasings(file: Phrasings, report: Report): PhrasingTable {
  const { kinds, questions, patterns } = file;
  const names = Object.keys(kinds);
  const kindsIn = setReader(names, 'these phrasings', report);
  const compiled = patterns.map(
    ({ name, says, slots, gap = DEFAULT_GAP, unless = [], across = false }, at): Phrasing => {
      const pointer = `/phrasings/patterns/${at}`;
      const sets = slots.map((slot, index) => kindsIn(slot, `${pointer}/slots/${index}`));
      const spoils = unless.length === 0 ? undefined : kindsIn(unless, `${pointer}/unless`);
      return {
        name,
        says,
        slots: sets,
        any: unionOf(sets),
        gap,
        within: Infinity,
        ordered: true,
        unless: spoils,
        across,
      };
    },
  );
  const ofQuestions = (name: string | undefined) => kindsIn(name === undefined ? [] : [name], '/phrasings/questions');
  const table = {
    kinds: phrasesOf(file, names, unionOf(compiled.map(({ any }) => any))),
    asks: ofQuestions(questions?.open),
    pleads: ofQuestions(questions?.unless),
    recounts: ofQuestions(questions?.recounts),
  };
  for (const [at, pattern] of patterns.entries()) {
    const occurs = (text: string): boolean => {
      const { words, ends } = wordsOfText(text);
      return phrasingsIn(words, ends, { ...table, patterns: compiled.slice(at, at + 1) }).length > 0;
    };
    const says = { lacks: `"${pattern.name}" does not occur`, has: `"${pattern.name}" occurs` };
    checkExamples(pattern, `/phrasings/patterns/${at}`, occurs, says, report);
  }
  return { ...table, patterns: compiled };
}

/** Whether a sentence is a question for information. */
const onlyAsks = (placed: readonly Placed[], from: number, { asks, pleads, recounts }: PhrasingTable): boolean =>
  placed[0]?.at === from &&
  (meet(placed[0].kinds, recounts) ||
    (meet(placed[0].kinds, asks) && !placed.some((word) => meet(word.kinds, pleads))));

/** All phrasings that occur, each at its first place; `ends` are the ends of the sentences, `infos` what is known about the words. */
export function phrasingsIn(
  words: readonly string[],
  ends: readonly number[],
  table: PhrasingTable,
  infos?: readonly WordInfo[],
): PatternMatch<Phrasing>[] {
  const found: PatternMatch<Phrasing>[] = [];
  const all: Placed[] = [];
  const [across, within] = [true, false].map((isAcross) => table.patterns.filter((one) => one.across === isAcross));
  let from = 0;
  for (const end of ends.at(-1) === words.length ? ends : [...ends, words.length]) {
    const placed: Placed[] = [];
    for (let at = from; at < end; at += 1) {
      const match = infos?.[at]?.opensPhrasing === false ? undefined : table.kinds.match(words, at);
      if (match !== undefined && at + match.length <= end)
        placed.push({ at, end: at + match.length, kinds: match.value });
    }
    if (!onlyAsks(placed, from, table)) {
      found.push(...matchesAmong(within ?? [], placed));
      all.push(...placed);
    }
    from = end;
  }
  return [...found, ...matchesAmong(across ?? [], all)];
}
