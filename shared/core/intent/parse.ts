// Parses free text into a normalized intent: pure, deterministic, linear in the length of the text.
import { confidenceOf, type Doubts, doubtsOf } from './assess/confidence.ts';
import { alternativesOf, leadOf, namedActionOf, reportIn } from './assess/lead.ts';
import { flagsOf, hidesText, traitsOfText } from './assess/marks.ts';
import { type Takeover, takeoverOf } from './attack/takeover.ts';
import { WRITES } from './code/code.ts';
import { SETS } from './code/judged-settings.ts';
import { onlyReads } from './code/short-programs.ts';
import { coverageOf, MAX_SPAN, MAX_SPANS } from './coverage/coverage.ts';
import type { UnreadSpan } from './coverage/destructive-words.ts';
import { type CoverageFeatures, shareOf } from './coverage/share.ts';
import { bySentence, type CandidateAction, UNKNOWN } from './grammar/candidate.ts';
import { mayMatter } from './grammar/request.ts';
import {
  carriesCredentials,
  dataClassesOf,
  extentOf,
  leavesOrganisation,
  outsideIn,
  placesOf,
} from './grammar/context.ts';
import { endStatesIn } from './grammar/end-states.ts';
import { CLEARLY_HARMLESS, type HarmEstimate } from './harm/estimate.ts';
import { namesOfReading, type ReadingName } from './harm/reading.ts';
import type { Lexicon } from './lexicon/types.ts';
import { K, tokenIs } from './lexicon/word-kinds.ts';
import { parseNormalized } from './normalized.ts';
import { type Readings, readingsOf, toolReader } from './readings.ts';
import { type Segments, segmentsOf } from './segments.ts';
import { entitiesOf } from './text/entities.ts';
import { separated } from './text/glued.ts';
import { plainText } from './text/text.ts';
import type { Sentences, Token } from './text/tokens.ts';
import { wordSet } from './text/word-set.ts';
import type { Entities, ParsedIntent } from './types.ts';
import type { Action, DataClass } from '../../kernel/vocabulary.ts';

