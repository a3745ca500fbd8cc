// Reads a `tools/call` request as a question for Custos, and refuses requests that other parsers may read differently.
import { argumentsDigest as digestOf } from '../../shared/core/tools/call.ts';
import { JsonError, parseJson, type Json, objectOf } from '../../shared/kernel/json.ts';
import { CALL, folded, type Message, misspelt } from '../mcp/frames.ts';
import { envelopeOf, isRequestId, needsResultType, progressTokenOf, type RequestId } from '../mcp/messages.ts';

export interface ToolCall {
  readonly id: RequestId;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** `sha256:` and hex, of the canonical JSON of the arguments. */
  readonly argumentsDigest: string;
  readonly progressToken: RequestId | undefined;
  readonly withResultType: boolean;
  /** Whether the client asks for a task, whose result a later request fetches. */
  readonly isTask: boolean;
  /** Present when the call continues one for which the server has asked for input: the server's state, if it gave one. */
  readonly continues: { readonly state: unknown } | undefined;
  /** For requests that the guard adds on behalf of this call. */
  readonly envelope: Json;
}

export type ReadCall =
  | { readonly kind: 'call'; readonly call: ToolCall }
  /** Refused without asking. */
  | { readonly kind: 'malformed'; readonly id: RequestId; readonly withResultType: boolean; readonly sentence: string }
  /** Without an id there is no answer to give: the call is dropped. */
  | { readonly kind: 'unanswerable' };

const PARAMS = ['name', 'arguments', '_meta', 'task', 'inputResponses', 'requestState'];

export function isToolCall({ value }: Message): boolean {
  return value['method'] === CALL;
}

/** Whether a text below a value has a zero character. In C a text ends there: a server would act on another text than Custos has judged. */
function hasZero(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => name.includes('\0') || hasZero(member));
}

/** Two names below a value that only differ in case or in compatible characters: one server takes the one, another the other. */
function collisionIn(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(collisionIn).find((name) => name !== undefined);
  const object = objectOf(value);
  if (object === undefined) return undefined;
  const seen = new Set<string>();
  for (const [name, member] of Object.entries(object)) {
    const key = folded(name);
    if (seen.has(key)) return name;
    seen.add(key);
    const below = collisionIn(member);
    if (below !== undefined) return below;
  }
  return undefined;
}

/** @returns why the call can't be put as a question, or the question's parts */
function checked(message: Message): string | Pick<ToolCall, 'name' | 'arguments' | 'isTask' | 'continues'> {
  let strict: unknown;
  try {
    strict = parseJson(message.text);
  } catch (error) {
    if (error instanceof JsonError) return `the request is not unambiguous JSON: ${error.message}`;
    throw error;
  }
  const params = objectOf(objectOf(strict)?.['params']);
  if (params === undefined) return 'the request has no params';
  const odd = misspelt(Object.keys(params), PARAMS);
  if (odd !== undefined) return `the request has a member ${JSON.stringify(odd)} that can be mistaken for another`;
  const { name, task, inputResponses, requestState: state } = params;
  if (typeof name !== 'string' || name === '') return 'the request does not name a tool';
  const args = params['arguments'] === undefined ? {} : objectOf(params['arguments']);
  if (args === undefined) return 'its arguments are not a JSON object';
  const twin = collisionIn(args);
  if (twin !== undefined) return `its arguments have two members that differ only in case: ${JSON.stringify(twin)}`;
  if (hasZero([name, args])) return 'its name or its arguments have a zero character';
  const continues = inputResponses === undefined && state === undefined ? undefined : { state };
  return { name, arguments: args, isTask: task !== undefined, continues };
}

export function readCall(message: Message): ReadCall {
  const { id } = message.value;
  if (!isRequestId(id)) return { kind: 'unanswerable' };
  const withResultType = needsResultType(message.value);
  const parts = checked(message);
  if (typeof parts === 'string') return { kind: 'malformed', id, withResultType, sentence: parts };
  const argumentsDigest = digestOf(parts.arguments);
  const [progressToken, envelope] = [progressTokenOf(message.value), envelopeOf(message.value)];
  return { kind: 'call', call: { ...parts, id, withResultType, progressToken, argumentsDigest, envelope } };
}
