// Recognizes where SQL begins in a text. Plain English uses the same verbs, so further evidence is required.
import { accountingFor } from './code.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Piece } from './pieces.ts';
import { sqlFragments } from './sql.ts';
import { firstTokens, type SqlToken, sqlTokens } from './sql-tokens.ts';
import { enclosureOf, type Place, type ReadAt } from './start.ts';

/** The number of tokens by which a statement is recognized. */
const MAX_EVIDENCE = 60;
const MAX_STATEMENTS = 60;
const MAX_LETTERS = 400;

const isUpper = ({ text }: SqlToken | Piece): boolean => text === text.toUpperCase() && /[A-Z]/.test(text);

/** Whether the tokens from a head on are a statement of SQL. */
function isStatement(tokens: readonly SqlToken[], isQuoted: boolean, lexicon: Lexicon): boolean {
  const { sqlHeads, sqlObjects } = lexicon.codeWords;
  const [head] = tokens;
  if (head === undefined) return false;
  const words = tokens.map(({ lower }) => lower);
  const [, second = '', third = ''] = words;
  const upper = isUpper(head);
  const has = (...any: readonly string[]) => any.some((word) => words.includes(word));
  const looks = isQuoted || has(';', 'where', '*', '=');
  const next = tokens[1];
  if (upper && lexicon.codeWords.sqlOpenings.has(`${head.lower}-${second}`)) return next !== undefined && isUpper(next);
  switch (head.lower) {
    case 'select':
      return upper ? has('from', '(', ';') : words.indexOf('from') > 1 && (second === '*' || has(';', 'where'));
    case 'delete':
      return second === 'from' && (looks || (next !== undefined && isUpper(next))) && tokens[2]?.kind !== 'sign';
    case 'drop':
    case 'truncate': {
      if (!sqlObjects.has(second)) return (upper || isQuoted) && head.lower === 'truncate' && tokens.length > 1;
      const name = tokens.find(
        ({ lower }, at) => at > 1 && !sqlObjects.has(lower) && !/^(?:if|not|exists)$/.test(lower),
      );
      return upper || (name !== undefined && name.kind !== 'sign' && !lexicon.functionWords.has(name.lower));
    }
    case 'alter':
      // `ALTER JOB backup DISABLE`; in capitals, English has words without a meaning of their own.
      if (upper && next && isUpper(next) && next.kind === 'word' && !lexicon.functionWords.has(second) && third !== '')
        return true;
      return sqlObjects.has(second) && (upper || has('drop', 'add', 'rename', 'set', 'column', 'disable'));
    case 'insert':
    case 'merge':
    case 'replace':
      return (second === 'into' || second === 'overwrite') && (upper || has('values', 'using', 'select'));
    case 'update':
      return words.indexOf('set') >= 2 && words.indexOf('set') <= 6 && words.includes('=');
    case 'create':
      return (
        upper &&
        next !== undefined &&
        isUpper(next) &&
        (sqlObjects.has(second) || second === 'or' || has('table', 'view', 'index', 'function'))
      );
    case 'grant':
    case 'revoke':
      return upper && words.slice(1, 16).some((word) => word === 'on' || word === 'to' || word === 'from');
    case 'with':
      return words
        .slice(2, 30)
        .some((word, at) => word === 'as' && (words[at + 3] === '(' || words[at + 3] === 'materialized'));
    case 'explain':
      return (
        (upper || looks) &&
        (second === '(' ||
          second === 'analyze' ||
          second === 'analyse' ||
          second === 'query' ||
          second === 'plan' ||
          second === 'verbose' ||
          sqlHeads.has(second))
      );
    case 'vacuum':
      return upper || has('retain');
    case 'copy':
      return (
        has('to', 'from') &&
        (tokens.some(({ kind }) => kind === 'string') || has('stdout', 'stdin', 'program')) &&
        (upper || second === '(' || has('program'))
      );
    case 'unload':
      return second === '(' || upper;
    case 'exec':
    case 'execute':
      return second === 'immediate' || (upper && (tokens[1]?.kind === 'word' || second === '('));
    case 'call':
      return (upper || third === '(') && words.includes('(') && tokens[1]?.kind === 'word' && tokens[1].text !== 'the';
    case 'set': {
      const scoped = /^(?:session|global|local|persist|@@global|@@session)$/.test(second) ? 2 : 1;
      let name = words[scoped] === '.' ? scoped + 1 : scoped;
      while (words[name + 1] === '.' && name < 6) name += 2;
      const sets = /^(?:=|to)$/.test(words[name + 1] ?? '') && tokens[name]?.kind === 'word';
      return (
        sets && ((upper && words[name + 1] === '=') || (isQuoted && words[name + 1] === '=') || (has(';') && !upper))
      );
    }
    case 'prepare':
      return (upper || has(';')) && (third === 'as' || third === 'from' || third === '(');
    case 'shutdown':
      return upper && /^(?:|;|with|immediate|abort|nowait|save|nosave|transactional|normal)$/.test(second);
    case 'deny':
      return upper && has('on') && has('to');
    case 'pragma':
      return upper || third === '(' || third === '=';
    case 'begin':
    case 'start':
    case 'commit':
    case 'rollback':
    case 'savepoint':
      return upper && (second === '' || second === ';' || second === 'transaction' || second === 'work');
    case 'backup':
    case 'restore':
    case 'purge':
      return upper && sqlObjects.has(second);
    default:
      return false;
  }
}

