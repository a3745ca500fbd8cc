// Reads SQL that changes rows or adds something: UPDATE, DELETE, INSERT, CREATE, MERGE.
import { type Fragment, gravest, gravity, NOT_UNDERSTOOD } from './code.ts';
import { isMoney } from './names.ts';
import { doingOfSettings, emptiesSetting } from './settings.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { createdBeside } from './sql-changes.ts';
import { destination, harmCalledIn, sentTo } from './sql-queries.ts';
import { GONE, gone, make, makeDoing, nameAt, named, notUnderstood, type Statement, wordsOf } from './sql-statement.ts';
import type { SqlToken } from './sql-lexer.ts';
import { doingOfNamed, doingOfRows, says } from './sql-values.ts';

/** Whether every row is affected: no WHERE, or one that always holds. */
function isUnbounded(tokens: readonly SqlToken[]): boolean {
  const where = tokens.findIndex(({ lower }) => lower === 'where');
  if (where < 0) return !tokens.some(({ lower }) => lower === 'limit' || lower === 'using');
  const [a, sign, b] = tokens.slice(where + 1, where + 4);
  if (a === undefined || a.lower === 'true') return true;
  if (sign === undefined || b === undefined) return a.kind === 'sign';
  if (sign.lower === 'or' || tokens.slice(where).some(({ lower }, at, all) => lower === 'or' && isTrue(all, at + 1)))
    return true;
  return isTrue(tokens, where + 1);
}

/** `1=1`, `'a'='a'`, `id = id`. */
const isTrue = (tokens: readonly SqlToken[], at: number): boolean =>
  tokens[at]?.lower === 'true' ||
  (tokens[at + 1]?.lower === '=' && tokens[at]?.lower === tokens[at + 2]?.lower && tokens[at] !== undefined);

/** A state by which a payment is made. */
const RELEASED =
  /^'?(?:released?|approved?|pay|paid|settled|executed?|sent|submitted|confirmed|authori[sz]ed|processing)'?$/i;

const PAYMENTS =
  /(?:^|_)(?:payments?|invoices?|bills?|payouts?|transfers?|refunds?|withdrawals?|disbursements?|settlements?|payrolls?|payment_batch(?:es)?)$/;

/** Tables in which a database keeps its users and settings. */
const isOfServer = ({ tokens }: Statement): boolean =>
  tokens
    .slice(1, 6)
    .some(
      ({ lower }, at, all) =>
        lower.startsWith('pg_') || (/^(?:mysql|pg_catalog|sys)$/.test(lower) && all[at + 1]?.lower === '.'),
    );

export function readDelete(statement: Statement): Fragment {
  const { tokens } = statement;
  const object = nameAt(tokens, tokens[1]?.lower === 'from' ? 2 : 1);
  const more = isUnbounded(tokens)
    ? ({ ...GONE, traits: ['irreversible', 'bulk'] } as const)
    : ({ extent: 'many' } as const);
  return make(statement, 'delete', 'delete', { ...more, object });
}

/** Columns that say who may do what. */
const RIGHTS_COLUMN = /role|admin|privilege|permission|superuser|passw|user_pass|authentication_string|tenant_id/;

export const isRightsColumn = (name: string): boolean => RIGHTS_COLUMN.test(name);

export function readUpdate(statement: Statement): Fragment {
  const { tokens, lexicon } = statement;
  const object = nameAt(tokens, 1);
  const set = tokens.findIndex(({ lower }) => lower === 'set');
  const all = isUnbounded(tokens);
  const values = tokens.slice(set + 1);
  const where = values.findIndex(({ lower }) => lower === 'where');
  const assigned = values.slice(0, where < 0 ? undefined : where).map(({ text }) => text);
  const assignments = assigned.join(' ');
  const ttl = wordsOf({ tokens: tokens.slice(0, Math.max(set, 0)) }).join(' ');
  if (
    (all && (emptiesColumn(values) || (!setsMoney(values, lexicon) && endsAll(assigned)))) ||
    says(assignments, lexicon) ||
    emptiesSetting(ttl, lexicon)
  )
    return gone(statement, 'update', object);
  const harm = harmCalledIn({ ...statement, tokens: values });
  if (harm) return harm;
  const bulk = all ? (['bulk'] as const) : [];
  const extent = all ? 'all' : 'many';
  if (setsMoney(values, lexicon)) {
    const what = { object: 'balance', domain: 'payments', traits: ['financial', ...bulk] } as const;
    return make(statement, 'update', 'transfer', { ...what, extent });
  }
  const { does: ofNamed, isCut } = doingOfNamed(values, lexicon);
  const does = gravest([doingOfSettings(assignments, lexicon), ofNamed]);
  if (isCut && (does === undefined || gravity(does) < gravity(NOT_UNDERSTOOD))) return notUnderstood(statement);
  if (does) return makeDoing(statement, 'update', does, object);
  const releases = assigned.some(
    (word, at) =>
      word === '=' &&
      (RELEASED.test(assigned[at + 1] ?? '') ||
        (RELEASED.test(assigned[at - 1] ?? '') && /^(?:true|1|'t(?:rue)?'|'y(?:es)?')$/i.test(assigned[at + 1] ?? ''))),
  );
  if (releases && PAYMENTS.test(object))
    return make(statement, 'update', 'transfer', { traits: ['financial'], object, domain: 'payments' });
  const isPrivileged = values.some(({ lower }) => isRightsColumn(lower)) || isOfServer(statement);
  return make(statement, 'update', 'update', {
    object: nameAt(tokens, tokens[1]?.lower === 'only' ? 2 : 1),
    extent,
    traits: [...(isPrivileged ? (['privileged'] as const) : []), ...bulk],
  });
}

