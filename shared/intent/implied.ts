// Finds what a sentence asks for without a verb in the place of a request: `all users should be deleted`, `deletion of
// users`, `a refund of order 5 is needed`, `I want it removed`, `perform a cleanup`.
import { AFTER_VERB, CONJUNCTIONS, FINITE, PREPOSITIONS, WH } from './clause-words.ts';
import type { Lexicon, VerbEntry } from './lexicon.ts';
import { beginsWith, isConsequential, lastBefore, placesOf, type Request } from './request.ts';
import type { Sentence } from './tokens.ts';
import { wordSet } from './word-set.ts';

/** Modal verbs that oblige, and those that only permit. */
const OBLIGES = wordSet("should must shall shouldn't mustn't");
const PERMITS = wordSet('can may could might');
/** Words before `to be` that oblige: `needs to be deleted`. */
const OBLIGES_TO = wordSet('needs need has have ought is are supposed required meant');
const NEEDS = wordSet('need needs require requires');
const NEEDED = wordSet('needed required requested necessary wanted due');
/** Verbs after which a statement is what is asked for: `make sure that the mail is sent`. */
const ENSURES = wordSet('ensure make guarantee see check verify confirm');
/** Verbs of wishing: `I want it removed`, `have the server restarted`. */
const WISHES = wordSet('want need have query like');
/** Verbs that say little, before the noun of an action. */
const LIGHT = wordSet(
  'perform do make initiate conduct request process need want query execute run start trigger schedule',
);
/** Those of them before which any noun of an action counts, also one that is a verb too: `initiate a transfer`. */
const LIGHTEST = wordSet('perform do initiate conduct request need want query');
/** Saying so asks for it: `I request the deletion of my data`. */
const PERFORMATIVE = wordSet('request demand authorize authorise order require propose approve');
/** `I think the key should be rotated` */
const THINKS = wordSet('think believe guess suppose feel hope');
const NEGATORS = wordSet("no not never none nothing nobody neither nor shouldn't mustn't without");
/** Words that open a clause which asks for nothing: `if it should be deleted`. */
const CONDITIONS = wordSet(
  'if when unless whether while until till after before once because since as although that whose',
);
const PRONOUNS = wordSet('i we you he she it they there who that which');
const SKIPPED = wordSet('not also all both then now please already always never just be been automatically');
const THINGS = wordSet('it them everything everyone him');
/** How far apart the parts of one such clause may stand. */
const REACH = 24;
const MAX_NOMINAL = 8;

/** How an implied request was found. */
interface Implied {
  readonly entry: VerbEntry;
  readonly at: number;
  readonly next: number;
  readonly subject: readonly [from: number, to: number] | undefined;
  readonly certainty: number;
  readonly negated: boolean;
  readonly replaces?: Request;
}

const isBoundary = (word: string): boolean => beginsWith(word, ',:;()\u2013\u2014-') || CONJUNCTIONS.has(word);
/** What may follow the last word of a noun phrase or a participle. */
const endsPhrase = (word: string | undefined): boolean =>
  word === undefined ||
  beginsWith(word, '.,;:!?)') ||
  PREPOSITIONS.has(word) ||
  CONJUNCTIONS.has(word) ||
  ENDINGS.has(word);
const ENDINGS = wordSet(
  'to now today tonight tomorrow immediately asap please again soon before after instead too once online',
);

/** Where the clause of `words[at]` begins. */
function clauseStart(words: readonly string[], at: number): number {
  let start = at;
  while (start > Math.max(0, at - REACH) && !isBoundary(words[start - 1] ?? '')) start -= 1;
  return start;
}

/** The participle at `words[from]` or after adverbs, with its index. */
function participleAt(words: readonly string[], from: number, lexicon: Lexicon) {
  let at = from;
  while (at < from + 3 && (SKIPPED.has(words[at] ?? '') || (words[at] ?? '').endsWith('ly'))) at += 1;
  const match = lexicon.participles.match(words, at);
  return match && { entry: match.value, at, next: at + match.length };
}

/** What makes a request of the `be` at `words[at]`, and where its subject ends. */
function governorOf(words: readonly string[], at: number): { certainty: number; end: number } | undefined {
  let before = at - 1;
  while (before > at - 4 && (SKIPPED.has(words[before] ?? '') || (words[before] ?? '').endsWith('ly'))) before -= 1;
  const word = words[before] ?? '';
  if (OBLIGES.has(word)) return { certainty: 0.8, end: before };
  if (PERMITS.has(word)) return { certainty: 0.5, end: before };
  if (word !== 'to') return undefined;
  return OBLIGES_TO.has(words[before - 1] ?? '') ? { certainty: 0.8, end: before - 1 } : { certainty: 0, end: before };
}

