// Schemas of the parts of a lexicon: words, groups of verbs, commands, places.
import Type from 'typebox';
import { ACTION_CLASSES, DATA_CLASSES, EFFECTS, TRAITS } from '../../../kernel/vocabulary.ts';
import type { DataClass } from '../../../kernel/vocabulary.ts';

export const SIGNAL_STRENGTHS = ['attack', 'hint', 'trace', 'pretext'] as const;

export const closed = { additionalProperties: false } as const;

const WORD = "[\\p{Ll}\\p{N}]+(['-][\\p{Ll}\\p{N}]+)*";
const NAME_PATTERN = '^[a-z][a-z0-9_]*$';
const HOST_PATTERN = '^\\.?[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$';
/** The name of a command with at most two subcommands. */
export const COMMAND_PATTERN = '^[a-z0-9:.[][a-z0-9._+-]*( [a-z0-9][a-z0-9:._-]*){0,2}$';
const KIND_WORD_PATTERN = `^(${WORD}( ${WORD})*|[a-z](\\.[a-z])+|&)$`;
const SLUG_PATTERN = '^[a-z0-9-]{1,40}$';

/** One lower-case word: letters, digits, and inner hyphens or apostrophes. */
export const Word = Type.String({ pattern: `^${WORD}$`, maxLength: 40 });
/** Words separated by single spaces. */
export const Phrase = Type.String({ pattern: `^${WORD}( ${WORD})*$`, maxLength: 80 });
/** A snake_case name as in a normalized intent. */
export const Name = Type.String({ pattern: NAME_PATTERN, maxLength: 64 });
export const Slug = Type.String({ pattern: SLUG_PATTERN });
const Host = Type.String({ pattern: HOST_PATTERN, maxLength: 253 });

/** Descriptions of the patterns for messages. */
export const PATTERNS: ReadonlyMap<string, string> = new Map([
  [`^${WORD}$`, 'one lower-case word: letters, digits, inner hyphens and apostrophes'],
  [`^${WORD}( ${WORD})*$`, 'lower-case words with single spaces between them'],
  [KIND_WORD_PATTERN, 'lower-case words with single spaces between them, an abbreviation such as "e.g", or "&"'],
  [NAME_PATTERN, 'a snake_case name: lower-case letters and digits, beginning with a letter'],
  [HOST_PATTERN, 'a host without scheme, port and path; a leading dot takes in all below it'],
  [COMMAND_PATTERN, 'a lower-case command with at most two subcommands'],
  [SLUG_PATTERN, 'the slug of an organisation: 1 to 40 of a-z, 0-9 and "-"'],
]);

/** A list with one example, which editors show. */
export const list = <T extends Type.TSchema>(item: T, description: string, example: readonly string[]) =>
  Type.Array(item, { uniqueItems: true, maxItems: 2_000, description, examples: [example] });
export const named = (description: string, example: string) =>
  Type.String({ ...Name, description, examples: [example] });

/** True, or absent. */
export const flag = (description: string) => Type.Optional(Type.Boolean({ description, examples: [true] }));
/** A whole number, or absent. */
export const count = (minimum: number, maximum: number, description: string, example: number) =>
  Type.Optional(Type.Integer({ minimum, maximum, description, examples: [example] }));

/** What is done: members of verbs, refinements and commands. */
export const DOING = {
  action: Type.Enum([...ACTION_CLASSES], { description: 'One of the nine action classes.', examples: ['update'] }),
  effect: Type.Optional(
    Type.Enum([...EFFECTS], {
      description: 'Absent: read for `read`, destructive for `delete`, otherwise write.',
      examples: ['destructive'],
    }),
  ),
  traits: Type.Optional(
    Type.Array(Type.Enum([...TRAITS]), {
      uniqueItems: true,
      description: 'What else is true of the action.',
      examples: [['irreversible']],
    }),
  ),
};
const verbs = (description: string, example: readonly string[], limits: { readonly maxItems?: number } = {}) =>
  Type.Array(Phrase, { uniqueItems: true, minItems: 1, ...limits, description, examples: [example] });