/** At most this share of a text without a known request, or with a hidden part, is accounted for. */
const UNKNOWN_COVERAGE = 0.3;
/** Classes that do harm by themselves: the reading tells it. */
const GRAVE: ReadonlySet<Action> = new Set(['delete', 'transfer', 'grant', 'revoke']);
/** Of what is sent outside, the shipped policy `destinations` asks a human about these in live; messages are ordinary. */
export const ASKED_OUTSIDE = wordSet('data db files identity code secrets tasks payments health');
/** A text that is an object or a list is data, such as the call of a tool, and one that begins with a call is code: it reports nothing. */
const DATA = /^\s*(?:[{[]|[A-Za-z_$][\w$]*(?:\.[\w$]+)+\s?\()/;
/** What commands have and no report: options, values that are set, pipes, variables and tags. */
const LIKE_COMMAND = /(?:^|\s)--?[a-z][\w-]*(?=[\s=]|$)|[\w\])]=[\w"'[{$/.-]|(?:^|\s)\|{1,2}\s|<\/?[a-z|!?]|\$[\w({]/i;
const CALLS = /[A-Za-z_]\w{0,40}\((?!s\))/;
/** Fewer words are too few for a report, to say that a word that destroys is only mentioned, and to be sure that a text is harmless. */
const MIN_TOLD = 5;
/** Of a longer text not every request is read. */
const MAX_SURE = 200;
/** Beyond these words, quantities are not about the first request. */
const QUANTIFIED = 40;

/** A parse, with what its coverage and confidence are computed from; a normalized string has neither. */
export interface AssessedParse {
  readonly parse: ParsedIntent;
  readonly coverage?: CoverageFeatures;
  /** Names of the phrasings of the lexicon that occur in the text. */
  readonly phrasings?: readonly string[];
  /** Where the leading request was found, and its verb. */
  readonly lead?: Pick<CandidateAction, 'verb' | 'source' | 'at'>;
  /** Absent for an unknown action. */
  readonly doubts?: Doubts | undefined;
  /** What the learned weights tell beside the reading; undefined without weights, and when the reading itself tells of the harm. */
  readonly harm?: HarmEstimate | undefined;
  /** What of the reading these weights take into account. */
  readonly readingNames?: readonly ReadingName[];
}

/**
 * Parses a text. Never throws; a text that is not understood has action `unknown`, effect `write`, low confidence and the flag
 * `not_understood`. Parsing the `normalized` of any result gives the same `normalized`.
 */
export const parseIntent = (text: string, lexicon: Lexicon): ParsedIntent => assessIntent(text, lexicon).parse;

/** Whether something grave is to happen, whoever expects it: `I expect the invoice to be zelled by noon`. */
const expectsHarm = (words: readonly string[], { participles }: Lexicon): boolean =>
  words.some((word, at) => {
    const done = word === 'be' && words[at - 1] === 'to' ? participles.match(words, at + 1)?.value : undefined;
    return done !== undefined && (done.effect === 'destructive' || GRAVE.has(done.action));
  });

/** Whether code that nobody has read may be more than a report: a program that only computes is not. */
const isLikeCode = (text: string, lexicon: Lexicon): boolean =>
  LIKE_COMMAND.test(text) || (CALLS.test(text) && !onlyReads(text, lexicon));

/** The same with the features of coverage and confidence, to fit their weights. */
export function assessIntent(text: string, lexicon: Lexicon): AssessedParse {
  const plain = withoutDisguise(text, lexicon);
  const trimmed = plain.text.trim();
  const named = /\s/.test(trimmed) ? undefined : parseNormalized(trimmed, lexicon);
  if (named !== undefined) {
    const flags = plain.disguised ? [...new Set([...named.flags, 'obfuscated' as const])] : named.flags;
    return { parse: { ...named, flags } };
  }
  const words = separated(trimmed, lexicon);
  const segments = segmentsOf(words.text, lexicon, toolReader(lexicon));
  return intentOf(segments, readingsOf(segments, lexicon), plain.disguised || words.disguised, lexicon);
}

const withoutDisguise = (text: string, lexicon: Lexicon) =>
  plainText(text, (word) => lexicon.verbs.has(word) || lexicon.commands.has(word));

/** A text as it is read: without disguises and with glued words apart. For training on texts. */
export const readTextOf = (text: string, lexicon: Lexicon): string =>
  separated(withoutDisguise(text, lexicon).text.trim(), lexicon).text;

/** The meaning of a text from everything that it asks for. */
function intentOf(segments: Segments, readings: Readings, isDisguised: boolean, lexicon: Lexicon): AssessedParse {
  const { text, sentences, spoken, code, isForeign } = segments;
  const { words } = spoken;
  const { all, asked, mentioned, foreign } = readings;
  const isHidden = hidesText(segments, readings);
  const requested = leadOf(asked);
  const entities = entitiesOf(sentences);
  // How things are to be is what settings say, which are read by their values.
  const isSet = code.some(({ verb, action, isWhole }) => verb === SETS && action === 'update' && isWhole);
  const endStates = foreign === undefined && !isSet ? endStatesIn(sentences, bySentence(all), lexicon) : [];
  const isExternal =
    endStates.some(({ says }) => says === 'disclosure') ||
    leavesOrganisation(asked, sentences, entities, foreign !== undefined, lexicon);
  const found = {
    candidates: [...all, ...readings.carriers],
    mentioned,
    told: readings.told,
    endStates,
    isDestructive: requested.effect === 'destructive',
    program: segments.program,
    foreignKnown: foreign?.known,
  };
  const coverage = coverageOf(segments, found, lexicon);
  const readingNames = namesOfReading(requested, {
    isExternal,
    isHinted: coverage.features.isHinted,
    destroys: coverage.features.destroys,
  });
  // What changes something behind a name nobody has seen: the learned weights tell what the words around it are about.
  const isOnlyCode =
    coverage.features.clauses === 0 &&
    code.every(({ isWhole, byName, effect }) => isWhole && (!byName || effect === 'read'));
  // Of words that nobody knows the learned weights tell nothing.
  const estimate = readings.harm?.estimate(readingNames, !coverage.features.hasUnknownSentence);
  const harm = harmBeside(requested, { isExternal, isOnlyCode, isProgram: readings.isProgram }, estimate);
  // `Do not keep the data` destroys, and `do not delete the data` asks for nothing: the weights do not know what a negation is about.
  const isNegated = all.some(
    ({ negated, action, effect }) => negated && effect !== 'destructive' && action !== 'send' && !GRAVE.has(action),
  );
  // Words that destroy, and phrasings, are often only mentioned. What goes outside is not.
  const onlyMentionsHarm =
    harm?.onlyMentions === true && words.length >= MIN_TOLD && !isExternal && !isNegated && endStates.length === 0;
  const mayDestroy = coverage.features.destroys && !onlyMentionsHarm;
  const isHinted = coverage.features.isHinted && !onlyMentionsHarm;
  const isPlain = !(isHidden || isDisguised || mayDestroy || isHinted);
  const isReport =
    requested === UNKNOWN &&
    asked.length === 0 &&
    // Nothing was read: no stretch may lean to harm.
    harm?.onlyMentions === true &&
    code.length === 0 &&
    !isNegated &&
    !DATA.test(text) &&
    !isLikeCode(text, lexicon) &&
    (isForeign || words.length >= MIN_TOLD) &&
    isPlain &&
    !expectsHarm(words, lexicon);
  // Nothing but settings, and commands among them, of which the weights know better than a list of names what they do.
  const isSettings = requested.source === 'code' && requested.verb === SETS && requested.action === 'unknown';
  const isHarmlessSetting =
    isSettings &&
    asked.every(({ source, action, verb }) => source === 'code' && (action !== 'unknown' || verb === SETS)) &&
    harm?.tells === 'harmless' &&
    harm.score < CLEARLY_HARMLESS &&
    isPlain;
  const outside = outsideIn(entities, lexicon);
  const report = isReport ? reportIn(sentences, lexicon) : undefined;
  // Only of words: what code does, the rules know better, and what goes outside.
  const isSurelyHarmless =
    harm?.isSure === true &&
    !carriesCredentials(words, lexicon) &&
    !(report === undefined ? asked : [report]).some((one) => mayHarm(one, lexicon)) &&
    (isForeign || words.length >= MIN_TOLD) &&
    words.length <= MAX_SURE &&
    !sentences.some((sentence) => sentence.some(({ kind }) => kind === 'secret')) &&
    code.length === 0 &&
    !DATA.test(text) &&
    !isLikeCode(text, lexicon) &&
    !(isExternal || outside.mailed || outside.linked) &&
    !isNegated &&
    isPlain;
  const isHarmlessChange =
    isHarmlessSetting ||
    (isSurelyHarmless && requested.action === 'unknown' && !hasVerbThatMatters(sentences, lexicon));
  // Commands among settings tell more than these.
  const known = isHarmlessSetting ? asked.find(({ action }) => action !== 'unknown') : undefined;
  const change = known ?? { ...requested, ...WRITES };
  const lead = report ?? (isHarmlessChange ? change : requested);
  const read = {
    lead,
    extent: extentOfText(lead, asked, words, lexicon),
    alternatives: alternativesOf(asked, lead),
    entities,
    data_classes: dataClassesOfText(
      text,
      foreign === undefined ? words : [...words, ...foreign.nouns],
      entities,
      lexicon,
    ),
    external: isExternal,
  };
  const takeover = besideHarm(takeoverOf(text, lexicon, spoken), text, harm);
  const flags = flagsOf(segments, readings, takeover, read, isDisguised || isHidden);
  const traits = traitsOfText(segments, readings, read, lexicon);
  // `Close down the database for good`
  const isFinal = lead.action === 'update' && lead.source === 'words' && traits.includes('irreversible');
  const destroys = mayDestroy || isFinal;
  if (destroys) flags.add('destructive_words');

  const doubts =
    lead.action === 'unknown'
      ? undefined
      : doubtsOf(lead, {
          flags,
          candidates: asked.length,
          words: words.length,
          isHarmless: harm?.tells === 'harmless',
        });
  // Member by member: V8 gives each object that is made by a spread a layout of its own.
  const features: CoverageFeatures = {
    clauses: coverage.features.clauses,
    clausesRead: coverage.features.clausesRead,
    words: coverage.features.words,
    wordsUnknown: coverage.features.wordsUnknown,
    foreignKnown: coverage.features.foreignKnown,
    isHinted,
    destroys,
    hasUnknownSentence: coverage.features.hasUnknownSentence,
    byName: coverage.features.byName,
    lacksObject: lead !== UNKNOWN && lead.object === 'unknown',
    harm: harm?.tells ?? 'open',
  };
  const readShare = shareOf(features, lexicon.assessment.coverage);
  const mostOfShare = segments.unread ? 0 : lead === UNKNOWN || isHidden ? UNKNOWN_COVERAGE : 1;
  const share = Math.min(readShare, mostOfShare);
  const unreadHere = mayDestroy || isHinted ? coverage.unread : unreadWith(coverage.unread, harm, sentences);
  const parse: ParsedIntent = {
    normalized: `${lead.domain}.${namedActionOf(lead, { flags, coverage: share })}.${lead.object}`,
    domain: lead.domain,
    action: lead.action,
    verb: lead.verb,
    object: lead.object,
    places: placesOf(words, lead.domain, lexicon),
    effect: lead.effect,
    traits,
    extent: read.extent,
    confidence: confidenceOf(doubts, lexicon.assessment.confidence),
    coverage: share,
    unread: [...unreadFrom(segments), ...unreadHere].slice(0, MAX_SPANS).sort((a, b) => a.at - b.at),
    alternatives: read.alternatives,
    entities,
    data_classes: read.data_classes,
    flags: [...flags].sort(),
    ...(isSurelyHarmless ? { harmless: true } : {}),
  };
  return { parse, coverage: features, doubts, phrasings: coverage.phrasings, lead, harm, readingNames };
}

/**
 * Whether a word is a form of a verb that destroys, executes, sends, pays or changes access, perhaps only with some object, or that carries
 * out something unseen: `Repeat the last command`.
 */
const hasVerbThatMatters = (sentences: Sentences, lexicon: Lexicon): boolean =>
  sentences.some((sentence) =>
    sentence.some((token) => {
      const verb = token.kind === 'word' ? lexicon.verbForms.get(token.lower) : undefined;
      return tokenIs(token, K.carrying_out_verb) || (verb !== undefined && mayMatter(verb.entry, lexicon));
    }),
  );

/**
 * Whether the reading of a request leads to harm, whatever learned weights tell: it destroys, pays, changes access, sends something outside
 * (`put the list into the public folder`), or is about credentials, which are then not only mentioned (`add the passwords to the wiki`).
 */
const mayHarm = ({ effect, action, domain, object, traits }: CandidateAction, lexicon: Lexicon): boolean =>
  effect === 'destructive' ||
  GRAVE.has(action) ||
  domain === 'secrets' ||
  traits.includes('external') ||
  dataClassesOf(object.split('_'), lexicon).includes('credentials');

/** A variable that holds a secret: `$CRM_TOKEN`, `${DB_PASSWORD}`. */
const SECRET_VARIABLE = /\$\{?(?:env:)?\w{0,60}(?:token|secret|passw(?:or)?d|api_?key|credentials?)\b/i;

/** A header that says who asks. */
const CALLER_HEADER = /(?:^|[\n"'])\s{0,3}(?:authorization|x-[\w-]{1,30}-(?:token|key))["']?\s{0,3}:/i;

/** The data classes that a text names. A secret in a variable counts where an address outside is named, and who asks only there. */
function dataClassesOfText(text: string, words: readonly string[], entities: Entities, lexicon: Lexicon): DataClass[] {
  const { mailed, linked } = outsideIn(entities, lexicon);
  const isOutside = mailed || linked;
  const named = dataClassesOf(words, lexicon, !isOutside && CALLER_HEADER.test(text));
  const isSecret = isOutside && !named.includes('credentials') && SECRET_VARIABLE.test(text);
  return isSecret ? [...named, 'credentials' as const].sort() : named;
}

/** Marks of prose. Attacks of other forms hide in markup, data and addresses. */
const PROSE = /^[\p{L}\p{M}\p{N}\s.,;!?'’"()%-]*$/u;

/** An attack in prose that only learned weights have found is none when those of harm are sure of the opposite: each errs about other texts. */
const besideHarm = (takeover: Takeover, text: string, harm: HarmEstimate | undefined): Takeover =>
  takeover.evidence.length > 0 && harm?.onlyMentions === true && PROSE.test(text)
    ? { ...takeover, attack: false }
    : takeover;

/** The learned estimate of a text, unless the reading itself tells of the harm: then policies judge the reading. */
function harmBeside(
  { effect, action, domain, source, traits }: CandidateAction,
  { isExternal, isOnlyCode, isProgram }: Record<'isExternal' | 'isOnlyCode' | 'isProgram', boolean>,
  estimate: HarmEstimate | undefined,
): HarmEstimate | undefined {
  const isTold =
    effect === 'destructive' ||
    GRAVE.has(action) ||
    (action === 'send' && ASKED_OUTSIDE.has(domain) && (isExternal || traits.includes('external'))) ||
    // Code that was read only reads, whatever it is about. So does a program only write what it says.
    (source === 'code' && (effect === 'read' || isProgram) && isOnlyCode);
  return estimate?.tells === 'harmful' && isTold ? undefined : estimate;
}

/** Where a program begins not to be read. */
const unreadFrom = ({ text, unread }: Segments): UnreadSpan[] =>
  unread ? [{ at: unread.at, text: text.slice(unread.at, unread.at + MAX_SPAN) }] : [];

/** What is not read, with the words by which the learned weights tell of harm that nothing else hints at. */
function unreadWith(unread: readonly UnreadSpan[], harm: HarmEstimate | undefined, sentences: Sentences): UnreadSpan[] {
  const isShown = ({ at, text }: Token) =>
    unread.some((span) => at < span.at + span.text.length && span.at < at + text.length);
  const told = (harm?.evidence ?? []).flatMap((word) =>
    sentences.flatMap((sentence) => sentence.filter(({ at, text }) => at <= word.at && word.at < at + text.length)),
  );
  const added = [...new Set(told)].filter((token) => token.kind !== 'secret' && !isShown(token));
  return [...unread, ...added.map(({ at, text }) => ({ at, text: text.slice(0, MAX_SPAN) }))]
    .sort((a, b) => a.at - b.at)
    .slice(0, MAX_SPANS);
}

/** How many objects are affected: the quantities of the whole text count when it asks for one thing, in words. */
function extentOfText(
  lead: CandidateAction,
  asked: readonly CandidateAction[],
  words: readonly string[],
  lexicon: Lexicon,
): ParsedIntent['extent'] {
  if (lead.extent !== 'one' || lead.source !== 'words' || asked.length !== 1) return lead.extent;
  return extentOf(words.slice(0, QUANTIFIED), false, lexicon);
}
