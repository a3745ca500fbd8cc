// Finds the tool calls that a text consists of: JSON as agents' frameworks and MCP write it, or tags of models.
import { type Json, objectOf, parseJson } from '../../../kernel/json.ts';
import { shellQuote } from '../../../kernel/shell-quote.ts';
import { wordSet } from '../text/word-set.ts';

export interface ToolCall {
  /** As the caller writes it: `search_tickets`, `crm.bulkDelete`; empty for what can't be read as a call. */
  readonly name: string;
  /** Words by which its arguments choose what it does: `delete` of `{"operation": "delete"}`. */
  readonly modes: readonly string[];
  /** Command lines and programs among its arguments. */
  readonly commands: readonly CommandArgument[];
  /** What it is to look for, which may be a statement of SQL. */
  readonly queries: readonly string[];
  /** What somebody else is to do, in words: `{"goal": "summarise the release notes"}`. */
  readonly requests: readonly string[];
  /** The names of its arguments. */
  readonly given: readonly string[];
  /** Its arguments as they are written. */
  readonly written: string;
  /** It is written as a call: with arguments, or named as a tool. `{"name": "web-1", "port": 80}` may as well be a setting. */
  readonly isSurely: boolean;
}

export interface CommandArgument {
  readonly language: 'shell' | 'sql' | 'program';
  /** Undefined for what is no text. */
  readonly text: string | undefined;
}

const UNREADABLE: ToolCall = {
  name: '',
  modes: [],
  commands: [],
  queries: [],
  requests: [],
  given: [],
  written: '',
  isSurely: false,
};
/** Different calls that are read, since each is read as a text is. */
const MAX_CALLS = 16;
/** Members that name the tool, and those that hold its arguments. */
const NAMES = [
  'tool',
  'tool_name',
  'toolName',
  'function',
  'function_name',
  'recipient_name',
  'name',
  'method',
  'action',
] as const;
const ARGUMENTS = wordSet('arguments args parameters params input tool_input kwargs');
/** Names of frameworks for what is not yet the name of a tool. */
const FORMS: ReadonlySet<string> = new Set(['tools/call', 'function', 'function_call', 'tool_use', 'tool_call']);
/** The last ones say what is done with what was found. */
const MODES =
  /^(?:action|operation|op|method|mode|command|cmd|verb|type|kind|event|(?:and_?)?then|next|do|after|finally|callback|handler|hook|strategy|on_?\w{1,30})$/i;