/** `X should be deleted`, `make sure that X is sent`, `I want X to be removed`. */
function passiveAt(
  words: readonly string[],
  at: number,
  found: readonly Request[],
  places: readonly number[],
  lexicon: Lexicon,
): Implied | undefined {
  const word = words[at] ?? '';
  const isBe = word === 'be' || word === 'get';
  if (!isBe && word !== 'is' && word !== 'are' && word !== 'gets') return undefined;
  const participle = participleAt(words, at + 1, lexicon);
  if (!participle) return undefined;
  const start = clauseStart(words, at);
  const own = found[lastBefore(at + 1, places)];
  // `I'd like to be refunded`: the one who asks is the subject.
  if (isBe && own?.entry.verb === 'be' && words[at - 1] === 'to')
    return { ...participle, subject: undefined, certainty: 0.75, negated: own.negated, replaces: own };
  const last = lastBefore(at, places);
  const request = (places[last] ?? 0) >= start - 1 ? found[last] : undefined;
  const governor = isBe ? governorOf(words, at) : { certainty: 0, end: at };
  if (!governor) return undefined;
  let from = start;
  let { certainty } = governor;
  if (request && request.kind === 'imperative') {
    // Only what is ensured or wished for is asked for; the object of any other verb is merely described.
    const first = request.entry.verb.split(' ', 1)[0] ?? '';
    const wished = isBe && (request.wanted || WISHES.has(first));
    if (!(ENSURES.has(first) && (request.entry.weak || request.entry.mentions || !isBe)) && !wished) return undefined;
    if (request.entry.action === 'read' && !request.entry.weak && !request.wanted) return undefined;
    from = request.next;
    certainty = Math.max(certainty, 0.8);
  } else if (certainty === 0 || CONDITIONS.has(words[start] ?? '') || WH.has(words[start] ?? '')) return undefined;
  else if (THINKS.has(words[start + 1] ?? '')) from = start + 2;
  const subject = words.slice(from, governor.end);
  const wish = request?.wanted === true && isBe ? { replaces: request } : {};
  if (subject.length === 0) return undefined;
  return {
    entry: participle.entry,
    at: participle.at,
    next: participle.next,
    subject: [words[from] === 'that' ? from + 1 : from, governor.end],
    certainty,
    negated: [...subject.slice(0, 2), ...words.slice(governor.end, participle.at)].some((one) => NEGATORS.has(one)),
    ...wish,
  };
}

/** `X needs deleting`. */
function gerundAt(words: readonly string[], at: number, lexicon: Lexicon): Implied | undefined {
  if (!NEEDS.has(words[at] ?? '')) return undefined;
  const match = lexicon.verbForms.match(words, at + 1);
  const start = clauseStart(words, at);
  if (match?.value.form !== 'gerund' || match.value.entry.weak || start === at) return undefined;
  if (CONDITIONS.has(words[start] ?? '') || WH.has(words[start] ?? '') || !endsPhrase(words[at + 1 + match.length]))
    return undefined;
  const subject: [number, number] = [start, at];
  return {
    entry: match.value.entry,
    at: at + 1,
    next: at + 1 + match.length,
    subject,
    certainty: 0.75,
    negated: false,
  };
}

/** `I want all users deleted`. */
function wished(words: readonly string[], request: Request, place: number, lexicon: Lexicon): Implied | undefined {
  if (!(request.wanted || (request.entry.weak && WISHES.has(request.entry.verb)))) return undefined;
  for (let at = request.next + 1; at < Math.min(words.length, request.next + REACH); at += 1) {
    const word = words[at] ?? '';
    if (isBoundary(word) || word === 'to' || word === 'that') return undefined;
    const match = lexicon.participles.match(words, at);
    const before = words[at - 1] ?? '';
    // `I want it removed`, but not `I want the removed ...`.
    const leads = AFTER_VERB.has(before) && !THINGS.has(before);
    if (!match || leads || PREPOSITIONS.has(before) || !endsPhrase(words[at + match.length])) continue;
    const subject: [number, number] = [request.next, at];
    return {
      entry: match.value,
      at: place,
      next: at + match.length,
      subject,
      certainty: 0.7,
      negated: request.negated,
      replaces: request,
    };
  }
  return undefined;
}

/** Which verbs that are nouns as they are count: those that matter, those that destroy, none. */
type Zero = 'all' | 'destructive' | 'none';

