// The schema of the files of policies/lexicon/: the words by which intents are parsed, as data that policy authors extend.
import Type, { type Static } from 'typebox';
import { AssessmentSchema } from './assessment.ts';
import { CodeWordsSchema } from './code-words.ts';
import { ProgramsSchema } from './programs.ts';
import { Command, CommandNouns, CommandVerbs, Emptying, SameCommands } from './commands.ts';
import { HarmSchema } from './harm.ts';
import { LanguagesSchema } from './languages.ts';
import { Learned } from './learned.ts';
import {
  count,
  described,
  DOING,
  flag,
  Host,
  KindWord,
  kinds,
  list,
  Name,
  named,
  object,
  oneOf,
  Phrase,
  record,
  rows,
  shown,
  Slug,
  slots,
  Word,
} from './parts.ts';
import { PhrasingsSchema } from './phrasings.ts';
import { Settings } from './settings.ts';

const STRENGTHS = ['attack', 'hint', 'trace', 'pretext'] as const;
export type Strength = (typeof STRENGTHS)[number];

const verbs = (example: readonly string[], limits: { readonly maxItems?: number } = {}) =>
  rows(Phrase, example, { uniqueItems: true, minItems: 1, ...limits });

/** A verb group of an organisation, without the members that control a verb's place in sentences. */
const OwnVerbGroup = object('ownVerbGroup', {
  ...DOING,
  object: Type.Optional(named('message')),
  verbs: verbs(['archive', 'put away'], { maxItems: 500 }),
});

const VerbGroup = object('verbGroup', { ...OwnVerbGroup.properties, mentions: flag, weak: flag });

const Refinement = object('refinement', {
  verbs: verbs(['send']),
  objects: Type.Optional(list(Word, ['money', 'payment'])),
  preposition: Type.Optional(list(Word, ['from'])),
  ...DOING,
});

const Signal = object('signal', {
  name: named('ignore_instructions'),
  start: flag,
  gap: count(0, 8, 3),
  strength: Type.Optional(oneOf(STRENGTHS, 'hint')),
  steps: rows(
    Type.With(list(Word, ['ignore', 'disregard']), { description: 'Words of which one must stand here.' }),
    [
      ['ignore', 'disregard'],
      ['instruction', 'rule'],
    ],
    { minItems: 1, maxItems: 8 },
  ),
});

/** Words that are equivalent for a rule. */
const WordKind = object('wordKind', {
  description: Type.Optional(shown(Type.String(), 'Words for orders.')),
  verbs: Type.Optional(list(Word, ['ignore', 'forget'])),
  words: Type.Optional(list(KindWord, ['instructions', 'anweisungen', 'back up'])),
  kinds: Type.Optional(rows(Name, ['discard'], { uniqueItems: true })),
  misspelt: flag,
});

const Frame = object('frame', {
  name: named('ignore_instructions'),
  strength: Type.Optional(oneOf(STRENGTHS, 'hint')),
  within: count(1, 20, 8),
  ordered: flag,
  address: flag,
  slots: slots('Kinds of which one word must be there.', ['discard'], [['discard'], ['rules'], ['prior', 'your']]),
  unless: Type.Optional(kinds(['topic'])),
});

const Place = object('place', {
  place: named('production'),
  words: list(Phrase, ['production', 'prod', 'live system']),
});

/** The members that the installation and each organisation may have; all are required for the installation. */
const WORDS = described('words', {
  alsoNouns: list(Word, ['report']),
  refinements: rows(Refinement, [{ verbs: ['send'], objects: ['money'], action: 'transfer', traits: ['financial'] }]),
  commands: rows(Command, [{ command: 'git push', action: 'update', domain: 'code' }]),
  domains: record(
    Name,
    Type.With(list(Word, ['invoice', 'refund']), { description: 'Nouns (singular) of this domain.' }),
    { payments: ['invoice', 'refund'] },
  ),
  synonyms: record(Word, Name, { bill: 'invoice' }),
  irregularPlurals: record(Word, Word, { people: 'person', news: 'news' }),
  places: rows(Place, [{ place: 'production', words: ['production', 'prod'] }]),
  internalHosts: list(Host, ['example.com', '.example.com']),
  privileged: list(Phrase, ['admin', 'root access']),
  money: list(Phrase, ['wire transfer']),
  external: list(Phrase, ['public', 'third party']),
  irreversible: list(Phrase, ['permanently']),
});