/** Cheap first test: the word after a head that surely begins no statement. */
function isEnglish([head, second, third]: readonly SqlToken[], text: string, { codeWords }: Lexicon): boolean {
  if (head === undefined) return true;
  if (second === undefined) return head.lower !== 'shutdown';
  if (head.lower === 'set') return !(isUpper(head) || third?.lower === '=' || third?.lower === 'to');
  if (head.lower === 'prepare') return !(third?.lower === 'as' || third?.lower === 'from' || third?.lower === '(');
  if (codeWords.sqlSession.has(head.lower)) return !isUpper(head);
  if (head.lower === 'select') {
    const rest = text.slice(head.at, head.at + MAX_LETTERS).toLowerCase();
    if (isUpper(head)) return !/from|[(;]/.test(rest);
    return !(rest.includes('from') && (rest.includes('*') || rest.includes(';') || rest.includes('where')));
  }
  if (head.lower === 'explain' && !isUpper(head))
    return !/[;*=]|\bwhere\b/i.test(text.slice(head.at, head.at + MAX_LETTERS));
  if (head.lower === 'with') return second.lower !== 'recursive' && third?.lower !== 'as' && third?.lower !== '(';
  if (head.lower === 'delete') return second.lower !== 'from';
  if (head.lower === 'insert' || head.lower === 'merge' || head.lower === 'replace')
    return second.lower !== 'into' && second.lower !== 'overwrite';
  const needsObject = head.lower === 'drop' || head.lower === 'truncate' || head.lower === 'alter';
  return needsObject && !isUpper(head) && !codeWords.sqlObjects.has(second.lower);
}

/** The end of the SQL that begins at `at`: with its quotation, its sentence, or before words that begin no statement. */
function endOf(text: string, at: number, limit: number, upper: boolean, { lexicon, effort }: Place): number {
  const { codeWords } = lexicon;
  const tokens = sqlTokens(text, at, limit, effort);
  let end = at;
  let statements = 0;
  let token = tokens.next().value;
  while (token) {
    const next = tokens.next().value;
    const isDone = token.lower === '.' && /^(?:\s|$)/.test(text.slice(token.end, token.end + 1));
    const isOther = codeWords.continues.has(token.text) && (upper || codeWords.sqlHeads.has(next?.lower ?? ''));
    if (isDone || isOther || token.lower === '`') break;
    if (token.lower === ';') {
      statements += 1;
      if (!next || statements > MAX_STATEMENTS || !(codeWords.sqlHeads.has(next.lower) || isUpper(next)))
        return token.end;
    }
    end = token.end;
    token = next;
  }
  return end;
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
  const { text, lexicon, effort, sqlTokensSeen } = place;
  // Within another statement, SET belongs to that: `MATCH (n) SET n.x = 1`.
  if (piece.lower === 'set' && !place.opens) return undefined;
  const isGiven = GIVEN.test(text.slice(Math.max(0, piece.at - MAX_BEFORE), Math.max(0, piece.at - 1)));
  const isQuoted = isGiven && enclosureOf(text, piece) !== undefined;
  if (!isQuoted && isEnglish(firstTokens(text, piece.at, 3, effort, sqlTokensSeen), text, lexicon)) return undefined;
  const tokens = firstTokens(text, piece.at, MAX_EVIDENCE, effort, sqlTokensSeen);
  const first = tokens.findIndex(({ lower }) => lower === ';');
  const [head] = tokens;
  if (!head || !isStatement(first > 0 ? tokens.slice(0, first + 1) : tokens, isQuoted, lexicon)) return undefined;
  const end = endOf(text, piece.at, enclosureOf(text, piece)?.until ?? text.length, isUpper(head), place);
  const span = { at: piece.at, end };
  return { fragments: accountingFor(sqlFragments(text, span, lexicon, effort), span), end };
}
