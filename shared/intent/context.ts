// What a text says beside verb and object: where, how much, about which data, and whether something leaves the house.
import type { Action, DataClass, Extent, Trait } from '../vocabulary.ts';
import { hostOf, isExternalHost } from './entities.ts';
import type { Lexicon } from './lexicon.ts';
import type { Entities } from './types.ts';

/** Domains whose things live in a database: `production` then also means `db/production`. */
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
  return lexicon.dataClasses.findAll(words).sort();
}

/** How many objects the words of a clause speak of. */
export function extentOf(words: readonly string[], plural: boolean, lexicon: Lexicon): Extent {
  const found = lexicon.quantifiers.findAll(words);
  if (found.includes('all')) return 'all';
  return plural || found.includes('many') ? 'many' : 'one';
}

const CARRIES_OUT: ReadonlySet<Action> = new Set(['send', 'transfer', 'grant', 'create', 'update', 'execute']);
/** Reading verbs that put what they read somewhere. */
const EXPORTS = new Set(['export', 'dump', 'extract', 'output', 'stream', 'expose']);
const TO_OUTSIDE = /\b(?:to|at|into|onto|with|via)\s+(?:[\w'-]+\s+){0,6}["'<(]?(?:https?:\/\/|www\.|[\w.+-]{1,64}@)/i;

/** Whether data goes to somebody outside: an address or URL as destination of something that is sent, shared or uploaded. */
export function leavesOrganisation(
  { action, verb }: { action: Action; verb: string },
  text: string,
  entities: Entities,
  lexicon: Lexicon,
): boolean {
  if (!(CARRIES_OUT.has(action) || EXPORTS.has(verb))) return false;
  const outside = (host: string | undefined) => host !== undefined && isExternalHost(host, lexicon.internalHosts);
  const mailed = entities.emails.some((email) => outside(email.slice(email.lastIndexOf('@') + 1)));
  const linked = entities.hosts.some(outside) || entities.urls.some((url) => outside(hostOf(url)));
  if (mailed && (action === 'send' || action === 'grant' || action === 'transfer')) return true;
  return (mailed || linked) && TO_OUTSIDE.test(text.slice(0, 4_000));
}

/** Traits that the words themselves name. */
export function traitsOf(words: readonly string[], lexicon: Lexicon): Trait[] {
  return lexicon.traitPhrases.findAll(words);
}
