// Reads a text that is nothing but code: a command line, SQL, an HTTP request, a program. Unlike in prose, what is not understood is a result too.
import { callAt } from './call-start.ts';
import { cypherAt } from './cypher.ts';
import { newEffort } from './effort.ts';
import { type Place, piecesOf, type Reader } from './start.ts';
import { type Fragment, fragmentOf } from './code.ts';
import { fragmentsOf } from './fragments.ts';
import { httpAt } from './http-start.ts';
import { isUrl, METHODS } from './http.ts';
import { effectOfAction } from '../lexicon/effect.ts';
import type { ProgramLanguage } from '../lexicon/programs.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { shellFragments } from './shell.ts';
import { parseInner, parseShell } from './shell-syntax.ts';
import { programFragments } from './short-programs.ts';
import { sqlFragments } from './sql.ts';

export type CodeKind = 'shell' | 'sql' | 'http' | ProgramLanguage;

export interface ReadCode {
  /** Everything that was recognized. */
  readonly fragments: readonly Fragment[];
  /** Whether that is all that the code does. */
  readonly isUnderstood: boolean;
}

/** Separates what is understood from what is not. */
function resultOf(all: readonly Fragment[], isUnderstood = true): ReadCode {
  const fragments = all.filter(({ action }) => action !== 'unknown');
  const isSeen = fragments.length === all.length && fragments.every(({ object }) => object !== 'remote_code');
  return { fragments, isUnderstood: isUnderstood && isSeen };
}

function readProgram(language: ProgramLanguage, text: string, lexicon: Lexicon): ReadCode {
  const effort = newEffort(text.length);
  const span = { at: 0, end: text.length };
  const runShell = (line: string) => shellFragments(parseInner(line, 0, effort), lexicon, 1);
  return resultOf(programFragments(text, { span, language }, lexicon, runShell));
}

function readShell(text: string, lexicon: Lexicon): ReadCode {
  const code = parseShell(text, { from: 0, until: text.length });
  return resultOf(shellFragments(code, lexicon), code.commands.length > 0);
}

const startOf = (text: string, lexicon: Lexicon): Place => ({
  text,
  pieces: piecesOf(text),
  at: 0,
  lexicon,
  opens: true,
  effort: newEffort(text.length),
});

/** Commands of Redis without its client: `GET user:14`. */
function redisFragments({ text, lexicon }: Place): readonly Fragment[] {
  const code = parseShell(`redis-cli ${text}`, { from: 0, until: text.length + REDIS_CLIENT });
  return code.commands.length === 1 && code.isWhole ? shellFragments(code, lexicon) : [];
}
const REDIS_CLIENT = 'redis-cli '.length;

/** The fragments of a reader that account for all of a text. */
const wholeBy =
  (reader: Reader) =>
  (place: Place): readonly Fragment[] => {
    const fragments = reader(place)?.fragments ?? [];
    const accounts = ({ at, end, isWhole }: Fragment) => isWhole && at === 0 && end === place.text.length;
    return fragments.some(accounts) ? fragments : [];
  };

/** Queries of databases that take no SQL: Cypher, `db.orders.find()`, `GET /_cat/indices`, `HGETALL cart:9`. */
const OTHER_QUERIES: readonly (readonly [RegExp, (place: Place) => readonly Fragment[]])[] = [
  [/^(?:optional\s+)?match\b/i, wholeBy(cypherAt)],
  [/^db\.[A-Za-z]/, wholeBy(callAt)],
  [/^[A-Z]+\s/, redisFragments],
];
const HTTP_QUERY = /^(?:GET|HEAD|POST)\s+[/_]/;

/** What a text reads from a database that takes no SQL; undefined for one that may do more. */
function readsOtherwise(text: string, lexicon: Lexicon): ReadCode | undefined {
  const trimmed = text.trim();
  const readings = [
    ...OTHER_QUERIES.flatMap(([opening, read]) =>
      opening.test(trimmed) ? [resultOf(read(startOf(trimmed, lexicon)))] : [],
    ),
    ...(HTTP_QUERY.test(trimmed) ? [readHttp(trimmed.replace(/^([A-Z]+\s+)_/, '$1/_'), lexicon)] : []),
  ];
  return readings.find(
    ({ fragments, isUnderstood }) =>
      isUnderstood &&
      fragments.length > 0 &&
      fragments.every(({ action, effect }) => action === 'read' && effect === 'read'),
  );
}

function readSql(text: string, lexicon: Lexicon): ReadCode {
  const fragments = sqlFragments(text, { at: 0, end: text.length }, lexicon);
  const read = resultOf(fragments, fragments.length > 0);
  return read.isUnderstood || read.fragments.length > 0 ? read : (readsOtherwise(text, lexicon) ?? read);
}

function readHttp(text: string, lexicon: Lexicon): ReadCode {
  const trimmed = text.trim();
  const request =
    isUrl(trimmed) && !/\s/.test(trimmed)
      ? `GET ${trimmed}`
      : trimmed.replace(/^[a-z]{1,10}(?=\s|$)/, (method) => method.toUpperCase());
  const start = startOf(request, lexicon);
  const read = httpAt(start);
  const others = fragmentsOf(text, lexicon);
  if (read !== undefined) return resultOf([...read.fragments, ...others]);
  const action = start.pieces.length === 1 ? METHODS.get(request) : undefined;
  if (action === undefined) return resultOf(others, false);
  const method = { verb: trimmed.toLowerCase(), action, effect: effectOfAction(action) };
  const span = { at: 0, end: text.length };
  return resultOf([fragmentOf(span, { ...method, object: 'url', domain: 'web', language: 'http' })]);
}

const READERS: Readonly<Record<CodeKind, (text: string, lexicon: Lexicon) => ReadCode>> = {
  shell: readShell,
  sql: readSql,
  http: readHttp,
  python: (text, lexicon) => readProgram('python', text, lexicon),
  javascript: (text, lexicon) => readProgram('javascript', text, lexicon),
};

/** Longer code is not understood; a text of `POST /v1/intent` has the same limit. */
const MAX_CODE_LENGTH = 10_000;

/** Reads a text that is code and nothing else. */
export function readCode(kind: CodeKind, text: string, lexicon: Lexicon): ReadCode {
  if (text.length > MAX_CODE_LENGTH)
    return { ...readCode(kind, text.slice(0, MAX_CODE_LENGTH), lexicon), isUnderstood: false };
  return READERS[kind](text, lexicon);
}
