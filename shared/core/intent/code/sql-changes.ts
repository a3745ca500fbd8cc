// Reads the SQL statements that change structure and settings: ALTER, CREATE, SET. Of these only what is listed is understood.
import { doingOfSettings, emptiesSetting } from './settings.ts';
import type { Fragment } from './code.ts';
import {
  gone,
  make,
  makeDoing,
  named,
  nameFrom,
  notUnderstood,
  partsAt,
  type Statement,
  wordsOf,
} from './sql-statement.ts';
import type { SqlToken } from './sql-tokens.ts';

export const PRIVILEGE = { object: 'privilege', traits: ['privileged'], domain: 'identity' } as const;
/** What is changed is who may do what. */
const OF_RIGHTS = /^(?:user|role|login|system|default|policy|account)$/;

/** Whether a part of an ALTER loses nothing: `ADD COLUMN x int`, `ALTER COLUMN x SET DEFAULT 1`. */
function isPlainClause(clause: readonly SqlToken[], { codeWords }: Statement['lexicon']): boolean {
  const words = clause.map(({ lower }) => lower);
  const [first = '', second = '', third = ''] = words;
  if (first === 'alter' || first === 'modify' || first === 'change') {
    const from = second === 'column' ? 3 : 2;
    const rest = words.slice(from);
    if (first === 'alter' && (rest[0] === 'drop' || rest[0] === 'set') && (rest[1] === 'default' || rest[1] === 'not'))
      return true;
    if (words.includes('using')) return false;
    const type = rest.indexOf('type');
    const into = type >= 0 ? rest[type + 1] : rest[first === 'change' ? 1 : 0];
    return first === 'alter' && rest[0] === 'set' && type < 0
      ? codeWords.sqlPlainSets.has(rest[1] ?? '')
      : codeWords.sqlWideTypes.has(into ?? '');
  }
  if (first === 'set') return codeWords.sqlPlainSets.has(second === '(' ? third : second);
  return codeWords.sqlPlainClauses.has(first);
}

export function readAlter(statement: Statement): Fragment {
  const { tokens, lexicon } = statement;
  const words = wordsOf(statement);
  const object = named(statement, 1);
  if (words.some((word, at) => word === 'drop' && words[at + 1] !== 'default' && words[at + 1] !== 'not'))
    return gone(statement, 'alter', object);
  if (words.includes('truncate') || words.includes('disable')) return gone(statement, 'alter', object);
  const isMember = words.some((word, at) => word === 'add' && words[at + 1] === 'member');
  if (OF_RIGHTS.test(words[1] ?? '') || words.includes('owner') || isMember)
    return make(statement, 'alter', 'grant', PRIVILEGE);
  const text = tokens.map((token) => token.text).join(' ');
  if (emptiesSetting(text, lexicon)) return gone(statement, 'alter', object);
  const set = doingOfSettings(text, lexicon);
  if (set) return makeDoing(statement, 'alter', set, object);
  // A lexicon without the list can't tell.
  const { sqlPlainClauses, sqlPlainObjects } = lexicon.codeWords;
  if (sqlPlainClauses.names.size === 0) return make(statement, 'alter', 'update', { object });
  let from = nameFrom(statement, 1) + 1;
  while (tokens[from]?.lower === '.') from += 2;
  const clauses = partsAt(tokens.slice(from)).filter((clause) => clause.length > 0);
  const isPlain = sqlPlainObjects.has(words[1] ?? '') && clauses.every((clause) => isPlainClause(clause, lexicon));
  return isPlain && clauses.length > 0
    ? make(statement, 'alter', 'update', { object })
    : notUnderstood(statement, { object });
}

const SCOPE = /^(?:session|local|global|persist|persist_only|@@global|@@session|@@persist|@@local)$/;
const FOR_ALL = /^(?:global|persist|persist_only|@@global|@@persist)$/;
const OFF = /^'?(?:off|false|none|disabled?)?'?$/;

