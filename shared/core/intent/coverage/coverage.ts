// How much of a text its readings account for, and what they leave unread.
import { bySentence, type CandidateAction } from '../grammar/candidate.ts';
import type { EndState } from '../grammar/end-states.ts';
import type { Fragment } from '../code/code.ts';
import { commentsIn, type WholeProgram } from '../code/fragments.ts';
import type { Lexicon, VerbReading } from '../lexicon/types.ts';
import type { PatternMatch } from '../lexicon/patterns.ts';
import { type Phrasing, phrasingsIn, type Saying } from '../lexicon/phrasings.ts';
import type { Segments } from '../segments.ts';
import type { Sentence, Token } from '../text/tokens.ts';
import { isSecret } from '../text/secrets.ts';
import { destructiveWordsIn, type UnreadSpan } from './destructive-words.ts';
import type { CoverageFeatures } from './share.ts';
import { toldIn, within } from './told.ts';
import { unknownWordsIn } from './unknown-words.ts';

export interface Coverage {
  /** What the share of the text that the readings account for is computed from. */
  readonly features: Omit<CoverageFeatures, 'lacksObject' | 'harm'>;
  /** At most MAX_SPANS, in the order of the text, disjoint. */
  readonly unread: readonly UnreadSpan[];
  /** Names of the phrasings of the lexicon that occur. */
  readonly phrasings: readonly string[];
}

export const MAX_SPANS = 8;
export const MAX_SPAN = 80;
const MAX_TOKENS = 2_000;

const NAME = /^\p{Lu}/u;
const DIVIDES = /[,;:()\u2013\u2014]/;

/** A run of tokens with at most one statement. */
interface Clause {
  readonly tokens: Token[];
  readonly unknown: Token[];
  content: number;
  /** It has a request that is read, and a verb that may be one. */
  reads: boolean;
  claims: boolean;
}

const newClause = (): Clause => ({ tokens: [], unknown: [], content: 0, reads: false, claims: false });
const isRead = ({ reads, claims }: Clause): boolean => reads || !claims;

/** Whether the lexicon, or its place in the sentence, tells what a word is. */
function isKnownWord(words: readonly string[], at: number, token: Token, first: boolean, lexicon: Lexicon): boolean {
  return (
    token.info.isListed ||
    token.info.isParticiple ||
    (!first && NAME.test(token.text)) ||
    lexicon.compounds.match(words, at) !== undefined ||
    lexicon.places.match(words, at) !== undefined ||
    lexicon.dataClasses.match(words, at) !== undefined
  );
}

/** @param candidates those of the sentence */
function clausesOf(
  sentence: Sentence,
  candidates: readonly CandidateAction[],
  isInCode: (at: number) => boolean,
  isTold: (at: number) => boolean,
  lexicon: Lexicon,
): Clause[] {
  const words = sentence.map(({ kind, lower }) => (kind === 'word' ? lower : ''));
  const starts = new Map(candidates.map((one) => [one.at, one]));
  const found: Clause[] = [];
  let clause = newClause();
  let verbEnds = -1;
  const close = () => {
    if (clause.content > 0 || clause.claims) found.push(clause);
    clause = newClause();
  };
  const isQuestion = candidates.some((one) => one.source === 'question');
  for (const [at, token] of sentence.entries()) {
    if (isInCode(token.at)) continue;
    const divides = token.kind === 'punct' ? DIVIDES.test(token.text) : token.info.opensClause;
    if (divides && clause.tokens.length > 0) close();
    clause.tokens.push(token);
    const candidate = candidates.length === 0 ? undefined : starts.get(token.at);
    if (candidate !== undefined) {
      if (!candidate.weak || candidate.objectKnown || candidate.negated) clause.reads = true;
      clause.claims = true;
      verbEnds = at + (lexicon.verbForms.match(words, at)?.length ?? 1) - 1;
    }
    if (token.kind !== 'word' || token.info.isEmpty) continue;
    clause.content += 1;
    if (at <= verbEnds) continue;
    const { form } = token.info;
    if (form !== undefined && !isQuestion && !isTold(token.at) && isClaim(form)) clause.claims = true;
    if (!isKnownWord(words, at, token, at === 0, lexicon)) clause.unknown.push(token);
  }
  close();
  return found;
}

