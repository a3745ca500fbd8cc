// Everything that a text asks for: requests in words, in quotations, in other languages, and code.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { isForeign as isInForeignWords } from './attack/flags.ts';
import { askedByCalls, askedByProgram } from './assess/called-tools.ts';
import { candidateOfFragment, candidatesOf, consequenceOf } from './assess/candidates.ts';
import type { Fragment } from './code/code.ts';
import { isMentioned, onlyRuns } from './code/mentioned.ts';
import { callProgramOf } from './code/call-programs.ts';
import type { ReadTool } from './code/program/tools.ts';
import { partsOf } from './code/names.ts';
import { postedOrders } from './code/posted-orders.ts';
import { toldIn, toolCallsIn } from './code/tool-calls.ts';
import { type CandidateAction, changed, UNKNOWN } from './grammar/candidate.ts';
import { isCarriedOut } from './grammar/clauses.ts';
import { foreignReading, type ForeignReading } from './languages/requests.ts';
import { foreignDestruction } from './languages/within-english.ts';
import { CLEARLY_HARMLESS, type ScoredText } from './harm/estimate.ts';
import { oncePerLexicon } from './lexicon/remember.ts';
import type { Lexicon } from './lexicon/types.ts';
import { isOf, K, tokenIs } from './lexicon/word-kinds.ts';
import { type Segments, segmentsOf } from './segments.ts';
import { correctedSentences } from './text/corrected.ts';
import { isSecret } from './text/secrets.ts';
import { type Sentences, sentencesOf, type Token } from './text/tokens.ts';
import { spokenText } from './text/words.ts';

export interface Readings {
  /** Requests and code, the negated ones too. */
  readonly all: readonly CandidateAction[];
  /** Those that are not negated, the most consequential first. */
  readonly asked: readonly CandidateAction[];
  /** Words that only say that code is to be run, which the code accounts for. */
  readonly carriers: readonly CandidateAction[];
  /** The text is a program of which all is understood, and that only reads and writes files. */
  readonly isProgram: boolean;
  /** Words for people in what calls of tools are given. */
  readonly told: readonly { readonly at: number; readonly end: number }[];
  /** Code that the text only mentions. */
  readonly mentioned: readonly Fragment[];
  /** Defined when the text is of another language. */
  readonly foreign: ForeignReading | undefined;
  /** Something hidden is an attack, or is to be executed. */
  readonly hidesOrder: boolean;
  /** What learned weights tell of the words; undefined without such weights. */
  readonly harm: ScoredText | undefined;
}

/** What a request that was found only after correcting misspelt words is worth. */
const CORRECTED = 0.9;
/** What a request inside quotation marks is worth. */
const QUOTED = 0.8;
const MAX_QUOTATIONS = 10;

/** The requests of the sentences; where there is none, those of the sentences without typing mistakes. */
function requestsInWords({ sentences, code }: Segments, lexicon: Lexicon): readonly CandidateAction[] {
  const found = candidatesOf(sentences, lexicon);
  if (code.length > 0 || found.some(({ weak, negated }) => !weak && !negated)) return found;
  const corrected = correctedSentences(sentences, lexicon);
  if (corrected === undefined) return found;
  return candidatesOf(corrected, lexicon).map((one) => changed(one, { certainty: one.certainty * CORRECTED }));
}

const isQuotation = ({ kind }: Token): boolean => kind === 'quoted' || kind === 'code';

/** Requests inside quotation marks count when the text asks to carry out the quotation, or consists only of it. */
function requestsInQuotations(sentences: Sentences, lexicon: Lexicon): CandidateAction[] {
  const quotations: Token[] = [];
  let meaningful = 0;
  for (const sentence of sentences)
    for (const token of sentence) {
      if (isQuotation(token)) quotations.push(token);
      if (token.kind !== 'punct') meaningful += 1;
    }
  const inner = quotations.filter(({ text }) => text.includes(' '));
  if (inner.length === 0) return [];
  const alone = meaningful <= 3;
  const last = quotations.at(-1)?.at ?? 0;
  // `What does 'delete all' do` is only a question.
  const carriedOut = sentences.some((sentence) =>
    sentence.some((token) => tokenIs(token, K.carrying_out_verb) || (token.lower === 'do' && token.at < last)),
  );
  if (!alone && !carriedOut) return [];
  const requestsIn = (text: string, at: number) =>
    candidatesOf(sentencesOf(text, isSecret, lexicon.words), lexicon)
      .filter(({ effect }) => effect !== 'read' || alone)
      .map((request) => changed(request, { at, certainty: request.certainty * QUOTED }));
  const own = inner.slice(0, MAX_QUOTATIONS).flatMap(({ text, at }) => requestsIn(text, at));
  // The others are read as one, each of them as a paragraph.
  const others = inner.slice(MAX_QUOTATIONS);
  const [first] = others;
  return first ? [...own, ...requestsIn(others.map(({ text }) => text).join('\n\n'), first.at)] : own;
}

