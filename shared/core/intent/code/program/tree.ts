// The syntax tree of a program: bounded in steps, length and depth, and only of a text without a syntax error.
import { parser as javascriptParser } from '@lezer/javascript';
import { parser as pythonParser } from '@lezer/python';
import type { ProgramLanguage } from '../../lexicon/programs.ts';

/** A node of a syntax tree, with what is between its two offsets in the text. */
export interface Node {
  /** As the grammar calls it: `CallExpression`. */
  readonly type: string;
  readonly from: number;
  readonly to: number;
  readonly children: readonly Node[];
}

interface OpenNode extends Node {
  children: Node[];
}
const NO_CHILDREN: Node[] = [];

/** A program that is not read, though it has no syntax error. */
export interface UnreadProgram {
  /** Its length, its depth or its steps are beyond the limits; or its language may have another meaning than the parser sees. */
  readonly why: 'too_much_code' | 'unclear_code';
  /** Where reading ended, or what is unclear. */
  readonly at: number;
}

/** Longer or deeper programs are not read. */
const MAX_LENGTH = 10_000;
const MAX_DEPTH = 200;
/**
 * Steps of the parser in each way of reading that it follows, about as many as a program has tokens: 99 of 100 stretches of 150 lines of code
 * of this repository need fewer (3,838), and of Python's own packages (3,294). All readers of a program look at each of its nodes, so that
 * this bounds them all. Not time: a replay must give the same reading.
 */
const MAX_STEPS = 3_850;

const CONFIGURED = {
  python: () => pythonParser.configure({ strict: true }),
  javascript: () => javascriptParser.configure({ strict: true, dialect: 'ts' }),
} as const;
const parsers: Partial<Record<ProgramLanguage, ReturnType<(typeof CONFIGURED)[ProgramLanguage]>>> = {};

/** At its first use, until which the bundle does not load it: its tables take 30 ms and 9 MB. */
const parserOf = (language: ProgramLanguage) => (parsers[language] ??= CONFIGURED[language]());
type Tree = ReturnType<ReturnType<typeof parserOf>['parse']>;

const keywords: Partial<Record<ProgramLanguage, ReadonlySet<string>>> = {};

/** The keywords of a language have nodes of their names. */
const keywordsOf = (language: ProgramLanguage): ReadonlySet<string> =>
  (keywords[language] ??= new Set(
    parserOf(language)
      .nodeSet.types.map(({ name }) => name)
      .filter((name) => /^[a-z]+$/.test(name)),
  ));

const TWO_WORDS = /^[ \t]*([A-Za-z]\w*)[ \t]+([A-Za-z]\w*)/;

/** Neither language has a statement that begins with two names: `Read the data (all)`. The parser would find out at fifty times the cost. */
function beginsWithNames(text: string, language: ProgramLanguage): boolean {
  const [, first = '', second = ''] = TWO_WORDS.exec(text) ?? [];
  if (second === '') return false;
  const known = keywordsOf(language);
  return !known.has(first) && !known.has(second);
}

/**
 * Characters about which the parser and the language may differ: those that end a line and with it a comment for one of them only, and those
 * that are not seen.
 */
const DISPUTED =
  // oxlint-disable-next-line no-control-regex
  /\r(?!\n)|[\0-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u00a0\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;
/** The first two lines of a Python program may say that its characters stand for others. */
const ENCODED = /^(?:[^\n]*\n)?[ \t\f]*#[^\n]*coding[:=](?!\s*utf-?8\b)/i;

/** Comments in HTML, which are ones in JavaScript outside of modules too. */
const HTML_COMMENT = /<!--|^[^\S\n]*(?:\/\*.*\*\/[^\S\n]*)*(?:.*\*\/[^\S\n]*)?-->/gm;

/** Brackets within brackets at most, those in strings too: of more, a parser tries out each way to read them. */
const MAX_OPEN = 60;

/** The first bracket that is too deep. */
function tooDeepAt(text: string): number | undefined {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const c = text.charCodeAt(at);
    // ( [ {
    if (c === 40 || c === 91 || c === 123) {
      open += 1;
      if (open > MAX_OPEN) return at;
    } else if ((c === 41 || c === 93 || c === 125) && open > 0) open -= 1;
  }
  return undefined;
}

