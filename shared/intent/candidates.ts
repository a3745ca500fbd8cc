// Turns requests and code fragments into candidate actions, and ranks them by what they would do.
import type { Action, Effect, Extent, Trait } from '../vocabulary.ts';
import { type Request, requestsOf, wordsOf } from './clauses.ts';
import { extentOf } from './context.ts';
import { isFileName } from './entities.ts';
import type { Fragment } from './code.ts';
import type { Lexicon, Refinement, VerbEntry } from './lexicon.ts';
import { singular } from './inflection.ts';
import { NO_OBJECT, type ObjectPhrase, objectAt } from './object.ts';
import type { Sentence } from './tokens.ts';

/** One action that the text asks for. */
export interface Candidate {
  readonly verb: string;
  readonly action: Action;
  readonly effect: Effect;
  readonly traits: readonly Trait[];
  readonly object: string;
  readonly domain: string;
  readonly extent: Extent;
  readonly at: number;
  readonly certainty: number;
  readonly objectKnown: boolean;
  readonly negated: boolean;
  readonly weak: boolean;
  readonly source: 'words' | 'question' | 'code';
  /** The verb only talks about things: code in its sentence is mentioned, not asked for. */
  readonly mentions: boolean;
  /** Its object is a pronoun. */
  readonly pronoun: boolean;
  /** Index of its sentence. */
  readonly sentence: number;
}

/** What stands for the verb of a question. */
export const QUERY: VerbEntry = {
  verb: 'query',
  action: 'read',
  effect: 'read',
  traits: [],
  object: undefined,
  mentions: true,
  weak: false,
  alsoNoun: false,
};

/** At most this many candidates are looked at: the most consequential of a long text is among its first ones. */
const MAX_CANDIDATES = 200;
/** Words after a verb that are looked at. */
const MAX_CLAUSE = 60;

/** The domain of an object phrase: its head decides, then the word before it. */
export function domainOf(words: readonly string[], lexicon: Lexicon): string {
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const domain = lexicon.domainOfNoun.get(words[at] ?? '');
    if (domain !== undefined) return domain;
  }
  return lexicon.defaultDomain;
}

/** What stands in for a missing object: the kind of thing that the clause names otherwise. */
function impliedObject(request: Request, end: number): { name: string; domain: string } | undefined {
  for (const token of request.sentence.slice(request.next, Math.min(end, request.next + 12))) {
    if (token.kind === 'email') return { name: 'email', domain: 'comms' };
    if (token.kind === 'url') return { name: 'url', domain: 'web' };
    if (token.kind === 'path' || isFileName(token.text)) return { name: 'file', domain: 'files' };
    if (/^\p{Sc}\d/u.test(token.text)) return { name: 'money', domain: 'payments' };
  }
  return undefined;
}

function refine(
  request: Request,
  phrase: ObjectPhrase,
  clause: readonly string[],
  lexicon: Lexicon,
): Refinement | undefined {
  return lexicon.refinements.get(request.entry.verb)?.find((rule) => {
    const head = phrase.words.at(-1) ?? '';
    const object = !rule.objects || rule.objects.has(head);
    const named =
      rule.objects && !object && phrase.words.length === 0 && clause.some((word) => rule.objects?.has(word));
    return (object || named) && (!rule.prepositions || clause.some((word) => rule.prepositions?.has(word)));
  });
}

/** `I need a ...` asks for something new, `I need the ...` for something that exists. */
function wantedEntry(request: Request): Pick<VerbEntry, 'verb' | 'action' | 'effect'> {
  const article = request.sentence[request.next]?.lower;
  const isNew = article === 'a' || article === 'an' || article === 'another' || article === 'new';
  return isNew
    ? { verb: 'create', action: 'create', effect: 'write' }
    : { verb: 'get', action: 'read', effect: 'read' };
}

const DITRANSITIVE = new Set([
  'grant',
  'give',
  'send',
  'drop',
  'assign',
  'offer',
  'show',
  'tell',
  'pay',
  'lend',
  'wire',
  'email',
  'message',
  'text',
  'hand',
  'forward',
  'allow',
  'make',
]);
const AFTER_RECIPIENT = /^(?:a|an|the|all|any|some|full|my|our|his|her|their|this|that|another|more|\d.*|\p{Sc}\d.*)$/u;

/** Where the object begins: after the one who gets it (`give Bob the report`), or after the subject of a question. */
function objectStart(request: Request, end: number, lexicon: Lexicon): number {
  let at = request.next;
  if (request.kind === 'question') {
    for (let asked = false; at < Math.min(end, request.next + 8); at += 1) {
      const word = request.sentence[at]?.lower ?? '';
      if (QUESTION_WORDS.has(word)) asked ||= SUBJECT_PRONOUNS.has(word);
      else if (!(asked && lexicon.verbs.has(word))) break;
    }
    return at;
  }
  const [first, second] = [request.sentence[at], request.sentence[at + 1]];
  if (!DITRANSITIVE.has(request.entry.verb) || first?.kind !== 'word' || !/^\p{Lu}\p{Ll}/u.test(first.text)) return at;
  const isName = !lexicon.domainOfNoun.has(first.lower) && !lexicon.fillers.has(first.lower);
  const known = second?.kind === 'word' && lexicon.domainOfNoun.has(singular(second.lower, lexicon.plurals));
  return isName && second && (AFTER_RECIPIENT.test(second.lower) || known) ? at + 1 : at;
}

const QUESTION_WORDS = new Set(
  'do does did can could should would will may might is are was were has have i we you they he she it there be able to how many much what which who where when why'.split(
    ' ',
  ),
);
const SUBJECT_PRONOUNS = new Set(['i', 'we', 'you', 'they', 'he', 'she', 'it', 'to']);