/** What English sentences of a text in another language ask for, but to read. */
function englishAmong(sentences: Sentences, lexicon: Lexicon): CandidateAction[] {
  if (sentences.length === 1) return [];
  const english = sentences.filter((sentence) => {
    const spoken = spokenText(sentence.map(({ text }) => text).join(' '), lexicon.words);
    return !isInForeignWords(spoken) && spoken.infos.some(({ kinds }) => isOf(kinds, K.english));
  });
  return candidatesOf(english, lexicon).filter(({ effect, weak, negated }) => effect !== 'read' && !weak && !negated);
}

/** The requests in words, in whatever language. */
function requestsOf(segments: Segments, isHarmless: boolean, lexicon: Lexicon) {
  const { text, sentences, code, isForeign } = segments;
  const english = isForeign ? [] : requestsInWords(segments, lexicon);
  const isRead = english.some(({ weak }) => !weak) || code.length > 0;
  // A short text of another language may have no word by which it is recognized.
  const foreign = isForeign || !isRead ? foreignReading(text, sentences, isHarmless, lexicon) : undefined;
  if (foreign !== undefined || isForeign) {
    // In a language that is not known well enough only what is grave is looked for.
    const own = foreign?.requests ?? foreignDestruction(text, sentences, lexicon);
    return { requests: [...own, ...englishAmong(sentences, lexicon)], foreign };
  }
  const beside = [...requestsInQuotations(sentences, lexicon), ...foreignDestruction(text, sentences, lexicon)];
  return { requests: [...english, ...beside], foreign };
}

function mentionedIn(segments: Segments, requests: readonly CandidateAction[]): readonly Fragment[] {
  const { text, code } = segments;
  if (code.length === 0 || isCarriedOut(text)) return [];
  return code.filter((fragment, at) => isMentioned(fragment, code[at - 1]?.at ?? -1, requests, segments));
}

