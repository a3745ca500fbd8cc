// Statements of SQL after one another: without semicolons between them, and rolled back.
import type { Fragment } from './code.ts';
import { MODIFIES, type Statement } from './sql-statement.ts';
import type { SqlToken } from './sql-lexer.ts';
import { wordSet } from '../text/word-set.ts';

/** Statements that others may follow without a semicolon between them, as in Transact-SQL and in blocks. */
export const MAY_BE_FOLLOWED = wordSet(
  'update insert select set declare begin prepare print use waitfor analyze commit go rollback end start savepoint release close deallocate fetch values table with',
);
/** Words after which the name of a statement begins none: `FOR UPDATE`, `ON DELETE`, `t.update`. */
const NO_BEGINNING = wordSet('do for on as . , ( or and select by = key no then not');
const FOLLOWS = new Set([...MODIFIES, 'grant', 'revoke', 'deny', 'exec', 'execute', 'shutdown', 'purge', 'dbcc']);
/** Those whose first word alone is also the name of a column. */
const FOLLOWS_AS_PAIR = new Set([
  ...['backup database', 'backup log', 'restore database', 'restore log', 'disable trigger', 'bulk insert'],
  ...['waitfor delay', 'waitfor time'],
  ...['create login', 'create user', 'create procedure', 'create trigger'],
]);
const isSign = ({ kind, lower }: SqlToken): boolean => kind === 'sign' && !/^\d/.test(lower);

/** Whether a word and the next one begin a statement wherever they stand. */
export const begins = ({ lower }: SqlToken, next: SqlToken | undefined): boolean =>
  next === undefined
    ? /^(?:shutdown|reconfigure)$/.test(lower)
    : FOLLOWS_AS_PAIR.has(`${lower} ${next.lower}`) ||
      (lower === 'kill' && /^\d/.test(next.lower)) ||
      (FOLLOWS.has(lower) && (!isSign(next) || lower === 'exec' || lower === 'execute'));

/** The tokens from the statement on that follows within another one. */
export function followingIn({ tokens }: Statement): readonly SqlToken[] | undefined {
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    const { lower } = token;
    depth += lower === '(' ? 1 : lower === ')' ? -1 : 0;
    const next = tokens[at + 1];
    if (at === 0 || depth > 0 || token.kind !== 'word' || !begins(token, next)) continue;
    if (!NO_BEGINNING.has(tokens[at - 1]?.lower ?? '')) return tokens.slice(at);
  }
  return undefined;
}

const OF_TRANSACTION = wordSet(
  'transaction tran work isolation read immediate deferred exclusive concurrent not distributed',
);
const OF_BLOCK = wordSet('try catch atomic');

/** The statement with which a block begins: `BEGIN purge_all; END`. None for a transaction. */
export function bodyOf([, first, ...others]: readonly SqlToken[]): readonly SqlToken[] | undefined {
  if (first === undefined || OF_TRANSACTION.has(first.lower)) return undefined;
  const body = OF_BLOCK.has(first.lower) ? others : [first, ...others];
  return body.length > 0 ? body : undefined;
}

const UNDONE = new Set(['insert', 'update', 'delete', 'merge']);
const KEEPS_TRANSACTION = new Set([...UNDONE, 'select', 'savepoint', 'show', 'explain']);

/** Rows that a transaction changes which the text itself rolls back. Other statements may end it. */
export function withoutUndone(read: readonly Fragment[], statements: readonly (readonly SqlToken[])[]): Fragment[] {
  const heads = statements.map(([first, second]) =>
    first?.lower === 'start' && second?.lower !== 'transaction' ? '' : (first?.lower ?? ''),
  );
  // Back to a savepoint, or of another transaction: `ROLLBACK PREPARED 'x'`.
  const isBack = (at: number) =>
    heads[at] === 'rollback' && !statements[at]?.some(({ lower }) => lower === 'to' || lower === 'prepared');
  let [from, until] = [-1, -1];
  for (const [at, head] of heads.entries()) {
    if (head === 'begin' || head === 'start') from = at;
    else if (isBack(at) && from >= 0) until = at;
    else if (!KEEPS_TRANSACTION.has(head) && until < 0) from = -1;
    if (until >= 0) break;
  }
  return read.map((fragment, at) =>
    from >= 0 && from < at && at < until && UNDONE.has(heads[at] ?? '') && fragment.action !== 'unknown'
      ? { ...fragment, action: 'read', effect: 'read', traits: [] }
      : fragment,
  );
}
