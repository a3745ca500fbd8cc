// Finds the object of a request: its position, a substitute for a missing one, and its domain.
import type { Action } from '../../../kernel/vocabulary.ts';
import { CONJUNCTIONS, PREPOSITIONS } from './clause-words.ts';
import { isFileName } from '../text/entities.ts';
import { singular } from '../lexicon/inflection.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { objectAt, type ObjectPhrase } from './object.ts';
import type { RequestedAction } from './request.ts';
import { beginsWithSum, SUM } from './sums.ts';
import type { Sentence, Token } from '../text/tokens.ts';
import { wordSet } from '../text/word-set.ts';

/** The domain of an object phrase: decided by its head, else by the word before it. */
export function domainOf(words: readonly string[], lexicon: Lexicon): string {
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const domain = lexicon.domainOfNoun.get(words[at] ?? '');
    if (domain !== undefined) return domain;
  }
  return lexicon.defaultDomain;
}

/** `I need to check my plan`: the speaker's words about themselves, up to the verb. */
const INTENDS = /^(?:would )?(?:need|want|like|love|have|wish|hope|plan|intend) to$/;
const SPEAKER = /^(?:i|we)(?:'d)?$/;

/** Whether the speaker states an intention rather than a request. */
export function statesIntention({ sentence, at, kind, wanted }: RequestedAction): boolean {
  if (wanted) return true;
  if (kind === 'question' || !SPEAKER.test(sentence[0]?.lower ?? '')) return false;
  let words = '';
  for (const token of sentence.slice(1, 5)) if (token.at < at) words += ` ${token.lower}`;
  return INTENDS.test(words.trim());
}

const PRONOUNS = new Set(['it', 'them', 'they']);
const POINTERS = new Set(['this', 'that', 'these', 'those']);
const LEADING = wordSet('for at on to about into through');
const BEFORE_ONES = new Set(['all', 'the', 'these', 'those', 'any']);
const BEFORE_ONE = new Set(['a', 'an', 'another', 'the']);

/** Whether the object of a request is a pronoun: `delete it`, `archive these`, but not `archive these files`. */
export function isPronounObject(
  { entry, sentence, next, subject, kind }: RequestedAction,
  from: number,
  to: number,
): boolean {
  // `Find the bill and pay.`, `a message that I need to delete`: the object was mentioned before.
  if (!subject && kind === 'imperative' && saysNoMore(sentence, next)) return true;
  if (from >= to) return false;
  const first = sentence[next]?.lower ?? '';
  // `search for it`
  if (!subject && LEADING.has(first) && PRONOUNS.has(sentence[next + 1]?.lower ?? '') && endsThere(sentence[next + 2]))
    return true;
  const at = subject ? from : next;
  const word = sentence[at]?.lower ?? '';
  if (BEFORE_ONES.has(word) && (sentence[at + 1]?.lower === 'ones' || sentence[at + 2]?.lower === 'ones')) return true;
  if (PRONOUNS.has(word)) return !(DITRANSITIVE.has(entry.verb) && getsWhat(sentence, at + 1));
  // `create a new one`
  if (BEFORE_ONE.has(word)) {
    const one = sentence[at + 1]?.lower === 'new' ? at + 2 : at + 1;
    return sentence[one]?.lower === 'one' && endsThere(sentence[one + 1]);
  }
  return POINTERS.has(word) && endsThere(sentence[at + 1]);
}

/** Whether the received thing follows: `send them the report`, `give them back their keys`. */
export const getsWhat = (sentence: Sentence, at: number): boolean =>
  AFTER_RECIPIENT.test(sentence[sentence[at]?.lower === 'back' ? at + 1 : at]?.lower ?? '');

const saysNoMore = (sentence: Sentence, at: number): boolean =>
  at > 1 && (at >= sentence.length || (at === sentence.length - 1 && sentence[at]?.kind === 'punct'));

const endsThere = (token: Token | undefined): boolean =>
  token === undefined ||
  token.kind === 'punct' ||
  PREPOSITIONS.has(token.lower) ||
  CONJUNCTIONS.has(token.lower) ||
  /^(?:to|now|today|please|again|up|down|out|off|away|back|all|both|too|instead|asap|as)$/.test(token.lower);

/** The substitute for a missing object: another noun of the clause. */
function impliedObject(request: RequestedAction, end: number): { name: string; domain: string } | undefined {
  for (const token of request.sentence.slice(request.next, Math.min(end, request.next + 12))) {
    if (token.kind === 'email') return { name: 'email', domain: 'comms' };
    if (token.kind === 'url') return { name: 'url', domain: 'web' };
    if (token.kind === 'path' || isFileName(token.text)) return { name: 'file', domain: 'files' };
    if (SUM.test(token.text)) return { name: 'money', domain: 'payments' };
  }
  return undefined;
}

const DITRANSITIVE = wordSet(
  'grant give send drop assign offer show tell pay lend wire email message text hand forward allow make ' +
    'write draft get find book order buy',
);
const AFTER_RECIPIENT = /^(?:a|an|the|all|any|some|full|my|our|his|her|their|this|that|another|more|\d.*|\p{Sc}\d.*)$/u;

/** The position of the object: after the recipient (`give Bob the report`), or after the subject of a question. */
export function objectStart(request: RequestedAction, end: number, lexicon: Lexicon): number {
  let at = request.next;
  if (request.kind === 'question') {
    for (let asked = false; at < Math.min(end, request.next + 8); at += 1) {
      const word = request.sentence[at]?.lower ?? '';
      const measured = MEASURES.has(word) && request.sentence[at - 1]?.lower === 'how';
      if (measured || QUESTION_WORDS.has(word)) asked ||= SUBJECT_PRONOUNS.has(word);
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
  const supplied = SUPPLIES.has(request.entry.verb) ? suppliedAt(request, end) : -1;
  if (supplied > 0) return supplied;
  if (!DITRANSITIVE.has(request.entry.verb) || first?.kind !== 'word') return at;
  // `send bob the report`
  if (isLowerName(first, second, lexicon)) return at + 1;
  if (!/^\p{Lu}\p{Ll}/u.test(first.text)) return at;
  const isName = !lexicon.domainOfNoun.has(first.lower) && !lexicon.fillers.has(first.lower);
  const known = second?.kind === 'word' && lexicon.domainOfNoun.has(singular(second.lower, lexicon.plurals));
  return isName && second && (AFTER_RECIPIENT.test(second.lower) || known) ? at + 1 : at;
}

const SUPPLIES = new Set([
  'provide',
  'supply',
  'equip',
  'furnish',
  'set up',
  'hook up',
  'present',
  'serve',
  'issue',
  'leave',
]);

/** A received thing after `with`: `provide Rosa Lind with a badge`; -1 when there is none. */
function suppliedAt({ sentence, next }: RequestedAction, end: number): number {
  const first = sentence[next];
  const somebody =
    first !== undefined &&
    (first.kind === 'email' ||
      /^\p{Lu}\p{Ll}/u.test(first.text) ||
      /^(?:him|her|them|me|us|everyone)$/.test(first.lower));
  if (!somebody) return -1;
  for (let at = next + 1; at < Math.min(end, next + MAX_NAME); at += 1) {
    if (sentence[at]?.kind === 'punct') return -1;
    if (sentence[at]?.lower === 'with') return at + 1;
  }
  return -1;
}

/** `did I buy`, but not `do I have plans` */
const followsSubject = (sentence: Sentence, at: number): boolean =>
  SUBJECT_PRONOUNS.has(sentence[at - 1]?.lower ?? '') ||
  /^(?:also|still|just|really|already|about)$|ly$/.test(sentence[at - 1]?.lower ?? '');

/** Whether a plain word that names no kind of thing precedes the received thing: `bob` in `send bob the report`. */
export const isLowerName = (first: Token, second: Token | undefined, lexicon: Lexicon): boolean =>
  /^[a-z]{2,}$/.test(first.text) &&
  /^(?:a|an|the|my|our|his|her|their|this|that|some|another)$/.test(second?.lower ?? '') &&
  !lexicon.fillers.has(first.lower) &&
  !lexicon.domainOfNoun.has(singular(first.lower, lexicon.plurals)) &&
  !PREPOSITIONS.has(first.lower) &&
  !NO_NAMES.has(first.lower) &&
  lexicon.verbForms.get(first.lower) === undefined;
const NO_NAMES = wordSet('to if that so as out up off down back away sure when whether what not and or');

/** Adjectives and adverbs that a question asks for: `how high is my limit`. */
const MEASURES = wordSet(
  'high low long far old big large soon often fast late early busy well good bad expensive close',
);
const QUESTION_WORDS = wordSet(
  'do does did can could should would will may might is are was were has have i we you they he she it there ' +
    'be able to how many much what which who where when why',
);
export const SUBJECT_PRONOUNS = wordSet('i we you they he she it to');

/** An object named without a noun right after the verb: `move 'report.pdf' within the folder` moves a file. */
function directObject(request: RequestedAction, end: number, lexicon: Lexicon) {
  let at = request.next;
  while (at < end && lexicon.fillers.has(request.sentence[at]?.lower ?? '')) at += 1;
  const [token, after] = [request.sentence[at], request.sentence[at + 1]];
  const named =
    token &&
    at < end &&
    (token.kind === 'path' || ((token.kind === 'quoted' || token.kind === 'identifier') && isFileName(token.text)));
  if (
    !named ||
    !(after === undefined || after.kind === 'punct' || PREPOSITIONS.has(after.lower) || after.lower === 'to')
  )
    return undefined;
  return { name: 'file', domain: domainOf(['file'], lexicon) };
}

/** The role in which a name is added: `add Ana Berg as a watcher`. */
function namedAs({ sentence, next }: RequestedAction, end: number, lexicon: Lexicon): ObjectPhrase | undefined {
  for (let at = next + 1; at < Math.min(end, next + MAX_NAME); at += 1) {
    const token = sentence[at];
    if (token?.kind === 'punct') return undefined;
    if (token?.lower !== 'as' || !/^an?$/.test(sentence[at + 1]?.lower ?? '')) continue;
    const phrase = objectAt(sentence, at + 1, end, lexicon);
    return phrase.known ? phrase : undefined;
  }
  return undefined;
}
/** The group that a person is added to or removed from: `enroll Ana Berg in the course`. */
function namedIn(
  { sentence, next }: RequestedAction,
  end: number,
  action: Action,
  lexicon: Lexicon,
): ObjectPhrase | undefined {
  if (action === 'read' || action === 'send' || action === 'transfer') return undefined;
  let at = next;
  while (at < Math.min(end, next + MAX_NAME) && /^\p{Lu}\p{Ll}/u.test(sentence[at]?.text ?? '')) at += 1;
  if (at < next + 2 || !/^(?:in|to|from|for|as|on)$/.test(sentence[at]?.lower ?? '')) return undefined;
  const phrase = objectAt(sentence, at + 1, end, lexicon);
  return phrase.known ? phrase : undefined;
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
  // `it's too dark in here`, `fly from Oslo to Rome`
  if (
    request.entry.object !== undefined &&
    (ENDS_OPEN.test(request.entry.verb) || (OWN_BEFORE_PLACE.has(action) && isPlaced(request)))
  )
    return { object: request.entry.object, domain: domainOf([request.entry.object], lexicon), known: true };
  // `email Ana that ...`, `remind me to call`: the recipient and the content are not kinds of things.
  const as = phrase.known ? undefined : (namedAs(request, end, lexicon) ?? namedIn(request, end, action, lexicon));
  if (as) return { object: as.name, domain: domainOf(as.words, lexicon), known: true };
  const own = request.entry.verb === 'let' && action === 'send' ? 'message' : request.entry.object;
  if (own !== undefined && NAMES_OWN.has(action) && (!phrase.known || saysWhat(request)))
    return { object: own, domain: domainOf([own], lexicon), known: true };
  const domain = domainOf(phrase.words, lexicon);
  // An object without a domain takes that of the verb: purchases and payments belong to payments.
  const fallback = domain === lexicon.defaultDomain && action === 'transfer' ? domainOf(['payment'], lexicon) : domain;
  return { object: phrase.name, domain: fallback, known: phrase.known };
}

/** `alert me when`: a condition follows. */
const ENDS_OPEN = / (?:when|if)$/;
const OWN_BEFORE_PLACE: ReadonlySet<Action> = new Set(['read', 'update']);
const isPlaced = ({ sentence, next }: RequestedAction): boolean =>
  sentence[next] === undefined ||
  sentence[next].kind === 'punct' ||
  /^(?:in|at|from|to|here|around|on|and|so|can|please|again)$/.test(sentence[next].lower);
const NAMES_OWN: ReadonlySet<Action> = new Set(['send', 'create']);
const saysWhat = ({ sentence, next }: RequestedAction): boolean => sentence[next]?.lower === 'to';
