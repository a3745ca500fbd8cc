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
  Kinds,
  list,
  Name,
  object,
  oneOf,
  Phrase,
  record,
  rows,
  Slug,
  slots,
  Word,
} from './parts.ts';
import { PhrasingsSchema } from './phrasings.ts';
import { SettingKinds, Settings } from './settings.ts';

const STRENGTHS = ['attack', 'hint', 'trace', 'pretext'] as const;
export type Strength = (typeof STRENGTHS)[number];

const verbs = (limits: { readonly maxItems?: number } = {}) =>
  rows(Phrase, { uniqueItems: true, minItems: 1, ...limits });

/** A verb group of an organisation, without the members that control a verb's place in sentences. */
const OwnVerbGroup = object('ownVerbGroup', { ...DOING, object: Type.Optional(Name), verbs: verbs({ maxItems: 500 }) });

const VerbGroup = object('verbGroup', { ...OwnVerbGroup.properties, mentions: flag, weak: flag });

const Refinement = object('refinement', {
  verbs: verbs(),
  objects: Type.Optional(list(Word)),
  preposition: Type.Optional(list(Word)),
  ...DOING,
});

const Signal = object('signal', {
  name: Name,
  start: flag,
  gap: count(0, 8),
  strength: Type.Optional(oneOf(STRENGTHS)),
  steps: rows(Type.With(list(Word), { description: 'Words of which one must stand here.' }), {
    minItems: 1,
    maxItems: 8,
  }),
});

/** Words that are equivalent for a rule. */
const WordKind = object('wordKind', {
  description: Type.Optional(Type.String()),
  verbs: Type.Optional(list(Word)),
  words: Type.Optional(list(KindWord)),
  kinds: Type.Optional(rows(Name, { uniqueItems: true })),
  misspelt: flag,
});

const Frame = object('frame', {
  name: Name,
  strength: Type.Optional(oneOf(STRENGTHS)),
  within: count(1, 20),
  ordered: flag,
  address: flag,
  slots: slots('Kinds of which one word must be there.'),
  unless: Type.Optional(Kinds),
});

const Place = object('place', { place: Name, words: list(Phrase) });

/** The members that the installation and each organisation may have; all are required for the installation. */
const WORDS = described('words', {
  alsoNouns: list(Word),
  refinements: rows(Refinement),
  commands: rows(Command),
  domains: record(Name, Type.With(list(Word), { description: 'Nouns (singular) of this domain.' })),
  synonyms: record(Word, Name),
  irregularPlurals: record(Word, Word),
  places: rows(Place),
  internalHosts: list(Host),
  privileged: list(Phrase),
  money: list(Phrase),
  external: list(Phrase),
  irreversible: list(Phrase),
});

const CLASSES = { credentials: list(Phrase), pii: list(Phrase), financial: list(Phrase), health: list(Phrase) };

/** The words that one organisation adds to those of the installation. */
export const OrganisationWords = object('organisation', {
  description: Type.Optional(Type.String()),
  verbs: Type.Optional(rows(OwnVerbGroup)),
  ...Type.Partial(Type.Object(WORDS)).properties,
  dataClasses: Type.Optional(object('dataClasses', Type.Partial(Type.Object(CLASSES)).properties)),
});

export const LexiconSchema = object(
  'lexicon',
  {
    $schema: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    verbs: rows(VerbGroup, { minItems: 1 }),
    ...WORDS,
    commandVerbs: Type.Optional(CommandVerbs),
    commandNouns: Type.Optional(CommandNouns),
    sameCommands: Type.Optional(SameCommands),
    emptying: Type.Optional(Emptying),
    disabling: Type.Optional(Emptying),
    settings: Type.Optional(Settings),
    settingKinds: Type.Optional(SettingKinds),
    codeWords: Type.Optional(CodeWordsSchema),
    programs: Type.Optional(ProgramsSchema),
    defaultDomain: Name,
    dataClasses: object('dataClasses', CLASSES),
    quantifiers: object('quantifiers', { all: list(Phrase), many: list(Phrase) }),
    politePrefixes: list(Phrase),
    negations: list(Phrase),
    compounds: list(Phrase),
    genericNouns: list(Word),
    containerNouns: list(Word),
    fillers: list(Word),
    foreignWords: list(Word),
    signals: rows(Signal),
    wordKinds: Type.Optional(record(Name, WordKind)),
    frames: Type.Optional(rows(Frame)),
    languages: Type.Optional(LanguagesSchema),
    functionWords: Type.Optional(list(Word)),
    clauseOpeners: Type.Optional(list(Word)),
    commonWords: Type.Optional(list(Word)),
    spelledRight: Type.Optional(list(Word)),
    phrasings: Type.Optional(PhrasingsSchema),
    destructiveWords: Type.Optional(object('destructiveWords', { verbs: list(Phrase), others: list(Word) })),
    markers: list(Type.String({ minLength: 3, maxLength: 60 })),
    learned: Type.Optional(Learned),
    harm: Type.Optional(HarmSchema),
    assessment: Type.Optional(AssessmentSchema),
    organisations: Type.Optional(record(Slug, OrganisationWords)),
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
