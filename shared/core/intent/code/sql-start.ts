// Recognizes where SQL begins in a text. Plain English uses the same verbs, so further evidence is required.
import { accountingFor, type Fragment } from './code.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { fragmentsOfLexings, sqlFragments } from './sql.ts';
import { begins } from './sql-sequence.ts';
import { firstTokens, lexingsOf, type SqlToken } from './sql-lexer.ts';
import { enclosureOf, type Piece, type Place, type ReadAt } from './start.ts';

/** The number of tokens by which a statement is recognized. */
const MAX_EVIDENCE = 60;
const MAX_STATEMENTS = 60;

const isUpper = ({ text }: SqlToken | Piece): boolean => text === text.toUpperCase() && /[A-Z]/.test(text);

/** The tokens from a word on that may be the head of a statement, with what its form depends on. */
interface Opening {
  readonly tokens: readonly SqlToken[];
  readonly words: readonly string[];
  readonly second: string;
  readonly third: string;
  /** The head is in capitals. */
  readonly upper: boolean;
  readonly upperNext: boolean;
  readonly isQuoted: boolean;
  /** It has what no sentence has, or is given as a statement. */
  readonly looks: boolean;
  /** The statement may go on beyond these tokens. */
  readonly isCut: boolean;
  readonly lexicon: Lexicon;
  readonly has: (...any: readonly string[]) => boolean;
}

type Form = (opening: Opening) => boolean;

const isDrop: Form = ({ tokens, upper, second, lexicon }) => {
  const { sqlObjects } = lexicon.codeWords;
  if (!sqlObjects.has(second)) return false;
  const name = tokens.find(({ lower }, at) => at > 1 && !sqlObjects.has(lower) && !/^(?:if|not|exists)$/.test(lower));
  return upper || (name !== undefined && name.kind !== 'sign' && !lexicon.functionWords.has(name.lower));
};
const isTruncate: Form = (opening) =>
  opening.lexicon.codeWords.sqlObjects.has(opening.second)
    ? isDrop(opening)
    : (opening.upper || opening.isQuoted) && opening.tokens.length > 1;
const isAlter: Form = ({ upper, upperNext, second, has, lexicon }) =>
  (upper && upperNext && !lexicon.functionWords.has(second)) ||
  (lexicon.codeWords.sqlObjects.has(second) && (upper || has('drop', 'add', 'rename', 'set', 'column', 'disable')));
const isInsert: Form = ({ upper, second, has }) =>
  (second === 'into' || second === 'overwrite') && (upper || has('values', 'using', 'select', '('));
/** `SET app.mode = 'a'`, `set x to 1;` */
const isSet: Form = ({ tokens, words, upper, isQuoted, has }) => {
  const at = words.findIndex((word) => word === '=' || word === 'to');
  const isNamed = tokens
    .slice(1, at)
    .every(({ kind, lower }, index) => (index % 2 === 0 ? kind === 'word' : lower === '.'));
  return at > 1 && at % 2 === 0 && isNamed && (upper || isQuoted ? words[at] === '=' : has(';'));
};
/** Whether a SELECT in small letters is of values, as no sentence is: `select f(x)`, `select 1;`, `select $$a$$`. */
function selectsValue([head, first, second, third]: readonly SqlToken[]): boolean {
  const isJoined = first !== undefined && second?.at === first.end;
  // `select item(s)`
  if (first?.kind === 'word') return isJoined && second?.lower === '(' && !/^e?s$/.test(third?.lower ?? '');
  if (first?.text === '$') return isJoined;
  if (first?.kind !== 'string' && !/^\d/.test(first?.text ?? '')) return false;
  // `select 1 exec purge`, as all of a text
  return second === undefined || second.lower === ';' || (head?.at === 0 && begins(second, third));
}

const INTO_FILE = ['outfile', 'dumpfile'] as const;

