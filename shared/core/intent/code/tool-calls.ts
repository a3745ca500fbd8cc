// Finds the tool calls that a text consists of: JSON as agents' frameworks and MCP write it, or one call by its name, `list_issues(state="open")`.
import { type Json, objectOf, parseJson } from '../../../kernel/json.ts';
import { wordSet } from '../text/word-set.ts';

export interface ToolCall {
  /** As the caller writes it: `search_tickets`, `crm.bulkDelete`; empty for what can't be read as a call. */
  readonly name: string;
  /** Words by which its arguments choose what it does: `delete` of `{"operation": "delete"}`. */
  readonly modes: readonly string[];
  /** Command lines and programs among its arguments. */
  readonly commands: readonly string[];
}

const UNREADABLE: ToolCall = { name: '', modes: [], commands: [] };
/** Different calls that are read, since each is read as a text is. */
const MAX_CALLS = 16;
/** Members that name the tool, and those that hold its arguments. */
const NAMES = ['tool', 'tool_name', 'toolName', 'function', 'function_name', 'name', 'method', 'action'] as const;
const ARGUMENTS = wordSet('arguments args parameters params input tool_input kwargs');
/** Names of frameworks for what is not yet the name of a tool. */
const FORMS: ReadonlySet<string> = new Set(['tools/call', 'function', 'function_call', 'tool_use', 'tool_call']);
const MODES = /^(?:action|operation|op|method|mode|command|cmd|verb|type|kind|event)$/i;
const COMMANDS = /^(?:command|cmd|script|code|sql|statement|program|shell)$/i;
const NAME = /^[A-Za-z][\w.:/-]{1,100}$/;
/** Words of a sentence, or a single one, are no name of a tool unless arguments stand beside it. */
const JOINED = /[._:/-]|[a-z][A-Z]/;
/** A call in a program, `db.users.drop()`, has readers of its own. */
const BY_NAME = /^([A-Za-z]\w*)\(([^()]*)\)\s*;?$/;
const MODE_GIVEN = /(?:^|[,(]\s{0,3})["']?(\w{2,20})["']?\s{0,3}[=:]\s{0,3}["']([A-Za-z]\w{1,40})["']/g;

const isName = (value: unknown): value is string => typeof value === 'string' && NAME.test(value);

const modesIn = (members: readonly (readonly [string, unknown])[]): string[] =>
  members.flatMap(([key, value]) => (MODES.test(key) && isName(value) && !FORMS.has(value) ? [value] : []));

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
  const commands = all.flatMap(([key, value]) => (COMMANDS.test(key) && typeof value === 'string' ? [value] : []));
  return keys.map((key) => {
    const name = object[key];
    return isName(name) ? { name, modes: modesIn(all), commands } : UNREADABLE;
  });
}

/** Arguments that are a text of JSON. */
function parsedObject(value: unknown): Json {
  return (typeof value === 'string' && value.startsWith('{') && objectOf(parsed(value))) || {};
}

function parsed(text: string): unknown {
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

/** The call of a text that is one call by name; a word in front of a remark in parentheses is none. */
function callByName(text: string): ToolCall[] {
  const [, name = '', args = ''] = BY_NAME.exec(text) ?? [];
  if (!isName(name) || !JOINED.test(name)) return [];
  const pairs = Array.from(args.matchAll(MODE_GIVEN), ([, key = '', value = '']) => [key, value] as const);
  return [{ name, modes: modesIn(pairs), commands: [] }];
}

/** The calls of which a text consists; none when it is anything else. At most MAX_CALLS, and one that can't be read for all further ones. */
export function toolCallsIn(text: string): readonly ToolCall[] {
  const trimmed = text.trim();
  const first = trimmed.charAt(0);
  return first === '{' || first === '[' ? callsOfJson(parsed(trimmed)) : callByName(trimmed);
}