/** Whether a clause begins with a sum: `transfer $500 to ...`. */
const beginsWithSum = (clause: Sentence): boolean =>
  clause
    .slice(0, 3)
    .some(
      (token, at) =>
        /^\p{Sc}\d/u.test(token.text) ||
        (at < 2 &&
          token.kind === 'number' &&
          /^(?:[a-z]{3}|dollars?|euros?|pounds?)$/i.test(clause[at + 1]?.text ?? '') &&
          MONEY_WORD.test(clause[at + 1]?.text ?? '')),
    );
const MONEY_WORD = /^(?:[A-Z]{3}|dollars?|euros?|pounds?|bucks)$/;
const MOVES_MONEY = /^(?:send|give|move|forward)$/;

/** The object and domain of a request, with what stands in for a missing one. */
function objectOf(request: Request, end: number, phrase: ObjectPhrase, action: Action, lexicon: Lexicon) {
  const clause = request.sentence.slice(request.next, end);
  if (action === 'transfer' && beginsWithSum(clause))
    return { object: 'money', domain: domainOf(['money'], lexicon), known: true };
  if (phrase.name === '') {
    const implied = impliedObject(request, end);
    const object = implied?.name ?? request.entry.object ?? 'unknown';
    return { object, domain: implied?.domain ?? domainOf([object], lexicon), known: implied !== undefined };
  }
  const domain = domainOf(phrase.words, lexicon);
  // An object that no domain claims goes with the verb: what is bought or paid is a payment.
  const fallback = domain === lexicon.defaultDomain && action === 'transfer' ? domainOf(['payment'], lexicon) : domain;
  return { object: phrase.name, domain: fallback, known: phrase.known };
}

function candidateOf(request: Request, end: number, index: number, lexicon: Lexicon): Candidate {
  const clauseTokens = request.sentence.slice(request.next, Math.min(end, request.next + MAX_CLAUSE));
  const clause = wordsOf(clauseTokens);
  const pronoun = /^(?:it|them)$/.test(request.sentence[request.next]?.lower ?? '') && request.next < end;
  const phrase = pronoun ? NO_OBJECT : objectAt(request.sentence, objectStart(request, end, lexicon), end, lexicon);
  const base = request.wanted ? wantedEntry(request) : request.entry;
  const rule = request.wanted ? undefined : refine(request, phrase, clause, lexicon);
  const sum = !rule && MOVES_MONEY.test(base.verb) && beginsWithSum(clauseTokens);
  const action = sum ? 'transfer' : (rule?.action ?? base.action);
  const { object, domain, known } = objectOf(request, end, phrase, action, lexicon);
  return {
    verb: base.verb,
    action,
    effect: sum ? 'write' : (rule?.effect ?? base.effect),
    traits: sum ? ['financial'] : rule ? rule.traits : request.entry.traits,
    object,
    domain,
    extent: extentOf(clause.slice(0, 10), phrase.plural, lexicon),
    at: request.at,
    certainty: request.certainty,
    objectKnown: known,
    negated: request.negated,
    weak: request.entry.weak,
    source: request.kind === 'question' ? 'question' : 'words',
    mentions: request.entry.mentions,
    pronoun,
    sentence: index,
  };
}

/** Candidates of all sentences, in the order of the text. */
export function candidatesOf(sentences: readonly Sentence[], lexicon: Lexicon): Candidate[] {
  const found: Candidate[] = [];
  for (const [index, sentence] of sentences.entries()) {
    if (found.length >= MAX_CANDIDATES) break;
    const requests = requestsOf(sentence, lexicon, QUERY).slice(0, MAX_CANDIDATES);
    if (requests.length === 0) continue;
    const positions = new Map(sentence.map((token, at) => [token.at, at]));
    let follower: Candidate | undefined;
    const ofSentence: Candidate[] = [];
    for (let at = requests.length - 1; at >= 0; at -= 1) {
      const request = requests[at];
      if (!request) continue;
      const next = requests[at + 1];
      const end = next ? (positions.get(next.at) ?? sentence.length) : sentence.length;
      const candidate = candidateOf(request, end, index, lexicon);
      // `Create or update users`: the first verb shares the object of the second.
      const shares = follower && candidate.object === 'unknown' && end - request.next <= 2;
      follower =
        shares && follower
          ? {
              ...candidate,
              object: follower.object,
              domain: follower.domain,
              objectKnown: follower.objectKnown,
              extent: follower.extent,
            }
          : candidate;
      ofSentence.unshift(follower);
    }
    for (const candidate of ofSentence) {
      // `... and email it to Bob`: the pronoun stands for what was spoken of last.
      const named = candidate.pronoun ? found.findLast((earlier) => earlier.object !== 'unknown') : undefined;
      found.push(
        named
          ? {
              ...candidate,
              object: named.object,
              domain: named.domain,
              objectKnown: named.objectKnown,
              extent: named.extent,
            }
          : candidate,
      );
    }
  }
  return found;
}

/** A fragment as a candidate. */
export function candidateOfFragment(fragment: Fragment, sentence: number): Candidate {
  return {
    ...fragment,
    certainty: 0.95,
    objectKnown: true,
    negated: false,
    weak: false,
    source: 'code',
    mentions: false,
    pronoun: false,
    sentence,
  };
}

/** How much it matters that this action was asked for. Equal ones: the first of the text leads. */
export function consequenceOf(candidate: Candidate): number {
  const { action, effect } = candidate;
  if (candidate.weak) return 0;
  if (effect === 'destructive') return 60 + (candidate.traits.includes('irreversible') ? 1 : 0);
  if (action === 'transfer' || action === 'grant' || action === 'revoke') return 50;
  if (action === 'send') return 40;
  if (action === 'unknown') return 5;
  return effect === 'write' ? 30 : 10;
}