/** A state that ends what is in it, and nothing. */
const ENDED =
  /^(?:'?(?:closed|cancell?ed|deleted|archived|disabled|deactivated|inactive|suspended|terminated|revoked|expired|void(?:ed)?)'?|0(?:\.0+)?)$/i;

/** Whether what is set for all rows ends them or leaves nothing of a number. */
const endsAll = (assigned: readonly string[]): boolean =>
  assigned.some((word, at) => word === '=' && ENDED.test(assigned[at + 1] ?? ''));

/** Whether a column is set to nothing. */
const emptiesColumn = (values: readonly SqlToken[]): boolean =>
  values.some(
    ({ lower }, at) =>
      lower === '=' && (/^(?:null|''|"")$/.test(values[at + 1]?.lower ?? '') || values[at + 1]?.text === ''),
  );

const setsMoney = (values: readonly SqlToken[], { codeWords }: Lexicon): boolean =>
  values.some(
    ({ lower, kind }, at) => kind !== 'string' && values[at + 1]?.lower === '=' && codeWords.sqlMoney.has(lower),
  );

/** What INSERT, CREATE, MERGE and other statements do that add or change something. */
export function readChange(statement: Statement, head: string): Fragment {
  const { tokens, lexicon } = statement;
  const words = wordsOf(statement);
  const isSent = words.some((word) => /^(?:function|directory|location|engine|external)$/.test(word));
  if (isSent && words.includes('select') && destination(statement) === 'outside') return sentTo(statement, head);
  // A table function or a directory is no table of this database.
  if (head === 'insert' && (words[2] === 'function' || words.includes('directory'))) return notUnderstood(statement);
  // `LOAD 'library'` runs it.
  if (head === 'load' && tokens[1]?.kind === 'string') return notUnderstood(statement, { object: 'library' });
  const beside = head === 'create' ? createdBeside(statement) : undefined;
  if (beside) return beside;
  const table = named(statement, 1);
  const replaced = replacedBy(statement, head, table);
  if (replaced) return replaced;
  if (/^(?:insert|import|load)$/.test(head) && (isMoney(table, lexicon) || lexicon.codeWords.sqlMoney.has(table)))
    return make(statement, head, 'transfer', { traits: ['financial'], object: table, domain: 'payments' });
  const inserts = head === 'insert' || head === 'replace' || head === 'upsert';
  if (inserts && isOfServer(statement))
    return make(statement, head, 'grant', { traits: ['privileged'], object: table });
  const select = words.indexOf('select');
  const harm = select > 0 ? harmCalledIn({ ...statement, tokens: tokens.slice(select) }) : undefined;
  if (harm) return harm;
  const does = inserts ? doingOfRows(statement, table) : undefined;
  if (does) return makeDoing(statement, head, does, table);
  const isUser = head === 'create' && /^(?:user|role|login)$/.test(words[1] ?? '');
  return make(statement, head, /^(?:create|insert|import|load)$/.test(head) ? 'create' : 'update', {
    object: table,
    ...(isUser ? { domain: 'identity', object: 'user', traits: ['privileged' as const] } : {}),
  });
}

/** A statement that loses what was there; undefined for another. A function that is replaced holds code that is not read. */
function replacedBy(statement: Statement, head: string, table: string): Fragment | undefined {
  const words = wordsOf(statement);
  if (head === 'create' && words[1] === 'or' && words.some((word) => /^(?:table|schema|database)$/.test(word)))
    return gone(statement, 'replace', table);
  const overwrite = words.indexOf('overwrite');
  if (overwrite >= 0) return gone(statement, head, named(statement, overwrite + 1));
  const isEmptied = head === 'replace' && statement.tokens.some(({ text }) => text === "''");
  const loses =
    (head === 'merge' && words.includes('delete')) ||
    (head === 'load' && words.includes('replace')) ||
    (head === 'refresh' && words.join(' ').endsWith('with no data')) ||
    (head === 'optimize' && words.includes('deduplicate'));
  return isEmptied || loses ? gone(statement, head, table) : undefined;
}