const DATA_CLASS_EXAMPLES: Readonly<Record<DataClass, readonly string[]>> = {
  credentials: ['password', 'api key'],
  pii: ['home address'],
  financial: ['bank account'],
  health: ['patient record'],
};

const OWN_VERB_GROUP = {
  ...DOING,
  object: Type.Optional(named('The object when the text names none.', 'message')),
  verbs: verbs('The verbs in their base form.', ['archive', 'put away'], { maxItems: 500 }),
};

/** A verb group of an organisation, without the members that control a verb's place in sentences. */
export const OwnVerbGroup = Type.Object(OWN_VERB_GROUP, {
  ...closed,
  description: 'Verbs (or verb and particle, as in `set up`) of one class. Inflected forms are derived.',
});

export const VerbGroup = Type.Object(
  {
    ...OWN_VERB_GROUP,
    mentions: flag('The verb talks about things (explain, describe): code in its sentence is not a request.'),
    weak: flag('The verb says little by itself (use, help): a later verb of the text leads.'),
  },
  { ...closed, description: 'Verbs (or verb and particle, as in `set up`) of one class. Inflected forms are derived.' },
);

export const Refinement = Type.Object(
  {
    verbs: verbs('The verbs that mean something else here.', ['send']),
    objects: Type.Optional(list(Word, 'The object phrase holds one of these nouns (singular).', ['money', 'payment'])),
    preposition: Type.Optional(list(Word, 'One of these words follows later in the clause.', ['from'])),
    ...DOING,
  },
  {
    ...closed,
    description: 'What the verbs mean beside such an object: `send` with `money` is a transfer. First match wins.',
  },
);

export const Signal = Type.Object(
  {
    name: named(
      'What the sign is called; sequences of one name are forms of one sign, which counts once.',
      'ignore_instructions',
    ),
    start: flag('The first word must begin a sentence.'),
    gap: count(0, 8, 'Other words allowed between two steps.', 3),
    strength: Type.Optional(
      Type.Enum([...SIGNAL_STRENGTHS], {
        description:
          'attack (when absent): enough alone. hint: needs a second sign. trace: needs a hint or two other traces. pretext: a hint that is enough beside something destructive.',
        examples: ['hint'],
      }),
    ),
    steps: Type.Array(list(Word, 'Words of which one must stand here.', ['ignore', 'disregard']), {
      minItems: 1,
      maxItems: 8,
      description: 'One list for each step, in the order of the text.',
      examples: [
        [
          ['ignore', 'disregard'],
          ['instruction', 'rule'],
        ],
      ],
    }),
  },
  { ...closed, description: 'A sequence of words that is typical of text which tries to take an agent over.' },
);

const KindWord = Type.String({ pattern: KIND_WORD_PATTERN, maxLength: 40 });

/** Words that are equivalent for a rule. */
export const WordKind = Type.Object(
  {
    description: Type.Optional(Type.String({ description: 'What these words say.', examples: ['Words for orders.'] })),
    verbs: Type.Optional(list(Word, 'Verbs in their base form, of which every form counts.', ['ignore', 'forget'])),
    words: Type.Optional(
      list(KindWord, 'Words as they stand, or verbs with their particle.', ['instructions', 'anweisungen', 'back up']),
    ),
    kinds: Type.Optional(
      Type.Array(Name, { uniqueItems: true, description: 'Kinds whose words count, too.', examples: [['discard']] }),
    ),
    misspelt: flag('Long words also count with one letter more, less or other, or with two in the wrong order.'),
  },
  { ...closed, description: 'Words that say the same kind of thing, in whatever language.' },
);

const ofKinds = (description: string, examples: string[]) =>
  Type.Array(Name, { minItems: 1, description, examples: [examples] });

