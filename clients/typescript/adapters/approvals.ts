// For frameworks that ask the application's own user before a tool runs: the question is asked once before, and carried on afterwards.
import {
  type Custos,
  type JsonObject,
  type Permission,
  RefusedError,
  type ToolDefinition,
  type ToolQuestion,
} from '../src/index.ts';
import { canonicalize, digestOf } from '../src/json.ts';
import { type AdapterOptions, ByCall, questionOf } from './common.ts';

/** A tool of the framework, and what its model was shown of it. */
export interface FrameworkTool {
  readonly name: string;
  readonly definition: () => ToolDefinition | Promise<ToolDefinition>;
}

export interface Preflight {
  /**
   * Whether a human must approve the call first. The answer is kept for `authorize`, which decides: the consent of the application's user
   * is not the approval of Custos.
   */
  needsApproval(tool: FrameworkTool, input: unknown, callId: string): Promise<boolean>;
  /** @throws {RefusedError} */
  authorize(tool: FrameworkTool, input: unknown, callId: string, signal?: AbortSignal): Promise<Permission<JsonObject>>;
}

/**
 * Whether a kept permission can be used: the user may take hours, in which the environment is halted or the decision expires.
 * @throws {RefusedError} when that can't be found out
 */
export async function isGood(permission: Permission<JsonObject>, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await permission.confirm(signal);
    return true;
  } catch (error) {
    if (error instanceof RefusedError && error.cause === undefined) return false;
    throw error;
  }
}

export function createPreflight(custos: Custos, options: AdapterOptions): Preflight {
  const permissions = new ByCall<Permission<JsonObject>>((permission) => void permission.notCalled());
  const approvals = new ByCall<string>();
  const ask = ({ name, definition }: FrameworkTool, input: unknown) => questionOf(options, name, input, definition);
  /** Some models use the same ids again in each conversation: what is kept is for this tool, as it is defined, and this input alone. */
  const keyOf = ({ name, definitionDigest, arguments: args }: ToolQuestion, callId: string) =>
    digestOf(canonicalize([callId, name, definitionDigest ?? null, args]));
  return {
    async needsApproval(tool, input, callId) {
      let key: string | undefined;
      try {
        const question = await ask(tool, input);
        key = keyOf(question, callId);
        permissions.put(key, await custos.authorize(question, { ...options, waitSeconds: 0 }));
        return false;
      } catch (error) {
        if (key === undefined || !(error instanceof RefusedError) || error.approvalId === undefined) return false;
        approvals.put(key, error.approvalId);
        return true;
      }
    },
    async authorize(tool, input, callId, signal) {
      const question = await ask(tool, input);
      const key = keyOf(question, callId);
      const kept = permissions.take(key);
      if (kept !== undefined && (await isGood(kept, signal))) return kept;
      // Before the next question: a budget may have room for one call only.
      await kept?.notCalled();
      return custos.authorize(question, { ...options, approvalId: approvals.take(key), signal });
    },
  };
}