/** Whether a verb that is not read as a request may be one that matters. */
const isClaim = ({ entry, form }: VerbReading): boolean =>
  !entry.weak && !entry.alsoNoun && form !== 'gerund' && entry.effect !== 'read';

/** Where each word up to `last` begins, by searching for one after the other. */
function offsetsOf(text: string, words: readonly string[], last: number): number[] {
  const offsets: number[] = [];
  if (last < 0) return offsets;
  const lower = text.toLowerCase();
  let from = 0;
  for (const word of words.slice(0, last + 1)) {
    const at = lower.indexOf(word, from);
    offsets.push(at < 0 ? from : at);
    if (at >= 0) from = at + word.length;
  }
  return offsets;
}

/** A span of which the text is put together only when it is shown. */
interface Span {
  readonly at: number;
  readonly text: () => string;
}

/** A text without the credentials in it, of at most MAX_SPAN characters. */
const shown = (text: string): string =>
  text
    .slice(0, 4 * MAX_SPAN)
    .split(/(\s+)/)
    .map((part) => (isSecret(part) ? '[secret]' : part))
    .join('')
    .slice(0, MAX_SPAN);

/** @param at where it begins when it has no token of its own, such as a word within a path */
const spanOf = (tokens: readonly Token[], at = 0): Span => ({
  at: tokens[0]?.at ?? at,
  text: () => shown(tokens.map((token) => (token.kind === 'secret' ? '[secret]' : token.text)).join(' ')),
});

