// Reads strings that are normalized already: `domain.action.object`, or `action:resource`.
import { ACTION_CLASSES, type ActionClass, type DataClass, type Trait } from '../vocabulary.ts';
import { dataClassesOf, traitsOf } from './context.ts';
import { effectOfAction, type Lexicon, type VerbEntry } from './lexicon.ts';
import { singular } from './inflection.ts';
import { domainOf } from './request-object.ts';
import { plainWord } from './text.ts';
import type { ParsedIntent } from './types.ts';

const CLASSES: ReadonlySet<string> = new Set(ACTION_CLASSES);

/** What an action word says: one of the nine classes, `unknown`, or a finer verb of the lexicon. */
export type ActionWord = Pick<VerbEntry, 'verb' | 'effect' | 'traits'> & { readonly action: ActionClass | 'unknown' };

/** The reading of a word in action position, or undefined when it is neither a class nor a verb of the lexicon. */
export function actionOf(word: string, lexicon: Lexicon): ActionWord | undefined {
  if (word === 'unknown') return { verb: 'unknown', action: 'unknown', effect: 'write', traits: [] };
  const entry =
    lexicon.verbs.get(word) ??
    lexicon.verbs.get(word.replaceAll('_', ' ')) ??
    lexicon.verbs.get(word.replaceAll('_', '-'));
  if (CLASSES.has(word)) {
    // The nine classes are always understood, whatever a lexicon says of the words.
    const action = word as ActionClass; // checked by the set, which holds exactly the classes
    const traits: readonly Trait[] = entry?.action === action ? entry.traits : [];
    return { verb: word, action, effect: effectOfAction(action), traits };
  }
  return entry && !entry.weak ? entry : undefined;
}

/** Words of canonical segments, for lookups: `user_profile` and `user-profile` are two words each. */
const segmentWords = (segments: readonly string[]): string[] =>
  segments.flatMap((segment) => segment.split(/[^\p{L}\p{N}]+/u)).filter((word) => word !== '');

/** A segment as the lexicon may name it: below its domain (`db live`), and at the end as a file or a field (`file env`). */
function namesOfSegment(segments: readonly string[], at: number, lexicon: Lexicon): string[] {
  const [first = ''] = segments;
  const name = segmentWords([segments[at] ?? '']).join(' ');
  const domain = lexicon.domainOfNoun.get(singular(first, lexicon.plurals)) ?? first;
  return [
    ...(at > 0 ? [`${domain} ${name}`] : []),
    ...(at === segments.length - 1 ? [`file ${name}`, `field ${name}`] : []),
  ];
}

/** Data classes that a resource names, by its words and by where they stand. */
function dataClassesOfSegments(segments: readonly string[], words: readonly string[], lexicon: Lexicon): DataClass[] {
  const found = new Set(dataClassesOf(words, lexicon));
  for (const at of segments.keys()) {
    for (const name of namesOfSegment(segments, at, lexicon)) {
      const dataClass = lexicon.dataClasses.get(name);
      if (dataClass !== undefined) found.add(dataClass);
    }
  }
  return [...found].sort();
}

/** Most places of a resource, so that no spelling makes a long list of long texts; every place's own name stays. */
const MAX_PLACES = 8;

/** Places below which the resource lies: the prefix that ends at the first mention of each, in every spelling it has. */
function placesOfSegments(segments: readonly string[], lexicon: Lexicon, plain: (word: string) => string): string[] {
  const prefixes = new Set<string>();
  const names = new Set<string>();
  for (const [at, segment] of segments.entries()) {
    const words = segmentWords([segment]).map(plain);
    const named = [words.join(' '), ...namesOfSegment(segments, at, lexicon)].map((name) => lexicon.places.get(name));
    for (const place of new Set([...lexicon.places.findAll(words), ...named])) {
      if (place === undefined || names.has(place)) continue;
      names.add(place);
      const above = segments.slice(0, at);
      prefixes.add([...above, segment].join('/'));
      prefixes.add([...above, place].join('/'));
    }
  }
  const room = Math.max(0, MAX_PLACES - names.size);
  return [...new Set([...[...prefixes].slice(0, room), ...names])];
}

