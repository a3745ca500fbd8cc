// Turns requests and code fragments into candidate actions, and ranks them by what they would do.
import type { Action, Effect, Extent, Trait } from '../vocabulary.ts';
import { type About, aboutOf, antecedentIn, indexOfToken } from './antecedent.ts';
import { requestsOf } from './clauses.ts';
import type { Fragment } from './code.ts';
import { extentOf } from './context.ts';
import type { Lexicon, VerbEntry } from './lexicon.ts';
import { type Meaning, meaningOf, meaningWith, type Place } from './meaning.ts';
import { isTold, objectOf } from './request-object.ts';
import { type Request, wordsOf } from './request.ts';
import { MOVES_MONEY } from './sums.ts';
import type { Sentence } from './tokens.ts';
import { unspokenRequest } from './unspoken.ts';

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
  /** No verb asks for it: it follows from a statement such as `users should be deleted`. */
  readonly implied: boolean;
  /** It tells what somebody wants to do: `I need to check my plan. Please list the prices.` */
  readonly told: boolean;
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

/** Beyond so many candidates only one that would matter more than all before is looked at: it may come last. */
const MAX_CANDIDATES = 200;
function candidateOf(
  request: Request,
  end: number,
  { verb, action, effect, traits, weak, pronoun, phrase, clause }: Meaning,
  { index }: Place,
  lexicon: Lexicon,
): Candidate {
  const { object, domain, known } = objectOf(request, end, phrase, action, lexicon);
  return {
    verb,
    action,
    effect,
    traits,
    object,
    domain,
    extent: extentOf(clause.slice(0, 10), phrase.plural, lexicon),
    at: request.at,
    certainty: request.certainty,
    objectKnown: known,
    negated: request.negated,
    weak,
    source: request.kind === 'question' ? 'question' : 'words',
    mentions: request.entry.mentions,
    pronoun,
    implied: request.implied ?? false,
    told: isTold(request),
    sentence: index,
  };
}

/** Where the words of a request end that is followed by another one, or by none. */
const endOf = (next: Request | undefined, { sentence }: Place): number =>
  next ? indexOfToken(sentence, next.at) : sentence.length;

/** Candidates of requests of one sentence; `after` is the request that follows them. */
function candidatesAmong(
  requests: readonly Request[],
  after: Request | undefined,
  place: Place,
  lexicon: Lexicon,
): Candidate[] {
  const found: Candidate[] = [];
  let next = after;
  let follower: Candidate | undefined;
  for (const request of requests.toReversed()) {
    const end = endOf(next, place);
    const candidate = candidateOf(request, end, meaningOf(request, end, place, lexicon), place, lexicon);
    // `Create or update users`: the first verb shares the object of the second.
    const shares = follower && candidate.object === 'unknown' && end - request.next <= 2;
    // `Take the first task and assign it to Ana`: what is done with it is asked for.
    const leads = candidate.verb === 'take' && follower?.pronoun === true;
    follower =
      shares && follower ? { ...candidate, ...aboutOf(follower) } : leads ? { ...candidate, weak: true } : candidate;
    found.push(follower);
    next = request;
  }
  return found.reverse();
}

/** The most that a verb may come to mean with an object, or with a sum. */
function potentialOf(entry: VerbEntry, lexicon: Lexicon): number {
  const refined = lexicon.refinements.get(entry.verb) ?? [];
  const sum = MOVES_MONEY.test(entry.verb) ? consequenceOf({ ...entry, action: 'transfer', effect: 'write' }) : 0;
  return Math.max(consequenceOf(entry), sum, ...refined.map((rule) => consequenceOf({ ...rule, weak: false })));
}

