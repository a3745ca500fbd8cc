// Parses strings in normalized form: `domain.action.object`, or `action:resource`.
import { ACTION_CLASSES, type Action, type ActionClass, type DataClass, type Trait } from '../../kernel/vocabulary.ts';
import { candidatesOf } from './assess/candidates.ts';
import { dataClassesOf, extentOf, placesOf, traitsOf } from './grammar/context.ts';
import { isIllicit } from './attack/illicit.ts';
import { SENT_OUT, stringSendsOut } from './grammar/destinations.ts';
import { effectOfAction } from './lexicon/lexicon.ts';
import type { Lexicon, VerbEntry } from './lexicon/types.ts';
import { singular } from './lexicon/inflection.ts';
import { type KnownWords, segmentAsItLooks, wordAsItLooks } from './text/look-alikes.ts';
import { refinementsOf } from './grammar/meaning.ts';
import { domainOf } from './grammar/request-object.ts';
import { actionRank, effectRank, meaningsMember, stricterAction, stricterEffect } from './assess/strictness.ts';
import { MOVES_MONEY } from './grammar/sums.ts';
import { sentencesOf } from './text/tokens.ts';
import type { ParsedIntent } from './types.ts';
import { spokenText } from './text/words.ts';

const CLASSES: ReadonlySet<string> = new Set(ACTION_CLASSES);

/** The meaning of an action word: one of the nine classes, `unknown`, or a finer verb of the lexicon. */
export type ActionWord = Pick<VerbEntry, 'verb' | 'effect' | 'traits'> & { readonly action: ActionClass | 'unknown' };

const NOT_KNOWN: ActionWord = { verb: 'unknown', action: 'unknown', effect: 'write', traits: [] };

/** The entry of a word in the lexicon's own spelling. */
function entryOf(word: string, lexicon: Lexicon): VerbEntry | undefined {
  return (
    lexicon.verbs.get(word) ??
    lexicon.verbs.get(word.replaceAll('_', ' ')) ??
    lexicon.verbs.get(word.replaceAll('_', '-'))
  );
}

/** Whether a word is an action as written, without undoing a disguise. */
const isWritten = (word: string, lexicon: Lexicon): boolean =>
  word === 'unknown' || CLASSES.has(word) || entryOf(word, lexicon) !== undefined;

/** The meaning of a word in action position, or undefined when it neither is nor looks like a class or a verb of the lexicon. */
export function actionOf(word: string, lexicon: Lexicon): ActionWord | undefined {
  if (isWritten(word, lexicon)) return writtenAction(word, lexicon);
  const plain = wordAsItLooks(word, (other) => writtenAction(other, lexicon) !== undefined);
  return plain === undefined ? undefined : writtenAction(plain, lexicon);
}

function writtenAction(word: string, lexicon: Lexicon): ActionWord | undefined {
  if (word === 'unknown') return NOT_KNOWN;
  const entry = entryOf(word, lexicon);
  if (CLASSES.has(word)) {
    // The nine classes always keep their meaning, whatever a lexicon defines for these words.
    const action = word as ActionClass; // checked by the set, which holds exactly the classes
    const traits: readonly Trait[] = entry?.action === action ? entry.traits : [];
    return { verb: word, action, effect: effectOfAction(action), traits };
  }
  return entry && !entry.weak ? entry : undefined;
}

/** Words of canonical segments, for look-ups: `user_profile` and `user-profile` are two words each. */
const segmentWords = (segments: readonly string[]): string[] =>
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
interface Spelling {
  readonly segments: readonly string[];
  readonly words: readonly (readonly string[])[];
}

/** The words of a resource alone, and after a verb that is not a plain class: `send pin`, but also `hard delete`. */
const withVerb = (verbWords: readonly string[], words: readonly string[]): (readonly string[])[] =>
  verbWords.length === 1 && CLASSES.has(verbWords[0] ?? '') ? [words] : [words, [...verbWords, ...words]];

/** Data classes that a resource names, by its words and by their position. */
function dataClassesOfSegments(
  { segments, words }: Spelling,
  verbWords: readonly string[],
  lexicon: Lexicon,
): DataClass[] {
  const all = words.flat();
  // `pass_word`: also looks up the segment as one word.
  const joined = words.flatMap((parts) => (parts.length > 1 ? [parts.join('')] : []));
  const found = new Set([
    ...withVerb(verbWords, all).flatMap((list) => dataClassesOf(list, lexicon)),
    ...joined.flatMap((word) => lexicon.dataClasses.get(word) ?? []),
  ]);
  for (const at of segments.keys()) {
    for (const name of namesOfSegment(segments, at, lexicon)) {
      const dataClass = lexicon.dataClasses.get(name);
      if (dataClass !== undefined) found.add(dataClass);
    }
  }
  return [...found];
}

/** The largest number of places of a resource, so that no spelling produces a long list of long texts; each place's own name is kept. */
const MAX_PLACES = 8;