const COMMANDS: readonly (readonly [key: RegExp, language: CommandArgument['language']])[] = [
  [/^(?:commands?|cmd|cmd_?line|command_?line|shell|bash|argv)$/i, 'shell'],
  [/^(?:sql|statements?)$/i, 'sql'],
  [/^(?:script|code|program|source_?code)$/i, 'program'],
];
const QUERY = /^(?:query|q)$/i;
const REQUEST = /^(?:goal|task|prompt|instructions?|objective|mission)$/i;
/** A key by which something is looked up: `{"code": "EUR"}`. */
const CODE_OF_THING = /^[A-Z\d][A-Z\d_-]{0,19}$/;
const NAME = /^[A-Za-z][\w.:/-]{1,100}$/;
/** Words of a sentence, or a single one, are no name of a tool unless arguments stand beside it. */
const JOINED = /[._:/-]|[a-z][A-Z]/;
/** What is given by its name in the arguments of a call in a program. */
const GIVEN = /(?:^|[,(]\s{0,3})["']?(\w{2,40})["']?\s{0,3}[=:]\s{0,3}(?:(["'])((?:\\.|(?!\2)[^\\])*)\2|([^,]*))/g;
/** The names of tools in the tags of models. */
const TAGGED =
  /(?:<function=|<\|?tool_call_begin\|?>\s{0,3}|<invoke name=["']|<tool_name>\s{0,3}|\bto=functions\.|^functions\.)([\w./-]{1,100}(?::(?!\d)\w{1,50})?)/gm;
const TAGGED_ARGUMENT = /<parameter(?:=|\s+name=["'])([\w-]{1,40})["']?>([^<]{0,10000})/g;

const isName = (value: unknown): value is string => typeof value === 'string' && NAME.test(value);

const modesIn = (members: readonly (readonly [string, unknown])[]): string[] =>
  members.flatMap(([key, value]) => (MODES.test(key) && isName(value) && !FORMS.has(value) ? [value] : []));

/** The tag in which models write a call as JSON: `<tool_call>{"name": ...}</tool_call>`. */
const OPENING = /\s*<(tool_calls?|function_calls?|tool_use)>/y;

/** Whether a member holds arguments, in which calls count but nothing must be one. `_meta`: what MCP sends beside them. */
const isGiven = (member: string): boolean => ARGUMENTS.has(member) || member === '_meta';

/** The tools that an object calls by members of its own. */
function callsOf(object: Json): ToolCall[] {
  const members = Object.entries(object);
  const hasArguments = members.some(([member]) => ARGUMENTS.has(member));
  const keys = NAMES.filter((key) => {
    const name = object[key];
    return typeof name === 'string' && !FORMS.has(name) && (hasArguments || (isName(name) && JOINED.test(name)));
  });
  const given = members.flatMap(([member, value]) =>
    ARGUMENTS.has(member) ? Object.entries(objectOf(value) ?? parsedObject(value)) : [],
  );
  const all = [...members.filter(([member]) => !keys.some((key) => key === member)), ...given];
  return keys.map((key) => {
    const name = object[key];
    const isSurely = hasArguments || /^(?:tool|function)/.test(key);
    return isName(name) ? toolCall(name, all, JSON.stringify(Object.fromEntries(given)), isSurely) : UNREADABLE;
  });
}

/** Members that frameworks put beside the arguments. */
const BESIDE: ReadonlySet<string> = new Set([...ARGUMENTS, 'id', 'call_id', 'index', 'type', 'jsonrpc', '_meta']);

/** A call with its arguments. */
const toolCall = (
  name: string,
  members: readonly (readonly [string, unknown])[],
  written: string,
  isSurely = true,
): ToolCall => ({
  name,
  isSurely,
  modes: modesIn(members),
  commands: members.flatMap(([key, value]) => commandsOf(key, value)),
  queries: members.flatMap(([key, value]) => (QUERY.test(key) && typeof value === 'string' ? [value] : [])),
  requests: members.flatMap(([key, value]) => (REQUEST.test(key) && typeof value === 'string' ? [value] : [])),
  given: members.flatMap(([key]) => (BESIDE.has(key) ? [] : [key])),
  written,
});

const textsOf = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;

/** The command lines of a member; of a list each item, but for the words of one command. */
function commandsOf(key: string, value: unknown): CommandArgument[] {
  const language = COMMANDS.find(([keys]) => keys.test(key))?.[1];
  if (language === undefined || (language === 'program' && typeof value === 'string' && CODE_OF_THING.test(value)))
    return [];
  const texts = typeof value === 'string' ? [value] : textsOf(value);
  // `"shell": true` says how a command is run.
  if (typeof value === 'boolean') return [];
  if (texts === undefined) return [{ language, text: undefined }];
  const isLine = typeof value === 'string' || key.endsWith('s') || language !== 'shell';
  const each = isLine ? texts : [texts.map(shellQuote).join(' ')];
  return each.map((text) => ({ language, text }));
}

/** Arguments that are a text of JSON. */
function parsedObject(value: unknown): Json {
  return (typeof value === 'string' && value.startsWith('{') && objectOf(parsed(value))) || {};
}

/** The value of a text of JSON; undefined for another text. */
export function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** All calls in a value, those within the arguments of others too. */
function callsIn(value: unknown): ToolCall[] {
  if (Array.isArray(value)) return value.flatMap(callsIn);
  const object = objectOf(value);
  return object === undefined ? [] : [...callsOf(object), ...Object.values(object).flatMap(callsIn)];
}

/** Whether a value is nothing but calls, with their arguments. What else stands beside them may be a call in another form. */
function isOnlyCalls(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isOnlyCalls);
  const object = objectOf(value);
  if (object === undefined) return false;
  const calls = callsOf(object).length > 0;
  const beside = Object.entries(object).flatMap(([member, inner]) =>
    typeof inner === 'object' && inner !== null && !(calls && isGiven(member)) ? [inner] : [],
  );
  return (calls || beside.length > 0) && beside.every(isOnlyCalls);
}

/** The calls of JSON, each once; with one that can't be read when there is more than that. */
function callsOfJson(value: unknown): readonly ToolCall[] {
  const calls = [...new Map(callsIn(value).map((call) => [JSON.stringify(call), call])).values()];
  const isRead = calls.length <= MAX_CALLS && (calls.length === 0 || isOnlyCalls(value));
  return isRead ? calls : [...calls.slice(0, MAX_CALLS), UNREADABLE];
}

/** A call in a program, with the arguments that are given by their names. */
export function toolCallOf(name: string, args: string): ToolCall {
  const given = Array.from(args.matchAll(GIVEN), ([, key = '', quote, text, other]) => {
    const named = /^\s*[A-Za-z][\w.]*\s*$/.test(other ?? '') && MODES.test(key) ? other?.trim() : undefined;
    return [key, quote === undefined ? named : text] as const;
  });
  return isName(name) ? toolCall(name, given, args) : UNREADABLE;
}

/** The calls of a text in the tags of models, such as `<function=list_files>`, each name once with the arguments of all. */
function callsOfTags(text: string): ToolCall[] {
  const names = new Set(Array.from(text.matchAll(TAGGED), ([, name = '']) => name.replace(/^functions\./, '')));
  if (names.size === 0) return [];
  const given = Array.from(text.matchAll(TAGGED_ARGUMENT), ([, key = '', value = '']) => [key, value] as const);
  const call = toolCall('', given, '');
  return Array.from(names, (name) => ({ ...call, name }));
}

/** What stands in the tags of a text that consists of them; undefined for any other text. Linear in its length. */
function insideTags(text: string): string[] | undefined {
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    OPENING.lastIndex = at;
    const tag = OPENING.exec(text)?.[1];
    if (tag === undefined) return undefined;
    const closing = `</${tag}>`;
    const from = OPENING.lastIndex;
    const end = text.indexOf(closing, from);
    if (end < 0) return undefined;
    found.push(text.slice(from, end).trim());
    at = end + closing.length;
  }
  return found;
}

/** The JSON of a text that is nothing else, or in the tags of models; undefined for any other text. */
function documentIn(text: string): unknown {
  const trimmed = text.trim();
  if (/^[{[]/.test(trimmed)) return parsed(trimmed);
  const inTags = insideTags(trimmed);
  if (inTags?.every((inner) => /^[{[]/.test(inner)) !== true) return undefined;
  const each = inTags.map(parsed);
  return each.length === 1 ? each[0] : each;
}

/** The calls of which a text consists; none when it is anything else. At most MAX_CALLS, and one that can't be read for all further ones. */
export function toolCallsIn(text: string): readonly ToolCall[] {
  const document = documentIn(text);
  return document === undefined ? callsOfTags(text.trim()) : callsOfJson(document);
}

/** A string among what a call is given. */
export interface GivenText {
  /** The name of the argument or member. */
  readonly key: string;
  readonly text: string;
}

/** All strings in a value but those that name a tool, also in arguments that are a text of JSON. */
function stringsIn(value: unknown, key = ''): GivenText[] {
  if (typeof value === 'string') {
    const inner = value.startsWith('{') ? objectOf(parsed(value)) : undefined;
    if (inner !== undefined) return stringsIn(inner);
    return NAMES.some((name) => name === key) && isName(value) ? [] : [{ key, text: value }];
  }
  if (Array.isArray(value)) {
    const words = textsOf(value) ?? [];
    // The words of a list may be a command.
    const line =
      words.length > 1 && /^[a-z][\w-]*$/.test(words[0] ?? '') ? [{ key, text: words.map(shellQuote).join(' ') }] : [];
    return [...value.flatMap((one) => stringsIn(one, key)), ...line];
  }
  return Object.entries(objectOf(value) ?? {}).flatMap(([member, inner]) => stringsIn(inner, member));
}

/** What the calls of a text are given, text by text; undefined for a text that is no JSON of calls. */
export function givenTexts(text: string): readonly GivenText[] | undefined {
  const document = documentIn(text);
  return document !== undefined && callsOfJson(document).some(({ isSurely }) => isSurely)
    ? stringsIn(document)
    : undefined;
}

/** A name with a string: `"text": "..."`, `text="..."`, and in arguments that are a text of JSON. */
const NAMED_TEXT = /["']?([A-Za-z]\w{0,40})["']?\s{0,3}[:=]\s{0,3}("(?:[^"\\]|\\.){0,4000}"|'(?:[^'\\]|\\.){0,4000}')/g;

/** A message that a bot may carry out: `/delete-branch main`, `@ops-bot stop it`. */
const COMMANDS_BOT = /^["']\s*[/!]\w|@\w/;

/** Where a text gives calls words for people or names of things, which ask for nothing: `"body": "Please remove the label"`. */
export function toldIn(text: string, isTold: (key: string) => boolean): readonly { at: number; end: number }[] {
  // The quotation marks of JSON within JSON are escaped.
  const plain = text.includes('\\"') ? text.replaceAll(/\\(?=["\\])/g, ' ') : text;
  return Array.from(plain.matchAll(NAMED_TEXT), ({ 0: whole, 1: key = '', 2: value = '', index }) => ({
    key,
    at: index + whole.length - value.length,
    end: index + whole.length,
    value,
  })).filter(({ key, value }) => isTold(key) && !COMMANDS_BOT.test(value));
}
