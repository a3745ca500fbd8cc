// The typed vocabulary: every fact and path that a condition may name, with its type, unit and meaning, and the look-up of a path.
import {
  ACTIONS,
  AGENT_STATUSES,
  DATA_CLASSES,
  EFFECTS,
  ENVIRONMENTS,
  INTENT_FLAGS,
  RISK_LEVELS,
  SECOND_READINGS,
  EXTENTS,
  TRAITS,
  VERDICTS,
} from '../../kernel/vocabulary.ts';
import { nearestName } from '../../kernel/near.ts';
import { ATTRIBUTE_NAME } from '../attributes/schema.ts';
import { ANNOTATION_HINTS } from '../tools/call.ts';
import type { Declarations } from './declarations.ts';
import type { PolicyStage } from '../../kernel/vocabulary.ts';

/** `strings`, `resources` and `money` are lists; `minutes` counts from midnight UTC; `unknown` is a value of any type from the caller. */
export type FactType =
  | 'string'
  | 'number'
  | 'boolean'
  | 'strings'
  | 'timestamp'
  | 'minutes'
  | 'resource'
  | 'resources'
  | 'money'
  | 'address'
  | 'unknown';

export interface VocabularyEntry {
  readonly fact: string;
  /** Dotted path through own properties; absent when the fact is a plain value. */
  readonly path?: string;
  readonly type: FactType;
  /** The closed list of allowed values, also for each member of a list. */
  readonly values?: readonly string[];
  readonly unit?: string;
  readonly description: string;
  /** Not readable at stage `intake`, because policies of that stage compute it. */
  readonly notAtIntake?: true;
  /** Names a single object. A request for a pattern covers many objects, so the value counts as missing. */
  readonly openInPattern?: true;
  /** Declared by attributes.json of the set; a value that contradicts the declaration counts as missing. */
  readonly isDeclared?: true;
  /** Only keys with one of these tags may set the value; from other keys it counts as missing. */
  readonly onlyFrom?: readonly string[];
}

type Described = Omit<VocabularyEntry, 'fact' | 'path'>;

/** The entries of one fact, from its paths. */
function paths(fact: string, described: Readonly<Record<string, Described>>): VocabularyEntry[] {
  return Object.entries(described).map(([path, entry]) => ({ fact, path, ...entry }));
}

const text = (description: string): Described => ({ type: 'string', description });
const texts = (description: string): Described => ({ type: 'strings', description });
const flag = (description: string): Described => ({ type: 'boolean', description });
const number = (unit: string, description: string): Described => ({ type: 'number', unit, description });
const oneOf = (values: readonly string[], description: string): Described => ({ type: 'string', values, description });
const someOf = (values: readonly string[], description: string): Described => ({
  type: 'strings',
  values,
  description,
});

const WINDOWS = { last_60s: '60 seconds', last_1h: 'hour', last_24h: '24 hours' };
const COUNTS = Object.entries(WINDOWS).flatMap(([window, words]) =>
  VERDICTS.map((verdict) => [
    `${window}.${verdict}`,
    number(
      'decisions',
      `${verdict} decisions of this agent in the last ${words}, at most 1 s old: an alarm, not a quota`,
    ),
  ]),
);
const HINTS = ANNOTATION_HINTS.map((hint) => [
  `annotations.${hint}`,
  flag(`the hint ${hint} that the server gives about its own tool`),
]);

