// Finds the calls in a program, with their names and arguments.
import { firstOf } from '../first-of.ts';

/** A call in a text: `prisma.user.deleteMany({})`. */
export interface Call {
  /** The names before the parenthesis. */
  readonly path: readonly string[];
  readonly arguments: string;
  readonly at: number;
  readonly end: number;
  /** Arguments, or further calls, go on beyond what is read. */
  readonly isCut: boolean;
}

const MAX_ARGUMENTS = 2_000;
const MAX_CALLS = 100;
/** The links of one chain of calls at most. */
const MAX_LINKS = 12;
const PATH = /(?<![\w$.])[A-Za-z_$][\w$]{0,60}(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]{0,60}!?){0,12}\s?\(/g;
const PATH_HERE = new RegExp(PATH, 'y');
/** The call that continues a chain: `.remove({})` after `db.getCollection("users")`. */
const CHAINED =
  /(?:\s{0,8}(?:\.|->|::|\?\.)[A-Za-z_$][\w$]{0,60}){0,4}\s{0,8}(?:\.|->|::|\?\.)([A-Za-z_$][\w$]{0,60})!?\s?\(/y;
export const QUOTES = new Set(['"', "'", '`']);

/** The offset of the parenthesis that closes the one before `from`, not counting those in quotes. */
function closing(text: string, from: number): number {
  let open = 1;
  let quote = '';
  const until = Math.min(text.length, from + MAX_ARGUMENTS);
  for (let at = from; at < until; at += 1) {
    const c = text.charAt(at);
    if (c === '\\') at += 1;
    else if (quote !== '') quote = c === quote ? '' : quote;
    else if (QUOTES.has(c)) quote = c;
    else if (c === '(') open += 1;
    else if (c === ')') {
      open -= 1;
      if (open === 0) return at;
    }
  }
  return until;
}

/** The calls of a chain whose first path is `match`: one for each of its links. */
function linksOf(text: string, match: RegExpExecArray): Call[] {
  const found: Call[] = [];
  let path = match[0]
    .slice(0, -1)
    .trim()
    .split(/\.|->|::|\?\./);
  let open = match.index + match[0].length;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const end = closing(text, open);
    CHAINED.lastIndex = end + 1;
    const next = CHAINED.exec(text);
    const isCut = (end === open + MAX_ARGUMENTS && end < text.length) || (next !== null && links === MAX_LINKS - 1);
    const args = text.slice(open, end);
    found.push({ path, arguments: args, at: match.index, end: Math.min(text.length, end + 1), isCut });
    if (!next) break;
    path = [...path.slice(0, 12), next[1] ?? ''];
    open = CHAINED.lastIndex;
  }
  return found;
}

/** The chain of calls that begins at an offset; none where a name without a call does. */
export function chainAt(text: string, at: number): Call[] {
  PATH_HERE.lastIndex = at;
  const match = PATH_HERE.exec(text);
  return match ? linksOf(text, match) : [];
}

/** The calls in a text, from outside to inside. Where there are more, the last one is cut. */
export function callsOf(text: string): Call[] {
  const found: Call[] = [];
  PATH.lastIndex = 0;
  for (let match = PATH.exec(text); match && found.length <= MAX_CALLS; match = PATH.exec(text)) {
    found.push(...linksOf(text, match));
    // Arguments may hold further calls, such as those of a callback.
    PATH.lastIndex = match.index + match[0].length;
  }
  const { kept, isCut } = firstOf(found, MAX_CALLS);
  return isCut ? kept.map((call, at) => (at === kept.length - 1 ? { ...call, isCut } : call)) : found;
}

export const LITERAL = /(["'`])((?:\\.|(?!\1)[^\\])*)\1/s;

/** The arguments of a call, as text. */
export function argumentsIn(args: string): string[] {
  const found: string[] = [];
  let [open, quote, from] = [0, '', 0];
  for (let at = 0; at < args.length; at += 1) {
    const c = args.charAt(at);
    if (c === '\\') at += 1;
    else if (quote !== '') quote = c === quote ? '' : quote;
    else if (QUOTES.has(c)) quote = c;
    else if (c === '(' || c === '[' || c === '{') open += 1;
    else if (c === ')' || c === ']' || c === '}') open -= 1;
    else if (c === ',' && open === 0) {
      found.push(args.slice(from, at).trim());
      from = at + 1;
    }
  }
  found.push(args.slice(from).trim());
  return found.filter((one) => one !== '');
}