/** Around a program, or before its lines, in a notebook or a text: what says its language, and how its pictures are shown. */
const FENCE = /^\s*```(?:python|py|javascript|js|typescript|ts)[^\S\n]*\n|\n```\s*$/g;
const MAGIC = /^%(?:matplotlib|precision|autoreload|load_ext autoreload|config InlineBackend)\b[^\n]*$/gm;
const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');
const bareOf = (text: string): string =>
  /^\s*[%`]/m.test(text) ? text.replaceAll(FENCE, blank).replaceAll(MAGIC, blank) : text;

/** How many ways of reading a text the parser follows, which its type does not show. */
const waysIn = (parse: object): number => ('stacks' in parse && Array.isArray(parse.stacks) ? parse.stacks.length : 1);

/** The parser's tree, or the place where its steps end or that it reached; undefined for a text with a syntax error before that. */
function parsedIn(text: string, language: ProgramLanguage, until = text.length): Tree | number | undefined {
  const parse = parserOf(language).startParse(text);
  try {
    for (let steps = 0; steps < MAX_STEPS && parse.parsedPos <= until; steps += waysIn(parse)) {
      const tree = parse.advance();
      if (tree !== null) return tree;
    }
    return parse.parsedPos;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Why a text is not read, if it is a program. */
function obstacleIn(text: string, language: ProgramLanguage): UnreadProgram | undefined {
  if (text.length > MAX_LENGTH) return { why: 'too_much_code', at: MAX_LENGTH };
  const deepAt = tooDeepAt(text);
  if (deepAt !== undefined) return { why: 'too_much_code', at: deepAt };
  if (language === 'python' && ENCODED.test(text)) return { why: 'unclear_code', at: 0 };
  const at = text.search(DISPUTED);
  return at < 0 ? undefined : { why: 'unclear_code', at };
}

/** Where a text has a comment in HTML; those in strings and other comments are none, whose ends the parser sees as the language does. */
function htmlCommentIn(text: string, tree: Tree | undefined): number | undefined {
  for (const { 0: found, index } of text.matchAll(HTML_COMMENT)) {
    const at = index + found.length - '-->'.length;
    if (tree === undefined || !HOLDS_TEXT.test(tree.resolveInner(at, 1).name)) return at;
  }
  return undefined;
}
const HOLDS_TEXT = /String$|Comment$|^RegExp$/;

/** What a text with unclear characters and comments may be in its language, with those as spaces or as ends of lines. */
const meaningsOf = (text: string): readonly string[] => {
  const bare = text.replaceAll(HTML_COMMENTS, blank);
  return [...new Set([' ', '\n'].map((sign) => bare.replaceAll(ALL_DISPUTED, sign)))];
};
const ALL_DISPUTED = new RegExp(DISPUTED, 'g');
const HTML_COMMENTS = /<!--.*|^.*-->.*/gm;

/** The tree of a program, or why it is not read; undefined for a text that is none, such as signs alone that nobody can read. */
export function treeOf(text: string, language: ProgramLanguage): Node | UnreadProgram | undefined {
  const found = lookedAt(text, language);
  return found !== undefined && 'why' in found && !/\p{L}/u.test(text) ? undefined : found;
}

function lookedAt(text: string, language: ProgramLanguage): Node | UnreadProgram | undefined {
  if (beginsWithNames(text, language)) return undefined;
  const bare = bareOf(text);
  const ifProgram = (unread: UnreadProgram): UnreadProgram | undefined => {
    const until = unread.why === 'too_much_code' ? unread.at : text.length;
    return meaningsOf(bare).some((one) => parsedIn(one, language, until) !== undefined) ? unread : undefined;
  };
  const obstacle = obstacleIn(text, language);
  if (obstacle !== undefined) return ifProgram(obstacle);
  const parsed = parsedIn(bare, language);
  if (typeof parsed === 'number') return { why: 'too_much_code', at: parsed };
  const commentAt = language === 'javascript' ? htmlCommentIn(bare, parsed) : undefined;
  if (commentAt !== undefined) return ifProgram({ why: 'unclear_code', at: commentAt });
  return parsed && nodeOf(parsed.cursor());
}

/** The tree that a cursor goes through. */
function nodeOf(cursor: ReturnType<Tree['cursor']>): Node | UnreadProgram {
  const root: OpenNode = { type: cursor.name, from: cursor.from, to: cursor.to, children: NO_CHILDREN };
  const open = [root];
  let isOpen = cursor.firstChild();
  while (isOpen) {
    if (open.length > MAX_DEPTH) return { why: 'too_much_code', at: cursor.from };
    const node: OpenNode = { type: cursor.name, from: cursor.from, to: cursor.to, children: NO_CHILDREN };
    const above = open.at(-1) ?? root;
    // Most nodes have no children.
    if (above.children === NO_CHILDREN) above.children = [node];
    else above.children.push(node);
    if (cursor.firstChild()) {
      open.push(node);
      continue;
    }
    while (!cursor.nextSibling()) {
      if (open.length === 1 || !cursor.parent()) {
        isOpen = false;
        break;
      }
      open.pop();
      if (open.length === 0) return root;
    }
    if (open.length === 0) break;
  }
  return root;
}

/** A question about nodes whose answer depends on their type alone; each type is asked about once. */
export function byType(ask: (type: string) => boolean): (node: Node) => boolean {
  const known = new Map<string, boolean>();
  return ({ type }) => {
    let answer = known.get(type);
    if (answer === undefined) {
      answer = ask(type);
      known.set(type, answer);
    }
    return answer;
  };
}
