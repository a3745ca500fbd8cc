// Phrasings: patterns of words that say in other words that something is destroyed, paid or given away. Schema and compiler.
import Type, { type Static } from 'typebox';
import { wordsOfText } from '../text/words.ts';
import { participles, plural, verbForms } from './inflection.ts';
import { closed, count, flag, list, Name, named, Phrase, record } from './parts.ts';
import { PhraseTable } from './phrase-table.ts';
import { commonKinds, joinKinds, kindBit, type KindBits, MAX_KINDS, NO_KINDS } from './kind-bits.ts';
import { matchesIn, SAYINGS, type WordPattern, type WordPatterns } from './word-patterns.ts';

const Kind = Type.Object(
  {
    verbs: Type.Optional(list(Phrase, 'Verbs in their base form, of which every form counts.', ['vanish'])),
    nouns: Type.Optional(
      list(Phrase, 'Nouns in the singular, of which the plural and the possessive count, too.', ['journalist']),
    ),
    words: Type.Optional(list(Phrase, 'Words and phrases as they stand.', ['gone', 'no longer'])),
  },
  { ...closed, description: 'Words that are equivalent in a pattern.' },
);
const texts = (description: string, example: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 1, description, examples: [[example]] });

const Pattern = Type.Object(
  {
    name: named('What the phrasing is called.', 'until_empty'),
    says: Type.Enum([...SAYINGS], {
      description: 'What it says in other words: destruction, payment or disclosure.',
      examples: ['destruction'],
    }),
    slots: Type.Array(
      Type.Array(Name, { minItems: 1, description: 'Kinds of which one must stand here.', examples: [['empty']] }),
      {
        minItems: 1,
        maxItems: 5,
        description: 'In the order of the text.',
        examples: [[['until'], ['empty', 'gone']]],
      },
    ),
    gap: count(0, 12, 'Other words between two slots; 4 when absent.', 4),
    unless: Type.Optional(
      Type.Array(Name, {
        minItems: 1,
        description: 'Kinds beside which it says something else.',
        examples: [['asked']],
      }),
    ),
    across: flag('The slots may be in different sentences.'),
    examples: texts(
      'Texts in which it occurs; checked when the lexicon is loaded.',
      'tidy up the table until it is empty',
    ),
    against: texts('Texts in which it does not occur; checked, too.', 'wait until it is ready'),
  },
  { ...closed, description: 'Kinds of words in a certain order.' },
);

export const PhrasingsSchema = Type.Object(
  {
    kinds: record(Name, Kind, {
      description: 'What patterns are made of, by name.',
      examples: [{ empty: { words: ['empty', 'bare'] }, until: { words: ['until', 'till'] } }],
    }),
    questions: Type.Optional(
      Type.Object(
        {
          open: named('The kind of words with which a sentence opens that only asks.', 'question_word'),
          unless: named('The kind of words by which such a sentence asks for more than an answer.', 'plea'),
          recounts: Type.Optional(
            named(
              'The kind of words with which a question opens about what has happened, whatever else it says.',
              'recounting',
            ),
          ),
        },
        {
          ...closed,
          description: 'Sentences in which no pattern counts.',
          examples: [{ open: 'question_word', unless: 'plea' }],
        },
      ),
    ),
    patterns: Type.Array(Pattern, {
      description: 'The phrasings.',
      examples: [
        [
          {
            name: 'until_empty',
            says: 'destruction',
            slots: [['until'], ['empty']],
            examples: ['tidy up the table until it is empty'],
            against: ['wait until it is ready'],
          },
        ],
      ],
    }),
  },
  {
    ...closed,
    description: 'Phrasings that say in other words that something is destroyed, paid or given away.',
    examples: [{ kinds: {}, patterns: [] }],
  },
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
export function compilePhrasings(
  { kinds, questions, patterns }: Phrasings,
  report: (pointer: string, message: string) => void,
): WordPatterns {
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
    for (const [index, text] of pattern.examples.entries())
      if (!occurs(text))
        report(`/phrasings/patterns/${at}/examples/${index}`, `"${pattern.name}" does not occur in "${text}"`);
    for (const [index, text] of pattern.against.entries())
      if (occurs(text)) report(`/phrasings/patterns/${at}/against/${index}`, `"${pattern.name}" occurs in "${text}"`);
  }
  return { kinds: table, patterns: compiled, ...asking };
}
