// Finds the object of a request: its position, a substitute for a missing one, and its domain.
import type { Action } from '../../../kernel/vocabulary.ts';
import { isDestroying } from '../code/names.ts';
import { isFileName } from '../text/entities.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { afterFillers, type ObjectPhrase } from './object.ts';
import { isNoun } from './phrase-ends.ts';
import type { RequestedAction } from './request.ts';
import { beginsWithSum } from './sums.ts';
import type { Sentence, Token } from '../text/tokens.ts';
import { K, tokenIs, tokenIsAny } from '../lexicon/word-kinds.ts';

/** The domain of an object phrase: decided by its head, else by the word before it. */
export function domainOf(words: readonly string[], lexicon: Lexicon): string {
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const domain = lexicon.domainOfNoun.get(words[at] ?? '');
    if (domain !== undefined) return domain;
  }
  return lexicon.defaultDomain;
}

/** Whether the speaker states an intention rather than a request: `I need to check my plan`. */
export function statesIntention({ sentence, at, kind, wanted }: RequestedAction): boolean {
  if (wanted) return true;
  if (kind === 'question' || !tokenIs(sentence[0], K.intending_speaker)) return false;
  const verb = sentence[1]?.lower === 'would' ? 2 : 1;
  const to = sentence[verb + 1];
  // The verb of request follows right after `to`.
  return (
    tokenIs(sentence[verb], K.intending) && to?.lower === 'to' && to.at < at && (sentence[verb + 2]?.at ?? at) >= at
  );
}

/** Whether the object of a request is a pronoun: `delete it`, `archive these`, but not `archive these files`. */
export function isPronounObject(
  { entry, sentence, next, subject, kind }: RequestedAction,
  from: number,
  to: number,
  lexicon: Lexicon,
): boolean {
  // `Find the bill and pay.`, `a message that I need to delete`: the object was mentioned before.
  if (!subject && kind === 'imperative' && saysNoMore(sentence, next)) return true;
  if (from >= to) return false;
  // `search for it`
  if (
    !subject &&
    tokenIs(sentence[next], K.object_preposition) &&
    tokenIs(sentence[next + 1], K.object_pronoun) &&
    endsThere(sentence[next + 2])
  )
    return true;
  const at = subject ? from : next;
  if (tokenIs(sentence[at], K.object_pronoun))
    return !(lexicon.wordKinds.has(entry.verb, K.ditransitive) && getsWhat(sentence, at + 1));
  // `create a new one`
  if (tokenIs(sentence[at], K.before_one)) {
    const one = sentence[at + 1]?.lower === 'new' ? at + 2 : at + 1;
    return sentence[one]?.lower === 'one' && endsThere(sentence[one + 1]);
  }
  return tokenIs(sentence[at], K.pointer) && endsThere(sentence[at + 1]);
}

/** Whether the received thing follows: `send them the report`, `give them back their keys`. */
export const getsWhat = (sentence: Sentence, at: number): boolean =>
  isReceived(sentence[sentence[at]?.lower === 'back' ? at + 1 : at]);
const isReceived = (token: Token | undefined): boolean =>
  tokenIs(token, K.after_recipient) || /^\p{Sc}?\d/u.test(token?.lower ?? '');

const saysNoMore = (sentence: Sentence, at: number): boolean =>
  at > 1 && (at >= sentence.length || (at === sentence.length - 1 && sentence[at]?.kind === 'punct'));

const endsThere = (token: Token | undefined): boolean =>
  token === undefined || token.kind === 'punct' || tokenIsAny(token, K.preposition, K.conjunction, K.object_end);

/** The substitute for a missing object: another noun of the clause. */
function impliedObject(request: RequestedAction, end: number): { name: string; domain: string } | undefined {
  for (const token of request.sentence.slice(request.next, Math.min(end, request.next + 12))) {
    if (token.kind === 'email') return { name: 'email', domain: 'comms' };
    if (token.kind === 'url') return { name: 'url', domain: 'web' };
    if (token.kind === 'path' || isFileName(token.text)) return { name: 'file', domain: 'files' };
  }
  return undefined;
}

/** The position of the object: after the recipient (`give Bob the report`), or after the subject of a question. */
export function objectStart(request: RequestedAction, end: number, lexicon: Lexicon): number {
  let at = request.next;
  if (request.kind === 'question') {
    for (let asked = false; at < Math.min(end, request.next + 8); at += 1) {
      const word = request.sentence[at]?.lower ?? '';
      const measured = tokenIs(request.sentence[at], K.measure) && request.sentence[at - 1]?.lower === 'how';
      if (measured || tokenIs(request.sentence[at], K.question_filler))
        asked ||= tokenIs(request.sentence[at], K.asking_subject);
      else if (
        !(
          asked &&
          ((lexicon.verbForms.get(word) !== undefined && followsSubject(request.sentence, at)) || word === 'about')
        )
      )
        break;
    }
    return at;
  }
  const [first, second] = [request.sentence[at], request.sentence[at + 1]];
  const supplied = lexicon.wordKinds.has(request.entry.verb, K.supplying_verb) ? suppliedAt(request, end) : -1;
  if (supplied > 0) return supplied;
  if (!lexicon.wordKinds.has(request.entry.verb, K.ditransitive) || first?.kind !== 'word') return at;
  if (!/^\p{Lu}\p{Ll}/u.test(first.text)) return at;
  const isName = !lexicon.domainOfNoun.has(first.lower) && !lexicon.fillers.has(first.lower);
  const known = second?.kind === 'word' && isNoun(second.lower, lexicon);
  return isName && second && (isReceived(second) || known) ? at + 1 : at;
}

