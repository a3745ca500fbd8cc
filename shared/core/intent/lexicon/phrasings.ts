// Phrasings: patterns of words that say in other words that something is destroyed, paid or given away. Schema and compiler.
import Type, { type Static } from 'typebox';
import { wordsOfText } from '../text/words.ts';
import { participles, plural, verbForms } from './inflection.ts';
import { count, flag, kinds, list, Name, named, object, oneOf, Phrase, record, rows, slots } from './parts.ts';
import { PhraseTable } from './phrase-table.ts';
import { commonKinds, joinKinds, kindBit, type KindBits, MAX_KINDS, NO_KINDS } from './kind-bits.ts';
import { checkExamples, type Report } from './tables.ts';
import { matchesIn, SAYINGS, type WordPattern, type WordPatterns } from './word-patterns.ts';

const Kind = object('phrasingKind', {
  verbs: Type.Optional(list(Phrase, ['vanish'])),
  nouns: Type.Optional(list(Phrase, ['journalist'])),
  words: Type.Optional(list(Phrase, ['gone', 'no longer'])),
});
const texts = (example: string) => rows(Type.String({ minLength: 1, maxLength: 300 }), [example], { minItems: 1 });

const Pattern = object('pattern', {
  name: named('until_empty'),
  says: oneOf(SAYINGS, 'destruction'),
  slots: slots('Kinds of which one must stand here.', ['empty'], [['until'], ['empty', 'gone']]),
  gap: count(0, 12, 4),
  unless: Type.Optional(kinds(['asked'])),
  across: flag,
  examples: texts('tidy up the table until it is empty'),
  against: texts('wait until it is ready'),
});

const Asking = object(
  'asking',
  { open: named('question_word'), unless: named('plea'), recounts: Type.Optional(named('recounting')) },
  { examples: [{ open: 'question_word', unless: 'plea' }] },
);

export const PhrasingsSchema = object(
  'phrasings',
  {
    kinds: record(Name, Kind, { empty: { words: ['empty', 'bare'] }, until: { words: ['until', 'till'] } }),
    questions: Type.Optional(Asking),
    patterns: rows(Pattern, [
      {
        name: 'until_empty',
        says: 'destruction',
        slots: [['until'], ['empty']],
        examples: ['tidy up the table until it is empty'],
        against: ['wait until it is ready'],
      },
    ]),
  },
  { examples: [{ kinds: {}, patterns: [] }] },
);
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

/** Compiles the phrasings and checks their examples; mistakes are reported with the pointer of the member. */
export function compilePhrasings({ kinds, questions, patterns }: Phrasings, report: Report): WordPatterns {
  const names = Object.keys(kinds);
  if (names.length > MAX_KINDS)
    report('/phrasings/kinds', `there can be ${MAX_KINDS} kinds of words, not ${names.length}`);
  const bits = new Map<string, KindBits>();
  for (const [at, name] of names.entries())
    for (const form of new Set(formsOf(kinds[name] ?? {})))
      bits.set(form, joinKinds(bits.get(form) ?? NO_KINDS, kindBit(at)));
  // Of the phrases at a place the longest counts, so it is also what the shorter ones at its beginning are in the slots of patterns.
  const inSlots = new Set(patterns.flatMap(({ slots }) => slots.flat()));
  const slotBits = names.reduce((all, name, at) => (inSlots.has(name) ? joinKinds(all, kindBit(at)) : all), NO_KINDS);
  const table = new PhraseTable<KindBits>();
  for (const [form, value] of bits) {
    const words = form.split(' ');
    const shorter = words.slice(1).map((_, at) => bits.get(words.slice(0, at + 1).join(' ')) ?? NO_KINDS);
    table.add(form, joinKinds(value, commonKinds(shorter.reduce(joinKinds, NO_KINDS), slotBits)));
  }
  const bitsOf = (list: readonly string[], pointer: string): KindBits =>
    list.reduce((all, name, index) => {
      const at = names.indexOf(name);
      if (at < 0) report(`${pointer}/${index}`, `"${name}" is not a kind of these phrasings`);
      return at < 0 ? all : joinKinds(all, kindBit(at));
    }, NO_KINDS);
  const asking = {
    asks: questions === undefined ? NO_KINDS : bitsOf([questions.open], '/phrasings/questions'),
    pleads: questions === undefined ? NO_KINDS : bitsOf([questions.unless], '/phrasings/questions'),
    recounts: questions?.recounts === undefined ? NO_KINDS : bitsOf([questions.recounts], '/phrasings/questions'),
  };
  const compiled = patterns.map((pattern, at): WordPattern => {
    const pointer = `/phrasings/patterns/${at}`;
    return {
      name: pattern.name,
      says: pattern.says,
      slots: pattern.slots.map((slot, index) => bitsOf(slot, `${pointer}/slots/${index}`)),
      gap: pattern.gap ?? DEFAULT_GAP,
      unless: bitsOf(pattern.unless ?? [], `${pointer}/unless`),
      across: pattern.across ?? false,
    };
  });
  for (const [at, pattern] of patterns.entries()) {
    const one = compiled[at];
    if (one === undefined) continue;
    const occurs = (text: string): boolean => {
      const { words, ends } = wordsOfText(text);
      return matchesIn(words, ends, { kinds: table, patterns: [one], ...asking }).length > 0;
    };
    const says = { lacks: `"${pattern.name}" does not occur`, has: `"${pattern.name}" occurs` };
    checkExamples(pattern, `/phrasings/patterns/${at}`, occurs, says, report);
  }
  return { kinds: table, patterns: compiled, ...asking };
}
