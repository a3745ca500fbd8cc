// Reads names with values in lines, sections and blocks: INI, TOML, properties, variables, HCL, JSON with comments, nginx, sshd.
import type { Lexicon } from '../lexicon/types.ts';
import { wordSet } from '../text/word-set.ts';
import { isSentence } from '../text/glued.ts';
import { bare, type Found, isCommandKey, MAX_DEPTH, settingAt, wordsOfCommand } from './found-settings.ts';
import { isSwitch } from './settings.ts';
import { STATEMENT } from './yaml.ts';

/** What is no comment, or one: at the beginning of a line, or behind a blank. */
const COMMENT = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(?:^[ \t]*(?:[#;]|\/\/)|(?<=[ \t])(?:[#;]|\/\/)(?=[ \t]))([^\n]*)/gm;

/** A text without its comments, and these. */
export function withoutComments(text: string): { readonly text: string; readonly comments: readonly string[] } {
  const comments: string[] = [];
  const rest = text.replaceAll(COMMENT, (whole: string, comment?: string) => {
    if (comment === undefined) return whole;
    if (comment.trim() !== '') comments.push(comment.replace(/^[#;/!\s]+/, ''));
    return '';
  });
  return { text: rest, comments };
}

const STRING = /"""[^]*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;
/** Behind a comma, another name with a value. */
const NEXT_NAME = /\s*(?:"[^"\n]{1,80}"|'[^'\n]{1,80}'|[A-Za-z_][\w.-]{0,80})\s*[:=]/y;
const OPENS = '{[(';
const CLOSES = '}])';

interface Part {
  readonly said: string;
  /** By a semicolon. */
  readonly isEnded: boolean;
}

/** The statements of a text, or the items of a list, each with what is in its brackets; undefined where a bracket has no other. */
function partsIn(text: string, isList: boolean): readonly Part[] | undefined {
  const parts: Part[] = [];
  let [from, depth, opened] = [0, 0, 0];
  const cut = (to: number, next = to + 1, isEnded = false) => {
    const said = text.slice(from, to).trim();
    if (said !== '') parts.push({ said, isEnded });
    from = next;
  };
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if ((sign === '"' || sign === "'") && !/\w/.test(text.charAt(at - 1))) {
      STRING.lastIndex = at;
      if (STRING.test(text)) at = STRING.lastIndex - 1;
    } else if (OPENS.includes(sign)) {
      if (depth === 0) opened = at;
      depth += 1;
    } else if (CLOSES.includes(sign)) {
      depth -= 1;
      if (depth < 0) return undefined;
      // A block ends with its bracket: `a { b 1; } c { d 2; }`.
      if (depth === 0 && sign === '}' && !isList && /\s/.test(text.charAt(opened - 1))) cut(at + 1, at + 1);
    } else if (depth > 0) continue;
    else if (sign === '\n' && !isList) cut(at);
    else if (sign === ';' && /^\s?$/.test(text.charAt(at + 1))) cut(at, at + 1, true);
    else if (sign === ',') {
      NEXT_NAME.lastIndex = at + 1;
      if (isList || /^(?:\n|$)/.test(text.charAt(at + 1)) || NEXT_NAME.test(text)) cut(at);
    }
  }
  if (depth !== 0) return undefined;
  cut(text.length);
  return parts;
}

/** `[tool.ruff]`, `[[redirects]]`, `[alias "a"]`, `[*.md]` */
const SECTION = /^\[{1,2}([^[\]{}=]{1,80})\]{1,2}$/;
const NAME = String.raw`(?:"[^"\n]{1,120}"|'[^'\n]{1,120}'|[A-Za-z_][\w.$/-]*)(?:"[^"\n]*"|[\w.$/-]|\[[^\]\n]*\]|\([^)\n]*\))*`;
const NAMED = new RegExp(String.raw`^(${NAME})\s*(:=|=>|=|:(?=[\s"'[{]|$))\s*([^]*)$`);
/** `resource "aws_instance" "web" {...}`, `location /static/ {...}`, `http {...}` */
const BLOCK = /^([a-z][\w.-]*)((?:\s+(?:"[^"]*"|[^\s"'(){};=]+))*)\s*\{([^]*)\}$/;
const DIRECTIVE = /^([a-z][a-z\d_]{1,40})((?:\s+(?:"[^"]*"|'[^']*'|[^\s"'()=]+|=|[^\s"'()]+=[^\s"'()]+))*)$/;
const HEADER = /^[A-Za-z]+(?:[-_][A-Za-z]+)*$/;
const ARGUMENT = /"[^"]*"|'[^']*'|\S+/g;
/** Between two commands of a shell, or before a file. */
const OPERATOR = /\s(?:&&?|\|\|?|>>?|<)(?:\s|$)/;
/** `PermitRootLogin no`, `maxmemory 256mb`, `save "900 1"`: more words may ask for something. */
const PAIR = /^([A-Za-z][\w-]{0,60})[ \t]{1,40}("[^"\s]*(?: [^"\s]*)?"|'[^'\s]*(?: [^'\s]*)?'|[^\s"'`$;{}()|&<>]+)$/;
/** Names that no sentence has: `keepalive_timeout`, `PermitRootLogin`. */
const IDENTIFIER = /^(?:[a-z]+(?:[_-][a-z\d]+)+|(?=[A-Z\d]*[a-z])(?:[A-Z][a-z\d]*){2,})$/;
const SWITCH = /^[a-z][a-z\d]*(?:[-_][a-z\d]+)+$/;
const ONE_VALUE = /^(?:"[^]*"|'[^]*'|[^\s,;"'`]+)$/;
/** Several on one line: `A=1 B=2`. */
const ASSIGNED = /^(?:[A-Za-z_][\w.-]*=(?:"[^"\n]*"|'[^'\n]*'|[^\s"'=]*)(?:\s+|$)){2,}$/;
const LABELS = wordSet('name description label displayname display_name title documentation');

/** What is known while the lines of a text are read. */
interface Reading {
  readonly found: Found;
  readonly lexicon: Lexicon;
  /** Pairs without a sign between them, whose names are identifiers, and those that a command or sentence may begin with. */
  identifiers: number;
  orders: number;
  pairs: number;
  directives: number;
  blocks: number;
}

/** One value, or those of a list or object. */
function addValue(written: string, around: readonly string[], own: string, reading: Reading): void {
  const { found } = reading;
  const inner = /^[[{(]([^]*)[\])}]$/.exec(written)?.[1];
  if (inner === undefined) found.settings.push(settingAt(around, own, bare(written)));
  else if (inner.trim() === '') found.settings.push(settingAt(around, own, ''));
  else if (!written.startsWith('{')) {
    const items = partsIn(inner, true);
    if (items === undefined) found.settings.push(settingAt(around, own, written));
    for (const { said } of items ?? []) addValue(said, around, own, reading);
  } else if (!readBody(inner, [...around, own], reading)) found.settings.push(settingAt(around, own, written));
}

/** Whether it is a name with a value behind a sign, which is then known. */
function readNamed(said: string, around: readonly string[], mayBeWords: boolean, reading: Reading): boolean {
  const { found } = reading;
  if (ASSIGNED.test(said))
    return (said.match(/[^\s=]+=(?:"[^"\n]*"|'[^'\n]*'|\S*)/g) ?? []).every((one) =>
      readNamed(one, around, false, reading),
    );
  const [, name = '', sign, value = ''] = NAMED.exec(said) ?? [];
  if (sign === undefined) return false;
  const own = bare(name);
  if (/\s/.test(own)) found.remarks.push(own);
  if (value === '') {
    found.settings.push(settingAt(around, own, null));
    // Names that others stand below are read from YAML, which this is none of.
    if (sign === ':') found.isCut = true;
  } else if (isCommandKey(own, around)) found.commands.push(...wordsOfCommand(own, itemsOf(value)));
  else if (/^[[{(]/.test(value)) addValue(value, around, own, reading);
  else if (ONE_VALUE.test(value) || LABELS.has(own.toLowerCase()) || (sign !== ':' && mayBeWords))
    found.settings.push(settingAt(around, own, bare(value)));
  else return false;
  return true;
}

/** The items of a list, or a line. */
function itemsOf(value: string): readonly string[] | string {
  const inner = /^\[([^]*)\]$/.exec(value)?.[1];
  return inner === undefined ? bare(value) : (partsIn(inner, true) ?? []).map(({ said }) => bare(said));
}

/** Whether it is a name with a value beside it, which is then known. */
function readPair(said: string, reading: Reading): boolean {
  const { found, lexicon } = reading;
  const [, name = '', value = ''] = PAIR.exec(said) ?? [];
  const isIdentifier = IDENTIFIER.test(name);
  // Words of a sentence, in whichever language: `Bid up`, `Betaal de`, `StakeTheEth yes`.
  const isWords = isSentence(name, lexicon) || (!isIdentifier && /^\p{L}+$/u.test(value) && !isSwitch(value));
  if (name === '' || isWords) return false;
  const lower = name.toLowerCase();
  if (isIdentifier) reading.identifiers += 1;
  else if (lexicon.verbs.has(lower) || lexicon.commands.has(lower)) reading.orders += 1;
  reading.pairs += 1;
  found.settings.push(settingAt([], name, bare(value)));
  return true;
}

/** Whether it is a directive of a block, each of whose arguments is a value. */
function readDirective(said: string, around: readonly string[], reading: Reading): boolean {
  const [, name = '', rest = ''] = DIRECTIVE.exec(said) ?? [];
  if (name === '' || isSentence(name, reading.lexicon) || OPERATOR.test(rest) || STATEMENT.test(said)) return false;
  const values = rest.match(ARGUMENT) ?? [''];
  reading.directives += 1;
  // `add_header Cache-Control "public"`: the first of some is a name, too.
  const isPair = values.length > 1 && HEADER.test(values[0] ?? '');
  const own = isPair ? `${name}.${values[0]}` : name;
  for (const value of values.slice(isPair ? 1 : 0)) reading.found.settings.push(settingAt(around, own, bare(value)));
  return true;
}

function readBlock(said: string, around: readonly string[], reading: Reading): boolean | undefined {
  const { found, lexicon } = reading;
  if (said.startsWith('{') && said.endsWith('}')) return readBody(said.slice(1, -1), around, reading);
  const [whole, name = '', labels = '', inner = ''] = BLOCK.exec(said) ?? [];
  if (whole === undefined) return undefined;
  if (STATEMENT.test(`${name} `) || isSentence(name, lexicon)) return false;
  // Of a resource its kind says what it is, and not its name.
  const kind = bare(/^\s+("[^"]*")/.exec(labels)?.[1] ?? '');
  if (labels !== '' && kind === '') reading.directives += 1;
  reading.blocks += 1;
  const path = [...around, name];
  if (kind !== '') found.settings.push(settingAt(around, name, kind));
  if (inner.trim() === '') found.settings.push(settingAt(path, name, 'block'));
  return readBody(inner, path, reading);
}

/** Whether a text is nothing but settings, which are then known. */
function readBody(text: string, path: readonly string[], reading: Reading): boolean {
  const { found } = reading;
  if (path.length > MAX_DEPTH) found.isCut = true;
  const statements = path.length > MAX_DEPTH ? undefined : partsIn(text, false);
  if (statements === undefined) return false;
  let section: string[] = [];
  const mayBeWords = path.length > 0 || statements.filter(({ said }) => NAMED.test(said)).length > 2;
  return statements.every(({ said, isEnded }) => {
    const isItem = /^-\s/.test(said);
    if (isItem) found.isCut = true;
    const own = said.replace(/^(?:-\s+)+/, '');
    const around = [...path, ...section];
    const head = path.length === 0 ? SECTION.exec(own)?.[1] : undefined;
    if (head !== undefined) {
      section = [head];
      return true;
    }
    if (readNamed(own, around, mayBeWords || section.length > 0, reading)) return true;
    const isBlock = readBlock(own, around, reading);
    if (isBlock !== undefined) return isBlock;
    if (isItem && ONE_VALUE.test(own)) return true;
    // `skip-grant-tables`
    const isSwitch = section.length > 0 && SWITCH.test(own);
    if (isSwitch) found.settings.push(settingAt(around, own, 'true'));
    if (isSwitch) return true;
    return isEnded || path.length > 0 ? readDirective(own, around, reading) : readPair(own, reading);
  });
}

/** Adds what the lines of a text set, which are nothing else, and says how they are written; undefined for any other text. */
export function readLines(text: string, found: Found, lexicon: Lexicon): 'assigned' | 'lines' | undefined {
  const reading: Reading = { found, lexicon, identifiers: 0, orders: 0, pairs: 0, directives: 0, blocks: 0 };
  if (!readBody(text, [], reading) || found.settings.length + found.commands.length === 0) return undefined;
  const { identifiers, orders, pairs, directives, blocks } = reading;
  if ((orders > 0 && orders >= identifiers) || (directives > 0 && blocks === 0)) return undefined;
  // Two words may be anything.
  const [only] = found.settings;
  if (
    pairs === 1 &&
    found.settings.length === 1 &&
    !(identifiers === 1 && /^(?:\d+[a-z%]{0,2}|auto)$/.test(only?.value ?? '')) &&
    !isSwitch(only?.value ?? '')
  )
    return undefined;
  return pairs + directives > 0 ? 'lines' : 'assigned';
}
