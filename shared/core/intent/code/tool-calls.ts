// Finds the tool calls that a text consists of: JSON as agents' frameworks and MCP write it, or one call by its name, `list_issues(state="open")`.
import { type Json, objectOf, parseJson } from '../../../kernel/json.ts';

/** A call of a tool. */
export interface ToolCall {
  /** As the caller writes it: `search_tickets`, `crm.bulkDelete`. */
  readonly name: string;
  /** Words by which its arguments choose what it does: `delete` of `{"operation": "delete"}`. */
  readonly modes: readonly string[];
}

/** Members that name the tool, and those that hold its arguments. */
const NAMES = ['tool', 'tool_name', 'toolName', 'function', 'function_name', 'name', 'method', 'action'] as const;
const ARGUMENTS: ReadonlySet<string> = new Set([
  'arguments',
  'args',
  'parameters',
  'params',
  'input',
  'tool_input',
  'kwargs',
]);
/** Names of frameworks for what is not yet the name of a tool. */
const FORMS: ReadonlySet<string> = new Set(['tools/call', 'function', 'function_call', 'tool_use', 'tool_call']);
const MODES = /^(?:action|operation|op|method|mode|command|cmd|verb|type|kind|event)$/i;
const NAME = /^[A-Za-z][\w.:/-]{1,100}$/;
/** Words of a sentence, or a single one, are no name of a tool unless arguments stand beside it. */
const JOINED = /[._:/-]|[a-z][A-Z]/;
/** A call in a program, `db.users.drop()`, has readers of its own. */
const BY_NAME = /^([A-Za-z]\w*)\(([^()]*)\)\s*;?$/;
const MODE_GIVEN = /(?:^|[,(]\s{0,3})["']?(\w{2,20})["']?\s{0,3}[=:]\s{0,3}["']([A-Za-z]\w{1,40})["']/g;

const isName = (value: unknown): value is string => typeof value === 'string' && NAME.test(value);

const modesIn = (members: readonly (readonly [string, unknown])[]): string[] =>
  members.flatMap(([key, value]) => (MODES.test(key) && isName(value) && !FORMS.has(value) ? [value] : []));

/** The tool that an object calls by a member of its own. */
function callOf(object: Json): ToolCall | undefined {
  const key = NAMES.find((name) => isName(object[name]) && !FORMS.has(object[name]));
  const name = key === undefined ? undefined : object[key];
  if (!isName(name)) return undefined;
  const given = Object.entries(object);
  const inner = given.flatMap(([member, value]) =>
    ARGUMENTS.has(member) ? Object.entries(objectOf(value) ?? parsedObject(value)) : [],
  );
  if (!given.some(([member]) => ARGUMENTS.has(member)) && !JOINED.test(name)) return undefined;
  return { name, modes: modesIn([...given.filter(([member]) => member !== key), ...inner]) };
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
  if (object === undefined) return [];
  const own = callOf(object);
  return [...(own ? [own] : []), ...Object.values(object).flatMap(callsIn)];
}

/** The call of a text that is one call by name; a word in front of a remark in parentheses is none. */
function callByName(text: string): ToolCall[] {
  const [, name = '', args = ''] = BY_NAME.exec(text) ?? [];
  if (!isName(name) || !JOINED.test(name)) return [];
  const pairs = Array.from(args.matchAll(MODE_GIVEN), ([, key = '', value = '']) => [key, value] as const);
  return [{ name, modes: modesIn(pairs) }];
}

/** The calls of which a text consists; none when it is anything else. Linear in its length. */
export function toolCallsIn(text: string): readonly ToolCall[] {
  const trimmed = text.trim();
  const first = trimmed.charAt(0);
  return first === '{' || first === '[' ? callsIn(parsed(trimmed)) : callByName(trimmed);
}
