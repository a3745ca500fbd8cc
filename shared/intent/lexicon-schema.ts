// The shape of policies/lexicon.json: the words by which intents are read, as data that policy authors extend.
import Type, { type Static } from 'typebox';
import { ACTION_CLASSES, DATA_CLASSES, EFFECTS, TRAITS } from '../vocabulary.ts';

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
const list = <T extends Type.TSchema>(item: T, description: string) =>
  Type.Array(item, { uniqueItems: true, maxItems: 2_000, description });

const ActionClass = Type.Enum([...ACTION_CLASSES], { description: 'One of the nine action classes.' });
const Effect = Type.Enum([...EFFECTS], {
  description: 'Absent: read for `read`, destructive for `delete`, otherwise write.',
});
const Traits = Type.Array(Type.Enum([...TRAITS]), { uniqueItems: true });

const VerbGroup = Type.Object(
  {
    action: ActionClass,
    effect: Type.Optional(Effect),
    traits: Type.Optional(Traits),
    object: Type.Optional(Name),
    mentions: Type.Optional(
      Type.Boolean({
        description: 'The verb talks about things (explain, describe): code in its sentence is not a request.',
      }),
    ),
    weak: Type.Optional(
      Type.Boolean({ description: 'The verb says little by itself (use, help): a later verb of the text leads.' }),
    ),
    verbs: Type.Array(Phrase, { uniqueItems: true, minItems: 1, maxItems: 500 }),
  },
  { ...closed, description: 'Verbs (or verb and particle, as in `set up`) of one class. Inflected forms are derived.' },
);

const Refinement = Type.Object(
  {
    verbs: Type.Array(Phrase, { uniqueItems: true, minItems: 1 }),
    objects: Type.Optional(list(Word, 'The object phrase holds one of these nouns (singular).')),
    preposition: Type.Optional(list(Word, 'One of these words follows later in the clause.')),
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
    command: Type.String({ pattern: '^[a-z0-9][a-z0-9._+-]*( [a-z0-9-]+)*$', maxLength: 60 }),
    action: ActionClass,
    effect: Type.Optional(Effect),
    traits: Type.Optional(Traits),
    object: Type.Optional(Name),
    domain: Type.Optional(Name),
  },
  { ...closed, description: 'A shell command, with its subcommand where that decides (`git push`).' },
);

const Signal = Type.Object(
  {
    name: Name,
    start: Type.Optional(Type.Boolean({ description: 'The first word must begin a sentence.' })),
    gap: Type.Optional(Type.Integer({ minimum: 0, maximum: 8, description: 'Other words allowed between two steps.' })),
    steps: Type.Array(list(Word, 'Words of which one must stand here.'), { minItems: 1, maxItems: 8 }),
  },
  { ...closed, description: 'A sequence of words that is typical of text which tries to take an agent over.' },
);

export const LexiconSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    verbs: Type.Array(VerbGroup, { minItems: 1 }),
    alsoNouns: list(Word, 'Verbs that are as often nouns: between clauses they need an object to count as verbs.'),
    refinements: Type.Array(Refinement),
    commands: Type.Array(Command),
    domains: Type.Record(Name, list(Word, 'Nouns (singular) of this domain.'), {
      description: 'Domain name to its nouns. A noun belongs to one domain.',
    }),
    defaultDomain: Name,
    synonyms: Type.Record(Word, Name, { description: 'Noun to the noun that stands for it in a normalized intent.' }),
    irregularPlurals: Type.Record(Word, Word, {
      description: 'Plural to singular; a word mapped to itself never changes.',
    }),
    dataClasses: Type.Object(
      Object.fromEntries(DATA_CLASSES.map((name) => [name, list(Phrase, `Phrases that name ${name} data.`)])) as Record<
        (typeof DATA_CLASSES)[number],
        Type.TArray<typeof Phrase>
      >,
      closed,
    ),
    places: Type.Array(
      Type.Object({ place: Name, words: list(Phrase, 'How texts call it.') }, { ...closed, description: 'A place.' }),
    ),
    internalHosts: list(
      Type.String({ maxLength: 253 }),
      'Hosts and mail domains of the organisation; a leading dot takes in all below it.',
    ),
    privileged: list(Phrase, 'Phrases that speak of elevated rights.'),
    money: list(Phrase, 'Phrases that speak of moving money.'),
    external: list(Phrase, 'Phrases that say that something leaves the organisation.'),
    irreversible: list(Phrase, 'Phrases that say that there is no way back.'),
    quantifiers: Type.Object(
      { all: list(Phrase, 'Everything there is.'), many: list(Phrase, 'More than one.') },
      closed,
    ),
    politePrefixes: list(Phrase, 'Phrases after which the request itself begins.'),
    negations: list(Phrase, 'Phrases that turn the following verb into something not to do.'),
    compounds: list(Phrase, 'Compounds in which a verb is only part of a name: `kill switch`.'),
    genericNouns: list(Word, 'Nouns that say nothing beside a more specific one: `data`, `details`.'),
    containerNouns: list(Word, 'Nouns whose `of` phrase is the real object: `list of users`.'),
    fillers: list(Word, 'Adjectives and determiners that are no part of an object: `existing`, `specific`.'),
    foreignWords: list(Word, 'Frequent function words of other languages, to notice a text that is not English.'),
    signals: Type.Array(Signal),
    markers: list(
      Type.String({ minLength: 3, maxLength: 60 }),
      'Literal openings of forged messages, lower case: `<system>`.',
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