/** `SET search_path = x` concerns the session alone; a setting that may protect something is not understood. */
export function readSet(statement: Statement): Fragment {
  const { lexicon } = statement;
  const { sqlPlainSettings } = lexicon.codeWords;
  const words = wordsOf(statement).filter((word) => word !== '.');
  const scope = words.slice(1).findIndex((word) => !SCOPE.test(word));
  const rest = words.slice(1 + Math.max(scope, 0));
  const name = rest[0] ?? '';
  const asSession = make(statement, 'set', 'execute', { effect: 'read', object: 'session' });
  const text = words.join(' ');
  if (emptiesSetting(text, lexicon)) return gone(statement, 'set');
  // A function or a query may do anything.
  if (statement.tokens.some(({ lower }) => lower === '(')) return notUnderstood(statement, { object: 'setting' });
  if (sqlPlainSettings.names.size === 0) return asSession;
  if (/^(?:role|authorization|password)$/.test(name)) return make(statement, 'set', 'grant', PRIVILEGE);
  if (/^@(?!@)/.test(name) || name === 'characteristics') return asSession;
  if (!words.slice(1).some((word) => FOR_ALL.test(word)) && sqlPlainSettings.has(name.replace(/^@@/, '')))
    return asSession;
  const set = doingOfSettings(text.replace(/ to /, ' = '), lexicon);
  return set ? makeDoing(statement, 'set', set, 'setting') : notUnderstood(statement, { object: 'setting' });
}

/** Of these, to be on is not to protect. */
const UNSAFE_PRAGMA = /^(?:writable_schema|trusted_schema|ignore_check_constraints|defer_foreign_keys|legacy_\w+)$/;

/** `PRAGMA user_version = 3` */
export function readPragma(statement: Statement): Fragment {
  const { tokens, lexicon } = statement;
  const words = wordsOf(statement);
  const isSet = words.some(
    (word, at) => word === '=' || (word === '(' && /^(?:on|off|\d+|true|false)$/.test(words[at + 1] ?? '')),
  );
  if (!isSet) return make(statement, 'pragma', 'read', { object: named(statement, 1) });
  const plainSetting = lexicon.codeWords.sqlPlainSettings;
  if (plainSetting.names.size === 0) return make(statement, 'pragma', 'update');
  const value = tokens.at(-1)?.lower === ')' ? tokens.at(-2) : tokens.at(-1);
  const name = words[words.lastIndexOf('.') + 1 || 1] ?? '';
  const strengthens =
    /^(?:on|true|1|wal|full|normal|extra|delete|truncate)$/.test(value?.lower ?? '') && !UNSAFE_PRAGMA.test(name);
  return plainSetting.has(name) || strengthens
    ? make(statement, 'pragma', 'update')
    : notUnderstood(statement, { object: 'setting', traits: OFF.test(value?.lower ?? '') ? ['privileged'] : [] });
}

const STORED_HARM =
  /\b(?:delete\s+from|drop\s+(?!not\b)|truncate|alter\s|grant\s|revoke\s|execute\s+(?!function|procedure)|exec\s|security\s+definer|language\s+(?:pl\w*u|plpython\w*|c|java\w*|javascript)\b|copy\s|pg_\w+\s*\(|do\s+instead|superuser)\b/i;

/** What creating something does beyond that; undefined when it does no more. */
export function createdBeside(statement: Statement): Fragment | undefined {
  const { tokens, lexicon } = statement;
  const { sqlPlainObjects, sqlStoredCode } = lexicon.codeWords;
  const words = wordsOf(statement);
  if (sqlPlainObjects.names.size === 0) return undefined;
  const kinds = words.slice(1, 5);
  if (words[1] === 'policy') return make(statement, 'create', 'grant', PRIVILEGE);
  const object = named(statement, 1);
  const kind = kinds.find((word) => !['or', 'replace', 'alter', 'if', 'not', 'exists'].includes(word)) ?? '';
  if (!sqlPlainObjects.has(kind)) return notUnderstood(statement, { object });
  if (words[2] === 'link' || (words[1] === 'event' && words[2] === 'trigger'))
    return notUnderstood(statement, { object });
  // A language whose functions may do what the server may.
  if (kind === 'extension' && /^pl\w+u$/.test(object))
    return notUnderstood(statement, { object, traits: ['privileged'] });
  if (kind === 'foreign' && !kinds.includes('table')) return notUnderstood(statement, { object });
  if (kinds.some((word) => sqlStoredCode.has(word)) && STORED_HARM.test(tokens.map(({ text }) => text).join(' ')))
    return notUnderstood(statement, { object });
  return undefined;
}
