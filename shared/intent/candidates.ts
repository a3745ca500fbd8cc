// Turns requests and code fragments into candidate actions, and ranks them by what they would do.
import type { Action, Effect, Extent, Trait } from '../vocabulary.ts';
import { type Request, requestsOf, wordsOf } from './clauses.ts';
import { extentOf } from './context.ts';
import { isFileName } from './entities.ts';
import type { Fragment } from './fragments.ts';
import type { Lexicon, Refinement, VerbEntry } from './lexicon.ts';
import { type ObjectPhrase, objectAt } from './object.ts';
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

function candidateOf(request: Request, end: number, index: number, lexicon: Lexicon): Candidate {
  const clauseTokens = request.sentence.slice(request.next, end);
  const clause = wordsOf(clauseTokens);
  const phrase = objectAt(request.sentence, request.next, end, lexicon);
  const base = request.wanted ? wantedEntry(request) : request.entry;
  const rule = request.wanted ? undefined : refine(request, phrase, clause, lexicon);
  const sum =
    !rule &&
    /^(?:send|give|move|forward)$/.test(base.verb) &&
    clauseTokens.slice(0, 4).some((token) => /^\p{Sc}\d/u.test(token.text));
  const implied = phrase.name === '' ? impliedObject(request, end) : undefined;
  const object = phrase.name || implied?.name || request.entry.object || 'unknown';
  const action = sum ? 'transfer' : (rule?.action ?? base.action);
  return {
    verb: base.verb,
    action,
    effect: sum ? 'write' : (rule?.effect ?? base.effect),
    traits: sum ? ['financial'] : rule ? rule.traits : request.entry.traits,
    object,
    domain: implied?.domain ?? (phrase.name === '' ? domainOf([object], lexicon) : domainOf(phrase.words, lexicon)),
    extent: extentOf(clause.slice(0, 10), phrase.plural, lexicon),
    at: request.at,
    certainty: request.certainty,
    objectKnown: phrase.known || implied !== undefined,
    negated: request.negated,
    weak: request.entry.weak,
    source: request.kind === 'question' ? 'question' : 'words',
    mentions: request.entry.mentions,
    sentence: index,
  };
}

/** Candidates of all sentences, in the order of the text. */
export function candidatesOf(sentences: readonly Sentence[], lexicon: Lexicon): Candidate[] {
  const found: Candidate[] = [];
  for (const [index, sentence] of sentences.entries()) {
    if (found.length >= MAX_CANDIDATES) break;
    const positions = new Map(sentence.map((token, at) => [token.at, at]));
    const requests = requestsOf(sentence, lexicon, QUERY).slice(0, MAX_CANDIDATES);
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
    found.push(...ofSentence);
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