/** Whether a request in words is part of a piece of code: the words of code are no requests of their own. */
function isWithin({ text, code }: Segments): (request: CandidateAction) => boolean {
  const starts = new Set(code.map(({ at }) => at));
  // Nor are options and paths of a command that is understood: `terraform plan -destroy`.
  const isArgument = ({ at, effect }: CandidateAction) =>
    code.some(
      (fragment) =>
        fragment.isWhole &&
        fragment.at <= at &&
        at < fragment.end &&
        (effect !== 'destructive' || !/\s/.test(text.charAt(at - 1)) || /["'`]/.test(text.charAt(at))),
    );
  return (request) => starts.has(request.at) || isArgument(request);
}

/** Those that are not negated, the most consequential first. */
function ranked(all: readonly CandidateAction[]): CandidateAction[] {
  // When a statement of intent is followed by a request, only the request counts.
  const asks = all.some(
    (one) => !(one.intention || one.weak || one.negated || one.pronoun || one.implied) && one.objectKnown,
  );
  const isBackground = ({ intention, action }: CandidateAction) => asks && intention && action === 'read';
  return all
    .filter(({ negated }) => !negated)
    .sort(
      (a, b) => consequenceOf(b) - consequenceOf(a) || Number(isBackground(a)) - Number(isBackground(b)) || a.at - b.at,
    );
}

/** What is remembered of short texts: the names of tools are the same again and again. Callers choose them, so that their sizes are limited, too. */
const remembered = oncePerLexicon(
  () =>
    new BoundedCache<{ readonly asked: CandidateAction | undefined }>({
      max: 1_000,
      maxSize: 1_000_000,
      sizeOf: ({ length }) => 500 + 2 * length,
    }),
);

/** The most consequential request of a short text, read once. */
function askedBy(text: string, lexicon: Lexicon): CandidateAction | undefined {
  const known = remembered(lexicon).get(text);
  if (known !== undefined) return known.asked;
  const [asked] = readingsOf(segmentsOf(text, lexicon), lexicon).asked;
  remembered(lexicon).set(text, { asked });
  return asked;
}

/** Reads the calls of tools that a program makes, each as the text `{"tool": ..., "arguments": ...}`, so that none is read more mildly. */
export const toolReader =
  (lexicon: Lexicon): ReadTool =>
  (tool, given) =>
    askedBy(JSON.stringify({ tool, arguments: given }), lexicon);

/** Calls that read, or write and send words, so that what they are given is for people unless the learned weights lean to harm. */
function onlyHandOn(calls: readonly CandidateAction[], harm: ScoredText | undefined): boolean {
  const told = harm?.estimate([]);
  return (
    told !== undefined &&
    told.score < CLEARLY_HARMLESS &&
    told.tells !== 'harmful' &&
    calls.every(({ action, effect }) => effect !== 'destructive' && HANDS_ON.has(action))
  );
}
const HANDS_ON: ReadonlySet<string> = new Set(['read', 'create', 'update', 'send']);

/** Whether an argument holds words for people, what is looked for, or the name of a thing. */
const isForPeople = (key: string, { codeWords }: Lexicon): boolean => {
  const last = partsOf(key).at(-1) ?? '';
  return [codeWords.textFields, codeWords.searchFields, codeWords.nameFields].some((words) => words.has(last));
};

/** What bots are told to do in what a text posts; what is not understood is unknown. */
const ordersIn = (text: string, read: (sentence: string) => CandidateAction | undefined): CandidateAction[] =>
  postedOrders(text).map(({ at, text: said }) => changed(read(said) ?? UNKNOWN, { at, sentence: 0 }));

const MAX_HEAD = 120;
const CALL_HEAD = /^\w+\(\s*\w+\s*=(?!=)/;

/** Everything that a text asks for. */
export function readingsOf(segments: Segments, lexicon: Lexicon): Readings {
  const { text, hidden } = segments;
  const harm = lexicon.harm?.of(text);
  // Even if a deletion were read in it.
  const isHarmless = harm?.isHarmless(['delete destructive']) ?? false;
  const { requests, foreign } = requestsOf(segments, isHarmless, lexicon);
  const runs = requests.some(({ action, negated }) => action === 'execute' && !negated);
  const mentioned = mentionedIn(segments, requests);
  // Decoded code counts as requested when the text asks to execute something.
  const code = [...segments.code.filter((fragment) => !mentioned.includes(fragment)), ...(runs ? hidden.code : [])];
  const isPartOfCode = isWithin(segments);
  const onlyRunsCode = ({ action, at }: CandidateAction) =>
    code.some(
      (fragment) =>
        (action === 'execute' || (action === 'send' && fragment.language === 'http')) &&
        onlyRuns(text, at, fragment.at),
    );
  const readSentence = (sentence: string) => askedBy(sentence, lexicon);
  const called = toolCallsIn(text);
  // The fields of a query look like calls: `{ order(id: 3) { total } }`.
  const isQuery = code.some(({ isWhole, language, verb }) => isWhole && language === 'http' && verb === 'query');
  // Of a program that is understood, what its comments say counts, and no word of its code.
  const { program: whole } = segments;
  const isRead = whole !== undefined;
  const remarks = whole?.remarks ?? [];
  const isInRead = ({ at }: CandidateAction) => isRead && !remarks.some((span) => span.at <= at && at < span.end);
  const program = called.length > 0 || isQuery || isRead ? undefined : callProgramOf(text);
  const byCalls = [
    ...askedByCalls(called, readSentence, lexicon),
    ...(program === undefined ? [] : askedByProgram(program, readSentence, lexicon)),
  ];
  // The name of a call that is read is no command: `{"name": "bash", ...}`.
  const isName = ({ at, action }: Fragment) =>
    action === 'unknown' &&
    called.some(({ name }) => name !== '' && text.slice(at, at + 1 + name.length).endsWith(name));
  const areRead = byCalls.length > 0 && byCalls.every(({ action }) => action !== 'unknown');
  // Nor is that of one in a program: `find(path="/srv")`.
  const isHead = ({ at, action }: Fragment) =>
    program !== undefined && action === 'unknown' && CALL_HEAD.test(text.slice(at, at + MAX_HEAD));
  const read = areRead ? code.filter((one) => !(isName(one) || isHead(one))) : code;
  // Nor are the names in a program requests: `orders = get_orders()`. What its strings say may be one.
  const isInCode = ({ at, effect }: CandidateAction) =>
    areRead &&
    effect !== 'destructive' &&
    program !== undefined &&
    !program.strings.some((span) => span.at <= at && at < span.end);
  const told = areRead && onlyHandOn(byCalls, harm) ? toldIn(text, (key) => isForPeople(key, lexicon)) : [];
  const isTold = ({ at, effect }: CandidateAction) =>
    effect === 'destructive' && told.some((span) => span.at <= at && at < span.end);
  const all = [
    ...byCalls,
    ...ordersIn(text, readSentence),
    ...requests.filter(
      (request) =>
        !(isInRead(request) || isPartOfCode(request) || onlyRunsCode(request) || isInCode(request) || isTold(request)),
    ),
    ...read.map(candidateOfFragment),
  ];
  // Hidden text that is to be executed is an attack, whatever it asks for.
  const hidesOrder =
    hidden.isAttack ||
    (runs &&
      hidden.texts.some((inner) => candidatesOf(sentencesOf(inner, isSecret, lexicon.words), lexicon).length > 0));
  const carriers = requests.filter(onlyRunsCode);
  return {
    all,
    asked: ranked(all),
    carriers,
    isProgram: whole?.onlyWrites === true,
    told,
    mentioned,
    foreign,
    hidesOrder,
    harm,
  };
}
