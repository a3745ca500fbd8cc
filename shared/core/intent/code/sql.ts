// Reads SQL statements for what they do, and what the clients of databases run: SQL, and commands of their own. A statement, or a part of
// one, that is not known is not understood.
import { type Effort, newEffort } from './effort.ts';
import { type Fragment, fragmentOf, gravest, gravity, readsOnly, type Span, unknownCode } from './code.ts';
import { emptiesSetting } from './settings.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { PRIVILEGE, readAlter, readPragma, readSet } from './sql-changes.ts';
import { calledIn, destination, harmCalledIn, readSelect, sentTo } from './sql-queries.ts';
import { readChange, readDelete, readUpdate } from './sql-rows.ts';
import {
  gone,
  make,
  MODIFIES,
  named,
  notUnderstood,
  outerAt,
  type Statement,
  withinAt,
  wordsOf,
} from './sql-statement.ts';
import { bodyOf, followingIn, MAY_BE_FOLLOWED, withoutUndone } from './sql-sequence.ts';
import { lexingsOf, type SqlToken, statementsOf } from './sql-lexer.ts';

/** What may stand between EXPLAIN and the statement, beside options in parentheses. */
const EXPLAIN_OPTION = /^(?:explain|analy[sz]e)$/;

/** What runs when a statement only says to explain another. */
function readExplain(statement: Statement): Fragment {
  const { tokens, lexicon } = statement;
  const begins = ({ lower }: SqlToken) => lexicon.codeWords.sqlHeads.has(lower) && !EXPLAIN_OPTION.test(lower);
  const at = outerAt(tokens, begins);
  const before = tokens.slice(0, at < 0 ? undefined : at);
  const value = before.findIndex(
    ({ lower }, place) =>
      EXPLAIN_OPTION.test(lower) && /^(?:[(,]|explain|verbose)$/.test(before[place - 1]?.lower ?? ''),
  );
  const isAll = value === tokens.length - 1;
  if (value < 0 || isAll || /^(?:false|off|0)$/.test(before[value + 1]?.lower ?? ''))
    return make(statement, 'explain', 'read', { object: 'plan' });
  // A change may stand behind what is not read: `(DELETE ...)`, `DECLARE c CURSOR FOR DELETE ...`.
  const change = tokens.findIndex(({ lower }) => MODIFIES.has(lower));
  const read = [at, change].map((from) =>
    from < 0 ? undefined : readStatement({ ...statement, tokens: tokens.slice(from) }),
  );
  return gravest(read) ?? notUnderstood(statement);
}

/** The gravest of the statements within the parentheses of a WITH, and after them. */
function readWith(statement: Statement): Fragment {
  const { tokens } = statement;
  const begins = (token: SqlToken | undefined) =>
    token !== undefined && (MODIFIES.has(token.lower) || token.lower === 'select');
  const inner = tokens.flatMap(({ lower }, at) =>
    lower === '(' && begins(tokens[at + 1]) ? [withinAt(tokens, at)] : [],
  );
  const main = outerAt(tokens, begins);
  const parts = main < 0 ? inner : [...inner, tokens.slice(main)];
  if (parts.length > MAX_PARTS) return notUnderstood(statement);
  return gravest(parts.map((part) => readStatement({ ...statement, tokens: part }))) ?? notUnderstood(statement);
}
const MAX_PARTS = 40;

/** What the other statements do. Procedures, EXECUTE IMMEDIATE and dialects that are not known are not understood. */
function readOther(statement: Statement, head: string): Fragment {
  const { codeWords } = statement.lexicon;
  const words = wordsOf(statement);
  if (/^(?:vacuum|copy|unload|export|backup)$/.test(head)) return readExport(statement, head);
  if (head === 'grant' || head === 'revoke' || head === 'deny')
    return make(statement, head, head === 'grant' ? 'grant' : 'revoke', PRIVILEGE);
  if (head === 'kill' || head === 'shutdown')
    return make(statement, head, 'execute', { effect: 'destructive', object: 'session' });
  if (head === 'set') return readSet(statement);
  if (head === 'reset' && /^(?:master|binary|replica|slave)$/.test(words[1] ?? '')) return gone(statement, head);
  // `PREPARE s FROM 'DROP ...'`: the statement is a text.
  if (head === 'prepare' && words.includes('from')) return notUnderstood(statement);
  if (head === 'declare') {
    const harm = declaredHarm(statement);
    if (harm) return harm;
  }
  if (codeWords.sqlSession.has(head) || head === 'reset')
    return emptiesSetting(words.join(' '), statement.lexicon)
      ? gone(statement, head)
      : make(statement, head, 'execute', { effect: 'read', object: 'session' });
  if (codeWords.sqlChanges.has(head)) return readChange(statement, head);
  if (head.startsWith('exec') && codeWords.sqlReadingProcedures.has(words[1] ?? ''))
    return make(statement, head, 'read', { object: 'schema' });
  return notUnderstood(statement, { object: head === 'call' || head.startsWith('exec') ? 'procedure' : 'statement' });
}

/** What declaring a value calls, or the query of a cursor; the types of variables look like calls. */
function declaredHarm(statement: Statement): Fragment | undefined {
  const from = statement.tokens.findIndex(({ lower }) => /^(?::?=|for|default|is)$/.test(lower));
  return from < 0 ? undefined : harmCalledIn({ ...statement, tokens: statement.tokens.slice(from) });
}

/** Statements that write rows or files elsewhere, or clear up. */
function readExport(statement: Statement, head: string): Fragment {
  const { tokens } = statement;
  const words = wordsOf(statement);
  if (head === 'vacuum' && !words.includes('into')) {
    const keepsNothing = words.some((word, at) => word === 'retain' && (words[at + 1] ?? '').startsWith('0'));
    const object = named(statement, 1);
    return keepsNothing ? gone(statement, head, object) : make(statement, head, 'update', { object });
  }
  const isOut =
    head !== 'copy' ||
    (words[1] === 'into' && (tokens[2]?.kind === 'string' || words[2]?.startsWith('@') === true)) ||
    words.includes('to') ||
    destination(statement) === 'program';
  return isOut ? sentTo(statement, head) : make(statement, head, 'create');
}

const MAX_FOLLOWING = 20;

/** A command of a client, such as `\gexec` and `\!`. */
const isClients = ({ kind, lower }: SqlToken): boolean => kind === 'sign' && /^\\./.test(lower);

function readStatement(statement: Statement, before = 0): Fragment {
  if (before > MAX_FOLLOWING) return notUnderstood(statement);
  if (statement.tokens.some(isClients)) return notUnderstood(statement);
  const head = statement.tokens.find(({ lower }) => lower !== '(')?.lower ?? '';
  const as = head === 'prepare' ? statement.tokens.findIndex(({ lower }) => lower === 'as') : -1;
  if (as > 0) return readStatement({ ...statement, tokens: statement.tokens.slice(as + 1) }, before + 1);
  const body = head === 'begin' ? bodyOf(statement.tokens) : undefined;
  if (body) return readStatement({ ...statement, tokens: body }, before + 1);
  const rest = MAY_BE_FOLLOWED.has(head) ? followingIn(statement) : undefined;
  const own = readOne(statement);
  if (rest === undefined) return own;
  const next = readStatement({ ...statement, tokens: rest }, before + 1);
  return gravity(next) > gravity(own) ? next : own;
}

function readOne(statement: Statement): Fragment {
  const { tokens } = statement;
  const start = tokens.findIndex(({ lower }) => lower !== '(');
  const own = start > 0 ? { ...statement, tokens: tokens.slice(start) } : statement;
  const head = own.tokens[0]?.lower ?? '';
  if (head === 'select') return readSelect(own);
  if (head === 'explain') return readExplain(own);
  if (head === 'with') return readWith(own);
  if (head === 'update') return readUpdate(own);
  if (head === 'alter') return readAlter(own);
  if (head === 'delete') return readDelete(own);
  if (own.lexicon.codeWords.sqlDestroys.has(head)) return gone(own, head, named(own, 1));
  if (head === 'pragma') return readPragma(own);
  if (own.lexicon.codeWords.sqlReads.has(head))
    return calledIn(own) ?? make(own, head, 'read', { object: named(own, 1) });
  return readOther(own, head);
}

/** What the SQL of a span does, statement by statement: the gravest of what it does in any dialect. */
export const sqlFragments = (
  text: string,
  { at, end }: Span,
  lexicon: Lexicon,
  effort = newEffort(end - at),
): Fragment[] => fragmentsOfLexings(lexingsOf(text, at, end, effort), { at, end }, lexicon, effort);

const kindOf = ({ action, effect, object, extent, traits }: Fragment): string =>
  [action, effect, object, extent, ...traits].join(' ');

/** The same for SQL whose tokens are known. Of another way to read it than the first, only what adds to that counts. */
export function fragmentsOfLexings(
  lexings: readonly (readonly SqlToken[])[],
  { at, end }: Span,
  lexicon: Lexicon,
  effort: Effort,
): Fragment[] {
  const found: Fragment[] = [];
  const kinds = new Set<string>();
  for (const [index, tokens] of lexings.entries()) {
    // A line of dashes is a comment in some dialects, and an error in the others.
    const statements = statementsOf(tokens).filter(([first]) => index === 0 || first?.lower !== '-');
    const all = statements.map((own) => {
      const span = { at: own[0]?.at ?? at, end: own.at(-1)?.end ?? end };
      return readStatement({ tokens: own, span, lexicon });
    });
    const isFirst = found.length === 0;
    for (const fragment of withoutUndone(all, statements))
      if (isFirst || (fragment.effect !== 'read' && !kinds.has(kindOf(fragment)))) {
        found.push(fragment);
        kinds.add(kindOf(fragment));
      }
  }
  return effort.left > 0 ? found : [...found, unknownCode({ at, end }, { domain: 'db', language: 'sql' })];
}

/** A line with a command of a client's own, and nothing that runs a program or writes a file, that only shows something. */
const SHOWS =
  /^\s*(?:\\(?:d[A-Za-z]*|l|list|z|h|help|\?)[S+]*(?=\s|$)|\.(?:schema|tables|indexes|indices|databases|dbinfo|fullschema|help|show|stats|version)\b)[^\\`|>]*$/;
/** Lines of sqlcmd that run a file or a program. */
const RUNS = /^\s*(?::(?:!!|r|out|error|connect|setvar|on|ed|list|exit|quit)\b|:?!!)/im;

/** What the text does that a client is given. Commands of its own are known at the beginning; others are not understood. */
export function clientFragments(text: string, span: Span, lexicon: Lexicon): Fragment[] {
  const found: Fragment[] = [];
  let rest = text;
  while (/^\s*[\\.]/.test(rest)) {
    const line = /^\s*[^\n]*/.exec(rest)?.[0] ?? rest;
    if (!SHOWS.test(line)) return [unknownCode(span, { isWhole: true })];
    found.push(readsOnly(span, { domain: 'db' }));
    rest = rest.slice(line.length);
  }
  if (RUNS.test(rest)) return [unknownCode(span, { isWhole: true })];
  if (found.length > 0 && rest.trim() === '') return found;
  return [
    ...found,
    ...sqlFragments(rest, { at: 0, end: rest.length }, lexicon).map((fragment) => fragmentOf(span, fragment)),
  ];
}
