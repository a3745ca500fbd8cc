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
import type { SqlToken } from './sql-lexer.ts';

export const PRIVILEGE = { object: 'privilege', traits: ['privileged'], domain: 'identity' } as const;
/** What is changed is who may do what. */
const OF_RIGHTS = /^(?:user|role|login|system|default|policy|account)$/;

/** Whether a part of an ALTER loses nothing: `ADD COLUMN x int`, `ALTER COLUMN x SET DEFAULT 1`, `MODIFY x bigint`. */
function isPlainClause(clause: readonly SqlToken[], { codeWords }: Statement['lexicon']): boolean {
  const words = clause.map(({ lower }) => lower);
  const [first = '', second = '', third = ''] = words;
  if (first === 'set') return codeWords.sqlPlainSets.has(second === '(' ? third : second);
  if (first !== 'alter' && first !== 'modify') return codeWords.sqlPlainClauses.has(first);
  const rest = words.slice(second === 'column' ? 3 : 2);
  const type = rest.indexOf('type');
  if (type < 0 && /^(?:set|drop)$/.test(rest[0] ?? '')) return codeWords.sqlPlainSets.has(rest[1] ?? '');
  return codeWords.sqlWideTypes.has(rest[type + 1] ?? '') && !words.includes('using');
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
  let from = nameFrom(statement, 1) + 1;
  while (tokens[from]?.lower === '.') from += 2;
  const clauses = partsAt(tokens.slice(from)).filter((clause) => clause.length > 0);
  const isPlain = clauses.length > 0 && clauses.every((clause) => isPlainClause(clause, lexicon));
  return isPlain && lexicon.codeWords.sqlPlainObjects.has(words[1] ?? '')
    ? make(statement, 'alter', 'update', { object })
    : notUnderstood(statement, { object });
}

const SCOPE = /^(?:session|local|global|persist|persist_only|@@global|@@session|@@persist|@@local)$/;
const FOR_ALL = /^(?:global|persist|persist_only|@@global|@@persist)$/;

/** `SET search_path = x` concerns the session alone; a setting that may protect something is not understood. */
export function readSet(statement: Statement): Fragment {
  const { lexicon } = statement;
  const words = wordsOf(statement).filter((word) => word !== '.');
  const name = words.slice(1).find((word) => !SCOPE.test(word)) ?? '';
  const text = words.join(' ');
  if (emptiesSetting(text, lexicon)) return gone(statement, 'set');
  if (/^(?:role|authorization|password)$/.test(name)) return make(statement, 'set', 'grant', PRIVILEGE);
  const isPlain = lexicon.codeWords.sqlPlainSettings.has(name.replace(/^@@/, '')) || /^@(?!@)/.test(name);
  // A function or a query may do anything.
  if (isPlain && !words.includes('(') && !words.some((word) => FOR_ALL.test(word)))
    return make(statement, 'set', 'execute', { effect: 'read', object: 'session' });
  const set = doingOfSettings(text.replace(/ to /, ' = '), lexicon);
  return set ? makeDoing(statement, 'set', set, 'setting') : notUnderstood(statement, { object: 'setting' });
}

/** `PRAGMA user_version = 3`: what is set is not understood, but for plain settings. */
export function readPragma(statement: Statement): Fragment {
  const words = wordsOf(statement);
  const isSet = words.some(
    (word, at) => word === '=' || (word === '(' && /^(?:on|off|\d+|true|false)$/.test(words[at + 1] ?? '')),
  );
  if (!isSet) return make(statement, 'pragma', 'read', { object: named(statement, 1) });
  const isPlain = statement.lexicon.codeWords.sqlPlainSettings.has(words[words.lastIndexOf('.') + 1 || 1] ?? '');
  return isPlain ? make(statement, 'pragma', 'update') : notUnderstood(statement, { object: 'setting' });
}

const STORED_HARM =
  /\b(?:delete\s+from|drop\s+(?!not\b)|truncate|alter\s|grant\s|revoke\s|execute\s+(?!function|procedure)|exec\s|security\s+definer|language\s+(?:pl\w*u|plpython\w*|c|java\w*|javascript)\b|copy\s|pg_\w+\s*\(|do\s+instead|superuser)\b/i;

/** What creating something does beyond that; undefined when it does no more. */
export function createdBeside(statement: Statement): Fragment | undefined {
  const { tokens, lexicon } = statement;
  const { sqlPlainObjects, sqlStoredCode } = lexicon.codeWords;
  const words = wordsOf(statement);
  const kinds = words.slice(1, 5);
  if (words[1] === 'policy') return make(statement, 'create', 'grant', PRIVILEGE);
  const object = named(statement, 1);
  const kind = kinds.find((word) => !['or', 'replace', 'alter', 'if', 'not', 'exists'].includes(word)) ?? '';
  const isPlain =
    sqlPlainObjects.has(kind) &&
    !/^(?:\w+ link|event trigger|foreign (?!table))/.test(kinds.join(' ')) &&
    // A language whose functions may do what the server may.
    !(kind === 'extension' && /^pl\w+u$/.test(object)) &&
    !(kinds.some((word) => sqlStoredCode.has(word)) && STORED_HARM.test(tokens.map(({ text }) => text).join(' ')));
  return isPlain ? undefined : notUnderstood(statement, { object });
}
