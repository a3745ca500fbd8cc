// Reads SQL statements for what they do. A statement, or a part of one, that is not known is not understood.
import { newEffort } from './effort.ts';
import { type Fragment, gravity, type Span, unknownCode, gravest } from './code.ts';
import { doingOfName, isMoney } from './names.ts';
import { doingOfSettings, emptiesSetting } from './settings.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { createdBeside, readAlter, readPragma, readSet } from './sql-changes.ts';
import {
  GONE,
  make,
  makeDoing,
  MODIFIES,
  nameAt,
  named,
  notUnderstood,
  type Statement,
  wordsOf,
} from './sql-statement.ts';
import { followingIn, MAY_BE_FOLLOWED, withoutUndone } from './sql-sequence.ts';
import { doingOfNamed, doingOfRows, says } from './sql-values.ts';
import { type SqlToken, sqlTokens, statementsOf } from './sql-tokens.ts';

const EXPORTS = new Set(['outfile', 'dumpfile']);
/** Folders whose files anybody can read over the web. */
const PUBLIC_FOLDER = /\/(?:var\/www|srv\/www|usr\/share\/nginx)\/|\/(?:public_html|htdocs|wwwroot)\//;
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

/** Where rows or files are sent: a program, a bucket, a URL. */
function destination(statement: Statement): 'program' | 'outside' | 'file' | undefined {
  const { tokens } = statement;
  const words = wordsOf(statement);
  if (words.includes('program')) return 'program';
  if (
    tokens.some(
      ({ kind, lower }) =>
        kind === 'string' && /^'?(?:(?:s3|gs|gcs|azure|abfss?|wasbs?|https?|ftp|sftp):\/\/|\\\\\w)/.test(lower),
    )
  )
    return 'outside';
  return words.some((word) => EXPORTS.has(word)) || tokens.some(({ kind }) => kind === 'string') ? 'file' : undefined;
}

function sentTo(statement: Statement, verb: string): Fragment {
  const to = destination(statement);
  if (to === 'program')
    return unknownCode(statement.span, { domain: 'db', object: 'program', language: 'sql', traits: ['privileged'] });
  if (to === 'outside') return make(statement, verb, 'send', { traits: ['external'] });
  return statement.tokens.some(({ lower }) => PUBLIC_FOLDER.test(lower))
    ? make(statement, verb, 'send', { traits: ['external', 'bulk', 'irreversible'], extent: 'all' })
    : make(statement, verb, 'create', { object: 'file' });
}

/** What the functions of a SELECT do, if one does more than compute or read. One that the lexicon has not is not understood. */
function calledIn(statement: Statement): Fragment | undefined {
  const { tokens, lexicon } = statement;
  const { sqlReading, sqlActing, sqlGlue } = lexicon.codeWords;
  // A lexicon without the list of those that read can't tell.
  if (sqlReading.names.size === 0) return undefined;
  let found: Fragment | undefined;
  for (const [at, { lower, kind }] of tokens.entries()) {
    if (tokens[at + 1]?.lower !== '(' || kind === 'sign' || kind === 'string') continue;
    // `AS totals (site, sum)` names columns.
    if (sqlReading.has(lower) || (kind === 'word' && sqlGlue.has(lower)) || tokens[at - 1]?.lower === 'as') continue;
    const object = nameAt(tokens, at);
    const doing = doingOfName(lower, lexicon);
    const set =
      lower === 'set_config' &&
      doingOfRows(
        { ...statement, tokens: [{ ...tokens[at], lower: 'values' } as SqlToken, ...tokens.slice(at + 1)] },
        'settings',
      );
    if (set) return makeDoing(statement, lower, set, 'setting');
    if (doing?.effect === 'destructive') return make(statement, lower, 'delete', { ...GONE, object });
    if (!sqlActing.has(lower)) found = unknownCode(statement.span, { domain: 'db', object, language: 'sql' });
    found ??= make(statement, 'select', 'execute', { object });
  }
  return found;
}

function readSelect(statement: Statement): Fragment {
  const { tokens } = statement;
  const words = wordsOf(statement);
  const called = calledIn(statement);
  if (called) return called;
  const from = words.indexOf('from');
  const into = words.indexOf('into');
  if (into > 0 && EXPORTS.has(words[into + 1] ?? '')) return sentTo(statement, 'select');
  if (into > 0 && tokens[into + 1]?.kind !== 'sign' && !(words[into + 1] ?? '').startsWith('@'))
    return make(statement, 'select', 'create', { object: nameAt(tokens, into + 1) });
  return make(statement, 'select', 'read', { extent: 'many', object: from > 0 ? nameAt(tokens, from + 1) : 'value' });
}

