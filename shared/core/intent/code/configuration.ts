// Recognizes a text that is a configuration file, a part of one, or settings on a line, and reads the values that it sets and the commands that it holds.
import { type Json, objectOf } from '../../../kernel/json.ts';
import { shellQuote } from '../../../kernel/shell-quote.ts';
import { firstOf } from '../first-of.ts';
import { partsOf } from './names.ts';
import { type Setting, settingsIn } from './settings.ts';
import { parsed } from './tool-calls.ts';
import { wordSet } from '../text/word-set.ts';
import { UNSET, yamlIn } from './yaml.ts';

export interface Configuration {
  /** With the names of the sections and members that lead to them. */
  readonly settings: readonly Setting[];
  /** Command lines that something runs some time. */
  readonly commands: readonly string[];
  /** Names that are words, as a sentence is that stands above a list of things: `Read these: [a.md]`. */
  readonly remarks: readonly string[];
  /** It was parsed as JSON or YAML, so that nothing in it is beside a value. */
  readonly isDocument: boolean;
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
/** `name: value`, a bracket. */
const ENTRY = new RegExp(`^(?:(?:-\\s+)*${KEY}\\s*:(?:\\s+${VALUE})?|-\\s+${VALUE}|---|[{}[\\]]+),?\\s*(?:#.*)?$`, 'i');
/** An item of a list, or a name with nothing behind it. */
const NESTED = /^(?:-\s|[^\s=]+\s*:$)/;
/** `[tool.ruff]`, `[alias "a"]` */
const SECTION = /^\[{1,2}([\w.: "'*/-]+)\]{1,2}$/;
/** `resource "aws_instance" "web" {` */
const BLOCK = /^[a-z][\w.-]*(?:\s+"[^"]*"){0,3}\s*=?\s*\{$/i;
/** `ExecStart=/usr/bin/web --port 80`: a name with words up to the end of the line. */
const WORDS = /^["']?([a-z][\w.-]*)["']?\s*[:=]\s*(\S[^\n]*)$/i;
/** A value that is no word of a sentence. */
const SCALAR = /:\s+(?:true|false|yes|no|on|off|none|null|-?\d[\w.]*|["'[{].*|\S*[/*@].*)\s*,?$/i;

/** Several of them on one line: `a: 1, "b": false`. */
const ENTRIES = new RegExp(`^${KEY}\\s*:\\s+${VALUE}(?:,\\s+${KEY}\\s*:\\s+${VALUE})+$`, 'i');

/** Names whose values are commands. */
const HOLDS_COMMAND =
  /^(?:run|script|before_script|after_script|before_install|install|commands?|cmds?|entry|entrypoint|runcmd|bootcmd|exec|exec(?:start|stop|reload|condition)(?:pre|post)?)$/i;
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
  value: value.trim() === '' ? 'empty' : value.trim().toLowerCase(),
});

/** Names of one command, whose list has its words; other lists have a command in each item. */
const HOLDS_ONE = /^(?:command|cmd|entrypoint|exec)$/i;
const commandsOf = (own: string, texts: readonly string[]): readonly string[] =>
  HOLDS_ONE.test(own) ? [texts.map(shellQuote).join(' ')] : texts;

const isCommandKey = (own: string, around: readonly string[]): boolean =>
  HOLDS_COMMAND.test(own) || around.at(-1) === HOLD_COMMANDS;

/** A check as images and compose files write it: `["CMD", "curl", "-f", "http://localhost"]`. */
const CHECK = /^CMD(?:-SHELL)?$/;
/** Members that are the arguments of the command beside them. */
const ARGUMENTS = 'args';

/** The commands of a member; undefined for one that holds none. */
function commandsAt(own: string, value: unknown, { around, beside }: { around: readonly string[]; beside: Json }) {
  const isList = Array.isArray(value);
  if (isList && CHECK.test(String(value[0])))
    return value[0] === 'CMD' ? commandsOf('cmd', value.slice(1).map(String)) : value.slice(1).map(String);
  if (own === ARGUMENTS && isList && Array.isArray(beside['command'])) return [];
  // Steps of a pipeline may be commands, where they are no objects with names.
  const areSteps = own === 'steps' && isList && value.every((one) => /^[a-z]\S*\s/i.test(String(one)));
  if (!isCommandKey(own, around) && !areSteps) return undefined;
  if (typeof value === 'string') return [value];
  if (!isList || value.length === 0) return undefined;
  const given: unknown = own === 'command' ? beside[ARGUMENTS] : [];
  return commandsOf(own, [...value, ...(Array.isArray(given) ? given : [])].map(String));
}

/** A variable in a list of such: `- LOG_LEVEL=debug`. */
const VARIABLE = /^([A-Z][A-Z\d_]{0,80})=(.*)$/s;

/** A value that is no object, as it is written. */
const written = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** What an object says that has the name and the value of a setting: `{"key": "fraud_check", "enabled": false}`. */
function settingsNamed(object: Json, around: readonly string[]): Setting[] {
  const names = Object.entries(object).filter(([key, name]) => NAMES_SETTING.test(key) && typeof name === 'string');
  const values = Object.entries(object).filter(([key, value]) => VALUE_OF.test(key) && typeof value !== 'object');
  return names.flatMap(([, name]) =>
    values.flatMap(([key, value]) =>
      IDENTIFIER.test(String(name)) && value !== UNSET
        ? [
            settingAt(
              [...around, ...(key === 'value' ? [] : [String(name)])],
              key === 'value' ? String(name) : key,
              written(value),
            ),
          ]
        : [],
    ),
  );
}
const NAMES_SETTING = /^(?:name|key|flag|setting|option|feature|parameter|variable|control)$/;
const VALUE_OF = /^(?:value|enabled|active|required|state|on)$/;
const IDENTIFIER = /^[A-Za-z][\w.-]{0,60}$/;

/** What a document of JSON or YAML sets. `beside`: the object that has the member. */
function membersOf(value: unknown, around: readonly string[], own: string, found: Found, beside: Json = {}): void {
  const path = own === '' ? around : [...around, own];
  const commands = commandsAt(own, value, { around, beside });
  if (commands !== undefined) found.commands.push(...commands);
  else if (Array.isArray(value)) {
    if (value.length === 0) found.settings.push(settingAt(around, own, ''));
    // A rule without conditions, which holds for everything: `ingress: [{}]`.
    for (const one of value)
      if (objectOf(one) !== undefined && Object.keys(one).length === 0)
        found.settings.push(settingAt(around, own, '{}'));
      else membersOf(one, around, own, found);
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
    found.settings.push(...settingsNamed(object, path));
    for (const [member, inner] of members) {
      if (/\s/.test(member)) found.remarks.push(member);
      membersOf(inner, path, member, found, object);
    }
  } else if (typeof value === 'string' && VARIABLE.test(value)) {
    const [, name = '', inner = ''] = VARIABLE.exec(value) ?? [];
    found.settings.push(settingAt(path, name, inner));
  } else {
    found.settings.push(settingAt(around, own, value === UNSET ? 'unset' : written(value)));
    if (typeof value === 'string') addFileIn(value, path, found);
  }
}

/** A file within a file: `data: {app.properties: "a=1"}`. */
function addFileIn(text: string, path: readonly string[], found: Found): void {
  const inner = found.isInner ? undefined : configurationIn(text, true);
  if (inner === undefined) return;
  found.settings.push(
    ...inner.settings.map(({ name, own, value }) => ({ name: nameOf([...path, name]), own: own ?? name, value })),
  );
  found.commands.push(...inner.commands);
  found.isCut ||= inner.isCut;
}

/** What objects in a text of JSON name so. */
export function settingsNamedIn(text: string): Setting[] {
  const settings: Setting[] = [];
  const look = (value: unknown, around: readonly string[]): void => {
    if (Array.isArray(value)) for (const one of value) look(one, around);
    const object = objectOf(value);
    if (object === undefined) return;
    settings.push(...settingsNamed(object, around));
    for (const [member, inner] of Object.entries(object)) look(inner, [...around.slice(1 - MAX_DEPTH), member]);
  };
  const [from, to] = [text.search(/[{[]/), Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))];
  if (from >= 0 && to > from && /value|enabled|active|required|state|"on"/.test(text))
    look(parsed(text.slice(from, to + 1)), []);
  return settings;
}

interface Found {
  readonly settings: Setting[];
  readonly commands: string[];
  readonly remarks: string[];
  readonly isDocument: boolean;
  /** It stands in a value of another. */
  readonly isInner: boolean;
  isCut: boolean;
}

const newFound = (isInner = false): Found => ({
  settings: [],
  commands: [],
  remarks: [],
  isDocument: false,
  isInner,
  isCut: false,
});

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^[#;]/.test(line));

/** What the lines of a text set, in sections; undefined where one of them is no setting. */
function linesSet(all: readonly string[]): Found | undefined {
  const { kept: lines, isCut } = firstOf(all, MAX_LINES);
  const found = { ...newFound(), isCut };
  let section: string[] = [];
  /** Brackets that are open beyond the end of a line. */
  let open = 0;
  for (const text of lines) {
    const words = WORDS.exec(text);
    const [own, value] = [bare(words?.[1] ?? ''), words?.[2] ?? ''];
    // Names that others stand below are read from YAML, which this is none of.
    if (NESTED.test(text)) found.isCut = true;
    if (SECTION.test(text) && open === 0) section = [SECTION.exec(text)?.[1] ?? ''];
    else if (words !== null && isCommandKey(own, section)) found.commands.push(...commandsIn(own, value));
    else if (BLOCK.test(text)) open += 1;
    else if (areAssignments(text) || ENTRY.test(text)) {
      open += (text.match(/[{[]/g) ?? []).length - (text.match(/[}\]]/g) ?? []).length;
      found.settings.push(...settingsOfLine(text, section));
    } else if (words !== null && (LABELS.has(own.toLowerCase()) || (section.length > 0 && /^\S+\s*=/.test(text))))
      found.settings.push(settingAt(section, own, bare(value)));
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

/** The settings of a line. */
function settingsOfLine(text: string, around: readonly string[]): Setting[] {
  const plain = PLAIN_LINE.exec(text);
  if (plain) return [settingAt(around, bare(plain[1] ?? ''), plain[2] ?? '')];
  return settingsIn(text.replaceAll(INDEX, '')).map(({ name, own, value }) => ({
    name: nameOf([...around, name]),
    own: own ?? name,
    value,
  }));
}

const configurationOf = (values: readonly unknown[], isInner: boolean, isCut = false): Configuration => {
  const found = { ...newFound(isInner), isDocument: true, isCut };
  for (const value of values) membersOf(value, [], '', found);
  return found;
};

/**
 * What a text sets that is nothing but settings, in lines, in YAML or in JSON; undefined for any other text. One line with a colon may be a
 * note, unless its value is no word. `isInner`: it stands in a value of another one.
 */
export function configurationIn(text: string, isInner = false): Configuration | undefined {
  if (!/[=:]/.test(text)) return undefined;
  const document = text.replace(/^(?:\s*#[^\n]*\n)+/, '').trim();
  const value = /^[{[]/.test(document) ? parsed(document) : undefined;
  if (value !== undefined) return configurationOf([value], isInner);
  const lines = linesOf(text);
  const [first, ...others] = lines;
  if (first === undefined) return undefined;
  if (others.length === 0 && ENTRIES.test(first))
    return { settings: settingsIn(`{${first}}`), commands: [], remarks: [], isDocument: false, isCut: false };
  const isLine = others.length > 0 || areAssignments(first) || SCALAR.test(first);
  if (!isLine) return undefined;
  const yaml = others.length > 0 ? yamlIn(text) : undefined;
  if (yaml !== undefined) return configurationOf(yaml.values, isInner, yaml.isCut);
  const found = linesSet(lines);
  // Names are told by brackets that are open over several lines.
  return found && lines.some((line) => /[{[(]$/.test(line)) ? { ...found, settings: settingsIn(text) } : found;
}
