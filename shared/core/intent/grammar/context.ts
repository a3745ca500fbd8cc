// Information beyond verb and object: places, extent, data classes, and whether data leaves the organisation.
import type { Action, DataClass, Extent, Trait } from '../../../kernel/vocabulary.ts';
import { hostOf, isExternalHost } from '../text/entities.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Sentence } from '../text/tokens.ts';
import type { Entities } from '../types.ts';
import { wordSet } from '../text/word-set.ts';

/** Domains whose objects are stored in a database: `production` then also means `db/production`. */
const STORED_DOMAINS = new Set(['db', 'data', 'general']);

/** The places that words name, each also below its domain; `domain` is the intent's own. */
export function placesOf(words: readonly string[], domain: string, lexicon: Lexicon): string[] {
  const places = new Set<string>();
  for (const place of lexicon.places.findAll(words)) {
    places.add(place);
    if (domain !== 'unknown' && domain !== lexicon.defaultDomain) places.add(`${domain}/${place}`);
    if (STORED_DOMAINS.has(domain) || words.includes('database') || words.includes('db')) places.add(`db/${place}`);
  }
  return [...places];
}

/** Data classes that words name. */
export function dataClassesOf(words: readonly string[], lexicon: Lexicon): DataClass[] {
  const found = new Set<DataClass>();
  for (let at = 0; at < words.length; at += 1) {
    const match = lexicon.dataClasses.match(words, at);
    if (match && !(match.value === 'credentials' && isAboutCredentials(words, at, match.length)))
      found.add(match.value);
  }
  return [...found].sort();
}

/** Nouns after credentials that make them mere topics: `password policy`, `the MFA page`. */
const ABOUT_CREDENTIALS = wordSet(
  'policy policies page pages form forms field fields screen prompt prompts requirement requirements ' +
    'strength rotation expiry manager managers feature functionality webform issue issues',
);
/** A `password reset` contains no password, but its message gives access to an account. */
const OPENS_ACCOUNTS = wordSet('link links token tokens code codes url key');
const FORGOTTEN: ReadonlySet<string> = new Set(['forgot', 'forget', 'forgotten']);

const DETERMINES = /^(?:the|a|our|your|my|this|that|any|each|every)$/;

/** Whether the credentials at `words[at]` only describe the topic of another noun. */
function isAboutCredentials(words: readonly string[], at: number, length: number): boolean {
  const next = words[at + length] ?? '';
  if (ABOUT_CREDENTIALS.has(next)) return true;
  if (next === 'reset' || next === 'resets') return !OPENS_ACCOUNTS.has(words[at + length + 1] ?? '');
  const before = words[at - 1] ?? '';
  // `Keep the party secret from Tom`.
  if (words[at] === 'secret' && (next === 'from' || next === 'until') && !DETERMINES.test(before)) return true;
  return (
    FORGOTTEN.has(before) || (/^(?:my|your|his|her|their|the)$/.test(before) && FORGOTTEN.has(words[at - 2] ?? ''))
  );
}

/** How many objects the words of a clause refer to. */
export function extentOf(words: readonly string[], plural: boolean, lexicon: Lexicon): Extent {
  const found = lexicon.quantifiers.findAll(words);
  if (found.includes('all')) return 'all';
  return plural || found.includes('many') ? 'many' : 'one';
}

const CARRIES_OUT: ReadonlySet<Action> = new Set(['send', 'transfer', 'grant', 'create', 'update', 'execute']);
/** Reading verbs that write the read data somewhere. */
const EXPORTS = wordSet('export dump extract output stream expose');
const TOWARDS = wordSet('to at into onto with via');
/** The number of words between such a preposition and the address: `to my personal account at x@mail.example`. */
const MAX_BETWEEN = 6;

/** `Your e-mail is x@mail.example` states an owner; `my e-mail is ...` may state a destination. */
const isOwned = (sentence: Sentence, at: number): boolean =>
  sentence[at - 1]?.lower === 'is' &&
  /^e-?mail$/.test(sentence[at - 2]?.lower ?? '') &&
  /^(?:your|his|her|their)$/.test(sentence[at - 3]?.lower ?? '');

/** Whether an address or URL is a destination. */
function hasDestination(sentences: readonly Sentence[]): boolean {
  return sentences.some((sentence) =>
    sentence.some((token, at) => {
      if (token.kind !== 'email' && token.kind !== 'url' && !/@|:\/\//.test(token.text.slice(0, 80))) return false;
      if (isOwned(sentence, at)) return false;
      for (let before = at - 1; before >= Math.max(0, at - 2 - MAX_BETWEEN); before -= 1)
        if (TOWARDS.has(sentence[before]?.lower ?? '')) return true;
      return false;
    }),
  );
}

/** Whether every e-mail address of the text only states its owner. */
const onlyOwned = (sentences: readonly Sentence[]): boolean =>
  sentences.every((sentence) => sentence.every((token, at) => token.kind !== 'email' || isOwned(sentence, at)));

/** Whether data leaves the organisation: an address or URL is the destination of something sent, shared or uploaded. */
export function leavesOrganisation(
  asked: readonly { action: Action; verb: string }[],
  sentences: readonly Sentence[],
  entities: Entities,
  lexicon: Lexicon,
): boolean {
  const outside = (host: string | undefined) => host !== undefined && isExternalHost(host, lexicon.internalHosts);
  const mailed = entities.emails.some((email) => outside(email.slice(email.lastIndexOf('@') + 1)));
  const linked = entities.hosts.some(outside) || entities.urls.some((url) => outside(hostOf(url)));
  if (!(mailed || linked)) return false;
  const addresses = ({ action }: { action: Action }) =>
    action === 'send' || action === 'grant' || action === 'transfer';
  if (mailed && asked.some(addresses) && !onlyOwned(sentences)) return true;
  return asked.some(({ action, verb }) => CARRIES_OUT.has(action) || EXPORTS.has(verb)) && hasDestination(sentences);
}

/** Traits that the words name directly. */
export function traitsOf(words: readonly string[], lexicon: Lexicon): Trait[] {
  return lexicon.traitPhrases.findAll(words);
}