/** Tables in which a database keeps its users and settings. */
const isOfServer = ({ tokens }: Statement): boolean =>
  tokens
    .slice(1, 6)
    .some(
      ({ lower }, at, all) =>
        lower.startsWith('pg_') || (/^(?:mysql|pg_catalog|sys)$/.test(lower) && all[at + 1]?.lower === '.'),
    );

function readUpdate(statement: Statement): Fragment {
  const { tokens, lexicon } = statement;
  const set = tokens.findIndex(({ lower }) => lower === 'set');
  const all = isUnbounded(tokens);
  const values = tokens.slice(set + 1);
  const empties = values.some(
    ({ lower }, at) =>
      lower === '=' && (/^(?:null|''|"")$/.test(values[at + 1]?.lower ?? '') || values[at + 1]?.text === ''),
  );
  const where = values.findIndex(({ lower }) => lower === 'where');
  const assigned = values.slice(0, where < 0 ? undefined : where).map(({ text }) => text);
  const ttl = tokens
    .slice(0, Math.max(set, 0))
    .map(({ lower }) => lower)
    .join(' ');
  if ((all && empties) || says(assigned.join(' '), lexicon) || emptiesSetting(ttl, lexicon))
    return make(statement, 'update', 'delete', { ...GONE, object: nameAt(tokens, 1) });
  const called = calledIn({ ...statement, tokens: values });
  if (called && (called.action === 'unknown' || called.effect === 'destructive')) return called;
  const { sqlMoney } = lexicon.codeWords;
  if (values.some(({ lower, kind }, at) => kind !== 'string' && values[at + 1]?.lower === '=' && sqlMoney.has(lower)))
    return make(statement, 'update', 'transfer', {
      extent: all ? 'all' : 'many',
      traits: ['financial', ...(all ? (['bulk'] as const) : [])],
      object: 'balance',
      domain: 'payments',
    });
  const does = gravest([doingOfSettings(assigned.join(' '), lexicon), doingOfNamed(values, lexicon)]);
  if (does) return makeDoing(statement, 'update', does, nameAt(tokens, 1));
  const releases = assigned.some((word, at) => word === '=' && RELEASED.test(assigned[at + 1] ?? ''));
  if (releases && PAYMENTS.test(nameAt(tokens, 1)))
    return make(statement, 'update', 'transfer', {
      traits: ['financial'],
      object: nameAt(tokens, 1),
      domain: 'payments',
    });
  const privileged =
    values.some(({ lower }) =>
      /role|admin|privilege|permission|superuser|passw|user_pass|authentication_string|tenant_id/.test(lower),
    ) || isOfServer(statement);
  return make(statement, 'update', 'update', {
    object: nameAt(tokens, tokens[1]?.lower === 'only' ? 2 : 1),
    extent: all ? 'all' : 'many',
    traits: [...(privileged ? (['privileged'] as const) : []), ...(all ? (['bulk'] as const) : [])],
  });
}

const EXPLAIN_OPTION = /^(?:explain|analy[sz]e|verbose|extended|query|plan|for)$/;

/** An option in parentheses. */
const LISTED_OPTION =
  /^(?:analy[sz]e|verbose|costs|buffers|format|wal|timing|summary|settings|serialize|generic_plan|memory|distsql|debug|plan|types|opt|vec)$/;

/** Where the statement begins that is explained: after options, such as `ANALYZE`, `(ANALYZE, BUFFERS)`, `FORMAT = JSON`. */
function explainedAt(tokens: readonly SqlToken[]): number {
  let at = 0;
  while (at < tokens.length) {
    const lower = tokens[at]?.lower ?? '';
    if (lower === '(' && LISTED_OPTION.test(tokens[at + 1]?.lower ?? '')) {
      const end = tokens.findIndex((token, index) => index > at && token.lower === ')');
      at = end < 0 ? tokens.length : end + 1;
    } else if (lower === 'format') at += tokens[at + 1]?.lower === '=' ? 3 : 2;
    else if (EXPLAIN_OPTION.test(lower)) at += 1;
    else break;
  }
  return at;
}