/**
 * The parse of an action word and the canonical segments of a resource, such as `['db', 'production', 'users']`. A last
 * segment `*` means all there is below. An action word that nobody knows gives action `unknown`, never an error.
 */
export function readNormalized(
  { actionWord, segments }: { actionWord: string; segments: readonly string[] },
  lexicon: Lexicon,
): ParsedIntent {
  const reading = actionOf(actionWord, lexicon) ?? { verb: 'unknown', action: 'unknown', effect: 'write', traits: [] };
  const [first = 'unknown', ...rest] = segments;
  const wildcard = segments.at(-1) === '*';
  const named = segments.filter((segment) => segment !== '*');
  let disguised = false;
  const isKnown = (word: string): boolean =>
    lexicon.places.get(word) !== undefined ||
    lexicon.dataClasses.get(word) !== undefined ||
    lexicon.domainOfNoun.has(singular(word, lexicon.plurals)) ||
    lexicon.verbs.has(word);
  const plain = (word: string): string => {
    const read = plainWord(word, isKnown);
    disguised ||= read.disguised;
    return read.text;
  };
  const words = segmentWords(named).map(plain);
  const traits = new Set<Trait>([...reading.traits, ...traitsOf(words, lexicon)]);
  if (wildcard && reading.effect !== 'read') traits.add('bulk');
  const known = reading.action !== 'unknown';
  return {
    normalized: [first, reading.action, ...rest].join('.'),
    domain: first === '*' ? domainOf([], lexicon) : first,
    action: reading.action,
    verb: reading.verb,
    object: named.at(-1) ?? '*',
    places: placesOfSegments(named, lexicon, plain),
    effect: reading.effect,
    traits: [...traits].sort(),
    extent: wildcard ? 'all' : 'one',
    confidence: !known ? 0.1 : reading.verb === reading.action ? 1 : 0.95,
    alternatives: [],
    entities: { emails: [], urls: [], hosts: [], money: [], paths: [], identifiers: [] },
    data_classes: dataClassesOfSegments(named, words, lexicon),
    flags: [...(known ? [] : (['not_understood'] as const)), ...(disguised ? (['obfuscated'] as const) : [])],
  };
}

const SEGMENT = /^[\p{L}\p{N}_*-]{1,256}$/u;

/**
 * The parse of `domain.action.object` (any number of dotted parts) or `action:resource`; undefined for a text that is
 * neither. Its own `normalized` is read back as it is.
 */
export function parseNormalized(text: string, lexicon: Lexicon): ParsedIntent | undefined {
  if (text.length > 2_048) return undefined;
  const lower = text.toLowerCase();
  const colon = lower.indexOf(':');
  const parts = (colon < 0 ? lower : lower.slice(colon + 1))
    .split(colon < 0 ? '.' : /[/\\:.]+/)
    .filter((part, at) => colon < 0 || part !== '' || at < 0);
  const valid =
    parts.length > 0 &&
    parts.every(
      (part, at) =>
        SEGMENT.test(part) &&
        (!part.includes('*') || (part === '*' && (at === parts.length - 1 || (at === 0 && parts.length === 2)))),
    );
  if (!valid) return undefined;
  if (colon >= 0) {
    const actionWord = lower.slice(0, colon);
    return actionOf(actionWord, lexicon) ? readNormalized({ actionWord, segments: parts }, lexicon) : undefined;
  }
  const [domain, actionWord, ...rest] = parts;
  if (domain === undefined || actionWord === undefined || !actionOf(actionWord, lexicon)) return undefined;
  return readNormalized({ actionWord, segments: [domain, ...rest] }, lexicon);
}
