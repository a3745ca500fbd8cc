// The segments of a resource in a normalized string: their words, the objects, data classes and places that they name.
import type { DataClass } from '../../../kernel/vocabulary.ts';
import { dataClassesOf, placesOf } from '../grammar/context.ts';
import { singular } from '../lexicon/inflection.ts';
import { oncePerLexicon } from '../lexicon/remember.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { type KnownWords, segmentAsItLooks } from '../text/look-alikes.ts';
import { CLASSES } from './action-word.ts';

/** Words of canonical segments, for look-ups: `user_profile` and `user-profile` are two words each. */
export const segmentWords = (segments: readonly string[]): string[] =>
  segments.flatMap((segment) =>
    ONE_WORD.test(segment) ? segment : segment.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ''),
  );
const ONE_WORD = /^[a-z0-9]+$/;

/**
 * The phrases under which the lexicon may list a segment: after its domain (`db live`), and for the last one as a file or a field (`file
 * env`).
 */
function namesOfSegment(segments: readonly string[], at: number, lexicon: Lexicon): string[] {
  const [first = ''] = segments;
  const name = segmentWords([segments[at] ?? '']).join(' ');
  const domain = lexicon.domainOfNoun.get(singular(first, lexicon.plurals)) ?? first;
  return [
    ...(at > 0 ? [`${domain} ${name}`] : []),
    ...(at === segments.length - 1 ? [`file ${name}`, `field ${name}`] : []),
  ];
}

/** The segments of a resource and their words, in one interpretation of their letters. */
export interface Spelling {
  readonly segments: readonly string[];
  readonly words: readonly (readonly string[])[];
}

/** The words of a resource alone, and after a verb that is not a plain class: `send pin`, but also `hard delete`. */
export const withVerb = (verbWords: readonly string[], words: readonly string[]): (readonly string[])[] =>
  verbWords.length === 1 && CLASSES.has(verbWords[0] ?? '') ? [words] : [words, [...verbWords, ...words]];

/** Data classes that a resource names, by its words and by their position. */
export function dataClassesOfSegments(
  { segments, words }: Spelling,
  verbWords: readonly string[],
  lexicon: Lexicon,
): DataClass[] {
  const all = words.flat();
  // `pass_word`: also looks up the segment as one word.
  const joined = words.flatMap((parts) => (parts.length > 1 ? [parts.join('')] : []));
  const found = [
    ...withVerb(verbWords, all).flatMap((list) => dataClassesOf(list, lexicon)),
    ...joined.flatMap((word) => lexicon.dataClasses.get(word) ?? []),
    ...segments
      .flatMap((_, at) => namesOfSegment(segments, at, lexicon))
      .flatMap((name) => lexicon.dataClasses.get(name) ?? []),
  ];
  return [...new Set(found)];
}

/** The largest number of places of a resource, so that no spelling produces a long list of long texts; each place's own name is kept. */
const MAX_PLACES = 8;

/**
 * Places that contain the resource: the prefix that ends at the first mention of each, in every spelling. A resource with look-alike
 * letters also lies in the place that it looks like, so that a rule that protects the place applies.
 */
export function placesOfSegments(
  { segments }: Spelling,
  looks: Spelling,
  { verbWords, wildcard }: { verbWords: readonly string[]; wildcard: boolean },
  lexicon: Lexicon,
): string[] {
  const whole = looks.segments.join('/');
  const isOther = whole !== '' && whole !== segments.join('/');
  // For a pattern, everything that it looks like: a DENY for a part of it counts.
  const prefixes = new Set<string>(isOther ? [wildcard ? `${whole}/*` : whole] : []);
  const all = [...verbWords, ...looks.words.flat()];
  const names = new Set<string>(placesOf(all, segments[0] ?? '', lexicon));
  const mentioned = new Set<string>();
  for (const [at, segment] of segments.entries()) {
    const words = looks.words[at] ?? [];
    const named = [words.join(' '), words.join(''), ...namesOfSegment(looks.segments, at, lexicon)];
    const places = [...lexicon.places.findAll(words), ...named.map((name) => lexicon.places.get(name))];
    for (const place of new Set(places)) {
      if (place === undefined || mentioned.has(place)) continue;
      mentioned.add(place);
      names.add(place);
      for (const above of [segments.slice(0, at), looks.segments.slice(0, at)]) {
        for (const name of [segment, looks.segments[at] ?? segment, place]) prefixes.add([...above, name].join('/'));
      }
    }
  }
  const room = Math.max(0, MAX_PLACES - names.size);
  return [...new Set([...[...prefixes].slice(0, room), ...names])];
}

/** Prepositions that separate the noun phrases of a segment: `root_access_to_bob`. */
const DIVIDES = /^(?:to|for|from|of|in|on|into|at|with|by|as)$/;

/** Heads of the noun phrases in a segment, in the form in which refinements list objects: `root_access` is an access. */
function headsOf(words: readonly string[], lexicon: Lexicon): string[] {
  const heads: string[] = [];
  const phrase: string[] = [];
  const end = () => {
    const isNoun = (word: string) => lexicon.domainOfNoun.has(word);
    // Names and numbers follow their noun (`disk_0`), as do words without much meaning (`salary_data`).
    const head = phrase.findLast(isNoun);
    const specific = phrase.findLast((word) => isNoun(word) && !lexicon.genericNouns.has(word));
    heads.push(...[phrase.at(-1), head, specific].filter((word) => word !== undefined));
    phrase.length = 0;
  };
  for (const word of words) {
    if (DIVIDES.test(word)) end();
    else {
      const one = singular(word, lexicon.plurals);
      phrase.push(...(lexicon.synonyms.get(one) ?? one).split('_'));
    }
  }
  end();
  return heads;
}

/** The objects that an action on a resource may concern: every segment except the domain, which only says where they belong. */
export function objectsOf({ words }: Spelling, lexicon: Lexicon): string[] {
  const [first = [], ...rest] = words;
  const isDomain = rest.length > 0 && first.length === 1 && lexicon.domains.has(first[0] ?? '');
  return [...new Set((isDomain ? rest : words).flatMap((segment) => headsOf(segment, lexicon)))];
}

/** Words of a lexicon that a disguise may hide. */
export const knownWordsOf = oncePerLexicon((lexicon): KnownWords => {
  const isPlace = (word: string): boolean => lexicon.places.get(word) !== undefined;
  const isKnown = (word: string): boolean =>
    isPlace(word) ||
    lexicon.dataClasses.get(word) !== undefined ||
    lexicon.traitPhrases.get(word) !== undefined ||
    lexicon.domainOfNoun.has(singular(word, lexicon.plurals)) ||
    lexicon.refinedObjects.has(singular(word, lexicon.plurals)) ||
    lexicon.verbs.has(word);
  return { isKnown, isPlace };
});

/** The segments with look-alike characters replaced; `*` stays. */
export function segmentsAsTheyLook(segments: readonly string[], lexicon: Lexicon): string[] {
  const known = knownWordsOf(lexicon);
  return segments.map((segment) => (segment === '*' ? segment : segmentAsItLooks(segment, known).text));
}