/** What runs when a statement only says to explain another. */
function readExplain(statement: Statement): Fragment {
  const { tokens } = statement;
  const at = explainedAt(tokens);
  const before = tokens.slice(0, at);
  const value = before.findIndex(({ lower }) => lower === 'analyze' || lower === 'analyse');
  const runs = value > 0 && !/^(?:false|off|0)$/.test(before[value + 1]?.lower ?? '');
  // Whatever stands before it: `(DELETE ...)`, `DECLARE c CURSOR FOR DELETE ...`.
  const change = runs ? tokens.findIndex(({ lower }, place) => place >= at && MODIFIES.has(lower)) : -1;
  if (runs && at < tokens.length) return readStatement({ ...statement, tokens: tokens.slice(change < 0 ? at : change) });
  return make(statement, 'explain', 'read', { object: 'plan' });
}

/** The gravest statement within the parentheses of a WITH. */
function readWith(statement: Statement): Fragment {
  const { tokens } = statement;
  const parts: SqlToken[][] = [];
  let depth = 0;
  for (const [at, { lower }] of tokens.entries()) {
    if (lower === '(') depth += 1;
    if (lower === ')') depth -= 1;
    const opens = tokens[at - 1]?.lower === '(' || depth === 0;
    if (opens && (MODIFIES.has(lower) || lower === 'select')) parts.push([...tokens.slice(at)]);
    if (parts.length > 40) return unknownCode(statement.span, { domain: 'db', language: 'sql' });
  }
  // Each part ends before the parenthesis that closes it.
  const read = parts.map((part) => {
    let open = 0;
    const end = part.findIndex(({ lower }) => {
      open += lower === '(' ? 1 : lower === ')' ? -1 : 0;
      return open < 0;
    });
    return readStatement({ ...statement, tokens: end < 0 ? part : part.slice(0, end) });
  });
  return gravest(read) ?? unknownCode(statement.span, { domain: 'db', language: 'sql' });
}

