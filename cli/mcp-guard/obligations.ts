// The obligations of DEGRADE that the guard can keep: `max_rows` on arguments and `redact_fields` on results (redaction.ts). Any other
// refuses the call.
import { objectOf } from '../../shared/kernel/json.ts';
import type { Obligation } from './decision.ts';
import { folded } from '../mcp/frames.ts';
import { addMember, memberOf, splice } from '../mcp/json-text.ts';
import type { ToolCall } from './tool-call.ts';

/** Arguments that bound the number of results, by the names that tools commonly give them. */
const LIMIT_ARGUMENTS = [
  'limit',
  'max_items',
  'max_records',
  'max_results',
  'max_rows',
  'page_size',
  'per_page',
  'row_limit',
];

/** The names of a tool's numeric top-level arguments that bound the number of results, in snake_case or camelCase. */
export function limitArgumentsOf(inputSchema: unknown): readonly string[] {
  const properties = objectOf(objectOf(inputSchema)?.['properties']) ?? {};
  return Object.entries(properties).flatMap(([name, schema]) => {
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const types = [objectOf(schema)?.['type']].flat();
    const isNumber = types.includes('integer') || types.includes('number');
    return isNumber && LIMIT_ARGUMENTS.includes(snake) ? [name] : [];
  });
}

/** Without case and punctuation: servers differ in the spellings that they accept. */
const bare = (name: string): string => folded(name).replaceAll(/[^a-z0-9]/g, '');
const BARE_LIMITS = new Set(LIMIT_ARGUMENTS.map(bare));

/** Whether a server could take the argument for one that bounds the number of results. */
function isLikeLimit(name: string): boolean {
  return BARE_LIMITS.has(bare(name));
}

/** The names of all members in a value. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(namesIn)];
}

/** How a permitted call is carried out. */
export interface Terms {
  /** New values of arguments. */
  readonly limits: ReadonlyMap<string, number>;
  /** Names of fields that are made unreadable in the result. */
  readonly redact: readonly string[];
}

/** @returns a sentence when an obligation can't be kept for this call */
export function termsOf(
  obligations: readonly Obligation[],
  call: ToolCall,
  limitArguments: readonly string[],
): Terms | string {
  const limits = new Map<string, number>();
  const redact: string[] = [];
  for (const obligation of obligations) {
    if (obligation.type === 'max_rows') {
      const problem = bound(limits, obligation['limit'], call, limitArguments);
      if (problem !== undefined) return problem;
    } else if (obligation.type === 'redact_fields') {
      const fields = obligation['fields'];
      if (!Array.isArray(fields) || !fields.every((field) => typeof field === 'string'))
        return 'its obligation redact_fields names no fields';
      if (call.isTask) return 'its result must be redacted, and the result of a task can not be';
      redact.push(...fields);
    } else return `its obligation ${obligation.type} is one that the guard can not keep`;
  }
  return { limits, redact };
}

function bound(
  limits: Map<string, number>,
  limit: unknown,
  call: ToolCall,
  limitArguments: readonly string[],
): string | undefined {
  // Many tools take 0 for "no limit", so that it can't be passed on as one.
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1)
    return 'its obligation max_rows has no limit of 1 or more';
  const odd =
    Object.keys(call.arguments).find((name) => isLikeLimit(name) && !limitArguments.includes(name)) ??
    Object.values(call.arguments).flatMap(namesIn).find(isLikeLimit);
  if (odd !== undefined)
    return `its obligation is max_rows ${limit}, and its argument ${JSON.stringify(odd)} may be another limit to the tool`;
  const given = limitArguments.filter((name) => Object.hasOwn(call.arguments, name));
  const [first] = limitArguments;
  if (first === undefined)
    return `its obligation is max_rows ${limit}, and the tool has no argument that limits its results`;
  for (const name of given.length > 0 ? given : [first]) {
    const value = call.arguments[name];
    if (value !== undefined && typeof value !== 'number') return `its argument ${name} is not a number`;
    const lowest = Math.min(limit, limits.get(name) ?? limit);
    if (value === undefined || value < 1 || value > lowest) limits.set(name, lowest);
  }
  return undefined;
}

/** Changes the limits in the text of a call and no other byte. */
export function limited(text: string, limits: Terms['limits']): string {
  let out = text;
  for (const [name, limit] of limits) {
    const params = memberOf(out, 'params');
    if (params === undefined) throw new Error('a call without params');
    const args = memberOf(out, 'arguments', params.start);
    if (args === undefined) {
      out = addMember(out, params.start, 'arguments', JSON.stringify({ [name]: limit }));
      continue;
    }
    const given = memberOf(out, name, args.start);
    out = given === undefined ? addMember(out, args.start, name, String(limit)) : splice(out, given, String(limit));
  }
  return out;
}
