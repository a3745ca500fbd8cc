// Destinations of requests: reading data out to a destination outside the organisation counts as sending.
import type { VerbEntry } from '../lexicon/types.ts';
import { hostOf, isExternalHost } from '../text/entities.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';
import { wordSet } from '../text/word-set.ts';
import type { RequestedAction } from './request.ts';
import type { Sentence, Token } from '../text/tokens.ts';

/** The meaning of reading data out to such a destination. */
export const SENT_OUT: Doing = { action: 'send', effect: 'write', traits: ['external'] };

/** Verbs that take a copy somewhere, besides their other effects. */
const READS_OUT = new Set([
  ...wordSet(
    'export dump download copy sync synchronize synchronise print extract output stream replicate mirror archive backup clone ' +
      'expose offload transmit transfer relay pipe scrape leak exfiltrate duplicate transcribe render siphon',
  ),
  ...['back up', 'read out', 'write out', 'dump out', 'print out', 'copy over', 'pull down', 'move out', 'take out'],
]);
/** Verbs that only read, unless the result goes to someone else. */
const READS = wordSet(
  'read show display list get fetch give query report present return retrieve pull provide collect gather compile select view load reveal',
);
/** Verbs that move or put something and are classified on their own; an outside destination is additional information. */
const MOVES = wordSet(
  'save move push put store paste upload write share give send forward mail email deliver hand post load submit',
);
/** Prepositions before a destination. */
const TOWARDS = wordSet('to into onto via');
/** Verbs that take the destination after `with`: `sync the folder with the partner`. */
const WITH_OTHER = wordSet('sync synchronize synchronise mirror replicate share');
/** `Export the list for bob@...` goes to him; `download the invoices for bob@...` may be about him. */
const FOR_OTHER = wordSet('export dump extract print copy sync output');
/** Words that end the phrase of a destination. */
const ENDS = wordSet('from of about in by that which who when while because if so and or but then');
const MAX_PHRASE = 7;

/** Portable devices and media. */
const DEVICES = wordSet(
  'laptop laptops macbook notebook phone phones iphone smartphone mobile tablet ipad usb thumb pendrive stick flash floppy nas',
);
/** Words for private property: `my home computer`, `a personal account`. */
const OWN = wordSet(
  'computer pc machine desktop printer disk drive onedrive server account mailbox inbox email e-mail cloud storage device number address',
);
const OWNED_BY_SOMEBODY = wordSet('my his her their personal private home own external removable outside foreign');
/** Services on which people keep private data. */
const SERVICES = wordSet(
  'dropbox gmail icloud wetransfer telegram whatsapp discord mega hotmail protonmail pastebin webhook ngrok ftp sftp torrent',
);
/** People outside the organisation. */
const OUTSIDERS = wordSet(
  'partner partners vendor vendors supplier suppliers contractor contractors consultant consultants freelancer freelancers agency journalist journalists reporter ' +
    'reporters press newspaper competitor competitors rival rivals investor investors buyer buyers broker brokers recruiter friend friends wife husband brother ' +
    'sister cousin neighbour neighbor roommate stranger strangers outsider outsiders hacker attacker',
);
/** `Our bucket` is inside; any other bucket, including one without a description, is outside. */
const INSIDE = wordSet('our internal company corporate local');
const BUCKETS = wordSet('bucket buckets blob');

/** Nouns of addressed things: `list the messages to bob@...` only searches for them. */
const ADDRESSED = wordSet(
  'message messages email emails mail mails call calls letter letters reply replies text texts invitation invitations ticket tickets link links route flight flights charge charges payment payments access answer',
);

