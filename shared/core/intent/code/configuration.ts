// Recognizes a text that is a configuration file, a part of one, or settings on a line, and reads the values that it sets and the commands that it holds.
import { objectOf } from '../../../kernel/json.ts';
import { shellQuote } from '../../../kernel/shell-quote.ts';
import { firstOf } from '../first-of.ts';
import { partsOf } from './names.ts';
import { type Setting, settingsIn } from './settings.ts';
import { parsed } from './tool-calls.ts';
import { wordSet } from '../text/word-set.ts';

export interface Configuration {
  /** With the names of the sections and members that lead to them. */
  readonly settings: readonly Setting[];
  /** Command lines that something runs some time. */
  readonly commands: readonly string[];
  /** There is more than is read: more lines, or members that are deeper. */
  readonly isCut: boolean;
}

const FLOW = String.raw`\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}`;
const VALUE = `(?:"[^"]*"|'[^']*'|\\[[^\\]]*\\]|${FLOW}|[^\\s:=,;](?:\\S*[^\\s,])?)`;
/** `NAME=value`, `name = value`. Read one after the other: one pattern for a whole line would try each way to divide it. */
const ASSIGNMENT = new RegExp(
  `["']?[A-Za-z_][\\w.$/-]*(?:[([][^)\\]]*[)\\]][\\w.]*)*["']?\\s*:?=\\s*(?:${VALUE}(?=[\\s,;]|$))?[,;]?\\s*`,
  'y',
);
const KEY = String.raw`["']?[a-z][\w.$/-]*["']?`;
/** `name: value`, `- value`, a bracket. */
const ENTRY = new RegExp(`^(?:(?:-\\s+)*${KEY}\\s*:(?:\\s+${VALUE})?|-\\s+${VALUE}|---|[{}[\\]]+),?\\s*(?:#.*)?$`, 'i');
/** `spec:`, below which its members stand. */
const HEADER = new RegExp(`^((?:-\\s+)*)(${KEY})\\s*:\\s*(?:#.*)?$`, 'i');
/** `[tool.ruff]`, `[alias "a"]` */
const SECTION = /^\[{1,2}([\w.: "'*/-]+)\]{1,2}$/;
/** `resource "aws_instance" "web" {` */
const BLOCK = /^[a-z][\w.-]*(?:\s+"[^"]*"){0,3}\s*=?\s*\{$/i;
/** `- run: npm ci`, `ExecStart=/usr/bin/web --port 80`: a name with words up to the end of the line. */
const WORDS = /^((?:-\s+)*)["']?([a-z][\w.-]*)["']?\s*[:=]\s*(\S[^\n]*)$/i;
/** `run: |`, with lines of text below. */
const TEXT_BELOW = new RegExp(`^((?:-\\s+)*)(${KEY})\\s*:\\s*[|>][+-]?$`, 'i');
/** An item of a list, which is no member of it. */
const ITEM_OF = /^-\s+((?!["']?[a-z][\w.$/-]*["']?:(?:\s|$)).+)$/i;
/** A value that is no word of a sentence. */
const SCALAR = /:\s+(?:true|false|yes|no|on|off|none|null|-?\d[\w.]*|["'[{].*|\S*[/*@].*)\s*,?$/i;

/** Several of them on one line: `a: 1, "b": false`. */
const ENTRIES = new RegExp(`^${KEY}\\s*:\\s+${VALUE}(?:,\\s+${KEY}\\s*:\\s+${VALUE})+$`, 'i');

/** Names whose values are commands. */
const HOLDS_COMMAND =
  /^(?:run|script|before_script|after_script|commands?|cmd|entry|entrypoint|exec|exec(?:start|stop|reload|condition)(?:pre|post)?)$/i;
/** Names whose members do: `"scripts": {"test": "vitest"}`. */
const HOLD_COMMANDS = 'scripts';
/** Names whose values may be words for people. */
const LABELS = wordSet('name description label displayname display_name title documentation');

const MAX_LINES = 400;
const MAX_DEPTH = 12;

/** Whether a line is nothing but assignments, before a comment. */
function areAssignments(line: string): boolean {
  let at = 0;
  while (at < line.length && line[at] !== '#') {
    ASSIGNMENT.lastIndex = at;
    if (!ASSIGNMENT.test(line)) return false;
    at = ASSIGNMENT.lastIndex;
  }
  return at > 0;
}

/** A value without the quotation marks around it. */
export const bare = (text: string): string => text.replace(/^(["'])(.*)\1$/s, '$2');
const nameOf = (path: readonly string[]): string => partsOf(path.filter(Boolean).join('.')).join('_');
/** A setting with the names around it, of which its own is the last. */
export const settingAt = (around: readonly string[], own: string, value: string): Setting => ({
  name: nameOf([...around, own]),
  own: nameOf([own]),
  value: value === '' ? 'empty' : value.toLowerCase(),
});

/** Names of one command, whose list has its words; other lists have a command in each item. */
const HOLDS_ONE = /^(?:command|cmd|entrypoint|exec)$/i;
const commandsOf = (own: string, texts: readonly string[]): readonly string[] =>
  HOLDS_ONE.test(own) ? [texts.map(shellQuote).join(' ')] : texts;

const isCommandKey = (own: string, around: readonly string[]): boolean =>
  HOLDS_COMMAND.test(own) || around.at(-1) === HOLD_COMMANDS;

/** What a document of JSON sets. */
function membersOf(value: unknown, around: readonly string[], own: string, found: Found): void {
  const path = own === '' ? around : [...around, own];
  if (isCommandKey(own, around) && typeof value === 'string') found.commands.push(value);
  else if (isCommandKey(own, around) && Array.isArray(value))
    found.commands.push(...commandsOf(own, value.map(String)));
  else if (Array.isArray(value)) {
    if (value.length === 0) found.settings.push(settingAt(around, own, ''));
    for (const one of value) membersOf(one, around, own, found);
  } else if (objectOf(value) !== undefined) {
    if (path.length >= MAX_DEPTH) {
      found.isCut = true;
      return;
    }
    const object = objectOf(value) ?? {};
    const members = Object.entries(object);
    const { op, path: pointer } = object;
    // A step of a JSON patch: `{"op": "replace", "path": "/spec/replicas", "value": 0}`.
    if (/^(?:add|replace|test)$/.test(String(op)) && typeof pointer === 'string' && pointer.startsWith('/')) {
      const names = pointer.split('/').filter((name) => !/^(?:\d+|-|)$/.test(name));
      membersOf(object['value'], [...path, ...names.slice(0, -1)], names.at(-1) ?? '', found);
      return;
    }
    if (members.length === 0 && own !== '') found.settings.push(settingAt(around, own, ''));
    for (const [member, inner] of members) membersOf(inner, path, member, found);
  } else found.settings.push(settingAt(around, own, String(value)));
}

interface Found {
  readonly settings: Setting[];
  readonly commands: string[];
  isCut: boolean;
}

const newFound = (): Found => ({ settings: [], commands: [], isCut: false });

/** A name below which further lines stand, as deep as it is indented. */
interface Level {
  readonly indent: number;
  readonly name: string;
}

interface Line {
  readonly text: string;
  readonly indent: number;
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .map((line) => ({ text: line.trim(), indent: line.length - line.trimStart().length }))
    .filter(({ text: line }) => line !== '' && !/^[#;]/.test(line));

/** The lines below one, which are its text: `run: |`. */
function textBelow(lines: readonly Line[], at: number): readonly Line[] {
  const own = lines[at]?.indent ?? 0;
  const end = lines.findIndex(({ indent }, index) => index > at && indent <= own);
  return lines.slice(at + 1, end < 0 ? lines.length : end);
}

/** What the lines of a text set; undefined where one of them is no setting. */
function linesSet(all: readonly Line[]): Found | undefined {
  const { kept: lines, isCut } = firstOf(all, MAX_LINES);
  const found = { ...newFound(), isCut };
  const section: string[] = [];
  let levels: Level[] = [];
  /** Brackets that are open beyond the end of a line. */
  let open = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const { text, indent } = lines[at] as Line;
    const items = /^(?:-\s+)*/.exec(text)?.[0].length ?? 0;
    levels = levels.filter((level) => level.indent < indent + items);
    const around = [...section, ...levels.map(({ name }) => name)];
    const header = HEADER.exec(text)?.[2];
    const item = ITEM_OF.exec(text)?.[1];
    const below = TEXT_BELOW.exec(text)?.[2];
    const words = WORDS.exec(text);
    const [own, value] = [bare(words?.[2] ?? ''), words?.[3] ?? ''];
    if (SECTION.test(text) && open === 0) section.splice(0, section.length, SECTION.exec(text)?.[1] ?? '');
    else if (header !== undefined) levels.push({ indent: indent + items, name: bare(header) });
    else if (below !== undefined) {
      const inner = textBelow(lines, at);
      const held = inner.map((line) => line.text).join('\n');
      if (isCommandKey(bare(below), around)) found.commands.push(held);
      else found.settings.push(settingAt(around, bare(below), held));
      at += inner.length;
    } else if (item !== undefined && HOLDS_COMMAND.test(around.at(-1) ?? '')) found.commands.push(bare(item));
    else if (words !== null && isCommandKey(own, around)) found.commands.push(...commandsIn(own, value));
    else if (BLOCK.test(text)) open += 1;
    else if (areAssignments(text) || ENTRY.test(text)) {
      open += (text.match(/[{[]/g) ?? []).length - (text.match(/[}\]]/g) ?? []).length;
      found.settings.push(...settingsOfLine(text, around));
    } else if (words !== null && (LABELS.has(own.toLowerCase()) || (section.length > 0 && /^\S+\s*=/.test(text))))
      found.settings.push(settingAt(around, own, bare(value)));
    else return undefined;
  }
  return found;
}

/** The commands of a value on its line: `[sh, -c, "ls"]` is one, and so is `npm ci`. */
function commandsIn(own: string, value: string): readonly string[] {
  if (!/^\[.*\]$/.test(value)) return [bare(value)];
  const items = Array.from(value.matchAll(ITEM), ([, double, single, plain]) => double ?? single ?? plain ?? '');
  return commandsOf(own, items);
}
const ITEM = /"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s,[\]"'][^,[\]]*)/g;

/** One name with a value without quotes, which may have any sign in it: `always_bcc = box@mail.example`. */
const PLAIN_LINE = new RegExp(
  `^(?:-\\s+)*(${KEY})\\s*(?:=|:(?=\\s))\\s*([^\\s"'{}[\\],#=][^\\s"'{}[\\],#=]*)\\s*,?(?:\\s#.*)?$`,
  'i',
);
/** What a name is about: `limit[user=7] = 4`. */
const INDEX = /\[[^\]]*\](?=[\w.]*\s*=)/g;

/** The settings of a line; an item of a list is one of what stands above it. */
function settingsOfLine(text: string, around: readonly string[]): Setting[] {
  const item = /^(?:-\s+)+([^:{[]+|"[^"]*"|'[^']*'|\{\})$/.exec(text)?.[1];
  if (item !== undefined) return [settingAt(around.slice(0, -1), around.at(-1) ?? '', bare(item.trim()))];
  const plain = PLAIN_LINE.exec(text);
  if (plain) return [settingAt(around, bare(plain[1] ?? ''), plain[2] ?? '')];
  return settingsIn(text.replaceAll(INDEX, '')).map(({ name, own, value }) => ({
    name: nameOf([...around, name]),
    own: own ?? name,
    value,
  }));
}

/**
 * What a text sets that is nothing but settings, in lines or in JSON; undefined for any other text. One line with a colon may be a note,
 * unless its value is no word.
 */
export function configurationIn(text: string): Configuration | undefined {
  if (!/[=:]/.test(text)) return undefined;
  const document = text.replace(/^(?:\s*#[^\n]*\n)+/, '').trim();
  const value = /^[{[]/.test(document) ? parsed(document) : undefined;
  if (value !== undefined) {
    const found = newFound();
    membersOf(value, [], '', found);
    return found;
  }
  const lines = linesOf(text);
  const [first, ...others] = lines;
  if (first === undefined) return undefined;
  if (others.length === 0 && ENTRIES.test(first.text))
    return { settings: settingsIn(`{${first.text}}`), commands: [], isCut: false };
  const isLine = others.length > 0 || areAssignments(first.text) || SCALAR.test(first.text);
  const found = isLine ? linesSet(lines) : undefined;
  // Names are told by brackets that are open over several lines.
  return found && lines.some(({ text: line }) => /[{[(]$/.test(line))
    ? { ...found, settings: settingsIn(text) }
    : found;
}
