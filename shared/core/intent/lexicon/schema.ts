// The schema of the files of policies/lexicon/: the words by which intents are parsed, as data that policy authors extend.
import Type, { type Static } from 'typebox';
import { HarmSchema } from './harm.ts';
import { Learned } from './learned.ts';
import { CodeWordsSchema } from './code-words.ts';
import { Command, CommandNouns, CommandVerbs, Emptying, SameCommands } from './commands.ts';
import { ProgramsSchema } from './programs.ts';
import { Settings } from './settings.ts';
import {
  closed,
  DATA_CLASS_MEMBERS,
  DATA_CLASS_OPTIONS,
  Frame,
  list,
  Name,
  named,
  OwnVerbGroup,
  Phrase,
  record,
  Signal,
  Slug,
  VerbGroup,
  Word,
  WordKind,
  WORDS,
} from './parts.ts';
import { AssessmentSchema } from './assessment.ts';
import { LanguagesSchema } from './languages.ts';
import { PhrasingsSchema } from './phrasings.ts';

const { alsoNouns, refinements, ...others } = WORDS;
const words = {
  alsoNouns,
  refinements,
  commands: Type.Array(Command, {
    description: 'Commands of the shell.',
    examples: [[{ command: 'git push', action: 'update', domain: 'code' }]],
  }),
  ...others,
};

/** The words that one organisation adds to those of the installation. */
export const OrganisationWords = Type.Object(
  {
    description: Type.Optional(
      Type.String({ description: 'What these words are for.', examples: ['The words of the railway.'] }),
    ),
    verbs: Type.Optional(
      Type.Array(OwnVerbGroup, {
        description:
          'Verbs of its own, and verbs of the installation that mean more here. No verb may come to mean less: its effect and its traits stay, its class stays or becomes a graver one.',
        examples: [[{ action: 'delete', verbs: ['archive', 'derail'] }]],
      }),
    ),
    ...Type.Partial(Type.Object(words)).properties,
    dataClasses: Type.Optional(Type.Partial(Type.Object(DATA_CLASS_MEMBERS), DATA_CLASS_OPTIONS)),
  },
  { ...closed, description: 'Words of one organisation. They count for its requests only.' },
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
    ...words,
    commandVerbs: Type.Optional(CommandVerbs),
    commandNouns: Type.Optional(CommandNouns),
    sameCommands: Type.Optional(SameCommands),
    emptying: Type.Optional(Emptying),
    disabling: Type.Optional(Emptying),
    settings: Type.Optional(Settings),
    codeWords: Type.Optional(CodeWordsSchema),
    programs: Type.Optional(ProgramsSchema),
    defaultDomain: named('The domain of nouns that belong to none.', 'general'),
    dataClasses: Type.Object(DATA_CLASS_MEMBERS, DATA_CLASS_OPTIONS),
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
    wordKinds: Type.Optional(
      record(Name, WordKind, {
        description:
          'Words that are equivalent for the rules and frames of the reader, by name. The kind `not` negates.',
        examples: [{ discard: { verbs: ['ignore'] }, rules: { words: ['rule', 'rules'] } }],
      }),
    ),
    frames: Type.Optional(
      Type.Array(Frame, {
        description: 'What takes an agent over in whatever words: kinds of words that stand close together.',
        examples: [[{ name: 'ignore_instructions', slots: [['discard'], ['rules'], ['prior', 'your']] }]],
      }),
    ),
    languages: Type.Optional(LanguagesSchema),
    functionWords: Type.Optional(
      list(Word, 'Words without a meaning of their own: articles, prepositions, auxiliaries.', ['the', 'of']),
    ),
    clauseOpeners: Type.Optional(list(Word, 'Words that open a clause.', ['and', 'which'])),
    commonWords: Type.Optional(
      list(Word, 'Adjectives, adverbs and nouns that change nothing about what is requested.', ['monthly', 'name']),
    ),
    spelledRight: Type.Optional(
      list(Word, 'Words that are no typing mistakes, beside all others of the lexicon.', ['chaos']),
    ),
    phrasings: Type.Optional(PhrasingsSchema),
    destructiveWords: Type.Optional(
      Type.Object(
        {
          verbs: list(
            Phrase,
            'Verbs that destroy. Every form counts, also misspelt by one letter, wherever it stands.',
            ['delete'],
          ),
          others: list(Word, 'Words that look like a misspelt one, and are none.', ['remote']),
        },
        {
          ...closed,
          description: 'Words that raise the flag `destructive_words` when no request accounts for them.',
          examples: [{ verbs: ['delete', 'wipe'], others: ['remote'] }],
        },
      ),
    ),
    markers: list(
      Type.String({ minLength: 3, maxLength: 60 }),
      'Literal openings of forged messages, lower case: `<system>`.',
      ['<system>'],
    ),
    learned: Type.Optional(Learned),
    harm: Type.Optional(HarmSchema),
    assessment: Type.Optional(AssessmentSchema),
    organisations: Type.Optional(
      record(Slug, OrganisationWords, {
        description:
          'Slug of an organisation to words that count for its requests only, beside all others. Sentences are built alike everywhere: prefixes, negations, signals and frames are those of the installation.',
        examples: [{ 'acme-rail': { domains: { trains: ['carriage'] }, internalHosts: ['.rail.example'] } }],
      }),
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

/** The schema for editors: a file of the folder `lexicon` has some of the members. The merged document needs all that LexiconSchema requires. */
export const publishedLexiconSchema = (): object => ({ ...LexiconSchema, required: [] });

export type LexiconFile = Static<typeof LexiconSchema>;
export type OrganisationFile = Static<typeof OrganisationWords>;
