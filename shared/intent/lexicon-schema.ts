// The shape of policies/lexicon.json: the words by which intents are read, as data that policy authors extend.
import Type, { type Static } from 'typebox';
import { ACTION_CLASSES, DATA_CLASSES, EFFECTS, TRAITS } from '../vocabulary.ts';
import type { DataClass } from '../vocabulary.ts';

/** How much a takeover signal says. */
export const SIGNAL_STRENGTHS = ['attack', 'hint', 'pretext'] as const;

const closed = { additionalProperties: false } as const;

/** One lower-case word: letters, digits, and inner hyphens or apostrophes. */
const Word = Type.String({ pattern: "^[\\p{Ll}\\p{N}]+(['-][\\p{Ll}\\p{N}]+)*$", maxLength: 40 });
/** Words separated by single spaces. */
const Phrase = Type.String({
  pattern: "^[\\p{Ll}\\p{N}]+(['-][\\p{Ll}\\p{N}]+)*( [\\p{Ll}\\p{N}]+(['-][\\p{Ll}\\p{N}]+)*)*$",
  maxLength: 80,
});
/** A snake_case name, as it stands in a normalized intent. */
const Name = Type.String({ pattern: '^[a-z][a-z0-9_]*$', maxLength: 64 });
/** With one example, because editors show it. */
const list = <T extends Type.TSchema>(item: T, description: string, example: readonly string[]) =>
  Type.Array(item, { uniqueItems: true, maxItems: 2_000, description, examples: [example] });
/** A name with what it means here. */
const named = (description: string, example: string) => Type.String({ ...Name, description, examples: [example] });

const ActionClass = Type.Enum([...ACTION_CLASSES], {
  description: 'One of the nine action classes.',
  examples: ['update'],
});
const Effect = Type.Enum([...EFFECTS], {
  description: 'Absent: read for `read`, destructive for `delete`, otherwise write.',
  examples: ['destructive'],
});
const Traits = Type.Array(Type.Enum([...TRAITS]), {
  uniqueItems: true,
  description: 'What else is true of the action.',
  examples: [['irreversible']],
});
const verbs = (description: string, example: readonly string[], limits: { readonly maxItems?: number } = {}) =>
  Type.Array(Phrase, { uniqueItems: true, minItems: 1, ...limits, description, examples: [example] });

const DATA_CLASS_EXAMPLES: Readonly<Record<DataClass, readonly string[]>> = {
  credentials: ['password', 'api key'],
  pii: ['home address'],
  financial: ['bank account'],
  health: ['patient record'],
};

const VerbGroup = Type.Object(
  {
    action: ActionClass,
    effect: Type.Optional(Effect),
    traits: Type.Optional(Traits),
    object: Type.Optional(named('The object when the text names none.', 'message')),
    mentions: Type.Optional(
      Type.Boolean({
        description: 'The verb talks about things (explain, describe): code in its sentence is not a request.',
        examples: [true],
      }),
    ),
    weak: Type.Optional(
      Type.Boolean({
        description: 'The verb says little by itself (use, help): a later verb of the text leads.',
        examples: [true],
      }),
    ),
    verbs: verbs('The verbs in their base form.', ['archive', 'put away'], { maxItems: 500 }),
  },
  { ...closed, description: 'Verbs (or verb and particle, as in `set up`) of one class. Inflected forms are derived.' },
);

const Refinement = Type.Object(
  {
    verbs: verbs('The verbs that mean something else here.', ['send']),
    objects: Type.Optional(list(Word, 'The object phrase holds one of these nouns (singular).', ['money', 'payment'])),
    preposition: Type.Optional(list(Word, 'One of these words follows later in the clause.', ['from'])),
    action: ActionClass,
    effect: Type.Optional(Effect),
    traits: Type.Optional(Traits),
  },
  {
    ...closed,
    description: 'What the verbs mean beside such an object: `send` with `money` is a transfer. First match wins.',
  },
);

const Command = Type.Object(
  {
    command: Type.String({
      pattern: '^[a-z0-9][a-z0-9._+-]*( [a-z0-9-]+)*$',
      maxLength: 60,
      description: 'The command as it is typed.',
      examples: ['git push'],
    }),
    action: ActionClass,
    effect: Type.Optional(Effect),
    traits: Type.Optional(Traits),
    object: Type.Optional(named('The object when the command line names none.', 'branch')),
    domain: Type.Optional(named('The domain, whatever the object.', 'code')),
  },
  { ...closed, description: 'A shell command, with its subcommand where that decides (`git push`).' },
);