/** Candidates of all sentences, in the order of the text. */
export function candidatesOf(sentences: readonly Sentence[], lexicon: Lexicon): Candidate[] {
  const found: Candidate[] = [];
  const firsts = new Map<number, About | undefined>();
  const potentials = new Map<VerbEntry, number>();
  let gravest = 0;
  const push = (candidate: Candidate) => {
    found.push(candidate);
    if (!candidate.negated) gravest = Math.max(gravest, consequenceOf(candidate));
  };
  /** What a pronoun stands for: what was spoken of last, or else what its sentence or the one before names first. */
  const antecedentOf = ({ sentence, at }: Candidate): About | undefined => {
    const spokenOf = found.findLast((earlier) => earlier.object !== 'unknown');
    if (spokenOf) return spokenOf;
    if (!firsts.has(sentence)) firsts.set(sentence, antecedentIn(sentences, sentence, at, lexicon));
    return firsts.get(sentence);
  };
  for (const [index, sentence] of sentences.entries()) {
    const words = wordsOf(sentence);
    const requests = requestsOf(sentence, words, lexicon, QUERY);
    if (requests.length === 0) continue;
    const place = { sentence, words, index };
    const room = Math.max(0, MAX_CANDIDATES - found.length);
    for (const candidate of candidatesAmong(requests.slice(0, room), requests[room], place, lexicon)) {
      const about = candidate.pronoun ? antecedentOf(candidate) : undefined;
      push(about ? withObject(candidate, about, lexicon) : candidate);
    }
    for (let at = room; at < requests.length; at += 1) {
      const request = requests[at];
      if (!request || request.negated) continue;
      const potential = potentials.get(request.entry) ?? potentialOf(request.entry, lexicon);
      potentials.set(request.entry, potential);
      if (potential <= gravest && !request.wanted) continue;
      const end = endOf(requests[at + 1], place);
      const meaning = meaningOf(request, end, place, lexicon);
      if (consequenceOf(meaning) > gravest) push(candidateOf(request, end, meaning, place, lexicon));
    }
  }
  const unspoken = found.every(({ negated, weak }) => negated || weak)
    ? unspokenOf(
        sentences,
        found.some(({ negated }) => negated),
        lexicon,
      )
    : undefined;
  return withoutStatements(unspoken ? [...found, unspoken] : found);
}

function withObject(candidate: Candidate, about: About, lexicon: Lexicon): Candidate {
  const { action, effect, traits } = meaningWith(candidate.verb, about.object, lexicon) ?? candidate;
  return { ...candidate, ...aboutOf(about), action, effect, traits };
}

/** What the text comes to though nothing in it asks. */
function unspokenOf(sentences: readonly Sentence[], asked: boolean, lexicon: Lexicon): Candidate | undefined {
  const { request, index } = unspokenRequest(sentences, asked, lexicon) ?? {};
  if (!request || index === undefined) return undefined;
  const place = { sentence: request.sentence, words: wordsOf(request.sentence), index };
  const end = request.sentence.length;
  return candidateOf(request, end, meaningOf(request, end, place, lexicon), place, lexicon);
}

/** Beside requests that are spoken, a statement counts only when it matters: `names must be given in full` is a remark. */
function withoutStatements(found: readonly Candidate[]): Candidate[] {
  if (!found.some((candidate) => !candidate.implied && !candidate.weak)) return [...found];
  return found.filter((candidate) => !candidate.implied || consequenceOf(candidate) > 30);
}

/** A fragment as a candidate. */
export function candidateOfFragment(fragment: Fragment, sentence: number): Candidate {
  const { verb, action, effect, traits, object, domain, extent, at } = fragment;
  // Member by member: copying objects of many shapes is slow.
  return {
    verb,
    action,
    effect,
    traits,
    object,
    domain,
    extent,
    at,
    certainty: 0.95,
    objectKnown: true,
    negated: false,
    weak: false,
    source: 'code',
    mentions: false,
    pronoun: false,
    implied: false,
    told: false,
    sentence,
  };
}

/** How much it matters that this action was asked for. Equal ones: the first of the text leads. */
export function consequenceOf({
  action,
  effect,
  traits,
  weak,
}: Pick<Candidate, 'action' | 'effect' | 'traits' | 'weak'>): number {
  if (weak) return 0;
  if (effect === 'destructive') return 60 + (traits.includes('irreversible') ? 1 : 0);
  if (action === 'transfer' || action === 'grant' || action === 'revoke') return 50;
  if (action === 'send') return 40;
  if (action === 'unknown') return 5;
  return effect === 'write' ? 30 : 10;
}
