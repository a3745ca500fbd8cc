// Values that a text wants set, in words or in a snippet beside them, and that grant, expose, pay or switch protection off:
// `Set the balance of account 7 to 90000`, `Apply this: mfa: false`.
import { partsOf } from '../code/names.ts';
import {
  disablesSomething,
  doingsOfSetting,
  isSwitch,
  isSwitchedOn,
  type Setting,
  settingsIn,
} from '../code/settings.ts';
import { oncePerLexicon } from '../lexicon/remember.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Sentence, Sentences, Token } from '../text/tokens.ts';
import { type CandidateAction, MAX_CANDIDATES, type OfSentence } from './candidate.ts';
import { indexOfToken } from './request.ts';

const MAX_NAME = 7;
const MAX_REACH = 16;
/** Words between a name and its value. */
const LEADS: ReadonlySet<string> = new Set(['to', 'as', '=', '=>', ':=']);
const INTO: ReadonlySet<string> = new Set(['to', 'into', 'in', 'on']);
const SWITCHED: ReadonlySet<string> = new Set(['off', 'on', 'false', 'public']);

const nameOf = (tokens: readonly Token[]): string =>
  tokens
    .slice(-MAX_NAME)
    .flatMap(({ text }) => partsOf(text))
    .join('_');

/** The pairs of a name and a value that the words after a verb of change hold. */
function pairsAfter(sentence: Sentence, from: number): Setting[] {
  const found: Setting[] = [];
  const add = (name: string, value: Token | undefined, unit = '') => {
    if (name !== '' && value !== undefined)
      found.push({ name, value: value.lower.replaceAll(/^["'`]|["'`.]$/g, '') + unit });
  };
  for (let at = Math.max(0, from + 1); at < from + MAX_REACH; at += 1) {
    const token = sentence[at];
    if (token === undefined) break;
    const percent = sentence[at + 2]?.text === '%' ? '%' : '';
    if (LEADS.has(token.lower)) add(nameOf(sentence.slice(from + 1, at)), sentence[at + 1], percent);
    if (INTO.has(token.lower)) add(nameOf(sentence.slice(at + 1, at + 1 + MAX_NAME)), sentence[at - 1]);
    if (SWITCHED.has(token.lower)) add(nameOf(sentence.slice(from + 1, at)), token);
  }
  return found;
}

/** `PermitRootLogin yes` */
function pairsWithin(sentence: Sentence): Setting[] {
  return sentence.flatMap(({ kind, text }) => {
    if (kind !== 'code' && kind !== 'quoted') return [];
    const [name = '', value = '', ...others] = text.replaceAll('`', '').trim().split(/\s+/, 3);
    return value !== '' && others.length === 0 ? [{ name: partsOf(name).join('_'), value: value.toLowerCase() }] : [];
  });
}

/** `protected-mode no`, `PermitRootLogin yes` without quotes; and an option to add: `--insecure`. */
function pairsBetween(sentence: Sentence): Setting[] {
  const found: Setting[] = [];
  for (const [at, { text, at: start }] of sentence.entries()) {
    const before = sentence[at - 1];
    const next = sentence[at + 1]?.lower ?? '';
    // The dashes of an option are a token of their own.
    const isOption = before?.text === '--' && before.at + 2 === start;
    if (isOption || (isSwitch(next) && IDENTIFIER.test(text)))
      found.push({ name: partsOf(text).join('_'), value: isOption ? 'true' : next });
  }
  return found;
}
const IDENTIFIER = /^[A-Za-z]+(?:[a-z][A-Z]|[_.-][a-z])[\w.-]*$/;

const asCode = (sentence: Sentence): string =>
  sentence.map(({ kind, text }) => (kind === 'quoted' ? `"${text}"` : text)).join(' ');

function isGrave(setting: Setting, lexicon: Lexicon): boolean {
  const { name, value } = setting;
  const doings = doingsOfSetting(setting, lexicon);
  const { safeguards, sensitiveSettings, weakeners } = lexicon.codeWords;
  const parts = name.split('_');
  // `skip_permission_checks`
  const isOff = parts.some((part) => weakeners.has(part)) && isSwitchedOn(value);
  if (isOff && parts.some((part) => safeguards.has(part) || sensitiveSettings.has(part))) return true;
  // A limit beyond anything: `set max_refund_amount to 99999999`
  if (LIMIT.test(value) && disablesSomething(`${name}=${value}`, lexicon)) return true;
  // A sum, or `approved`
  const isPaid = /\d/.test(value) || lexicon.participles.get(value) !== undefined;
  return doings.some(({ action }) => action !== 'transfer' || isPaid);
}

const LIMIT = /^\d{3,}%?$/;

const isChange = ({ effect, negated, mentions, tells, source }: CandidateAction): boolean =>
  effect !== 'read' && !negated && !mentions && !tells && source !== 'question';

/** @param isUnread its requests were not read, because there are too many in the text */
function setsIn(sentence: Sentence, own: readonly CandidateAction[], isUnread: boolean, lexicon: Lexicon): boolean {
  const code = asCode(sentence);
  const isCode = /[:=]/.test(code);
  const settings = [
    ...(isCode ? settingsIn(code) : []),
    ...pairsWithin(sentence),
    ...pairsBetween(sentence),
    ...(isUnread ? pairsAfter(sentence, -1) : []),
    ...own.filter(isChange).flatMap(({ at }) => pairsAfter(sentence, indexOfToken(sentence, at))),
  ];
  if (settings.some((setting) => isGrave(setting, lexicon))) return true;
  return (
    isCode && disablesSomething(code, lexicon) && sentence.some(({ lower }) => protectiveNames(lexicon).has(lower))
  );
}

/** The names of settings that destroy something with some value. */
const protectiveNames = oncePerLexicon(
  ({ settings }) => new Set(settings.flatMap(({ doing, names }) => (doing.effect === 'destructive' ? [...names] : []))),
);

/** The sentences that set such values, when the text asks for a change at all. */
export function setValuesIn(sentences: Sentences, candidatesOf: OfSentence, lexicon: Lexicon): Sentence[] {
  if (lexicon.settings.length === 0) return [];
  const isCut = sentences.reduce((sum, _, index) => sum + candidatesOf(index).length, 0) >= MAX_CANDIDATES;
  if (!isCut && !sentences.some((_, index) => candidatesOf(index).some(isChange))) return [];
  return sentences.filter((sentence, index) => {
    const own = candidatesOf(index);
    return (own.length === 0 || own.some(isChange)) && setsIn(sentence, own, isCut && own.length === 0, lexicon);
  });
}
