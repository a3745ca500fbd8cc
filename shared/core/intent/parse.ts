// Parses free text into a normalized intent: pure, deterministic, linear in the length of the text.
import type { IntentFlag, Trait } from '../../kernel/vocabulary.ts';
import { candidateOfFragment, candidatesOf, consequenceOf } from './assess/candidates.ts';
import type { CandidateAction } from './grammar/candidate.ts';
import { isCarriedOut } from './grammar/clauses.ts';
import { coverageOf } from './coverage/coverage.ts';
import { confidenceOf } from './assess/confidence.ts';
import { dataClassesOf, extentOf, leavesOrganisation, placesOf, traitsOf } from './grammar/context.ts';
import { hiddenIn } from './text/encodings.ts';
import { entitiesOf } from './text/entities.ts';
import { isForeign, isScrambled } from './attack/flags.ts';
import { onlyRuns } from './code/carried.ts';
import type { Fragment } from './code/code.ts';
import { fragmentsOf } from './code/fragments.ts';
import { handsOverShell, isIllicit } from './attack/illicit.ts';
import type { Lexicon } from './lexicon/types.ts';
import { parseNormalized } from './normalized.ts';
import { holdsPrivateKey, isSecret } from './text/secrets.ts';
import { takeoverOf } from './attack/takeover.ts';
import { foreignDestruction, foreignReading } from './languages/requests.ts';
import { correctedSentences } from './text/corrected.ts';
import { plainText } from './text/text.ts';
import { type Sentence, sentencesOf, type Token } from './text/tokens.ts';
import type { Alternative, ParsedIntent } from './types.ts';
import { spokenText } from './text/words.ts';

const MAX_ALTERNATIVES = 8;
/** At most this share of a text without a known request is accounted for. */
const UNKNOWN_COVERAGE = 0.3;

const UNKNOWN: CandidateAction = {
  verb: 'unknown',
  action: 'unknown',
  effect: 'write',
  traits: [],
  object: 'unknown',
  domain: 'unknown',
  extent: 'one',
  at: 0,
  certainty: 0,
  objectKnown: false,
  negated: false,
  weak: false,
  source: 'words',
  mentions: false,
  pronoun: false,
  implied: false,
  intention: false,
  sentence: 0,
};

/**
 * Parses a text. Never throws; a text that is not understood has action `unknown`, effect `write`, low confidence and the flag
 * `not_understood`. Parsing the `normalized` of any result gives the same `normalized`.
 */