/** Whether a word that destroys in English has a meaning of its own in another language: `del` is an article in Spanish. */
const isForeignWord = (word: string, { languages }: Lexicon): boolean =>
  word
    .toLowerCase()
    .split(/['’]/)
    .some((part) => languages.some(({ known }) => known.has(part)));

/** The first ones of a text, without those that begin within an earlier one or have no words, as phrasings of marks alone. */
function disjoint(spans: readonly Span[]): UnreadSpan[] {
  const found: UnreadSpan[] = [];
  let end = 0;
  for (const { at, text } of spans.toSorted((a, b) => a.at - b.at || b.text().length - a.text().length)) {
    if (at < end) continue;
    const span = { at, text: text() };
    if (span.text === '') continue;
    end = at + span.text.length;
    if (found.push(span) === MAX_SPANS) break;
  }
  return found;
}

/** What the readings of a text have found. */
export interface Found {
  /** All requests, also the negated ones, and code. */
  readonly candidates: readonly CandidateAction[];
  /** Code that the text is only about. */
  readonly mentioned: readonly Fragment[];
  /** Words for people in what calls of tools are given. */
  readonly told: readonly { readonly at: number; readonly end: number }[];
  /** What statements say about how things are to end up. */
  readonly endStates: readonly EndState[];
  /** All of the text is a program that is understood. */
  readonly program: WholeProgram | undefined;
  readonly isDestructive: boolean;
  /** The share of known words in a text of another language. */
  readonly foreignKnown: number | undefined;
}

export function coverageOf(
  { text, sentences, spoken: { words, infos, ends }, code }: Segments,
  { candidates, mentioned, told, endStates, isDestructive, program, foreignKnown }: Found,
  lexicon: Lexicon,
): Coverage {
  const isInCode = within(code, text.length);
  const isTold = toldIn(text.length, sentences, candidates);
  const ofSentence = bySentence(candidates);
  // The reading of code accounts for its options, arguments and data: `terraform plan -destroy`.
  const understood = code.filter(({ isWhole }) => isWhole);
  const clauses: Clause[] = [];
  let tokens = 0;
  for (const [index, sentence] of sentences.entries()) {
    tokens += sentence.length;
    if (tokens > MAX_TOKENS) break;
    clauses.push(...clausesOf(sentence, ofSentence(index), isInCode, isTold, lexicon));
  }
  const reading = code.filter(({ isWhole, effect }) => isWhole && (effect === 'read' || program !== undefined));
  const matches = phrasingsIn(words, ends, lexicon.phrasings, infos);
  const offsets = offsetsOf(text, words, Math.max(-1, ...matches.map(({ to }) => to)));
  const [isInRead, isToldAt] = [within(reading, text.length), within(told, text.length)];
  // Code that only reads requests nothing (`SELECT coalesce(max(version), 0)`), words of different strings are no phrase, nor is what people
  // are told an order to destroy.
  const phrasings = matches.filter(({ from, to, pattern }) => {
    const [start, end] = [offsets[from] ?? 0, offsets[to] ?? 0];
    const isToldThere = isToldAt(start);
    return (
      !(isInRead(start) && isInRead(end)) &&
      isToldThere === isToldAt(end) &&
      !(isToldThere && pattern.says === 'destruction')
    );
  });
  const says = (saying: Saying): boolean => phrasings.some(({ pattern }) => pattern.says === saying);
  // The Spanish `del` is no command.
  const isForeign = () => foreignKnown !== undefined || new Set(words.filter((_, at) => infos[at]?.isForeign)).size > 1;
  const destructive = isDestructive
    ? []
    : destructiveWordsIn(
        text,
        sentences,
        candidates,
        ofSentence,
        within(
          [...mentioned, ...told, ...understood, ...(understood.length > 0 ? commentsIn(text, lexicon) : [])],
          text.length,
        ),
        isTold,
        lexicon,
      ).filter(({ text: word }) => !(isForeignWord(word, lexicon) && isForeign()));
  const destroys = !isDestructive && (destructive.length > 0 || says('destruction'));
  const unknown = unknownWordsIn(sentences, foreignKnown !== undefined, isInCode);
  const features: Coverage['features'] = {
    clauses: clauses.length,
    clausesRead: clauses.filter(isRead).length,
    words: clauses.reduce((sum, clause) => sum + clause.content, 0),
    wordsUnknown: clauses.reduce((sum, clause) => sum + clause.unknown.length, 0),
    foreignKnown,
    isHinted: says('payment') || says('disclosure') || endStates.length > 0,
    destroys,
    hasUnknownSentence: unknown.length > 0,
    byName: code.some((fragment) => fragment.byName),
  };
  const shownPhrasings = phrasings.slice(0, MAX_SPANS);
  const phraseOf = ({ from, to }: PatternMatch<Phrasing>): Span => {
    const [start, end] = [offsets[from] ?? 0, offsets[to] ?? 0];
    const near = sentences.filter((sentence) => (sentence[0]?.at ?? 0) <= end && start <= (sentence.at(-1)?.at ?? 0));
    return spanOf(
      near.flatMap((sentence) => sentence.filter(({ at }) => start <= at && at <= end)),
      start,
    );
  };
  const spans = [
    ...destructive.map(({ at, text: word }) => ({ at, text: () => shown(word) })),
    ...shownPhrasings.map(phraseOf),
    ...endStates.map((one) => spanOf(one.tokens)),
    ...unknown.map((words) => spanOf(words)),
  ];
  for (const clause of clauses)
    spans.push(...(isRead(clause) ? clause.unknown.map((token) => spanOf([token])) : [spanOf(clause.tokens)]));
  return {
    features,
    unread: disjoint(spans),
    phrasings: [
      ...new Set([...phrasings.map(({ pattern }) => pattern.name), ...endStates.map(({ says: end }) => `end_${end}`)]),
    ],
  };
}
