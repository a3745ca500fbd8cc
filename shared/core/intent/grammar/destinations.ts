// Destinations of requests: reading data out to a destination outside the organisation counts as sending.
import type { VerbEntry } from '../lexicon/types.ts';
import { hostOf, isExternalHost } from '../text/entities.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';
import type { RequestedAction } from './request.ts';
import type { Sentence, Token } from '../text/tokens.ts';
import { isOf, K, tokenIs } from '../lexicon/word-kinds.ts';

/** The meaning of reading data out to such a destination. */
export const SENT_OUT: Doing = { action: 'send', effect: 'write', traits: ['external'] };

const MAX_PHRASE = 7;
/** Of a list of addresses, which may be longer than a phrase. */
const MAX_LIST = 240;

/** Whether an address, URL, host or bucket lies outside the organisation. */
function isOutside({ kind, text, lower }: Token, lexicon: Lexicon): boolean {
  const outside = (host: string | undefined): boolean => isExternalHost(host, lexicon.internalHosts);
  if (kind === 'email' || (kind === 'quoted' && lower.includes('@')))
    return outside(lower.slice(lower.lastIndexOf('@') + 1));
  if (lower.includes('://') || kind === 'url') return outside(hostOf(text));
  if (kind === 'identifier' || kind === 'number') return HOST.test(lower) && !FILE.test(lower) && outside(lower);
  return false;
}
const HOST = /^(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,18}(?::\d+)?$|^(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$/;
const FILE =
  /\.(?:txt|md|csv|tsv|jsonl?|ya?ml|xml|html?|pdf|docx?|xlsx?|zip|gz|tar|log|sql|db|py|[jt]s|sh|conf|env|parquet|bak|tmp)$/;

const isAddress = (token: Token | undefined): boolean =>
  token?.kind === 'email' ||
  token?.kind === 'url' ||
  (token?.kind === 'identifier' && HOST.test(token.lower) && !FILE.test(token.lower));

/** Whether the phrase from `from` on names something outside: an address, or a device, a service or a person in words. */
export function namesOutside(
  sentence: Sentence,
  from: number,
  end: number,
  lexicon: Lexicon,
): 'address' | 'words' | undefined {
  let owned = false;
  let inside = false;
  let last = from;
  for (let at = from; at < Math.min(end, last + MAX_PHRASE); at += 1) {
    // Where a list goes on beyond what is read, the rest may be outside.
    if (at === from + MAX_LIST) return 'address';
    const token = sentence[at];
    if (token === undefined) return undefined;
    // `to a.example and b.example`
    const joins = at === last + 1 && isAddress(sentence[last]) && isAddress(sentence[at + 1]);
    if (tokenIs(token, K.destination_end) && !joins) return undefined;
    if (isOutside(token, lexicon)) return 'address';
    if (isAddress(token)) last = at;
    const kinds = token.lower.endsWith("'s") ? lexicon.wordKinds.of(token.lower.slice(0, -2)) : token.kinds;
    inside ||= isOf(kinds, K.inside_word);
    owned ||= isOf(kinds, K.private_owner);
    if (isOf(kinds, K.private_service) || isOf(kinds, K.outsider)) return 'words';
    if (!inside && (isOf(kinds, K.portable_device) || isOf(kinds, K.storage_bucket))) return 'words';
    if (owned && !inside && isOf(kinds, K.private_thing)) return 'words';
  }
  return undefined;
}

/** Whether somebody outside gets the object: `show bob@partner.example the list`. */
function isGivenOutside({ entry, sentence, next }: RequestedAction, end: number, lexicon: Lexicon): boolean {
  const somebody = sentence[next];
  return (
    lexicon.wordKinds.has(entry.verb, K.giving_verb) &&
    somebody?.kind === 'email' &&
    next + 2 < end &&
    tokenIs(sentence[next + 1], K.object_opening) &&
    isOutside(somebody, lexicon)
  );
}

/** Whether a verb follows `to`: `export the list to check it`. */
function isVerb(token: Token | undefined, lexicon: Lexicon): boolean {
  const reading = token?.kind === 'word' ? lexicon.verbForms.get(token.lower) : undefined;
  return reading?.form === 'base' && !reading.entry.alsoNoun && !tokenIs(token, K.portable_device);
}

/** What a request does with a destination outside the organisation: it reads something out to it, puts something at an address, or moves it there. */
export type Outwards = 'reads-out' | 'puts-out' | 'moves';

/**
 * Whether, and how, a request takes something outside. `object` is what is read, as words. A verb that mostly only reads
 * needs an address, or an object of a data class (`isData`), and an object that is not itself addressed to somebody.
 */
export function outwards(
  request: RequestedAction,
  end: number,
  { object, isData }: { object: readonly string[]; isData: boolean },
  lexicon: Lexicon,
): Outwards | undefined {
  const { entry, sentence, next, kind } = request;
  if (kind === 'question') return undefined;
  const { verb } = entry;
  const readsOut = lexicon.wordKinds.has(verb, K.reads_out_verb);
  const moves = lexicon.wordKinds.has(verb, K.moving_verb) && entry.effect !== 'read';
  if (isGivenOutside(request, end, lexicon)) return moves ? 'moves' : 'reads-out';
  if (!(readsOut || moves || lexicon.wordKinds.has(verb, K.reading_out_to_somebody))) return undefined;
  const isLookedFor = !isData && lexicon.wordKinds.has(object.at(-1) ?? '', K.addressed_thing);
  for (let at = next; at < end; at += 1) {
    const word = sentence[at]?.lower ?? '';
    const isFor = word === 'for' && lexicon.wordKinds.has(verb, K.for_destination_verb);
    const isOn = readsOut && word === 'on';
    if (
      !(
        tokenIs(sentence[at], K.destination_preposition) ||
        isOn ||
        isFor ||
        (word === 'with' && lexicon.wordKinds.has(verb, K.with_destination_verb))
      )
    )
      continue;
    if (word === 'to' && isVerb(sentence[at + 1], lexicon)) continue;
    const named = namesOutside(sentence, at + 1, end, lexicon);
    if (named === undefined) continue;
    // Putting something at an address outside is sending it, whatever the verb.
    if (moves) return named === 'address' ? 'puts-out' : 'moves';
    if (named === 'address' ? !isOn && (readsOut || !isLookedFor) : !isFor && (readsOut || isData)) return 'reads-out';
  }
  return undefined;
}

/** Whether a string reads something out to an address: `data.export.customers.bob@partner`. */
export const stringSendsOut = (
  { verb }: Pick<VerbEntry, 'verb'>,
  segments: readonly string[],
  lexicon: Lexicon,
): boolean => lexicon.wordKinds.has(verb, K.reads_out_verb) && segments.some((segment) => segment.includes('@'));