export const Frame = Type.Object(
  {
    name: named('What the sign is called; a signal of the same name is another form of it.', 'ignore_instructions'),
    strength: Type.Optional(
      Type.Enum([...SIGNAL_STRENGTHS], { description: 'As of a signal; `attack` when absent.', examples: ['hint'] }),
    ),
    within: count(1, 20, 'How many words it spans at most; 8 when absent.', 8),
    ordered: flag('The slots are filled in their order.'),
    address: flag('Only in a text that has an e-mail address or a URL.'),
    slots: Type.Array(ofKinds('Kinds of which one word must be there.', ['discard']), {
      minItems: 1,
      maxItems: 5,
      description: 'Each must be filled, in whatever order.',
      examples: [[['discard'], ['rules'], ['prior', 'your']]],
    }),
    unless: Type.Optional(ofKinds('Kinds of words beside which it says something else.', ['topic'])),
  },
  { ...closed, description: 'Kinds of words that stand close together in a sentence.' },
);

/** Maps names to values; every name must match, which `patternProperties` alone does not require. */
export const record = <K extends Type.TString, V extends Type.TSchema>(
  key: K,
  value: V,
  options: { readonly description: string; readonly examples: readonly unknown[] },
): ReturnType<typeof Type.Record<K, V>> => Type.Record(key, value, { ...closed, ...options });

/** The members that the installation and each organisation may have; all are required for the installation. */
export const WORDS = {
  alsoNouns: list(Word, 'Verbs that are as often nouns: between clauses they need an object to count as verbs.', [
    'report',
  ]),
  refinements: Type.Array(Refinement, {
    description: 'What verbs mean beside certain objects; the first that fits counts.',
    examples: [[{ verbs: ['send'], objects: ['money'], action: 'transfer', traits: ['financial'] }]],
  }),
  domains: record(Name, list(Word, 'Nouns (singular) of this domain.', ['invoice', 'refund']), {
    description: 'Domain name to its nouns. A noun belongs to one domain.',
    examples: [{ payments: ['invoice', 'refund'] }],
  }),
  synonyms: record(Word, Name, {
    description: 'Noun to the noun that stands for it in a normalized intent.',
    examples: [{ bill: 'invoice' }],
  }),
  irregularPlurals: record(Word, Word, {
    description: 'Plural to singular; a word mapped to itself never changes.',
    examples: [{ people: 'person', news: 'news' }],
  }),
  places: Type.Array(
    Type.Object(
      {
        place: named('The place, as policies name it.', 'production'),
        words: list(Phrase, 'How texts call it.', ['production', 'prod', 'live system']),
      },
      { ...closed, description: 'A place.' },
    ),
    {
      description: 'Places that a text may locate its object in.',
      examples: [[{ place: 'production', words: ['production', 'prod'] }]],
    },
  ),
  internalHosts: list(Host, 'Hosts and mail domains of the organisation; a leading dot takes in all below it.', [
    'example.com',
    '.example.com',
  ]),
  privileged: list(Phrase, 'Phrases that speak of elevated rights.', ['admin', 'root access']),
  money: list(Phrase, 'Phrases that speak of moving money.', ['wire transfer']),
  external: list(Phrase, 'Phrases that say that something leaves the organisation.', ['public', 'third party']),
  irreversible: list(Phrase, 'Phrases that say that there is no way back.', ['permanently']),
};

export const DATA_CLASS_MEMBERS = Object.fromEntries(
  DATA_CLASSES.map((name) => [name, list(Phrase, `Phrases that name ${name} data.`, DATA_CLASS_EXAMPLES[name])]),
) as Record<DataClass, Type.TArray<typeof Phrase>>; // one entry for each name
export const DATA_CLASS_OPTIONS = {
  ...closed,
  description: 'The phrases by which classes of sensitive data are known.',
  examples: [DATA_CLASS_EXAMPLES],
};