export const VOCABULARY: readonly VocabularyEntry[] = [
  ...paths('intent', {
    normalized: {
      ...text('the normalized intent, <domain>.<action>.<object>; missing when the request is a pattern'),
      openInPattern: true,
    },
    domain: { ...text('the first part of the normalized intent'), openInPattern: true },
    action: oneOf(ACTIONS, 'the action class'),
    verb: text("the caller's own verb in its base form, such as drop"),
    object: {
      ...text('the noun phrase that is acted on, singular; missing when the request is a pattern'),
      openInPattern: true,
    },
    resource: { type: 'resource', description: 'the canonical resource, without the action' },
    places: { type: 'resources', description: 'what the text locates the object in, each a canonical resource' },
    effect: oneOf(EFFECTS, 'the side effect'),
    traits: someOf(TRAITS, 'what else is true of the action'),
    extent: oneOf(EXTENTS, 'how many objects are touched'),
    confidence: number('0..1', 'how sure the parser is'),
    coverage: number('0..1', 'which share of the text the reading accounts for; 1 for strings and tool calls'),
    depth: number(
      'segments',
      'how many segments of the resource are named: 1 for db/*, 2 for db/customers and for db/customers/*',
    ),
    parsed: flag(
      'whether a parse by this agent, at most 15 minutes old, stands behind the request, named by its intent_id or not',
    ),
    second_reading: oneOf(
      SECOND_READINGS,
      'what the second reader made of the parses; missing without one, and when it was not asked. Test isPresent first',
    ),
    harmless: flag(
      'true when the learned weights are sure that no part of the text does harm; otherwise missing, and without a parse named by intent_id. Test isPresent',
    ),
    data_classes: someOf(DATA_CLASSES, 'classes of sensitive data that are involved'),
    flags: someOf(INTENT_FLAGS, 'what is suspicious or unusual about the text'),
    'entities.emails': texts('e-mail addresses in the text'),
    'entities.urls': texts('URLs in the text'),
    'entities.hosts': texts('host names in the text'),
    'entities.money': { type: 'money', description: 'sums of money in the text' },
    'entities.paths': texts('file paths in the text'),
    'entities.identifiers': texts('identifiers in the text'),
    'risk.level': { ...oneOf(RISK_LEVELS, 'low below 400, medium below 700, else high'), notAtIntake: true },
    'risk.score': { ...number('0..1000', 'the sum over the risk factors'), notAtIntake: true },
  }),
  ...paths('agent', {
    id: text("the agent's id"),
    registered: flag('whether somebody registered the agent'),
    status: oneOf([...AGENT_STATUSES, 'UNREGISTERED'], 'the status of the agent'),
    capabilities: texts('the capabilities the agent was registered with'),
    tags: texts('the tags the agent was registered with'),
  }),
  ...paths('resource', {
    'attributes.class': text('the class of the resource, by its entry in the registry of resources'),
    'attributes.owner': text('the owner of the resource, by its entry in the registry of resources'),
  }),
  ...paths('trust', {
    level: number('0..7', 'the effective trust level: of the lower of recorded and claimed score'),
    score: number('0..1000', 'the effective trust score'),
    uncertainty: number('0..1', 'how little evidence there is; 1 is none'),
    'recorded.level': number('0..7', 'the recorded trust level'),
    'recorded.score': number('0..1000', 'the recorded trust score'),
    'claimed.level': number('0..7', 'the claimed trust level; missing when nothing was claimed'),
    'claimed.score': number('0..1000', 'the claimed trust score; missing when nothing was claimed'),
  }),
  ...paths('key', {
    id: text('the id of the API key that asks'),
    bound: flag('whether the key is bound to agents'),
    environment: oneOf(ENVIRONMENTS, 'the environment of the key'),
    tags: texts('the tags the key was made with'),
  }),
  ...paths('client', {
    address: {
      type: 'address',
      description:
        'the IP address that the request came from, which the rate limit uses too; of a queued intent, that of its submission',
    },
  }),
  ...paths('tool', {
    present: flag('whether the question is a tool call; the other facts of the tool are missing when it is not'),
    server: text('the server of the tool, as its catalogue names it'),
    name: text('the name of the tool'),
    known: flag('whether a catalogue says what the call does; no ALLOW matches a call that is not known'),
    changed: flag('whether the catalogue pins another definition of the tool; no ALLOW matches such a call'),
    ...Object.fromEntries(HINTS),
    'annotations.title': text('the title that the server gives its tool'),
  }),
  ...paths('time', {
    now: { type: 'timestamp', description: 'the time of the evaluation, RFC 3339 UTC' },
    date: text('the date of the evaluation, YYYY-MM-DD, UTC'),
    hour: number('0..23', 'the hour, UTC'),
    minute_of_day: { type: 'minutes', unit: '0..1439', description: 'minutes since midnight, UTC' },
    weekday: number('1 (Monday) .. 7', 'the day of the week, UTC'),
  }),
  ...paths('history', Object.fromEntries(COUNTS)),
  ...paths('organisation', { slug: text('the organisation that asks') }),
  { fact: 'environment', ...oneOf(ENVIRONMENTS, 'the environment that is asked about') },
];

const CONTEXT: Omit<VocabularyEntry, 'path'> = {
  fact: 'context',
  type: 'unknown',
  description: "a member of the caller's own context",
};
/** Paths below `context`: dotted, with plain member names. */
export const CONTEXT_PATH = /^[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){0,7}$/;

/** Paths below `agent` and `resource` that attributes.json declares. */
export const ATTRIBUTE_PATH = new RegExp(`^attributes\\.${ATTRIBUTE_NAME.source.slice(1)}`);
/** The facts with declared attributes. */
export const WITH_ATTRIBUTES: readonly string[] = ['agent', 'resource'];

const ARGUMENT: Omit<VocabularyEntry, 'path'> = {
  fact: 'tool',
  type: 'unknown',
  description: 'an argument of the call; a name with [] goes into each item of a list, and any of them may hold',
};
/** The prefix of the paths below `tool.arguments`. */
export const ARGUMENTS = 'arguments.';
/** Paths below `tool.arguments`: dotted, with plain member names; `items[].price` for the items of a list. */
export const ARGUMENT_PATH = /^arguments(?:\.[A-Za-z0-9_$@-]{1,64}(?:\[\])?){1,16}$/;

export const FACT_NAMES: readonly string[] = [...new Set(VOCABULARY.map((entry) => entry.fact)), 'context'];