/** A received thing after `with`: `provide Rosa Lind with a badge`; -1 when there is none. */
function suppliedAt({ sentence, next }: RequestedAction, end: number): number {
  const first = sentence[next];
  const somebody =
    first !== undefined && (first.kind === 'email' || /^\p{Lu}\p{Ll}/u.test(first.text) || tokenIs(first, K.receiver));
  if (!somebody) return -1;
  for (let at = next + 1; at < Math.min(end, next + MAX_NAME); at += 1) {
    if (sentence[at]?.kind === 'punct') return -1;
    if (sentence[at]?.lower === 'with') return at + 1;
  }
  return -1;
}

/** `did I buy`, but not `do I have plans` */
const followsSubject = (sentence: Sentence, at: number): boolean =>
  tokenIsAny(sentence[at - 1], K.asking_subject, K.subject_adverb) || (sentence[at - 1]?.lower ?? '').endsWith('ly');

/** An object named without a noun right after the verb: `move 'report.pdf' within the folder` moves a file. */
function directObject(request: RequestedAction, end: number, lexicon: Lexicon) {
  const at = afterFillers(request.sentence, request.next, end, lexicon);
  const [token, after] = [request.sentence[at], request.sentence[at + 1]];
  const named =
    token &&
    at < end &&
    (token.kind === 'path' || ((token.kind === 'quoted' || token.kind === 'identifier') && isFileName(token.text)));
  if (
    !named ||
    !(after === undefined || after.kind === 'punct' || tokenIs(after, K.preposition) || after.lower === 'to')
  )
    return undefined;
  return { name: 'file', domain: domainOf(['file'], lexicon) };
}

/** The largest number of words of such a name. */
const MAX_NAME = 5;

/** The object and domain of a request, with a substitute for a missing object. */
export function objectOf(
  request: RequestedAction,
  end: number,
  phrase: ObjectPhrase,
  action: Action,
  lexicon: Lexicon,
) {
  if (action === 'transfer' && beginsWithSum(request, end))
    return { object: 'money', domain: domainOf(['money'], lexicon), known: true };
  const direct = directObject(request, end, lexicon);
  if (phrase.name === '' || direct) {
    const implied = direct ?? impliedObject(request, end);
    // `block Friday afternoon` makes a booking, so the usual object of the verb does not apply.
    const usual = request.entry.action === action ? request.entry.object : undefined;
    const object = implied?.name ?? usual ?? 'unknown';
    return { object, domain: implied?.domain ?? domainOf([object], lexicon), known: implied !== undefined };
  }
  if (request.entry.object !== undefined && ENDS_OPEN.test(request.entry.verb))
    return { object: request.entry.object, domain: domainOf([request.entry.object], lexicon), known: true };
  // `let Ana know`, `invite Ana to the meeting`
  const own = action === 'send' && /^(?:let|invite)$/.test(request.entry.verb) ? 'message' : request.entry.object;
  const domain = domainOf(phrase.words, lexicon);
  if (
    own !== undefined &&
    NAMES_OWN.has(action) &&
    (!phrase.known || saysWhat(request) || tellsPeople(request, own, domain))
  )
    return { object: own, domain: domainOf([own], lexicon), known: true };
  if (isAbout(request, action, lexicon)) return objectAskedAbout(phrase, domain, lexicon);
  // An object without a domain takes that of the verb: purchases and payments belong to payments.
  const fallback = domain === lexicon.defaultDomain && action === 'transfer' ? domainOf(['payment'], lexicon) : domain;
  return { object: phrase.name, domain: fallback, known: phrase.known };
}

/** Whether a request is about something and does nothing to it: a question, `explain the purge`, `look up how others drop partitions`. */
export const isAbout = (
  { kind, entry, sentence, next }: RequestedAction,
  action: Action,
  { wordKinds }: Lexicon,
): boolean =>
  kind === 'question' ||
  entry.mentions ||
  wordKinds.has(entry.verb, K.rehearsing_verb) ||
  (action === 'read' && tokenIs(sentence[next], K.question_word)) ||
  (action === 'send' && saysThat(sentence, next));

/** `post in the channel that the purge has finished` */
const saysThat = (sentence: RequestedAction['sentence'], next: number): boolean =>
  sentence.slice(next, next + MAX_TOLD).some(({ lower }) => lower === 'that');

/** `remind the team`, `message the customer that it is ready`: somebody is told something. */
const tellsPeople = ({ sentence, next }: RequestedAction, own: string, domain: string): boolean =>
  own === 'message' &&
  (domain === 'identity' ||
    sentence.slice(next, next + MAX_TOLD).some(({ lower }) => lower === 'that' || lower === 'about'));
const MAX_TOLD = 8;

/** What is asked or told about, without the deletion: `did anyone remove the index`, `simulate the purge of the archive`. */
function objectAskedAbout({ name, words, known }: ObjectPhrase, domain: string, lexicon: Lexicon) {
  const destroys = (word: string): boolean => isDestroying(word, lexicon);
  if (!name.split('_').some(destroys)) return { object: name, domain, known };
  const rest = name.split('_').filter((word) => !destroys(word));
  return { object: rest.join('_') || 'unknown', domain, known: known && rest.includes(words.at(-1) ?? '') };
}

/** `alert me when`: a condition follows. */
const ENDS_OPEN = / (?:when|if)$/;
const NAMES_OWN: ReadonlySet<Action> = new Set(['send', 'create']);
const saysWhat = ({ sentence, next }: RequestedAction): boolean => sentence[next]?.lower === 'to';
