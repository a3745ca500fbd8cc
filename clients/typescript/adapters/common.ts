// What the adapters share: the question about a tool call, and what the model reads when a call is refused.
import {
  type AuthorizeOptions,
  CustosError,
  definitionDigest,
  type JsonObject,
  RefusedError,
  type ToolDefinition,
  type ToolQuestion,
} from '../src/index.ts';

/** Options of all adapters. */
export interface AdapterOptions extends Omit<AuthorizeOptions<JsonObject>, 'signal' | 'approvalId'> {
  /** Who acts. */
  readonly agentId: string;
  /** The name of the catalogue that lists the tools. */
  readonly server: string;
  /** Facts for policies (`context.*`) about one call. */
  readonly context?: (name: string, args: JsonObject) => JsonObject | undefined;
}

/**
 * The question about a call of a tool of the framework.
 * @param definition what the model was shown of the tool, where the framework tells it
 * @throws {TypeError} when its input is no object
 */
export async function questionOf(
  options: AdapterOptions,
  name: string,
  input: unknown,
  definition?: () => ToolDefinition | undefined | Promise<ToolDefinition | undefined>,
): Promise<ToolQuestion<JsonObject>> {
  const { agentId, server } = options;
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new TypeError(`the input of the tool "${name}" is no object`);
  // Checked above; JSON decides about its members.
  const args = input as JsonObject;
  const context = options.context?.(name, args);
  return { agentId, server, name, arguments: args, context, definitionDigest: await digestOf(definition) };
}

/** Undefined for a definition that is not known, or is no JSON: a tool that the catalogue pins then counts as changed. */
async function digestOf(definition: Parameters<typeof questionOf>[3]): Promise<string | undefined> {
  try {
    const known = await definition?.();
    return known === undefined ? undefined : definitionDigest(known);
  } catch {
    return undefined;
  }
}

/** The text that a model gets in place of a result, so that it can go on without the tool. */
export function refusalText(error: unknown): string {
  if (error instanceof RefusedError) return error.message;
  if (error instanceof CustosError || error instanceof TypeError) return `The call was refused: ${error.message}`;
  throw error;
}

const MAX_REMEMBERED = 1_000;

/** Values by the id of a tool call, each taken once. The oldest is dropped when there are too many. */
export class ByCall<Value> {
  readonly #values = new Map<string, Value>();
  readonly #onDropped: (value: Value) => void;

  constructor(onDropped: (value: Value) => void = () => undefined) {
    this.#onDropped = onDropped;
  }

  put(callId: string, value: Value): void {
    const before = this.take(callId);
    if (before !== undefined) this.#onDropped(before);
    this.#values.set(callId, value);
    if (this.#values.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#values.keys();
    const dropped = oldest === undefined ? undefined : this.take(oldest);
    if (dropped !== undefined) this.#onDropped(dropped);
  }

  take(callId: string): Value | undefined {
    const value = this.#values.get(callId);
    this.#values.delete(callId);
    return value;
  }
}
