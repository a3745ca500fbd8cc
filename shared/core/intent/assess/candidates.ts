// Converts requests and code fragments into candidate actions, and ranks them by consequence.
import { type CandidateAction, changed, MAX_CANDIDATES, UNKNOWN } from '../grammar/candidate.ts';
import { type About, antecedentIn } from '../grammar/antecedent.ts';
import { requestsOf } from '../grammar/clauses.ts';
import type { Fragment } from '../code/code.ts';
import { extentOf } from '../grammar/context.ts';
import type { Lexicon, VerbEntry } from '../lexicon/types.ts';
import { type Meaning, meaningOf, meaningWith, type Place } from '../grammar/meaning.ts';
import { isAbout, statesIntention, objectOf } from '../grammar/request-object.ts';
import { indexOfToken, type RequestedAction, wordsOf } from '../grammar/request.ts';
import { movesMoney } from '../grammar/sums.ts';
import { K } from '../lexicon/word-kinds.ts';
import type { Sentence, Sentences } from '../text/tokens.ts';

/** Whether a request writes or reads something that only tells: a runbook, a ticket, a comment, a function. */
const tellsSomething = (verb: string, action: Meaning['action'], object: string, { wordKinds }: Lexicon): boolean =>
  (action === 'create' || action === 'update' || action === 'read' || action === 'send') &&
  (wordKinds.has(headOf(object), K.record_noun) ||
    (wordKinds.has(verb, K.coding_verb) && wordKinds.has(headOf(object), K.coded_noun)));
const headOf = (object: string): string => object.slice(object.lastIndexOf('_') + 1);

function candidateOf(
  request: RequestedAction,
  end: number,
  { verb, action, effect, traits, weak, pronoun, phrase, clause }: Meaning,
  { index }: Place,
  lexicon: Lexicon,
): CandidateAction {
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
    tells:
      isAbout(request, action, lexicon) ||
      lexicon.wordKinds.has(verb, K.rewording_verb) ||
      tellsSomething(verb, action, object, lexicon),
    pronoun,
    implied: request.implied,
    intention: statesIntention(request),
    sentence: index,
  };
}

/** The end of a request's words: the next request, or the end of the sentence. */
const endOf = (next: RequestedAction | undefined, { sentence }: Place): number =>
  next ? indexOfToken(sentence, next.at) : sentence.length;

/** Candidates of the requests of one sentence; `after` is the request that follows them. */
function candidatesAmong(
  requests: readonly RequestedAction[],
  after: RequestedAction | undefined,
  place: Place,
  lexicon: Lexicon,
): CandidateAction[] {
  const found: CandidateAction[] = [];
  let next = after;
  let follower: CandidateAction | undefined;
  for (const request of requests.toReversed()) {
    const end = endOf(next, place);
    const candidate = candidateOf(request, end, meaningOf(request, end, place, lexicon), place, lexicon);
    // `Create or update users`: the first verb shares the object of the second.
    const shares = follower && candidate.object === 'unknown' && end - request.next <= 2;
    // `Take the first task and assign it to Ana`: the second verb is the request.
    const leads = candidate.verb === 'take' && follower?.pronoun === true;
    if (shares && follower) {
      const { object, domain, objectKnown, extent } = follower;
      follower = changed(candidate, { object, domain, objectKnown, extent });
    } else follower = leads ? changed(candidate, { weak: true }) : candidate;
    found.push(follower);
    next = request;
  }
  return found.reverse();
}

/** The highest consequence of a verb with any object, or with a sum. */
function potentialOf(entry: VerbEntry, lexicon: Lexicon): number {
  const refined = lexicon.refinements.get(entry.verb) ?? [];
  const sum = movesMoney(entry, lexicon) ? consequenceOf({ ...entry, action: 'transfer', effect: 'write' }) : 0;
  return Math.max(
    consequenceOf(entry),
    sum,
    ...refined.map(({ action, effect, traits }) => consequenceOf({ action, effect, traits, weak: false })),
  );
}

