// Reads a text that is nothing but code: a command line, SQL, an HTTP request. Unlike in prose, what is not understood is a result too.
import type { OpenFragment } from './code.ts';
import { Piece, piecesOf } from './code.ts';
import { type SimpleCommand, splitCommandLine } from './command-line.ts';
import { fragmentsOf } from './fragments.ts';
import { httpAt, isUrl, METHODS } from './http.ts';
import { effectOfAction } from '../lexicon/effect.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { commandAt, fileWrite } from './shell.ts';
import { sqlAt } from './sql.ts';
import { wordSet } from '../text/word-set.ts';

export type CodeKind = 'shell' | 'sql' | 'http';

export interface ReadCode {
  /** Everything that was recognized. */
  readonly fragments: readonly OpenFragment[];
  /** Whether that is all that the code does. */
  readonly isUnderstood: boolean;
}

/** Commands that change nothing outside of the shell, and are words of English, so that prose can not have them as commands. */
const HARMLESS = wordSet(
  ': [ basename cd cksum cmp column comm cut diff dirname echo exit export expr false file fold jq md5sum ' +
    'nl paste printf readlink realpath rev seq set sha256sum sleep strings test tr true uniq which',
);
/** Commands that run the rest of their line. */
const PREFIXES = wordSet('sudo doas env nohup time nice command builtin');
const ASSIGNMENT = /^[a-z_]\w*=/i;
/** Options by which ordinary commands run others. */
const RUNS_OTHERS =
  /^-{1,2}(?:exec|execdir|ok|okdir|to-command|checkpoint-action|use-compress-program|rsh|pager|ext-diff|upload-pack|receive-pack|fprint\w*|fls)\b/;
const SAVES = /^(?:-[a-zA-Z]*[oO]|--output|--remote-name)/;

const write = (target: string): OpenFragment => fileWrite(target, 0);

/** What one command does; false when the reading is not whole. */
function readCommand({ words, after }: SimpleCommand, lexicon: Lexicon): { found: OpenFragment[]; isWhole: boolean } {
  const start = words.findIndex((word) => !ASSIGNMENT.test(word) && !PREFIXES.has(word.toLowerCase()));
  // Nothing but assignments changes only the shell itself; a prefix without a command is one by itself.
  if (start === -1) return { found: [], isWhole: words.every((word) => ASSIGNMENT.test(word)) };
  const privileged = words.slice(0, start).some((word) => /^(?:sudo|doas)$/i.test(word));
  const own = words.slice(start);
  const [name = ''] = own;
  const pieces = [after, ...own].map((word) => new Piece(word, 0));
  const { fragment, isWhole } = HARMLESS.has(name)
    ? { fragment: { ...write(''), verb: name, action: 'read', effect: 'read' } as const, isWhole: true }
    : commandAt(pieces, 1, lexicon);
  const found = fragment === undefined ? [] : [fragment];
  if (privileged) found.push({ ...write(''), action: 'execute', verb: 'sudo', traits: ['privileged'] });
  const args = own.slice(1);
  if (/^(?:curl|wget)$/i.test(name) && (/^wget$/i.test(name) || args.some((arg) => SAVES.test(arg))))
    found.push(write(''));
  if (/^find$/i.test(name) && args.includes('-delete'))
    found.push({ ...write(''), verb: 'delete', action: 'delete', effect: 'destructive', extent: 'many' });
  const isHidden =
    name.includes('$') ||
    args.some((arg) => RUNS_OTHERS.test(arg)) ||
    (/^g?awk$/i.test(name) && args.some((arg) => /system\s*\(|[|>]/.test(arg)));
  return { found, isWhole: isWhole && !isHidden };
}

function readShell(text: string, lexicon: Lexicon): ReadCode {
  const { commands, isPlain } = splitCommandLine(text);
  const read = commands.map((command) => readCommand(command, lexicon));
  const written = commands.flatMap(({ writes }) => writes.filter((target) => target !== '/dev/null').map(write));
  const found = [...read.flatMap((command) => command.found), ...written];
  const isUnderstood = isPlain && commands.length > 0 && read.every(({ isWhole }) => isWhole);
  // What runs something else may run what stands in quotes; the reader of prose looks into them.
  const isAll = isUnderstood && found.every(({ action }) => action !== 'execute');
  return { fragments: isAll ? found : [...found, ...fragmentsOf(text, lexicon)], isUnderstood };
}

/** Words before a statement that is read by itself. */
const BEFORE_STATEMENT = /^(?:WITH|EXPLAIN)$/;

function readSql(text: string): ReadCode {
  // In capitals, because SQL in small letters could be English in prose, and is not here. A lone quote or bracket is no word.
  const pieces = piecesOf(text.toUpperCase());
  const fragments: OpenFragment[] = [];
  let isUnderstood = pieces.some(({ text: word }) => word !== ';');
  let starts = true;
  let isOwed = false;
  for (const [at, { text: word }] of pieces.entries()) {
    const fragment = sqlAt(pieces, at);
    if (fragment !== undefined) fragments.push(fragment);
    if (word === ';') {
      if (isOwed) isUnderstood = false;
      [starts, isOwed] = [true, false];
    } else if (fragment !== undefined) [starts, isOwed] = [false, false];
    else if (starts && word !== '(') {
      if (BEFORE_STATEMENT.test(word)) isOwed = true;
      else isUnderstood = false;
      starts = false;
    }
  }
  return { fragments, isUnderstood: isUnderstood && !isOwed };
}

function readHttp(text: string, lexicon: Lexicon): ReadCode {
  const trimmed = text.trim();
  const request =
    isUrl(trimmed) && !/\s/.test(trimmed)
      ? `GET ${trimmed}`
      : trimmed.replace(/^[a-z]{1,10}(?=\s|$)/, (method) => method.toUpperCase());
  const pieces = piecesOf(request);
  const fragment = httpAt(pieces, 0, lexicon);
  if (fragment !== undefined) return { fragments: [fragment, ...fragmentsOf(text, lexicon)], isUnderstood: true };
  const action = pieces.length === 1 ? METHODS.get(request) : undefined;
  if (action === undefined) return { fragments: fragmentsOf(text, lexicon), isUnderstood: false };
  const method: OpenFragment = { ...write(''), verb: trimmed.toLowerCase(), action, effect: effectOfAction(action) };
  return { fragments: [{ ...method, object: 'url', domain: 'web', language: 'http' }], isUnderstood: true };
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
      return readSql(text);
    case 'http':
      return readHttp(text, lexicon);
    default:
      return kind satisfies never;
  }
}
