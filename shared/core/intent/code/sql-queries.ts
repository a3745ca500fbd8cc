// Reads SQL that queries: SELECT, the functions that it calls, and where statements send rows or files.
import { type Fragment, isRemovable } from './code.ts';
import { doingOfName } from './names.ts';
import { gone, make, nameAt, notUnderstood, type Statement, wordsOf } from './sql-statement.ts';

const EXPORTS = new Set(['outfile', 'dumpfile']);
/** Folders whose files anybody can read over the web. */
const PUBLIC_FOLDER = /\/(?:var\/www|srv\/www|usr\/share\/nginx)\/|\/(?:public_html|htdocs|wwwroot)\//;

const OUTSIDE = /^'?(?:(?:s3|gs|gcs|azure|abfss?|wasbs?|https?|ftp|sftp):\/\/|\\\\\w)/;

/** Where rows or files are sent: a program, a bucket, a URL. */
export function destination(statement: Statement): 'program' | 'outside' | 'file' | undefined {
  const { tokens } = statement;
  const words = wordsOf(statement);
  if (words.includes('program')) return 'program';
  if (tokens.some(({ kind, lower }) => kind === 'string' && (OUTSIDE.test(lower) || isRemovable(lower.slice(1)))))
    return 'outside';
  return words.some((word) => EXPORTS.has(word)) || tokens.some(({ kind }) => kind === 'string') ? 'file' : undefined;
}

export function sentTo(statement: Statement, verb: string): Fragment {
  const to = destination(statement);
  if (to === 'program') return notUnderstood(statement, { object: 'program', traits: ['privileged'] });
  if (to === 'outside') return make(statement, verb, 'send', { traits: ['external'] });
  return statement.tokens.some(({ lower }) => PUBLIC_FOLDER.test(lower))
    ? make(statement, verb, 'send', { traits: ['external', 'bulk', 'irreversible'], extent: 'all' })
    : make(statement, verb, 'create', { object: 'file' });
}

/** What the functions of a SELECT do, if one does more than compute or read. One that the lexicon has not is not understood. */
export function calledIn(statement: Statement): Fragment | undefined {
  const { tokens, lexicon } = statement;
  const { sqlReading, sqlActing, sqlGlue } = lexicon.codeWords;
  let found: Fragment | undefined;
  for (const [at, { lower, kind }] of tokens.entries()) {
    if (tokens[at + 1]?.lower !== '(' || kind === 'sign' || kind === 'string') continue;
    // `AS totals (site, sum)` names columns.
    if (sqlReading.has(lower) || (kind === 'word' && sqlGlue.has(lower)) || tokens[at - 1]?.lower === 'as') continue;
    const object = nameAt(tokens, at);
    const doing = doingOfName(lower, lexicon);
    if (doing?.effect === 'destructive') return gone(statement, lower, object);
    if (!sqlActing.has(lower)) found = notUnderstood(statement, { object });
    found ??= make(statement, 'select', 'execute', { object });
  }
  return found;
}

/** The same if it destroys or is not understood. */
export function harmCalledIn(statement: Statement): Fragment | undefined {
  const called = calledIn(statement);
  return called && (called.action === 'unknown' || called.effect === 'destructive') ? called : undefined;
}

export function readSelect(statement: Statement): Fragment {
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