/** The requests without verbs that are only compared with another: `the difference between revoke and expire`. */
function withoutCompared(
  requests: readonly RequestedAction[],
  sentence: Sentence,
  words: readonly string[],
): readonly RequestedAction[] {
  const between = requests.length === 0 ? -1 : words.indexOf('between');
  if (between < 0) return requests;
  return requests.filter(({ at }) => {
    const place = indexOfToken(sentence, at);
    return place <= between || place > between + MAX_COMPARED;
  });
}
const MAX_COMPARED = 4;

const classOf = ({ action, effect }: Pick<CandidateAction, 'action' | 'effect'>): string => `${action} ${effect}`;

/** Candidates of all sentences, in text order. */
export function candidatesOf(sentences: Sentences, lexicon: Lexicon): CandidateAction[] {
  const found: CandidateAction[] = [];
  const firsts = new Map<number, About | undefined>();
  const potentials = new Map<VerbEntry, number>();
  const classes = new Set<string>();
  let gravest = 0;
  const push = (candidate: CandidateAction) => {
    found.push(candidate);
    if (!candidate.negated) classes.add(classOf(candidate));
    if (!candidate.negated) gravest = Math.max(gravest, consequenceOf(candidate));
  };
  /** Resolves a pronoun: the last object, or else the first noun of its sentence or of the previous one. */
  const antecedentOf = ({ sentence, at }: CandidateAction): About | undefined => {
    const spokenOf = found.findLast((earlier) => earlier.object !== 'unknown');
    if (spokenOf) return spokenOf;
    if (!firsts.has(sentence)) firsts.set(sentence, antecedentIn(sentences, sentence, at, lexicon));
    return firsts.get(sentence);
  };
  for (const [index, sentence] of sentences.entries()) {
    const words = wordsOf(sentence);
    const requests = withoutCompared(requestsOf(sentence, words, lexicon), sentence, words);
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
      if (potential <= gravest && !request.wanted && classes.has(classOf(request.entry))) continue;
      const end = endOf(requests[at + 1], place);
      const meaning = meaningOf(request, end, place, lexicon);
      if (consequenceOf(meaning) > gravest || !classes.has(classOf(meaning)))
        push(candidateOf(request, end, meaning, place, lexicon));
    }
  }
  return withoutStatements(found);
}

function withObject(candidate: CandidateAction, about: About, lexicon: Lexicon): CandidateAction {
  const { action, effect, traits } = meaningWith(candidate.verb, about.object, lexicon) ?? candidate;
  const { object, domain, objectKnown, extent } = about;
  return changed(candidate, { object, domain, objectKnown, extent, action, effect, traits });
}

/** Next to explicit requests, a statement counts only when it is consequential: `names must be given in full` is a remark. */
function withoutStatements(found: readonly CandidateAction[]): CandidateAction[] {
  if (!found.some((candidate) => !candidate.implied && !candidate.weak)) return [...found];
  return found.filter((candidate) => !candidate.implied || consequenceOf(candidate) > 30);
}

export const candidateOfFragment = ({ verb, action, effect, traits, object, domain, extent, at }: Fragment) => {
  const what = { verb, action, effect, traits, object, domain, extent, at };
  return changed(changed(UNKNOWN, what), { certainty: 0.95, objectKnown: true, source: 'code' });
};

/** The consequence of a requested action. Of equal ones, the first in the text takes precedence. */
export function consequenceOf({
  action,
  effect,
  traits,
  weak,
}: Pick<CandidateAction, 'action' | 'effect' | 'traits' | 'weak'>): number {
  if (weak) return 0;
  if (effect === 'destructive') return 60 + (traits.includes('irreversible') ? 1 : 0);
  if (action === 'transfer' || action === 'grant' || action === 'revoke') return 50;
  if (action === 'send') return 40;
  // Code that is not understood may be anything: a human decides before anything milder is considered.
  if (action === 'unknown') return 45;
  return effect === 'write' ? 30 : 10;
}