/**
 * Places that contain the resource: the prefix that ends at the first mention of each, in every spelling. A resource with look-alike
 * letters also lies in the place that it looks like, so that a rule that protects the place applies.
 */
function placesOfSegments(
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
function objectsOf({ words }: Spelling, lexicon: Lexicon): string[] {
  const [first = [], ...rest] = words;
  const isDomain = rest.length > 0 && first.length === 1 && lexicon.domains.has(first[0] ?? '');
  return [...new Set((isDomain ? rest : words).flatMap((segment) => headsOf(segment, lexicon)))];
}

type Doing = Pick<ActionWord, 'action' | 'effect' | 'traits'>;

/** Several meanings, and the strictest of them. A rule may be about any: a DENY of `delete` is also about deleting a permission. */
interface Meant {
  readonly doing: Doing;
  readonly each: readonly Doing[];
}

/** Whether a refinement says anything stricter than the word by itself. A word that nobody knows says nothing by itself. */
const isStricter = (refined: Doing, reading: Doing): boolean =>
  reading.action === 'unknown' ||
  actionRank(refined.action) > actionRank(reading.action) ||
  effectRank(refined.effect) > effectRank(reading.effect);

/** The meanings of a verb with these objects, and the refined one: member by member the stricter of them. */
function doneTo(reading: ActionWord, heads: readonly string[], words: readonly string[], lexicon: Lexicon): Meant {
  const refined = refinementsOf(reading.verb, heads, words, lexicon);
  return {
    doing: strictestDoing([reading, ...refined]),
    each: [reading, ...refined.filter((one) => isStricter(one, reading))],
  };
}

/** An amount joined with a currency code in one word: `500eur`. */
const AMOUNT = /^\d+(?:[a-z]{3})$/;

/**
 * The meaning of an action word with the objects of a resource, and the class in its normalized form. A finer verb that is refined is named
 * by the refined class (`identity.give.access` is `identity.grant.access`). A class keeps its name, so that a normalized string parses to
 * itself, but its meaning may still be stricter: `payments.send.money` is a transfer.
 */
function meaningOfString(
  reading: ActionWord,
  heads: readonly string[],
  words: readonly string[],
  lexicon: Lexicon,
): Meant & { named: Action } {
  let { doing, each } = doneTo(reading, heads, words, lexicon);
  const named = reading.verb === reading.action ? reading.action : doing.action;
  // The resulting class may be refined in turn; each step is stricter than the one before, so the loop terminates.
  for (let action: Action | undefined; action !== doing.action; ) {
    action = doing.action;
    const of = actionOf(action, lexicon);
    if (of === undefined) break;
    const { doing: further, each: refined } = doneTo(of, heads, words, lexicon);
    each = [...each, ...refined.slice(1)];
    doing = {
      action: stricterAction(doing.action, further.action),
      effect: stricterEffect(doing.effect, further.effect),
      traits: [...doing.traits, ...(further.action === of.action ? [] : further.traits)],
    };
  }
  if (MOVES_MONEY.test(reading.verb) && words.some((word) => AMOUNT.test(word))) {
    each = [...each, { ...doing, action: 'transfer' }];
    doing = { ...doing, action: stricterAction(doing.action, 'transfer'), traits: [...doing.traits, 'financial'] };
  }
  return { doing, each, named };
}

/**
 * The meaning of the verb in a sentence about the last named object. Only there can nouns that are also verbs (`request debit`) and illicit
 * requests (`forge data`) be recognized. Names of several words are not sentences.
 */
function saidOf(verb: string, words: readonly string[], lexicon: Lexicon): Doing | undefined {
  const [noun = ''] = words;
  if (words.length !== 1 || !knownWordsOf(lexicon).isKnown(noun)) return undefined;
  const text = `${verb} the ${noun}`;
  const sentences = sentencesOf(text, () => false);
  const candidates = candidatesOf(sentences, lexicon).filter(({ negated }) => !negated);
  const illicit: readonly Trait[] = isIllicit(spokenText(text).words, candidates, sentences) ? ['illicit'] : [];
  return strictestDoing([...candidates, { ...NOTHING, traits: illicit }]);
}

/** The mildest there is: it adds nothing to what else is meant. */
const NOTHING: Doing = { action: 'read', effect: 'read', traits: [] };

const strictestDoing = (all: readonly Doing[]): Doing =>
  all.reduce((a, b) => ({
    action: stricterAction(a.action, b.action),
    effect: stricterEffect(a.effect, b.effect),
    traits: [...a.traits, ...b.traits],
  }));

/**
 * Parses an action word and the canonical segments of a resource, such as `['db', 'production', 'users']`. A last segment `*` covers all
 * resources below. An unknown action word gives the action `unknown`, never an error. Refinements of the lexicon apply as in a text, and
 * look-alike letters and digits are read as what they look like: for no verb and noun is the string milder than the text.
 */
export function readNormalized(
  { actionWord, segments }: { actionWord: string; segments: readonly string[] },
  lexicon: Lexicon,
): ParsedIntent {
  const { reading, verb, disguised: actionDisguised } = spokenAction(actionWord, lexicon);
  const [first = 'unknown', ...rest] = segments;
  const wildcard = segments.at(-1) === '*';
  const named = segments.filter((segment) => segment !== '*');
  const known = knownWordsOf(lexicon);
  const seen = named.map((segment) => segmentAsItLooks(segment, known));
  const written: Spelling = { segments: named, words: named.map((segment) => segmentWords([segment])) };
  const looks: Spelling = { segments: seen.map(({ text }) => text), words: seen.map(({ words }) => words) };
  const spellings = seen.some(
    ({ text, words }, at) => text !== named[at] || words.join(' ') !== written.words[at]?.join(' '),
  )
    ? [written, looks]
    : [written];
  const verbWords = segmentWords([verb]);
  const words = [...new Set(spellings.flatMap((spelling) => spelling.words.flat()))];
  const heads = spellings.flatMap((spelling) => objectsOf(spelling, lexicon));
  const meant = meaningOfString({ ...reading, verb }, heads, words, lexicon);
  const said = saidOf(verb, looks.words.at(-1) ?? [], lexicon) ?? NOTHING;
  const sent = stringSendsOut({ verb }, named) ? [SENT_OUT] : [];
  const doing = strictestDoing([meant.doing, said, ...sent]);
  const each = [...meant.each, ...(isStricter(said, reading) && said !== NOTHING ? [said] : []), ...sent, doing];
  const extent = wildcard ? 'all' : extentOf([...verbWords, ...words], false, lexicon);
  const traits = new Set<Trait>(doing.traits);
  for (const spelling of spellings) {
    // Some phrases of the lexicon begin with an article: `the internet`.
    const lists = [...withVerb(verbWords, spelling.words.flat()), ...spelling.words.map((of) => ['the', ...of])];
    for (const list of lists) for (const trait of traitsOf(list, lexicon)) traits.add(trait);
  }
  if (extent !== 'one' && doing.effect !== 'read') traits.add('bulk');
  const isUnderstood = reading.action !== 'unknown';
  const disguised = actionDisguised || seen.some((segment) => segment.disguised);
  return {
    normalized: [first, meant.named, ...rest].join('.'),
    domain: first === '*' ? domainOf([], lexicon) : first,
    action: doing.action,
    verb: reading.verb,
    object: named.at(-1) ?? '*',
    places: placesOfSegments(written, looks, { verbWords, wildcard }, lexicon),
    effect: doing.effect,
    traits: [...traits].sort(),
    extent,
    ...meaningsMember(each.map(({ action, effect }) => ({ action, verb: reading.verb, effect, extent }))),
    confidence: !isUnderstood ? 0.1 : reading.verb === reading.action ? 1 : 0.95,
    alternatives: [],
    entities: { emails: [], urls: [], hosts: [], money: [], paths: [], identifiers: [] },
    data_classes: [
      ...new Set(spellings.flatMap((spelling) => dataClassesOfSegments(spelling, verbWords, lexicon))),
    ].sort(),
    flags: [...(isUnderstood ? [] : (['not_understood'] as const)), ...(disguised ? (['obfuscated'] as const) : [])],
  };
}

/**
 * The action word as it looks: `de1ete` is `delete` in disguise. A verb without much meaning (`do`) is not an action by itself, but its
 * meaning with the object still counts: `verb` is the word that refinements list.
 */
function spokenAction(word: string, lexicon: Lexicon): { reading: ActionWord; verb: string; disguised: boolean } {
  const reading = actionOf(word, lexicon);
  if (reading === undefined)
    return { reading: NOT_KNOWN, verb: entryOf(word, lexicon)?.verb ?? 'unknown', disguised: false };
  return { reading, verb: reading.verb, disguised: !isWritten(word, lexicon) };
}

const knownWords = new WeakMap<Lexicon, KnownWords>();

/** Words of a lexicon that a disguise may hide. */
function knownWordsOf(lexicon: Lexicon): KnownWords {
  let known = knownWords.get(lexicon);
  if (known === undefined) {
    const isPlace = (word: string): boolean => lexicon.places.get(word) !== undefined;
    const isKnown = (word: string): boolean =>
      isPlace(word) ||
      lexicon.dataClasses.get(word) !== undefined ||
      lexicon.traitPhrases.get(word) !== undefined ||
      lexicon.domainOfNoun.has(singular(word, lexicon.plurals)) ||
      lexicon.refinedObjects.has(singular(word, lexicon.plurals)) ||
      lexicon.verbs.has(word);
    known = { isKnown, isPlace };
    knownWords.set(lexicon, known);
  }
  return known;
}

/**
 * Parses `domain.action.object` (any number of dotted parts) or `action:resource`; undefined for any other text. Its own `normalized`
 * parses to itself.
 */
export function segmentsAsTheyLook(segments: readonly string[], lexicon: Lexicon): string[] {
  const known = knownWordsOf(lexicon);
  return segments.map((segment) => (segment === '*' ? segment : segmentAsItLooks(segment, known).text));
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
