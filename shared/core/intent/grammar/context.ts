// Information beyond verb and object: places, extent, data classes, and whether data leaves the organisation.
import type { Action, DataClass, Extent } from '../../../kernel/vocabulary.ts';
import { hostOf, isExternalHost } from '../text/entities.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Sentences } from '../text/tokens.ts';
import type { Entities } from '../types.ts';
import { K, type Kind, tokenIs } from '../lexicon/word-kinds.ts';

/** The places that words name, each also below its domain; `domain` is the intent's own. */
export function placesOf(words: readonly string[], domain: string, lexicon: Lexicon): string[] {
  const places = new Set<string>();
  for (const place of lexicon.places.findAll(words)) {
    places.add(place);
    if (domain !== 'unknown' && domain !== lexicon.defaultDomain) places.add(`${domain}/${place}`);
    if (lexicon.wordKinds.has(domain, K.stored_domain) || words.includes('database') || words.includes('db'))
      places.add(`db/${place}`);
  }
  return [...places];
}

/**
 * The data classes that words name.
 * @param hasCaller the text has a header that says who asks, and names no address outside: it tells no secret (`Authorization: Bearer $TOKEN`)
 */
export function dataClassesOf(words: readonly string[], lexicon: Lexicon, hasCaller = false): DataClass[] {
  const found = new Set<DataClass>();
  for (let at = 0; at < words.length; at += 1) {
    const match = lexicon.dataClasses.match(words, at);
    if (match === undefined) continue;
    const isOfCaller = hasCaller && isCaller(words[at - 1] ?? '', words[at + match.length - 1] ?? '');
    if (match.value === 'credentials' && (isOfCaller || isAboutCredentials(words, at, match.length, lexicon))) continue;
    found.add(match.value);
  }
  return [...found].sort();
}

/** `Authorization: Bearer $TOKEN`, `X-Vault-Token: $VAULT_TOKEN` */
const isCaller = (before: string, last: string): boolean =>
  before === 'authorization' || (before === 'x' && /^(?:token|key)$/.test(last));

/** Whether the credentials at `words[at]` only describe the topic of another noun. */
function isAboutCredentials(words: readonly string[], at: number, length: number, { wordKinds }: Lexicon): boolean {
  const isAt = (place: number, kind: Kind) => wordKinds.has(words[place] ?? '', kind);
  const next = words[at + length] ?? '';
  if (isAt(at + length, K.about_credentials)) return true;
  // `users without a password`, `check that no key is committed`
  if (isAt(at - 1, K.lacking) || (/^an?y?$/.test(words[at - 1] ?? '') && isAt(at - 2, K.lacking))) return true;
  if (next === 'reset' || next === 'resets') return !isAt(at + length + 1, K.opens_account);
  // `Keep the party secret from Tom`.
  if (words[at] === 'secret' && (next === 'from' || next === 'until') && !isAt(at - 1, K.determines_secret))
    return true;
  return isAt(at - 1, K.forgetting) || (isAt(at - 1, K.own_account) && isAt(at - 2, K.forgetting));
}

/** `customer's`, `employees'` */
const POSSESSIVE = /['’]s?$/;
/** `with`, and words between it and the noun: `with the logins and passwords`. */
const MAX_CARRYING = 4;

/**
 * Whether something is made of, or handed on with, credentials, they are somebody's, or something is done to them: they are not only a topic,
 * as in `the page about passwords`.
 */
export const carriesCredentials = (words: readonly string[], lexicon: Lexicon): boolean =>
  words.some((_, at) => {
    const match = lexicon.dataClasses.match(words, at);
    if (match?.value !== 'credentials') return false;
    const isAt = (place: number, kind: Kind) => lexicon.wordKinds.has(words[place] ?? '', kind);
    return (
      isAt(at - 1, K.somebodys) ||
      POSSESSIVE.test(words[at - 1] ?? '') ||
      words.slice(Math.max(0, at - MAX_CARRYING), at).some((word) => lexicon.wordKinds.has(word, K.comes_with)) ||
      // `engrave the seed phrase on the trophy`
      (at === 2 && isAt(1, K.article) && !isAboutCredentials(words, at, match.length, lexicon))
    );
  });

/** How many objects the words of a clause refer to. */
export function extentOf(words: readonly string[], plural: boolean, lexicon: Lexicon): Extent {
  const found = lexicon.quantifiers.findAll(words);
  if (found.includes('all')) return 'all';
  return plural || found.includes('many') ? 'many' : 'one';
}

const CARRIES_OUT: ReadonlySet<Action> = new Set(['send', 'transfer', 'grant', 'create', 'update', 'execute']);
/** The number of words between such a preposition and the address: `to my personal account at x@mail.example`. */
const MAX_BETWEEN = 6;

/** Whether an address or URL is a destination. */
function hasDestination(sentences: Sentences): boolean {
  return sentences.some((sentence) =>
    sentence.some((token, at) => {
      if (token.kind !== 'email' && token.kind !== 'url' && !/@|:\/\//.test(token.text.slice(0, 80))) return false;
      for (let before = at - 1; before >= Math.max(0, at - 2 - MAX_BETWEEN); before -= 1)
        if (tokenIs(sentence[before], K.address_preposition)) return true;
      return false;
    }),
  );
}

/** Whether mail addresses, or hosts and URLs, are outside of the organisation. */
export function outsideIn({ emails, hosts, urls }: Entities, { internalHosts }: Lexicon) {
  const isOutside = (host: string | undefined) => isExternalHost(host, internalHosts);
  return {
    mailed: emails.some((email) => isOutside(email.slice(email.lastIndexOf('@') + 1))),
    linked: hosts.some(isOutside) || urls.some((url) => isOutside(hostOf(url))),
  };
}

/** Whether data leaves the organisation: an address or URL is the destination of something sent, shared or uploaded. */
export function leavesOrganisation(
  asked: readonly { action: Action; verb: string }[],
  sentences: Sentences,
  entities: Entities,
  isForeign: boolean,
  lexicon: Lexicon,
): boolean {
  const { mailed, linked } = outsideIn(entities, lexicon);
  if (!(mailed || linked)) return false;
  const addresses = ({ action }: { action: Action }) =>
    action === 'send' || action === 'grant' || action === 'transfer';
  if (mailed && asked.some(addresses)) return true;
  // The prepositions of other languages are not known, so each address in a text that sends counts as a destination.
  if (linked && isForeign && asked.some(({ action }) => action === 'send')) return true;
  return (
    asked.some(({ action, verb }) => CARRIES_OUT.has(action) || lexicon.wordKinds.has(verb, K.export_verb)) &&
    hasDestination(sentences)
  );
}