const byPath = new Map(VOCABULARY.map((entry) => [fullPath(entry.fact, entry.path), entry]));

/** Joins fact and path: `trust` and `level` give `trust.level`; a fact without a path is its own full path. */
export function fullPath(fact: string, path: string | undefined): string {
  return path === undefined ? fact : `${fact}.${path}`;
}

/** Explains a path that another rule engine would accept as an expression. */
function pathNote(path: string): string {
  return /[$[\]()*?@]/.test(path)
    ? '; a path is a dotted list of member names, no JSONPath: nothing in a policy is run as an expression'
    : '';
}

function unknownFact(fact: string): string {
  const whole = byPath.get(fact);
  const written = JSON.stringify(fact.slice(0, 100));
  if (whole?.path !== undefined)
    return `there is no fact ${written}; write it as "fact": "${whole.fact}", "path": "${whole.path}"`;
  const near = nearestName(fact, FACT_NAMES) ?? nearestName(fact, [...byPath.keys()]);
  return `there is no fact ${written}${near === undefined ? '' : `; did you mean "${near}"?`}; known are ${FACT_NAMES.join(', ')}`;
}

/** A path below a declared member of the context, which is a plain value. */
function belowDeclared(path: string, declarations: Declarations): string | undefined {
  const segments = path.split('.');
  const outer = segments
    .map((_, i) => segments.slice(0, i).join('.'))
    .find((part) => declarations.entryOf('context', part));
  return outer === undefined
    ? undefined
    : `context.${outer} is declared in attributes.json as a plain value, which has no members`;
}

function contextEntry(path: string | undefined, declarations: Declarations): VocabularyEntry | string {
  if (path === undefined) return 'the fact "context" needs a path';
  if (CONTEXT_PATH.test(path))
    return declarations.entryOf('context', path) ?? belowDeclared(path, declarations) ?? { ...CONTEXT, path };
  return `${JSON.stringify(path.slice(0, 200))} is not a dotted path of at most 8 member names${pathNote(path)}`;
}

const PREFIX = 'attributes.';

/** The message for an attribute that is not declared. */
function unknownAttribute(fact: string, path: string, known: readonly string[]): string {
  const names = known.filter((other) => other.startsWith(PREFIX)).map((other) => other.slice(PREFIX.length));
  // Without the prefix, which would make all of them alike.
  const near = nearestName(path.slice(PREFIX.length), names);
  const meant = near === undefined ? '' : `; did you mean "${fullPath(fact, `${PREFIX}${near}`)}"?`;
  const declared = names.length === 0 ? 'none' : names.join(', ');
  return `attributes.json declares no ${fullPath(fact, path)}${meant}; declared are ${declared}`;
}

/** The message for a path that a fact does not have. */
function unknownPath(fact: string, path: string | undefined, declarations: Declarations): string {
  const written = JSON.stringify(path?.slice(0, 200));
  if (fact === 'tool' && path?.startsWith('arguments') === true)
    return `${written} is not "arguments" and a dotted path of at most 16 member names, each perhaps with [] for the items of a list${pathNote(path.replaceAll('[]', ''))}`;
  const known = [...VOCABULARY, ...declarations.entries]
    .filter((other) => other.fact === fact)
    .flatMap((other) => other.path ?? []);
  if (known.length === 0 && !WITH_ATTRIBUTES.includes(fact))
    return `the fact "${fact}" has no paths${path === undefined ? '' : ': leave "path" out'}`;
  if (path === undefined) return `the fact "${fact}" needs a path; known are ${known.join(', ')}`;
  if (WITH_ATTRIBUTES.includes(fact) && ATTRIBUTE_PATH.test(path)) return unknownAttribute(fact, path, known);
  const near = nearestName(path, known);
  const meant = near === undefined ? pathNote(path) : `; did you mean "${fullPath(fact, near)}"?`;
  return `the fact "${fact}" has no path ${written}${meant}; known are ${known.join(', ')}`;
}

/** Returns the entry of a fact and path, or a message that says why there is none. */
export function lookUp(
  fact: string,
  path: string | undefined,
  stage: PolicyStage,
  declarations: Declarations,
): VocabularyEntry | string {
  if (!FACT_NAMES.includes(fact)) return unknownFact(fact);
  if (fact === 'context') return contextEntry(path, declarations);
  if (fact === 'tool' && path !== undefined && ARGUMENT_PATH.test(path)) return { ...ARGUMENT, path };
  const declared = path === undefined ? undefined : declarations.entryOf(fact, path);
  const entry = declared ?? byPath.get(fullPath(fact, path));
  if (entry === undefined) return unknownPath(fact, path, declarations);
  if (entry.notAtIntake === true && stage === 'intake') {
    return `${fullPath(fact, path)} is computed by policies of stage intake, which can't look at it`;
  }
  return entry;
}

/** The fixed entry of a full path such as `trust.level`; undefined for paths with declared or caller-chosen names. */
export const fixedEntry = (path: string): VocabularyEntry | undefined => byPath.get(path);
