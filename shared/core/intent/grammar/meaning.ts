// The meaning of a request: its verb, refined by the object and the words around it.
import { handsOver, keepsFree, makesSo } from './changes.ts';
import type { ActionClass } from '../../../kernel/vocabulary.ts';
import { dataClassesOf } from './context.ts';
import { singular } from '../lexicon/inflection.ts';
import { outwards, SENT_OUT } from './destinations.ts';
import type { Doing, Lexicon, Refinement, VerbEntry } from '../lexicon/types.ts';
import { NO_OBJECT, type ObjectPhrase, objectAt } from './object.ts';
import { isPronounObject, objectStart } from './request-object.ts';
import type { RequestedAction } from './request.ts';
import { beginsWithSum, movesMoney } from './sums.ts';
import type { Sentence, Token } from '../text/tokens.ts';
import { K, type TaggedWords, tokenIs } from '../lexicon/word-kinds.ts';

/** A sentence with its words and its index. */
export interface Place {
  readonly sentence: Sentence;
  readonly words: TaggedWords;
  readonly index: number;
}

/** The number of words after a verb that are examined. */
const MAX_CLAUSE = 60;

/** The object under which refinements list people: `take Omar out of the group`. */
const PERSON = 'person';
const NAME = /^\p{Lu}\p{Ll}/u;

/** Whether the object that begins with this token is a person. */
const isSomebody = (token: Token | undefined, phrase: ObjectPhrase): boolean =>
  token !== undefined &&
  (token.kind === 'email' ||
    tokenIs(token, K.anybody_object) ||
    (token.kind === 'word' && !phrase.known && NAME.test(token.text)));

const MAX_ABOUT = 4;

function refine(
  verb: string,
  phrase: ObjectPhrase,
  clause: readonly string[],
  somebody: boolean,
  lexicon: Lexicon,
): Refinement | undefined {
  // `Get the details of a refund` is about a refund that exists.
  const isAbout = () =>
    clause
      .slice(0, MAX_ABOUT)
      .some((word, at) => clause[at + 1] === 'of' && lexicon.containerNouns.has(singular(word, lexicon.plurals)));
  return lexicon.refinements.get(verb)?.find((rule) => {
    if (rule.action === 'transfer' && isAbout()) return false;
    const head = phrase.words.at(-1) ?? '';
    const object = !rule.objects || rule.objects.has(head) || (somebody && rule.objects.has(PERSON));
    const named =
      rule.objects && !object && phrase.words.length === 0 && clause.some((word) => rule.objects?.has(word));
    return (object || named) && (!rule.prepositions || clause.some((word) => rule.prepositions?.has(word)));
  });
}

/** `Make the page live` changes something. */
const CHANGE: Doing = { action: 'update', effect: 'write', traits: [] };

const BOOKING: Doing = { action: 'create', effect: 'write', traits: [] };
const HANDOVER: Doing = { action: 'send', effect: 'write', traits: [] };

function changeOf(request: RequestedAction, end: number, lexicon: Lexicon): Doing | undefined {
  if (handsOver(request) || (request.entry.verb === 'report' && isPronounObject(request, request.next, end, lexicon)))
    return HANDOVER;
  if (keepsFree(request)) return BOOKING;
  return makesSo(request, end, lexicon) ? CHANGE : undefined;
}

/** `I need a ...` requests something new, `I need the ...` and `I need a list of ...` something that exists. */
function wantedEntry(request: RequestedAction, lexicon: Lexicon): Pick<VerbEntry, 'verb' | 'action' | 'effect'> {
  const isNew =
    tokenIs(request.sentence[request.next], K.new_thing) || request.sentence[request.next + 1]?.text === ':';
  return isNew && !lexicon.containerNouns.has(request.sentence[request.next + 1]?.lower ?? '')
    ? { verb: 'create', action: 'create', effect: 'write' }
    : { verb: 'get', action: 'read', effect: 'read' };
}

/** The verb whose refinements define the meaning of wishes: `I need access to ...`. */
const WANT = 'want';

/** Actions that are less severe than sending something outside. */
const OUTRANKED: ReadonlySet<ActionClass> = new Set(['read', 'create', 'update', 'execute', 'send']);

export interface Meaning extends Pick<VerbEntry, 'verb' | 'action' | 'effect' | 'traits' | 'weak'> {
  readonly pronoun: boolean;
  readonly phrase: ObjectPhrase;
  readonly clause: readonly string[];
}

export function meaningOf(request: RequestedAction, end: number, { words }: Place, lexicon: Lexicon): Meaning {
  const clause = words.slice(request.next, Math.min(end, request.next + MAX_CLAUSE));
  const [from, to] = request.subject ?? [objectStart(request, end, lexicon), end];
  const pronoun = isPronounObject(request, from, to, lexicon);
  const base = request.wanted ? wantedEntry(request, lexicon) : request.entry;
  const phrase = pronoun ? NO_OBJECT : objectAt(request.sentence, from, to, lexicon, base.action === 'create');
  const verb = request.wanted ? WANT : request.entry.verb;
  const refined = refine(verb, phrase, clause, isSomebody(request.sentence[from], phrase), lexicon);
  const sum = !refined && movesMoney(base, lexicon) && beginsWithSum(request, end);
  const rule = refined ?? (sum || request.wanted ? undefined : changeOf(request, end, lexicon));
  const isData = dataClassesOf(clause, lexicon).length > 0;
  const out = sum ? undefined : outwards(request, end, { object: phrase.words, isData }, lexicon);
  const meant = rule ?? { action: base.action, effect: base.effect, traits: request.entry.traits };
  const isPut = out === 'puts-out' && (meant.action === 'create' || meant.action === 'update');
  if (
    out === 'moves' ||
    out === 'puts-out' ||
    (out !== undefined && OUTRANKED.has(meant.action) && meant.effect !== 'destructive')
  ) {
    const { action, effect } = out === 'reads-out' || (isPut && meant.effect !== 'destructive') ? SENT_OUT : meant;
    const traits = [...meant.traits, ...SENT_OUT.traits];
    return { verb: base.verb, action, effect, traits, weak: false, pronoun, phrase, clause };
  }
  return {
    verb: base.verb,
    action: sum ? 'transfer' : (rule?.action ?? base.action),
    effect: sum ? 'write' : (rule?.effect ?? base.effect),
    traits: sum ? ['financial'] : rule ? rule.traits : request.entry.traits,
    weak: request.entry.weak && rule === undefined,
    pronoun,
    phrase,
    clause,
  };
}

/**
 * All refinements of a verb for one of these objects, given as heads of noun phrases, and with these words around it. In a text, the first
 * refinement of the clause decides; a string has no grammar, so each one that matches counts.
 */
export function refinementsOf(
  verb: string,
  heads: readonly string[],
  words: readonly string[],
  lexicon: Lexicon,
): readonly Refinement[] {
  const rules = lexicon.refinements.get(verb) ?? [];
  return rules.filter(
    ({ objects, prepositions }) =>
      (!objects || heads.some((head) => objects.has(head))) &&
      (!prepositions || words.some((word) => prepositions.has(word))),
  );
}

/** The meaning of a verb with an object that was named before: `My card is lost. Block it.` */
export function meaningWith(verb: string, object: string, lexicon: Lexicon): Doing | undefined {
  const head = object.slice(object.lastIndexOf('_') + 1);
  return lexicon.refinements.get(verb)?.find((rule) => !rule.prepositions && rule.objects?.has(head));
}