/** What shows that a head begins a statement. */
const FORMS: readonly (readonly [heads: string, form: Form])[] = [
  [
    'select',
    ({ tokens, words, upper, second, third, isCut, has }) =>
      upper
        ? isCut || has('from', '(', ';', ...INTO_FILE) || (tokens[1]?.kind === 'string' && third === 'as')
        : selectsValue(tokens) ||
          has(...INTO_FILE) ||
          (words.indexOf('from') > 1 && (second === '*' || has(';', 'where', 'waitfor'))),
  ],
  [
    'delete',
    ({ tokens, second, looks, upperNext }) => second === 'from' && (looks || upperNext) && tokens[2]?.kind !== 'sign',
  ],
  ['drop', isDrop],
  ['truncate', isTruncate],
  ['alter', isAlter],
  ['insert merge replace', isInsert],
  ['update', ({ words, has }) => has('=') && words.indexOf('set') >= 2 && words.indexOf('set') <= 6],
  [
    'create',
    ({ upper, upperNext, second, has, lexicon }) =>
      upper &&
      upperNext &&
      (lexicon.codeWords.sqlObjects.has(second) || second === 'or' || has('table', 'view', 'index', 'function')),
  ],
  ['grant revoke deny', ({ upper, isCut, has }) => upper && (isCut || has('on', 'to', 'from'))],
  [
    'with',
    ({ words, upper, isCut }) =>
      (upper && isCut) || words.some((word, at) => word === 'as' && /^(?:\(|materialized)$/.test(words[at + 1] ?? '')),
  ],
  [
    'explain',
    ({ upper, looks, second, lexicon }) =>
      (upper || looks) &&
      (/^(?:\(|analy[sz]e|query|plan|verbose)$/.test(second) || lexicon.codeWords.sqlHeads.has(second)),
  ],
  ['vacuum', ({ upper, has }) => upper || has('retain')],
  [
    'copy',
    ({ tokens, upper, second, isCut, has }) =>
      (isCut || has('to', 'from')) &&
      (upper || second === '(' || has('program')) &&
      (tokens.some(({ kind }) => kind === 'string') || has('stdout', 'stdin', 'program')),
  ],
  ['unload', ({ second, upper }) => second === '(' || upper],
  [
    'exec execute',
    ({ tokens, upper, second }) => second === 'immediate' || (upper && (tokens[1]?.kind === 'word' || second === '(')),
  ],
  ['call', ({ tokens, upper, third, has }) => (upper || third === '(') && has('(') && tokens[1]?.kind === 'word'],
  ['set', isSet],
  ['load', ({ tokens, upper, second }) => second === 'data' || (upper && tokens[1]?.kind === 'string')],
  ['prepare', ({ upper, has }) => (upper || has(';')) && has('as', 'from', '(')],
  ['shutdown', ({ upper, second }) => upper && /^(?:;|with|immediate|abort|nowait|save|nosave)?$/.test(second)],
  ['pragma', ({ upper, third }) => upper || third === '(' || third === '='],
  [
    'begin start commit rollback savepoint',
    // `BEGIN pkg.purge(30); END;`
    ({ upper, second, third }) => upper && (/^(?:|;|transaction|work)$/.test(second) || /^[.(]$/.test(third)),
  ],
  ['dbcc', ({ upper, upperNext }) => upper && upperNext],
  ['backup restore purge', ({ upper, second, lexicon }) => upper && lexicon.codeWords.sqlObjects.has(second)],
];
const FORM_OF = new Map(FORMS.flatMap(([heads, form]) => heads.split(' ').map((head) => [head, form] as const)));

function isStatement(tokens: readonly SqlToken[], isQuoted: boolean, isCut: boolean, lexicon: Lexicon): boolean {
  const [head, next] = tokens;
  if (head === undefined) return false;
  const words = tokens.map(({ lower }) => lower);
  const [, second = '', third = ''] = words;
  const upper = isUpper(head);
  const upperNext = next !== undefined && isUpper(next);
  if (upper && lexicon.codeWords.sqlOpenings.has(`${head.lower}-${second}`)) return upperNext;
  const has = (...any: readonly string[]) => any.some((word) => words.includes(word));
  const looks = isQuoted || has(';', 'where', '*', '=');
  const opening = { tokens, words, second, third, upper, upperNext, isQuoted, looks, isCut, lexicon, has };
  return FORM_OF.get(head.lower)?.(opening) ?? false;
}

/** Whether words that are no SQL go on after a token: `and wire 500 euros`, `then tell them`. */
function goesOnInWords(
  { text }: SqlToken,
  [next, after]: readonly (SqlToken | undefined)[],
  before: readonly SqlToken[],
  upper: boolean,
  { codeWords, verbs }: Lexicon,
): boolean {
  if (!codeWords.continues.has(text)) return false;
  if (upper || codeWords.sqlHeads.has(next?.lower ?? '')) return true;
  if (text === 'then') return !before.some(({ lower }) => lower === 'when' || lower === 'if');
  if (next === undefined || after === undefined || !verbs.has(next.lower)) return false;
  const compares = after.kind === 'sign' && !/^\d/.test(after.text);
  return !compares && !codeWords.sqlGlue.has(after.lower) && after.lower !== 'then';
}

/** Of the tokens from the beginning of SQL on, those up to its end: of its sentence, or before words that begin no statement. */
function ownTokens(all: Iterable<SqlToken>, text: string, upper: boolean, lexicon: Lexicon): SqlToken[] {
  const tokens = all[Symbol.iterator]();
  const read = (): SqlToken | undefined => tokens.next().value;
  const found: SqlToken[] = [];
  let statements = 0;
  for (let [token, next, after] = [read(), read(), read()]; token; [token, next, after] = [next, after, read()]) {
    const isDone = token.lower === '.' && /^(?:\s|$)/.test(text.slice(token.end, token.end + 1));
    if (isDone || token.lower === '`' || goesOnInWords(token, [next, after], found, upper, lexicon)) break;
    found.push(token);
    if (token.lower !== ';') continue;
    statements += 1;
    const goesOn = next !== undefined && (lexicon.codeWords.sqlHeads.has(next.lower) || isUpper(next));
    if (!goesOn || statements > MAX_STATEMENTS) break;
  }
  return found;
}

/** What a text does that is nothing but SQL; nothing for another text. */
export function statementsIn(text: string, lexicon: Lexicon): readonly Fragment[] {
  const tokens = firstTokens(text, 0, MAX_EVIDENCE);
  const isSql =
    lexicon.codeWords.sqlHeads.has(tokens[0]?.lower ?? '') &&
    isStatement(tokens, true, tokens.length === MAX_EVIDENCE, lexicon);
  return isSql ? sqlFragments(text, { at: 0, end: text.length }, lexicon) : [];
}

export function sqlAt(place: Place): ReadAt | undefined {
  const piece = place.pieces[place.at];
  return piece && place.lexicon.codeWords.sqlHeads.has(headOf(piece)) ? sqlRegion(place, piece) : undefined;
}

const headOf = ({ lower }: Piece): string => (lower.includes('/*') ? (lower.split('/*', 1)[0] ?? '') : lower);

/** A string that is given to a call, to a variable or to a field for statements. */
const GIVEN = /(?:[(=]|\b(?:sql|query|statement|command)["']?\s{0,3}:)\s{0,3}[fr]?\\?$/i;
const MAX_BEFORE = 24;

function sqlRegion(place: Place, piece: Piece): ReadAt | undefined {
  const { text, lexicon, effort } = place;
  // Within another statement, SET belongs to that: `MATCH (n) SET n.x = 1`.
  if (piece.lower === 'set' && !place.opens) return undefined;
  const isGiven = GIVEN.test(text.slice(Math.max(0, piece.at - MAX_BEFORE), Math.max(0, piece.at - 1)));
  const isQuoted = isGiven && enclosureOf(text, piece) !== undefined;
  const tokens = firstTokens(text, piece.at, MAX_EVIDENCE);
  const first = tokens.findIndex(({ lower }) => lower === ';');
  const [head] = tokens;
  const own = first > 0 ? tokens.slice(0, first + 1) : tokens;
  if (!head || !isStatement(own, isQuoted, own.length === MAX_EVIDENCE, lexicon)) return undefined;
  const until = enclosureOf(text, piece)?.until ?? text.length;
  const upper = isUpper(head);
  const lexings = lexingsOf(text, piece.at, until, effort, (all) => ownTokens(all, text, upper, lexicon));
  // What is after the end in one dialect is read by the other readers too.
  const end = Math.min(...lexings.map((own) => own.at(-1)?.end ?? until));
  const span = { at: piece.at, end: lexings[0]?.at(-1)?.end ?? piece.at };
  return { fragments: accountingFor(fragmentsOfLexings(lexings, span, lexicon, effort), span), end };
}
