// Settings as they are found in a document of JSON or YAML, with the commands that stand among them.
import { type Json, objectOf } from '../../../kernel/json.ts';
import { shellQuote } from '../../../kernel/shell-quote.ts';
import { partsOf } from './names.ts';
import type { Setting } from './settings.ts';
import { parsed } from './tool-calls.ts';

/** What is known of a text while it is read. */
export interface Found {
  /** With the names of the sections and members that lead to them. */
  readonly settings: Setting[];
  /** Command lines that something runs some time. */
  readonly commands: string[];
  /** Names that are words, as a sentence is that stands above a list of things: `Read these: [a.md]`. */
  readonly remarks: string[];
  readonly comments: string[];
  /** Values that may be files within the file: `data: {app.properties: "a=1"}`. */
  readonly texts: { readonly path: readonly string[]; readonly text: string }[];
  /** There is more than is read: more lines, or members that are deeper. */
  isCut: boolean;
}

export const newFound = (): Found => ({
  settings: [],
  commands: [],
  remarks: [],
  comments: [],
  texts: [],
  isCut: false,
});

export const MAX_DEPTH = 12;
/** Settings and commands of one text, those behind aliases each time. */
const MAX_FOUND = 4_000;

/** Names whose values are commands. */
const HOLDS_COMMAND =
  /^(?:run|script|before_script|after_script|before_install|install|commands?|cmds?|entry|entrypoint|runcmd|bootcmd|exec|exec(?:start|stop|reload|condition)(?:pre|post)?)$/i;
/** Names whose members do: `"scripts": {"test": "vitest"}`. */
const HOLD_COMMANDS = 'scripts';
/** Names of one command, whose list has its words; other lists have a command in each item. */
const HOLDS_ONE = /^(?:command|cmd|entrypoint|exec)$/i;

export const isCommandKey = (own: string, around: readonly string[]): boolean =>
  HOLDS_COMMAND.test(own) || around.at(-1) === HOLD_COMMANDS;

/** The command lines of a value: `[sh, -c, "ls"]` is one, and so is `npm ci`. */
export function wordsOfCommand(own: string, value: readonly string[] | string): readonly string[] {
  if (typeof value === 'string') return [value];
  return HOLDS_ONE.test(own) ? [value.map(shellQuote).join(' ')] : value;
}