/** Whether an address, URL, host or bucket lies outside the organisation. */
function isOutside({ kind, text, lower }: Token, lexicon: Lexicon): boolean {
  const outside = (host: string | undefined): boolean =>
    host !== undefined && isExternalHost(host, lexicon.internalHosts);
  if (kind === 'email' || (kind === 'quoted' && lower.includes('@')))
    return outside(lower.slice(lower.lastIndexOf('@') + 1));
  if (lower.includes('://') || kind === 'url') return outside(hostOf(text));
  if (kind === 'identifier' || kind === 'number') return HOST.test(lower) && !FILE.test(lower) && outside(lower);
  return false;
}
const HOST = /^(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,18}(?::\d+)?$|^(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$/;
const FILE =
  /\.(?:txt|md|csv|tsv|jsonl?|ya?ml|xml|html?|pdf|docx?|xlsx?|zip|gz|tar|log|sql|db|py|[jt]s|sh|conf|env|parquet|bak|tmp)$/;

/** Whether the phrase from `from` on names something outside: an address, or a device, a service or a person in words. */
function namesOutside(
  sentence: Sentence,
  from: number,
  end: number,
  lexicon: Lexicon,
): 'address' | 'words' | undefined {
  let owned = false;
  let inside = false;
  for (let at = from; at < Math.min(end, from + MAX_PHRASE); at += 1) {
    const token = sentence[at];
    if (token === undefined || ENDS.has(token.lower)) return undefined;
    if (isOutside(token, lexicon)) return 'address';
    const word = token.lower.replace(/'s$/, '');
    inside ||= INSIDE.has(word);
    owned ||= OWNED_BY_SOMEBODY.has(word);
    if (SERVICES.has(word) || OUTSIDERS.has(word)) return 'words';
    if (!inside && (DEVICES.has(word) || BUCKETS.has(word))) return 'words';
    if (owned && !inside && OWN.has(word)) return 'words';
  }
  return undefined;
}

const GIVES_SOMEBODY = wordSet('show read get fetch give provide pull present deliver');
const OPENS_OBJECT = wordSet('the a an all every each any our my your his her its their this that these those');

/** Whether somebody outside gets the object: `show bob@partner.example the list`. */
function isGivenOutside({ entry, sentence, next }: RequestedAction, end: number, lexicon: Lexicon): boolean {
  const somebody = sentence[next];
  return (
    GIVES_SOMEBODY.has(entry.verb) &&
    somebody?.kind === 'email' &&
    next + 2 < end &&
    OPENS_OBJECT.has(sentence[next + 1]?.lower ?? '') &&
    isOutside(somebody, lexicon)
  );
}

/** Whether a verb follows `to`: `export the list to check it`. */
function isVerb(token: Token | undefined, lexicon: Lexicon): boolean {
  const reading = token?.kind === 'word' ? lexicon.verbForms.get(token.lower) : undefined;
  return reading?.form === 'base' && !reading.entry.alsoNoun && !DEVICES.has(token?.lower ?? '');
}

/** What a request does with a destination outside the organisation: it reads something out to it, or puts something there. */
export type Outwards = 'reads-out' | 'moves';

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
  const readsOut = READS_OUT.has(verb);
  const moves = MOVES.has(verb) && entry.effect !== 'read';
  if (isGivenOutside(request, end, lexicon)) return moves ? 'moves' : 'reads-out';
  if (!(readsOut || moves || READS.has(verb))) return undefined;
  const isLookedFor = !isData && ADDRESSED.has(object.at(-1) ?? '');
  for (let at = next; at < end; at += 1) {
    const word = sentence[at]?.lower ?? '';
    const isFor = word === 'for' && FOR_OTHER.has(verb);
    const isOn = readsOut && word === 'on';
    if (!(TOWARDS.has(word) || isOn || isFor || (word === 'with' && WITH_OTHER.has(verb)))) continue;
    if (word === 'to' && isVerb(sentence[at + 1], lexicon)) continue;
    const named = namesOutside(sentence, at + 1, end, lexicon);
    if (named === undefined) continue;
    if (moves) return 'moves';
    if (named === 'address' ? !isOn && (readsOut || !isLookedFor) : !isFor && (readsOut || isData)) return 'reads-out';
  }
  return undefined;
}

/** Whether a string reads something out to an address: `data.export.customers.bob@partner`. */
export const stringSendsOut = ({ verb }: Pick<VerbEntry, 'verb'>, segments: readonly string[]): boolean =>
  READS_OUT.has(verb) && segments.some((segment) => segment.includes('@'));
