// The syntax tree of a program: bounded in length and depth, and only of a text without a syntax error.
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

/** Longer or deeper programs are not read. */
const MAX_LENGTH = 10_000;
const MAX_DEPTH = 200;

const CONFIGURED = {
  python: () => pythonParser.configure({ strict: true }),
  javascript: () => javascriptParser.configure({ strict: true, dialect: 'ts' }),
} as const;
const parsers: Partial<Record<ProgramLanguage, ReturnType<(typeof CONFIGURED)[ProgramLanguage]>>> = {};

/** At its first use, until which the bundle does not load it: its tables take 30 ms and 9 MB. */
const parserOf = (language: ProgramLanguage) => (parsers[language] ??= CONFIGURED[language]());

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
const HTML_COMMENT = /<!--|^[^\S\n]*(?:\/\*.*\*\/[^\S\n]*)*(?:.*\*\/[^\S\n]*)?-->/m;

/** Brackets within brackets at most, those in strings too: of more, a parser tries out each way to read them. */
const MAX_OPEN = 60;

function isTooDeep(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const c = text.charCodeAt(at);
    // ( [ {
    if (c === 40 || c === 91 || c === 123) {
      open += 1;
      if (open > MAX_OPEN) return true;
    } else if ((c === 41 || c === 93 || c === 125) && open > 0) open -= 1;
  }
  return false;
}

/** Around a program, or before its lines, in a notebook or a text: what says its language, and how its pictures are shown. */
const FENCE = /^\s*```(?:python|py|javascript|js|typescript|ts)[^\S\n]*\n|\n```\s*$/g;
const MAGIC = /^%(?:matplotlib|precision|autoreload|load_ext autoreload|config InlineBackend)\b[^\n]*$/gm;
const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');
const bareOf = (text: string): string =>
  /^\s*[%`]/m.test(text) ? text.replaceAll(FENCE, blank).replaceAll(MAGIC, blank) : text;

/** The tree of a program; undefined for a text that is none, or that is too long or too deep to be read. */
export function treeOf(text: string, language: ProgramLanguage): Node | undefined {
  if (text.length > MAX_LENGTH || beginsWithNames(text, language) || DISPUTED.test(text) || isTooDeep(text))
    return undefined;
  if (language === 'python' && ENCODED.test(text)) return undefined;
  if (language === 'javascript' && HTML_COMMENT.test(text)) return undefined;
  let cursor;
  try {
    cursor = parserOf(language).parse(bareOf(text)).cursor();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const root: OpenNode = { type: cursor.name, from: cursor.from, to: cursor.to, children: NO_CHILDREN };
  const open = [root];
  let isOpen = cursor.firstChild();
  while (isOpen) {
    if (cursor.type.isError || open.length > MAX_DEPTH) return undefined;
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