function readOther(statement: Statement, head: string): Fragment {
  const { tokens } = statement;
  const { codeWords } = statement.lexicon;
  const words = wordsOf(statement);
  if (head === 'vacuum' && words.includes('into')) return sentTo(statement, head);
  if (head === 'vacuum')
    return words.some((word, at) => word === 'retain' && (words[at + 1] ?? '').startsWith('0'))
      ? make(statement, 'vacuum', 'delete', { ...GONE, object: named(statement, 1) })
      : make(statement, 'vacuum', 'update', { object: named(statement, 1) });
  if (head === 'copy' || head === 'unload' || head === 'export' || head === 'backup') {
    const isOut =
      head !== 'copy' ||
      (words[1] === 'into' && (tokens[2]?.kind === 'string' || words[2]?.startsWith('@') === true)) ||
      words.includes('to') ||
      destination(statement) === 'program';
    return isOut ? sentTo(statement, head) : make(statement, head, 'create');
  }
  if (head === 'grant' || head === 'revoke' || head === 'deny')
    return make(statement, head, head === 'grant' ? 'grant' : 'revoke', {
      object: 'privilege',
      traits: ['privileged'],
      domain: 'identity',
    });
  if (head === 'kill' || head === 'shutdown')
    return make(statement, head, 'execute', { effect: 'destructive', object: 'session' });
  if (head === 'set') return readSet(statement);
  if (head === 'reset' && /^(?:master|binary|replica|slave)$/.test(words[1] ?? ''))
    return make(statement, head, 'delete', GONE);
  // `PREPARE s FROM 'DROP ...'`: the statement is a text.
  if (head === 'prepare' && words.includes('from')) return notUnderstood(statement);
  if (codeWords.sqlSession.has(head) || head === 'reset')
    return emptiesSetting(words.join(' '), statement.lexicon)
      ? make(statement, head, 'delete', GONE)
      : make(statement, head, 'execute', { effect: 'read', object: 'session' });
  if (codeWords.sqlChanges.has(head)) {
    const action = head === 'create' || head === 'insert' || head === 'import' || head === 'load' ? 'create' : 'update';
    // CREATE OR REPLACE loses what was there; a function holds code that is not read.
    const replaces =
      head === 'create' &&
      words[1] === 'or' &&
      (words.includes('table') || words.includes('schema') || words.includes('database'));
    const isSent = words.some((word) => /^(?:function|directory|location|engine|external)$/.test(word));
    if (isSent && words.includes('select') && destination(statement) === 'outside') return sentTo(statement, head);
    // A table function or a directory is no table of this database.
    if (head === 'insert' && (words[2] === 'function' || words.includes('directory'))) return notUnderstood(statement);
    const beside = head === 'create' ? createdBeside(statement) : undefined;
    if (beside) return beside;
    if (replaces) return make(statement, 'replace', 'delete', { ...GONE, object: named(statement, 1) });
    if (words.includes('overwrite'))
      return make(statement, head, 'delete', { ...GONE, object: named(statement, words.indexOf('overwrite') + 1) });
    if (head === 'merge' && words.includes('delete'))
      return make(statement, 'merge', 'delete', { ...GONE, object: named(statement, 1) });
    if (head === 'replace' && tokens.some(({ text }) => text === "''"))
      return make(statement, head, 'delete', { ...GONE, object: named(statement, 1) });
    const table = named(statement, 1);
    if (
      action === 'create' &&
      head !== 'create' &&
      (isMoney(table, statement.lexicon) || codeWords.sqlMoney.has(table))
    )
      return make(statement, head, 'transfer', { traits: ['financial'], object: table, domain: 'payments' });
    const inserts = head === 'insert' || head === 'replace' || head === 'upsert';
    if (inserts && isOfServer(statement))
      return make(statement, head, 'grant', { traits: ['privileged'], object: table });
    const select = words.indexOf('select');
    const called = select > 0 ? calledIn({ ...statement, tokens: tokens.slice(select) }) : undefined;
    if (called && (called.action === 'unknown' || called.effect === 'destructive')) return called;
    const does = inserts ? doingOfRows(statement, table) : undefined;
    if (does) return makeDoing(statement, head, does, table);
    const roles = head === 'create' && /^(?:user|role|login)$/.test(words[1] ?? '');
    return make(statement, head, action, {
      object: named(statement, 1),
      ...(roles ? { domain: 'identity', object: 'user', traits: ['privileged' as const] } : {}),
    });
  }
  if (head.startsWith('exec') && codeWords.sqlReadingProcedures.has(words[1] ?? ''))
    return make(statement, head, 'read', { object: 'schema' });
  // Procedures, EXECUTE IMMEDIATE and dialects that are not known.
  return unknownCode(statement.span, {
    domain: 'db',
    object: head === 'call' || head.startsWith('exec') ? 'procedure' : 'statement',
    language: 'sql',
  });
}

const MAX_FOLLOWING = 20;

function readStatement(statement: Statement, before = 0): Fragment {
  if (before > MAX_FOLLOWING) return notUnderstood(statement);
  const head = statement.tokens.find(({ lower }) => lower !== '(')?.lower ?? '';
  const as = head === 'prepare' ? statement.tokens.findIndex(({ lower }) => lower === 'as') : -1;
  if (as > 0) return readStatement({ ...statement, tokens: statement.tokens.slice(as + 1) }, before + 1);
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
  if (head === 'delete') {
    const all = isUnbounded(own.tokens);
    const object = nameAt(own.tokens, own.tokens[1]?.lower === 'from' ? 2 : 1);
    return make(
      own,
      'delete',
      'delete',
      all ? { ...GONE, traits: ['irreversible', 'bulk'], object } : { extent: 'many', object },
    );
  }
  if (own.lexicon.codeWords.sqlDestroys.has(head)) return make(own, head, 'delete', { ...GONE, object: named(own, 1) });
  if (head === 'pragma') return readPragma(own);
  if (own.lexicon.codeWords.sqlReads.has(head)) return make(own, head, 'read', { object: named(own, 1) });
  return readOther(own, head);
}

/** What the SQL from `from` to `until` does, statement by statement. */
export function sqlFragments(
  text: string,
  { at, end }: Span,
  lexicon: Lexicon,
  effort = newEffort(end - at),
): Fragment[] {
  const statements = statementsOf(sqlTokens(text, at, end, effort));
  const all = statements.map((tokens) => {
    const span = { at: tokens[0]?.at ?? at, end: tokens.at(-1)?.end ?? end };
    return readStatement({ tokens, span, lexicon });
  });
  const read = withoutUndone(all, statements);
  return effort.left > 0 ? read : [...read, unknownCode({ at, end }, { domain: 'db', language: 'sql' })];
}
