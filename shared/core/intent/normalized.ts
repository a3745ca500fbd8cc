// Parses strings in normalized form: `domain.action.object`, or `action:resource`.
import { noEntities } from './text/entities.ts';
import { flatText } from '../../kernel/flat-text.ts';
import type { Trait } from '../../kernel/vocabulary.ts';
import { meaningsMember } from './assess/strictness.ts';
import { READS } from './code/code.ts';
import { isDestroying } from './code/names.ts';
import { extentOf } from './grammar/context.ts';
import { SENT_OUT, stringSendsOut } from './grammar/destinations.ts';
import { domainOf } from './grammar/request-object.ts';
import type { Lexicon } from './lexicon/types.ts';
import { actionOf, spokenAction } from './strings/action-word.ts';
import { isStricter, meaningOfString, saidOf, strictestDoing } from './strings/doing.ts';
import {
  dataClassesOfSegments,
  knownWordsOf,
  objectsOf,
  placesOfSegments,
  segmentWords,
  type Spelling,
  withVerb,
} from './strings/segments.ts';
import { segmentAsItLooks } from './text/look-alikes.ts';
import type { ParsedIntent } from './types.ts';

/**
 * Parses an action word and the canonical segments of a resource, such as `['db', 'production', 'users']`. A last segment `*` covers all
 * resources below. An unknown action word gives the action `unknown`, never an error. Refinements of the lexicon apply as in a text, and
 * look-alike letters and digits are read as what they look like: for no verb and noun is the string milder than the text.
 */
export function readNormalized(
  { actionWord, segments }: { actionWord: string; segments: readonly string[] },
  lexicon: Lexicon,
): ParsedIntent {
  const { reading, verb, disguised: actionDisguised } = spokenAction(actionWord, lexicon);
  const [first = 'unknown', ...rest] = segments;
  const wildcard = segments.at(-1) === '*';
  const named = segments.filter((segment) => segment !== '*');
  const known = knownWordsOf(lexicon);
  const seen = named.map((segment) => segmentAsItLooks(segment, known));
  const written: Spelling = { segments: named, words: named.map((segment) => segmentWords([segment])) };
  const looks: Spelling = { segments: seen.map(({ text }) => text), words: seen.map(({ words }) => words) };
  const spellings = seen.some(
    ({ text, words }, at) => text !== named[at] || words.join(' ') !== written.words[at]?.join(' '),
  )
    ? [written, looks]
    : [written];
  const verbWords = segmentWords([verb]);
  const words = [...new Set(spellings.flatMap((spelling) => spelling.words.flat()))];
  const heads = spellings.flatMap((spelling) => objectsOf(spelling, lexicon));
  const meant = meaningOfString({ ...reading, verb }, heads, words, lexicon);
  const said = saidOf(verb, looks.words.at(-1) ?? [], lexicon) ?? READS;
  const sent = stringSendsOut({ verb }, named, lexicon) ? [SENT_OUT] : [];
  // `infra.format.disk` may be the command as well as the verb.
  const command = lexicon.commands.get(actionWord);
  const ran = command !== undefined && command.domain === first ? [command] : [];
  const doing = strictestDoing([meant.doing, said, ...sent, ...ran]);
  const each = [
    ...meant.each,
    ...(isStricter(said, reading) && said.effect !== 'read' ? [said] : []),
    ...sent,
    ...ran,
    doing,
  ];
  const extent = wildcard ? 'all' : extentOf([...verbWords, ...words], false, lexicon);
  const traits = new Set<Trait>(doing.traits);
  for (const spelling of spellings) {
    // Some phrases of the lexicon begin with an article: `the internet`.
    const lists = [...withVerb(verbWords, spelling.words.flat()), ...spelling.words.map((of) => ['the', ...of])];
    for (const list of lists) for (const trait of lexicon.traitPhrases.findAll(list)) traits.add(trait);
  }
  if (extent !== 'one' && doing.effect !== 'read') traits.add('bulk');
  const isUnderstood = reading.action !== 'unknown';
  const disguised = actionDisguised || seen.some((segment) => segment.disguised);
  return {
    normalized: flatText([first, meant.named, ...rest].join('.')),
    domain: first === '*' ? domainOf([], lexicon) : first,
    action: doing.action,
    verb: reading.verb,
    object: named.at(-1) ?? '*',
    places: placesOfSegments(written, looks, { verbWords, wildcard }, lexicon),
    effect: doing.effect,
    traits: [...traits].sort(),
    extent,
    ...meaningsMember(each.map(({ action, effect }) => ({ action, verb: reading.verb, effect, extent }))),
    confidence: !isUnderstood ? 0.1 : reading.verb === reading.action ? 1 : 0.95,
    coverage: 1,
    unread: [],
    alternatives: [],
    entities: noEntities(),
    data_classes: [
      ...new Set(spellings.flatMap((spelling) => dataClassesOfSegments(spelling, verbWords, lexicon))),
    ].sort(),
    flags: [
      ...(doing.effect !== 'destructive' &&
      looks.words.slice(1).some((of) => namesDestruction(of, reading.action === 'execute', lexicon))
        ? (['destructive_words'] as const)
        : []),
      ...(isUnderstood ? [] : (['not_understood'] as const)),
      ...(disguised ? (['obfuscated'] as const) : []),
    ],
  };
}

/**
 * Whether a segment has a verb that destroys, as in `data.execute.purge_customers`. Participles (`deleted_rows`) describe, and so do
 * compounds (`delete_statement`), unless they are carried out.
 */
function namesDestruction(words: readonly string[], isCarriedOut: boolean, lexicon: Lexicon): boolean {
  return words.some(
    (word, at) =>
      lexicon.verbForms.get(word) !== undefined &&
      isDestroying(word, lexicon) &&
      (isCarriedOut || lexicon.compounds.match(words, at) === undefined),
  );
}

const SEGMENT = /^[\p{L}\p{N}_*-]{1,256}$/u;

/**
 * The parse of `domain.action.object` (any number of dotted parts) or `action:resource`; undefined for a text that is
 * neither. Its own `normalized` is read back as it is.
 */
export function parseNormalized(text: string, lexicon: Lexicon): ParsedIntent | undefined {
  if (text.length > 2_048) return undefined;
  const lower = text.toLowerCase();
  const colon = lower.indexOf(':');
  const parts = (colon < 0 ? lower : lower.slice(colon + 1))
    .split(colon < 0 ? '.' : /[/\\:.]+/)
    .filter((part) => colon < 0 || part !== '');
  const valid =
    parts.length > 0 &&
    parts.every(
      (part, at) =>
        SEGMENT.test(part) &&
        (!part.includes('*') || (part === '*' && (at === parts.length - 1 || (at === 0 && parts.length === 2)))),
    );
  if (!valid) return undefined;
  if (colon >= 0) {
    const actionWord = lower.slice(0, colon);
    return actionOf(actionWord, lexicon) ? readNormalized({ actionWord, segments: parts }, lexicon) : undefined;
  }
  const [domain, actionWord, ...rest] = parts;
  if (domain === undefined || actionWord === undefined || !actionOf(actionWord, lexicon)) return undefined;
  return readNormalized({ actionWord, segments: [domain, ...rest] }, lexicon);
}