export function parseIntent(text: string, lexicon: Lexicon): ParsedIntent {
  const plain = plainText(text, (word) => lexicon.verbs.has(word) || lexicon.commands.has(word));
  const trimmed = plain.text.trim();
  const normalized = /\s/.test(trimmed) ? undefined : parseNormalized(trimmed, lexicon);
  if (normalized) {
    return plain.disguised
      ? { ...normalized, flags: [...new Set([...normalized.flags, 'obfuscated' as const])] }
      : normalized;
  }

  const sentences = sentencesOf(trimmed, isSecret);
  const spoken = spokenText(trimmed);
  const { words } = spoken;
  const fragments = fragmentsOf(trimmed, lexicon);
  const { texts: hidden, moved } = hiddenIn(trimmed, words);
  const hiddenFragments = hidden.flatMap((inner) => fragmentsOf(inner, lexicon));
  // Text that consists only of encoded sentences is hidden, whatever it says.
  const allHidden =
    hidden.some((inner) => /(?:[a-z]{1,20}[ ,.]{1,2}){6}/i.test(inner)) &&
    !words.some((word) => /^[a-z]{3,}$/.test(word));
  const hiddenCode =
    allHidden || hiddenFragments.length > 0 || hidden.some((inner) => takeoverOf(inner, lexicon).attack);
  const takeover = takeoverOf(trimmed, lexicon, spoken);
  const foreign = isForeign(spoken, lexicon);

  const english = foreign ? [] : requestsIn(sentences, fragments, lexicon);
  const isRead = english.some(({ weak }) => !weak) || fragments.length > 0;
  // A short text of another language may have no word by which it is recognized.
  const other = foreign || !isRead ? foreignReading(trimmed, sentences, lexicon) : undefined;
  const candidates =
    other !== undefined || foreign
      ? [...(other?.requests ?? [])]
      : [...english, ...quotedCandidates(sentences, lexicon), ...foreignDestruction(trimmed, sentences, lexicon)];
  const runs = candidates.some((candidate) => candidate.action === 'execute' && !candidate.negated);
  // Hidden text that is to be executed is an attack, whatever it asks for.
  const hiddenOrder =
    hiddenCode || (runs && hidden.some((inner) => candidatesOf(sentencesOf(inner, isSecret), lexicon).length > 0));
  const mayMention = fragments.length > 0 && candidates.length > 0 && !isCarriedOut(trimmed);
  const mentioned = mayMention
    ? fragments.filter((fragment, at) =>
        isMentioned(fragment, fragments[at - 1]?.at ?? -1, candidates, sentences, trimmed),
      )
    : [];
  const code = [
    ...fragments.filter((fragment) => !mentioned.includes(fragment)),
    // Decoded code counts as requested when the text asks to execute something.
    ...(runs ? hiddenFragments : []),
  ];
  // Words inside a piece of code are not requests of their own.
  const inCode = new Set(fragments.map((fragment) => fragment.at));
  // Options and paths of a command that is understood are no requests either: `terraform plan -destroy`.
  const isArgument = ({ at, effect }: CandidateAction) =>
    fragments.some(
      (fragment) =>
        (fragment.language === 'shell' || trimmed.charAt(fragment.end - 1) === ')') &&
        fragment.action !== 'unknown' &&
        fragment.at <= at &&
        at < fragment.end &&
        (effect !== 'destructive' || !/\s/.test(trimmed.charAt(at - 1)) || /["'`]/.test(trimmed.charAt(at))),
    );
  const onlyRunsCode = ({ action, at }: CandidateAction) =>
    action === 'execute' && code.some((fragment) => onlyRuns(trimmed, at, fragment.at));
  const all = [
    ...candidates.filter(
      (candidate) => !(inCode.has(candidate.at) || isArgument(candidate) || onlyRunsCode(candidate)),
    ),
    ...code.map((fragment) => candidateOfFragment(fragment, 0)),
  ];
  // When a statement of intent is followed by a request, only the request counts.
  const asks = all.some(
    (one) => !(one.intention || one.weak || one.negated || one.pronoun || one.implied) && one.objectKnown,
  );
  const isBackground = (candidate: CandidateAction) => asks && candidate.intention && candidate.action === 'read';
  const asked = all
    .filter((candidate) => !candidate.negated)
    .sort(
      (a, b) => consequenceOf(b) - consequenceOf(a) || Number(isBackground(a)) - Number(isBackground(b)) || a.at - b.at,
    );
  const lead = asked.find((candidate) => !candidate.weak || candidate.objectKnown) ?? UNKNOWN;
  const understood = lead !== UNKNOWN && !(lead.weak && asked.length === 1);
  const chosen = understood ? lead : UNKNOWN;
  const alternatives = alternativesOf(asked, chosen);

  const flags = new Set<IntentFlag>();
  // A pretext excuses what follows it, including code that the text claims only to mention.
  const dataClasses = dataClassesOf(other === undefined ? words : [...words, ...other.nouns], lexicon);
  const entities = entitiesOf(sentences);
  const external = leavesOrganisation(asked, sentences, entities, lexicon);
  const destructive = [...all, ...fragments].some((part) => part.effect === 'destructive');
  const grave = destructive || dataClasses.includes('credentials');
  const takesOver = takeover.attack || (takeover.pretext && grave) || (takeover.hinted && destructive && external);
  if (takesOver) flags.add('prompt_injection');
  if (plain.disguised || hiddenOrder || isScrambled(words) || moved || fragments.some((fragment) => fragment.disguised))
    flags.add('obfuscated');
  if (all.some((candidate) => candidate.negated)) flags.add('negated');
  if (alternatives.length > 0) flags.add('multi_action');
  if (chosen.action === 'unknown') flags.add('not_understood');
  if (
    sentences.some((sentence) => sentence.some((token) => token.kind === 'secret')) ||
    holdsPrivateKey(trimmed) ||
    hidden.some(holdsPrivateKey)
  ) {
    flags.add('secret_in_text');
  }

  const extent =
    chosen.extent === 'one' && chosen.source === 'words' && asked.length === 1
      ? extentOf(words.slice(0, 40), false, lexicon)
      : chosen.extent;
  const traits = new Set<Trait>(chosen.traits);
  // Traits of further actions count too: a text that also sends something outside keeps this trait whichever action comes first.
  for (const candidate of asked) for (const trait of candidate.traits) traits.add(trait);
  for (const trait of traitsOf(words, lexicon))
    if (chosen.action !== 'read' || chosen.traits.length > 0 || trait === 'privileged') traits.add(trait);
  if (entities.money.length > 0 && chosen.action === 'transfer') traits.add('financial');
  if (
    chosen.effect !== 'read' &&
    (extent === 'all' || (extent === 'many' && extentOf(words.slice(0, 60), false, lexicon) !== 'one'))
  )
    traits.add('bulk');
  if (external) traits.add('external');
  if ((!foreign && isIllicit(words, all, sentences)) || handsOverShell(trimmed)) traits.add('illicit');

  const coverage = coverageOf(
    trimmed,
    spoken,
    sentences,
    all,
    { found: fragments, mentioned },
    chosen.effect === 'destructive',
    other?.known,
    lexicon,
  );
  if (coverage.destroys) flags.add('destructive_words');

  return {
    normalized: `${chosen.domain}.${chosen.action}.${chosen.object}`,
    domain: chosen.domain,
    action: chosen.action,
    verb: chosen.verb,
    object: chosen.object,
    places: placesOf(words, chosen.domain, lexicon),
    effect: chosen.effect,
    traits: [...traits].sort(),
    extent,
    confidence: confidenceOf(chosen, { flags, candidates: asked.length, words: words.length }),
    coverage: chosen === UNKNOWN ? Math.min(coverage.share, UNKNOWN_COVERAGE) : coverage.share,
    unread: [...coverage.unread],
    alternatives,
    entities,
    data_classes: dataClasses,
    flags: [...flags].sort(),
  };
}

/** What a request that was found only after correcting misspelt words is worth. */
const CORRECTED = 0.9;

/** The requests of the sentences; where there is none, those of the sentences without typing mistakes. */
function requestsIn(
  sentences: readonly Sentence[],
  code: readonly Fragment[],
  lexicon: Lexicon,
): readonly CandidateAction[] {
  const found = candidatesOf(sentences, lexicon);
  if (code.length > 0 || found.some(({ weak, negated }) => !weak && !negated)) return found;
  const corrected = correctedSentences(sentences, lexicon.spelling);
  if (corrected === undefined) return found;
  return candidatesOf(corrected, lexicon).map((one) => ({ ...one, certainty: one.certainty * CORRECTED }));
}

/** Requests inside quotation marks count when the text asks to carry out the quotation, or consists only of it. */
function quotedCandidates(sentences: readonly Sentence[], lexicon: Lexicon): CandidateAction[] {
  const isQuotation = (token: Token) => token.kind === 'quoted' || token.kind === 'code';
  if (!sentences.some((sentence) => sentence.some(isQuotation))) return [];
  const tokens = sentences.flat();
  const meaningful = tokens.filter((token) => token.kind !== 'punct');
  const alone = meaningful.length > 0 && meaningful.length <= 3 && meaningful.some(isQuotation);
  const last = tokens.findLastIndex(isQuotation);
  const carriedOut = tokens.some(
    ({ lower }, at) =>
      /^(?:execute|run|perform|follow|obey|repeat|exec|eval)$/.test(lower) ||
      // `What does 'delete all' do` is only a question.
      (lower === 'do' && at < last),
  );
  if (!alone && !carriedOut) return [];
  const inner = tokens.filter((token) => isQuotation(token) && token.text.includes(' ')).slice(0, 10);
  return inner.flatMap((token) =>
    candidatesOf(sentencesOf(token.text, isSecret), lexicon)
      .filter((candidate) => candidate.effect !== 'read' || alone)
      .map((candidate) => ({ ...candidate, at: token.at, certainty: candidate.certainty * 0.8 })),
  );
}

/** Code that is only mentioned: its sentence explains, asks or describes, and runs nothing. */
function isMentioned(
  fragment: Fragment,
  previousAt: number,
  candidates: readonly CandidateAction[],
  sentences: readonly Sentence[],
  text: string,
): boolean {
  // A command after a separator is part of a command line, not of a sentence.
  if (fragment.language === 'shell' && /[;&|]\s{0,8}$/.test(text.slice(Math.max(0, fragment.at - 12), fragment.at)))
    return false;
  // EXPLAIN ANALYZE runs the statement that it explains.
  if (
    fragment.language === 'sql' &&
    /\bexplain\s{1,8}analy[sz]e\s{1,8}$/i.test(text.slice(Math.max(0, fragment.at - 40), fragment.at))
  )
    return false;
  const isBefore = (candidate: CandidateAction) => candidate.at < fragment.at && candidate.source !== 'code';
  const last = candidates.findLast(isBefore);
  if (!last) return false;
  // `check x and drop table y` contains two requests; `explain what drop table and delete from do` mentions both.
  if (
    fragment.effect !== 'read' &&
    previousAt < last.at &&
    candidates.some((candidate) => candidate.at === fragment.at && !candidate.negated) &&
    /\b(?:and|then|or|plus)\s{1,8}$/i.test(text.slice(Math.max(0, fragment.at - 16), fragment.at))
  )
    return false;
  const talks =
    last.mentions ||
    (last.action === 'read' &&
      fragment.effect !== 'read' &&
      /^(?:analyze|analyse|review|compare|check|find|search|look|read|show|grep|count|log|locate|match|highlight|debug|audit|evaluate|assess|verify|validate)/.test(
        last.verb,
      ));
  // `grep found X; run that statement` runs it after all.
  if (candidates.some(({ verb, at, negated }) => at > fragment.at && !negated && /^(?:run|execute)$/.test(verb)))
    return false;
  const runs = () => candidates.some((candidate) => candidate.action === 'execute' && isBefore(candidate));
  if (!(last.negated || (talks && !runs()))) return false;
  return sentences.some((sentence) => {
    const start = sentence[0]?.at ?? 0;
    const end = sentence.at(-1)?.at ?? 0;
    return start <= last.at && fragment.at <= end + 1;
  });
}

/** The other requested actions, most consequential first. */
function alternativesOf(asked: readonly CandidateAction[], chosen: CandidateAction): Alternative[] {
  const seen = new Set([`${chosen.domain}.${chosen.action}.${chosen.object}`]);
  const others: Alternative[] = [];
  for (const candidate of asked) {
    if (others.length === MAX_ALTERNATIVES) break;
    const { domain, action, object, verb, effect } = candidate;
    const normalized = `${domain}.${action}.${object}`;
    if (candidate.weak || candidate === chosen || seen.has(normalized)) continue;
    seen.add(normalized);
    others.push({ normalized, action, verb, object, effect, confidence: Math.round(candidate.certainty * 800) / 1000 });
  }
  return others;
}
