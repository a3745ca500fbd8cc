// Recognizes a text that is a program: nothing but statements and calls, `a = read_file("x"); print(a)`. Each of its calls counts.
import { type Call, callsOf } from './call-syntax.ts';
import type { Span } from './code.ts';

export interface CallProgram {
  readonly text: string;
  readonly calls: readonly Call[];
  /** Functions that are only named, so that another one may call them: `map(delete_file, files)`. */
  readonly handedOn: readonly string[];
  readonly strings: readonly Span[];
  /** A function is called whose name the text does not say: `tools["a"]()`. */
  readonly callsUnnamed: boolean;
}

const STRING = /[rbf]?(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)/g;
const COMMENT = /(?:^|(?<=\s))(?:#|\/\/)[^\n]*/gm;
/** A sign that is neither a word nor a space is an operator, whatever it is: a tick at the end makes a program no sentence. */
const TOKEN = /\s+|[\p{L}_$][\p{L}\p{M}\p{N}_$]*|\d[\w.]*|[^]/uy;
/** Words between the operands of a program. */
const KEYWORDS: ReadonlySet<string> = new Set(
  'and or not in is if elif else for while do return await async yield new const let var def class try except finally catch with as import from raise throw lambda pass break continue global del'.split(
    ' ',
  ),
);
const NO_CALLS: ReadonlySet<string> = new Set([...KEYWORDS, 'function', 'switch', 'print', 'super']);
/** A text that begins with a function of a shell: `f() { ls; }`. */
const SHELL_FUNCTION = /^\s{0,40}[A-Za-z_]\w{0,63}\s?\(\s{0,8}\)\s{0,20}\{\s/;
const OPERAND = /^[\p{L}\p{N}_$"]/u;
const CALL = /[\w$]\s{0,3}\(/;
const OPENINGS = /([\w$.]{1,120})\s{0,3}\(([^()]{0,200}.?)/g;
/** A word that no sentence has. */
const JOINED = /\w[_.]\w|[a-z][A-Z]/;
/** Calls that the reader of calls (call-syntax.ts) does not find by a name. */
const UNNAMED = /[)\]]\s*\(|\w`|[\w$]\s{2,}\(|(?![\w$])[\p{L}\p{M}\p{N}]\s*\(/u;
const NAME = /(?<![\w$.])[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?!["\w$.])/g;
/** In Ruby a method needs no parentheses: `User.where(a: 1).destroy_all`. */
const WITHOUT_CALL = /[)\]]\s?[?&]?\.\s?([A-Za-z_$][\w$]*)(?![\w$(])/g;
/** Functions whose code is in the program itself, and is read there. */
const OWN_FUNCTIONS =
  /\b(?:def|function|class)\s+([\w$]+)|(?<![\w$])([\w$]+)\s*=\s*(?:(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>|lambda\b)/g;
const VARIABLES = /(?<![\w$])([A-Za-z_$][\w$]*)\s*(?::?=(?!=)|\bin\b)|\bas\s+([\w$]+)/g;
/** A variable may be named as what it holds: `transfer`. A name of several words is one of a function: `delete_user`. */
const ONE_WORD = /^[a-z\d$]+$/i;

const namesIn = (bare: string, pattern: RegExp): ReadonlySet<string> =>
  new Set(Array.from(bare.matchAll(pattern), ([, ...names]) => names.find((name) => name !== undefined) ?? ''));

/** Whether a call is shown to be one, and no remark in parentheses as `user(s)` has it: by its name or arguments, or by another call. */
function showsCall(bare: string): boolean {
  const openings = [...bare.matchAll(OPENINGS)];
  return (
    openings.length > 1 || openings.some(([, name = '', args = '']) => JOINED.test(name) || /^\)|["\d=([]/.test(args))
  );
}

/** Whether operands and operators take turns, as they do in no sentence. */
function hasSyntax(bare: string): boolean {
  let wasOperand = false;
  let wasSpace = false;
  let before = '';
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < bare.length) {
    const token = TOKEN.exec(bare)?.[0];
    if (token === undefined) return false;
    if (/^\s/.test(token)) {
      if (token.includes('\n')) wasOperand = false;
      wasSpace = true;
      continue;
    }
    const isOperand = OPERAND.test(token) && !KEYWORDS.has(token);
    if (wasOperand && isOperand && token !== '"') return false;
    // A remark: `the users (of this team)`.
    if (wasOperand && wasSpace && token === '(' && !JOINED.test(before)) return false;
    wasOperand = isOperand || token === ')' || token === ']';
    wasSpace = false;
    before = token;
  }
  return true;
}

/** The text as a program; undefined when it is anything else. */
export function callProgramOf(text: string): CallProgram | undefined {
  if (!CALL.test(text) || SHELL_FUNCTION.test(text)) return undefined;
  const bare = text.replaceAll(STRING, '"').replaceAll(COMMENT, '');
  if (!CALL.test(bare) || !showsCall(bare) || !hasSyntax(bare)) return undefined;
  const functions = namesIn(bare, OWN_FUNCTIONS);
  const variables = namesIn(bare, VARIABLES);
  const called = callsOf(text).filter(({ path: [name = ''], path }) => path.length > 1 || !NO_CALLS.has(name));
  const isAlone = ({ path: [name = ''], path }: Call, names: ReadonlySet<string>) =>
    path.length === 1 && names.has(name);
  const handedOn = Array.from(bare.matchAll(NAME), ({ 0: name, index }) => ({
    name,
    next: bare.slice(index + name.length).trimStart(),
  }))
    .filter(
      ({ name, next }) =>
        !(KEYWORDS.has(name) || (ONE_WORD.test(name) && variables.has(name)) || /^(?:\(|=(?!=))/.test(next)),
    )
    .map(({ name }) => name);
  return {
    text,
    strings: Array.from(text.matchAll(STRING), ({ 0: string, index }) => ({ at: index, end: index + string.length })),
    calls: called.filter((call) => !isAlone(call, functions) && !isAlone(call, variables)),
    handedOn: [...new Set([...handedOn, ...Array.from(bare.matchAll(WITHOUT_CALL), ([, name = '']) => name)])],
    callsUnnamed: UNNAMED.test(bare) || called.some((call) => isAlone(call, variables) && !isAlone(call, functions)),
  };
}