/** The verb that a noun stands for: `deletion`, and by `zero` also `refund`. */
function verbOfNoun(words: readonly string[], at: number, zero: Zero, lexicon: Lexicon): VerbEntry | undefined {
  const word = words[at] ?? '';
  const nominal = lexicon.nominals.get(word);
  if (nominal || zero === 'none') return nominal;
  const entry = lexicon.verbs.get(word);
  return entry?.alsoNoun && (zero === 'all' ? isConsequential(entry) : entry.effect === 'destructive')
    ? entry
    : undefined;
}

/** The noun of an action that heads the phrase from `from` on, and where its object stands. */
function nominalFrom(words: readonly string[], from: number, zero: Zero, lexicon: Lexicon) {
  for (let at = from; at < Math.min(words.length, from + MAX_NOMINAL); at += 1) {
    const word = words[at] ?? '';
    if (isBoundary(word) || PREPOSITIONS.has(word) || FINITE.has(word) || PRONOUNS.has(word)) return undefined;
    const entry = verbOfNoun(words, at, zero, lexicon);
    const following = words[at + 1];
    if (!entry || !(endsPhrase(following) || FINITE.has(following ?? '') || NEEDED.has(following ?? ''))) continue;
    const subject: [number, number] | undefined = following === 'of' ? undefined : [from, at];
    return { entry, at, next: at + 1, subject };
  }
  return undefined;
}

/** `perform a cleanup`, `request the deletion of my account`. */
function lightAt(words: readonly string[], request: Request, place: number, lexicon: Lexicon): Implied | undefined {
  const { verb, weak } = request.entry;
  if (!LIGHT.has(verb) || request.kind === 'question') return undefined;
  const nominal = nominalFrom(
    words,
    request.next,
    LIGHTEST.has(verb) ? 'all' : verb === 'schedule' ? 'destructive' : 'none',
    lexicon,
  );
  if (!nominal) return undefined;
  // A migration that is run is run; a deletion that is run deletes.
  if (!(LIGHTEST.has(verb) || weak || nominal.entry.action === 'read' || isConsequential(nominal.entry)))
    return undefined;
  return { ...nominal, at: place, certainty: 0.8, negated: request.negated, replaces: request };
}

/** `Deletion of users`, `a refund of order 5 is needed`: a sentence without a verb that asks. */
function nominalSentence(words: readonly string[], lexicon: Lexicon): Implied | undefined {
  let needed = false;
  for (let at = 1; at < Math.min(words.length, REACH) && !needed; at += 1)
    needed = NEEDED.has(words[at] ?? '') && /^(?:is|are|be)$/.test(words[at - 1] ?? '');
  let from = 0;
  while (from < 3 && !/[a-z]/.test(words[from] ?? 'a')) from += 1;
  if (/^(?:i|we)$/.test(words[from] ?? '') && PERFORMATIVE.has(words[from + 1] ?? '')) from += 2;
  const nominal = nominalFrom(words, from, needed ? 'all' : 'none', lexicon);
  if (!nominal) return undefined;
  const negated =
    words.slice(0, nominal.at).some((word) => NEGATORS.has(word)) || words.slice(nominal.at, REACH).includes('not');
  return { ...nominal, certainty: needed ? 0.7 : 0.55, negated };
}

/** All requests of a sentence, in its order: those `found` by their verbs, and those that are implied. */
export function withImplied(
  sentence: Sentence,
  words: readonly string[],
  found: readonly Request[],
  lexicon: Lexicon,
): readonly Request[] {
  const places = placesOf(sentence, found);
  const implied: Implied[] = [];
  for (const [index, request] of found.entries()) {
    const place = places[index] ?? 0;
    const one = lightAt(words, request, place, lexicon) ?? wished(words, request, place, lexicon);
    if (one) implied.push(one);
  }
  if (found[0]?.kind !== 'question')
    for (let at = 1; at < words.length; at += 1) {
      const one = passiveAt(words, at, found, places, lexicon) ?? gerundAt(words, at, lexicon);
      if (one) implied.push(one);
    }
  if (implied.length === 0 && !found.some((request) => !request.entry.weak)) {
    const one = nominalSentence(words, lexicon);
    if (one) implied.push(one);
  }
  if (implied.length === 0) return found;
  const replaced = new Set(implied.map((one) => one.replaces));
  const added = implied.map(
    (one): Request => ({
      entry: one.entry,
      next: one.next,
      at: sentence[one.at]?.at ?? 0,
      sentence,
      negated: one.negated,
      certainty: one.certainty,
      kind: 'imperative',
      wanted: false,
      subject: one.subject,
      implied: one.replaces === undefined,
    }),
  );
  return [...found.filter((request) => !replaced.has(request)), ...added].sort((a, b) => a.at - b.at);
}