const CLASS_EXAMPLES = {
  credentials: ['password', 'api key'],
  pii: ['home address'],
  financial: ['bank account'],
  health: ['patient record'],
};
const CLASSES = {
  credentials: list(Phrase, CLASS_EXAMPLES.credentials),
  pii: list(Phrase, CLASS_EXAMPLES.pii),
  financial: list(Phrase, CLASS_EXAMPLES.financial),
  health: list(Phrase, CLASS_EXAMPLES.health),
};
const OF_CLASSES = { examples: [CLASS_EXAMPLES] };

/** The words that one organisation adds to those of the installation. */
export const OrganisationWords = object('organisation', {
  description: Type.Optional(shown(Type.String(), 'The words of the railway.')),
  verbs: Type.Optional(rows(OwnVerbGroup, [{ action: 'delete', verbs: ['archive', 'derail'] }])),
  ...Type.Partial(Type.Object(WORDS)).properties,
  dataClasses: Type.Optional(object('dataClasses', Type.Partial(Type.Object(CLASSES)).properties, OF_CLASSES)),
});

const optionalList = (item: Type.TString, example: readonly string[]) => Type.Optional(list(item, example));

export const LexiconSchema = object(
  'lexicon',
  {
    $schema: Type.Optional(shown(Type.String(), './schema/lexicon.schema.json')),
    description: Type.Optional(shown(Type.String(), 'The words of our warehouses.')),
    verbs: rows(VerbGroup, [{ action: 'update', verbs: ['archive', 'put away'] }], { minItems: 1 }),
    ...WORDS,
    commandVerbs: Type.Optional(CommandVerbs),
    commandNouns: Type.Optional(CommandNouns),
    sameCommands: Type.Optional(SameCommands),
    emptying: Type.Optional(Emptying),
    disabling: Type.Optional(Emptying),
    settings: Type.Optional(Settings),
    codeWords: Type.Optional(CodeWordsSchema),
    programs: Type.Optional(ProgramsSchema),
    defaultDomain: named('general'),
    dataClasses: object('dataClasses', CLASSES, OF_CLASSES),
    quantifiers: object(
      'quantifiers',
      { all: list(Phrase, ['all', 'every']), many: list(Phrase, ['several']) },
      { examples: [{ all: ['all', 'every'], many: ['several'] }] },
    ),
    politePrefixes: list(Phrase, ['could you', 'please']),
    negations: list(Phrase, ['do not', 'never']),
    compounds: list(Phrase, ['kill switch']),
    genericNouns: list(Word, ['data']),
    containerNouns: list(Word, ['list', 'copy']),
    fillers: list(Word, ['existing']),
    foreignWords: list(Word, ['nicht', 'pour']),
    signals: rows(Signal, [{ name: 'ignore_instructions', gap: 3, steps: [['ignore'], ['instruction', 'rule']] }]),
    wordKinds: Type.Optional(
      record(Name, WordKind, { discard: { verbs: ['ignore'] }, rules: { words: ['rule', 'rules'] } }),
    ),
    frames: Type.Optional(
      rows(Frame, [{ name: 'ignore_instructions', slots: [['discard'], ['rules'], ['prior', 'your']] }]),
    ),
    languages: Type.Optional(LanguagesSchema),
    functionWords: optionalList(Word, ['the', 'of']),
    clauseOpeners: optionalList(Word, ['and', 'which']),
    commonWords: optionalList(Word, ['monthly', 'name']),
    spelledRight: optionalList(Word, ['chaos']),
    phrasings: Type.Optional(PhrasingsSchema),
    destructiveWords: Type.Optional(
      object(
        'destructiveWords',
        { verbs: list(Phrase, ['delete']), others: list(Word, ['remote']) },
        { examples: [{ verbs: ['delete', 'wipe'], others: ['remote'] }] },
      ),
    ),
    markers: list(Type.String({ minLength: 3, maxLength: 60 }), ['<system>']),
    learned: Type.Optional(Learned),
    harm: Type.Optional(HarmSchema),
    assessment: Type.Optional(AssessmentSchema),
    organisations: Type.Optional(
      record(Slug, OrganisationWords, {
        'acme-rail': { domains: { trains: ['carriage'] }, internalHosts: ['.rail.example'] },
      }),
    ),
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://custos.dev/schemas/lexicon.json',
    title: 'Custos lexicon',
  },
);

/** The schema for editors: a file of the folder `lexicon` has some of the members. The merged document needs all that LexiconSchema requires. */
export const publishedLexiconSchema = (): object => ({ ...LexiconSchema, required: [] });

export type LexiconFile = Static<typeof LexiconSchema>;
export type OrganisationFile = Static<typeof OrganisationWords>;