const Signal = Type.Object(
  {
    name: named('What the sequence is called.', 'ignore_instructions'),
    start: Type.Optional(Type.Boolean({ description: 'The first word must begin a sentence.', examples: [true] })),
    gap: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 8, description: 'Other words allowed between two steps.', examples: [3] }),
    ),
    strength: Type.Optional(
      Type.Enum([...SIGNAL_STRENGTHS], {
        description:
          'attack (when absent): enough alone. hint: two different ones are needed. pretext: a hint that is enough beside something destructive.',
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

export const LexiconSchema = Type.Object(
  {
    $schema: Type.Optional(
      Type.String({ description: 'Where editors find this schema.', examples: ['./schema/lexicon.schema.json'] }),
    ),
    description: Type.Optional(
      Type.String({ description: 'What this lexicon is for.', examples: ['The words of our warehouses.'] }),
    ),
    verbs: Type.Array(VerbGroup, {
      minItems: 1,
      description: 'The verbs, in groups of the same meaning.',
      examples: [[{ action: 'update', verbs: ['archive', 'put away'] }]],
    }),
    alsoNouns: list(Word, 'Verbs that are as often nouns: between clauses they need an object to count as verbs.', [
      'report',
    ]),
    refinements: Type.Array(Refinement, {
      description: 'What verbs mean beside certain objects; the first that fits counts.',
      examples: [[{ verbs: ['send'], objects: ['money'], action: 'transfer', traits: ['financial'] }]],
    }),
    commands: Type.Array(Command, {
      description: 'Commands of the shell.',
      examples: [[{ command: 'git push', action: 'update', domain: 'code' }]],
    }),
    domains: Type.Record(Name, list(Word, 'Nouns (singular) of this domain.', ['invoice', 'refund']), {
      description: 'Domain name to its nouns. A noun belongs to one domain.',
      examples: [{ payments: ['invoice', 'refund'] }],
    }),
    defaultDomain: named('The domain of nouns that belong to none.', 'general'),
    synonyms: Type.Record(Word, Name, {
      description: 'Noun to the noun that stands for it in a normalized intent.',
      examples: [{ bill: 'invoice' }],
    }),
    irregularPlurals: Type.Record(Word, Word, {
      description: 'Plural to singular; a word mapped to itself never changes.',
      examples: [{ people: 'person', news: 'news' }],
    }),
    dataClasses: Type.Object(
      Object.fromEntries(
        DATA_CLASSES.map((name) => [name, list(Phrase, `Phrases that name ${name} data.`, DATA_CLASS_EXAMPLES[name])]),
      ) as Record<(typeof DATA_CLASSES)[number], Type.TArray<typeof Phrase>>, // one entry for each name
      {
        ...closed,
        description: 'The phrases by which classes of sensitive data are known.',
        examples: [DATA_CLASS_EXAMPLES],
      },
    ),
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
    internalHosts: list(
      Type.String({ maxLength: 253 }),
      'Hosts and mail domains of the organisation; a leading dot takes in all below it.',
      ['example.com', '.example.com'],
    ),
    privileged: list(Phrase, 'Phrases that speak of elevated rights.', ['admin', 'root access']),
    money: list(Phrase, 'Phrases that speak of moving money.', ['wire transfer']),
    external: list(Phrase, 'Phrases that say that something leaves the organisation.', ['public', 'third party']),
    irreversible: list(Phrase, 'Phrases that say that there is no way back.', ['permanently']),
    quantifiers: Type.Object(
      {
        all: list(Phrase, 'Everything there is.', ['all', 'every']),
        many: list(Phrase, 'More than one.', ['several']),
      },
      {
        ...closed,
        description: 'Phrases that say how many objects are touched.',
        examples: [{ all: ['all', 'every'], many: ['several'] }],
      },
    ),
    politePrefixes: list(Phrase, 'Phrases after which the request itself begins.', ['could you', 'please']),
    negations: list(Phrase, 'Phrases that turn the following verb into something not to do.', ['do not', 'never']),
    compounds: list(Phrase, 'Compounds in which a verb is only part of a name: `kill switch`.', ['kill switch']),
    genericNouns: list(Word, 'Nouns that say nothing beside a more specific one: `data`, `details`.', ['data']),
    containerNouns: list(Word, 'Nouns whose `of` phrase is the real object: `list of users`.', ['list', 'copy']),
    fillers: list(Word, 'Adjectives and determiners that are no part of an object: `existing`, `specific`.', [
      'existing',
    ]),
    foreignWords: list(Word, 'Frequent function words of other languages, to notice a text that is not English.', [
      'nicht',
      'pour',
    ]),
    signals: Type.Array(Signal, {
      description: 'Sequences of words by which a text tries to take an agent over.',
      examples: [[{ name: 'ignore_instructions', gap: 3, steps: [['ignore'], ['instruction', 'rule']] }]],
    }),
    markers: list(
      Type.String({ minLength: 3, maxLength: 60 }),
      'Literal openings of forged messages, lower case: `<system>`.',
      ['<system>'],
    ),
  },
  {
    ...closed,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://custos.dev/schemas/lexicon.json',
    title: 'Custos lexicon',
    description: 'The words by which intents are read.',
  },
);

export type LexiconFile = Static<typeof LexiconSchema>;
