// Finds the object of a request: where it begins, what stands in for a missing one, and the domain it belongs to.
import type { Action } from '../vocabulary.ts';
import { PREPOSITIONS } from './clause-words.ts';
import { isFileName } from './entities.ts';
import { singular } from './inflection.ts';
import type { Lexicon } from './lexicon.ts';
import type { ObjectPhrase } from './object.ts';
import type { Request } from './request.ts';

/** The domain of an object phrase: its head decides, then the word before it. */
export function domainOf(words: readonly string[], lexicon: Lexicon): string {
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const domain = lexicon.domainOfNoun.get(words[at] ?? '');
    if (domain !== undefined) return domain;
  }
  return lexicon.defaultDomain;
}

const SUM = /^\p{Sc}\d/u;

/** What stands in for a missing object: the kind of thing that the clause names otherwise. */
function impliedObject(request: Request, end: number): { name: string; domain: string } | undefined {
  for (const token of request.sentence.slice(request.next, Math.min(end, request.next + 12))) {
    if (token.kind === 'email') return { name: 'email', domain: 'comms' };
    if (token.kind === 'url') return { name: 'url', domain: 'web' };
    if (token.kind === 'path' || isFileName(token.text)) return { name: 'file', domain: 'files' };
    if (SUM.test(token.text)) return { name: 'money', domain: 'payments' };
  }
  return undefined;
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
export function objectStart(request: Request, end: number, lexicon: Lexicon): number {
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
export const SUBJECT_PRONOUNS = new Set(['i', 'we', 'you', 'they', 'he', 'she', 'it', 'to']);

/** Whether a clause begins with a sum: `transfer $500 to ...`. */
export function beginsWithSum({ sentence, next }: Request, end: number): boolean {
  const clause = sentence.slice(next, Math.min(end, next + 3));
  return clause.some(
    (token, at) =>
      SUM.test(token.text) || (at < 2 && token.kind === 'number' && MONEY_WORD.test(clause[at + 1]?.text ?? '')),
  );
}
const MONEY_WORD = /^(?:[A-Z]{3}|dollars?|euros?|pounds?|bucks)$/;
export const MOVES_MONEY = /^(?:send|give|move|forward)$/;

/** What is named without a noun right after the verb: `move 'report.pdf' within the folder` moves a file. */
function directObject(request: Request, end: number, lexicon: Lexicon) {
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

/** The object and domain of a request, with what stands in for a missing one. */
export function objectOf(request: Request, end: number, phrase: ObjectPhrase, action: Action, lexicon: Lexicon) {
  if (action === 'transfer' && beginsWithSum(request, end))
    return { object: 'money', domain: domainOf(['money'], lexicon), known: true };
  const direct = directObject(request, end, lexicon);
  if (phrase.name === '' || direct) {
    const implied = direct ?? impliedObject(request, end);
    const object = implied?.name ?? request.entry.object ?? 'unknown';
    return { object, domain: implied?.domain ?? domainOf([object], lexicon), known: implied !== undefined };
  }
  const domain = domainOf(phrase.words, lexicon);
  // An object that no domain claims goes with the verb: what is bought or paid is a payment.
  const fallback = domain === lexicon.defaultDomain && action === 'transfer' ? domainOf(['payment'], lexicon) : domain;
  return { object: phrase.name, domain: fallback, known: phrase.known };
}