/** A value without the quotation marks around it. */
export const bare = (text: string): string => text.replace(/^("""|'''|["'])([^]*)\1$/, '$2');
const nameOf = (path: readonly string[]): string => partsOf(path.filter(Boolean).join('.')).join('_');

/** A setting with the names around it, of which its own is the last. `value`: null where nothing stands behind the name. */
export const settingAt = (around: readonly string[], own: string, value: string | null): Setting => ({
  name: nameOf([...around, own]),
  own: nameOf([own]),
  value: value === null ? 'unset' : value.trim() === '' ? 'empty' : value.trim().toLowerCase(),
  isVariable: /^[A-Z][A-Z\d_]*$/.test(own),
});

/** A check as images and compose files write it: `["CMD", "curl", "-f", "http://localhost"]`. */
const CHECK = /^CMD(?:-SHELL)?$/;
/** Members that are the arguments of the command beside them. */
const ARGUMENTS = 'args';

/** The commands of a member; undefined for one that holds none. */
function commandsAt(own: string, value: unknown, around: readonly string[], beside: Json) {
  const items = Array.isArray(value) ? value.map(String) : undefined;
  const [first = ''] = items ?? [];
  if (items !== undefined && CHECK.test(first)) return wordsOfCommand(first === 'CMD' ? 'cmd' : 'cmds', items.slice(1));
  if (own === ARGUMENTS && items !== undefined && Array.isArray(beside['command'])) return [];
  // Steps of a pipeline may be commands, where they are no objects with names.
  const areSteps = own === 'steps' && items?.every((item) => /^[a-z]\S*\s/i.test(item)) === true;
  if (!isCommandKey(own, around) && !areSteps) return undefined;
  if (typeof value === 'string') return [value];
  if (items === undefined || items.length === 0) return undefined;
  const given: unknown = own === 'command' ? beside[ARGUMENTS] : [];
  return wordsOfCommand(own, [...items, ...(Array.isArray(given) ? given.map(String) : [])]);
}

/** A variable in a list of such: `- LOG_LEVEL=debug`. */
const VARIABLE = /^([A-Z][A-Z\d_]{0,80})=(.*)$/s;
const NAMES_SETTING = /^(?:name|key|flag|setting|option|feature|parameter|variable|control)$/;
const VALUE_OF = /^(?:value|enabled|active|required|state|on)$/;
const IDENTIFIER = /^[A-Za-z][\w.-]{0,60}$/;

/** A value that is no object, as it is written; null for none. */
const written = (value: unknown): string | null =>
  value === null || typeof value === 'string' ? value : JSON.stringify(value);

/** What an object says that has the name and the value of a setting: `{"key": "fraud_check", "enabled": false}`. */
function settingsNamed(object: Json, around: readonly string[]): Setting[] {
  const members = Object.entries(object);
  const names = members.filter(([key, name]) => NAMES_SETTING.test(key) && IDENTIFIER.test(String(name)));
  const values = members.filter(([key, value]) => VALUE_OF.test(key) && typeof value !== 'object');
  return names.flatMap(([, name]) =>
    values.map(([key, value]) =>
      key === 'value'
        ? settingAt(around, String(name), written(value))
        : settingAt([...around, String(name)], key, written(value)),
    ),
  );
}

/** The names and value of a step of a JSON patch: `{"op": "replace", "path": "/spec/replicas", "value": 0}`. */
function patchOf({ op, path, value }: Json) {
  if (!/^(?:add|replace|test)$/.test(String(op)) || typeof path !== 'string' || !path.startsWith('/')) return undefined;
  return { names: path.split('/').filter((name) => !/^(?:\d+|-|)$/.test(name)), value };
}

/** Adds what a value of JSON or YAML sets. `beside`: the object that has the member. */
export function addMembers(
  value: unknown,
  around: readonly string[],
  own: string,
  found: Found,
  beside: Json = {},
): void {
  const path = own === '' ? around : [...around, own];
  const object = objectOf(value);
  const commands = commandsAt(own, value, around, beside);
  if (path.length > MAX_DEPTH || found.settings.length + found.commands.length > MAX_FOUND) found.isCut = true;
  else if (commands !== undefined) found.commands.push(...commands);
  else if (Array.isArray(value)) {
    if (value.length === 0) found.settings.push(settingAt(around, own, ''));
    // A rule without conditions, which holds for everything: `ingress: [{}]`.
    for (const one of value)
      if (objectOf(one) !== undefined && Object.keys(one).length === 0)
        found.settings.push(settingAt(around, own, '{}'));
      else addMembers(one, around, own, found);
  } else if (object === undefined) {
    const [, name, inner = ''] = (typeof value === 'string' && VARIABLE.exec(value)) || [];
    if (name === undefined && typeof value === 'string' && /[=:]/.test(value)) found.texts.push({ path, text: value });
    found.settings.push(name === undefined ? settingAt(around, own, written(value)) : settingAt(path, name, inner));
  } else {
    const patch = patchOf(object);
    if (patch !== undefined)
      return addMembers(patch.value, [...path, ...patch.names.slice(0, -1)], patch.names.at(-1) ?? '', found);
    const members = Object.entries(object);
    if (members.length === 0 && own !== '') found.settings.push(settingAt(around, own, ''));
    const named = settingsNamed(object, path);
    found.settings.push(...named);
    const isPair = members.length === 2 && named.length === 1 && 'value' in object;
    for (const [member, inner] of isPair ? [] : members) {
      if (/\s/.test(member)) found.remarks.push(member);
      addMembers(inner, path, member, found, object);
    }
  }
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
