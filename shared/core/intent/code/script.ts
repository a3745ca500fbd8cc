// Reads a text that is nothing but code: a command line, SQL, an HTTP request. Unlike in prose, what is not understood is a result too.
import { newEffort } from './effort.ts';
import { type Fragment, fragmentOf } from './code.ts';
import { fragmentsOf } from './fragments.ts';
import { httpAt } from './http-start.ts';
import { isUrl, METHODS } from './http.ts';
import { effectOfAction } from '../lexicon/effect.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { piecesOf } from './pieces.ts';
import { shellFragments } from './shell.ts';
import { parseShell } from './shell-syntax.ts';
import { sqlFragments } from './sql.ts';

export type CodeKind = 'shell' | 'sql' | 'http';

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

function readShell(text: string, lexicon: Lexicon): ReadCode {
  const code = parseShell(text, { from: 0, until: text.length });
  return resultOf(shellFragments(code, lexicon), code.commands.length > 0);
}

function readSql(text: string, lexicon: Lexicon): ReadCode {
  const fragments = sqlFragments(text, { at: 0, end: text.length }, lexicon);
  return resultOf(fragments, fragments.length > 0);
}

function readHttp(text: string, lexicon: Lexicon): ReadCode {
  const trimmed = text.trim();
  const request =
    isUrl(trimmed) && !/\s/.test(trimmed)
      ? `GET ${trimmed}`
      : trimmed.replace(/^[a-z]{1,10}(?=\s|$)/, (method) => method.toUpperCase());
  const pieces = piecesOf(request);
  const read = httpAt({
    text: request,
    pieces,
    at: 0,
    lexicon,
    opens: true,
    effort: newEffort(request.length),
    sqlTokensSeen: new Map(),
  });
  const others = fragmentsOf(text, lexicon);
  if (read !== undefined) return resultOf([...read.fragments, ...others]);
  const action = pieces.length === 1 ? METHODS.get(request) : undefined;
  if (action === undefined) return resultOf(others, false);
  const method = { verb: trimmed.toLowerCase(), action, effect: effectOfAction(action) };
  const span = { at: 0, end: text.length };
  return resultOf([fragmentOf(span, { ...method, object: 'url', domain: 'web', language: 'http' })]);
}

/** Longer code is not understood; a text of `POST /v1/intent` has the same limit. */
const MAX_CODE_LENGTH = 10_000;

/** Reads a text that is code and nothing else. */
export function readCode(kind: CodeKind, text: string, lexicon: Lexicon): ReadCode {
  if (text.length > MAX_CODE_LENGTH)
    return { ...readCode(kind, text.slice(0, MAX_CODE_LENGTH), lexicon), isUnderstood: false };
  switch (kind) {
    case 'shell':
      return readShell(text, lexicon);
    case 'sql':
      return readSql(text, lexicon);
    case 'http':
      return readHttp(text, lexicon);
    default:
      return kind satisfies never;
  }
}
