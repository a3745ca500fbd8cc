// For frameworks that ask the application's own user before a tool runs: the question is asked once before, and carried on afterwards.
import { type Custos, type JsonObject, type Permission, RefusedError } from '../src/index.ts';
import { canonicalize, digestOf } from '../src/json.ts';
import { type AdapterOptions, ByCall, questionOf } from './common.ts';

export interface Preflight {
  /**
   * Whether a human must approve the call first. The answer is kept for `authorize`, which decides: the consent of the application's user
   * is not the approval of Custos.
   */
  needsApproval(name: string, input: unknown, callId: string): Promise<boolean>;
  /** @throws {RefusedError} */
  authorize(name: string, input: unknown, callId: string, signal?: AbortSignal): Promise<Permission<JsonObject>>;
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
  /** Some models use the same ids again in each conversation: what is kept is for this tool and input alone. */
  const keyOf = (name: string, input: unknown, callId: string) => digestOf(canonicalize([callId, name, input]));
  return {
    async needsApproval(name, input, callId) {
      try {
        const permission = await custos.authorize(questionOf(options, name, input), { ...options, waitSeconds: 0 });
        permissions.put(keyOf(name, input, callId), permission);
        return false;
      } catch (error) {
        if (!(error instanceof RefusedError) || error.approvalId === undefined) return false;
        approvals.put(keyOf(name, input, callId), error.approvalId);
        return true;
      }
    },
    async authorize(name, input, callId, signal) {
      const key = keyOf(name, input, callId);
      const kept = permissions.take(key);
      if (kept !== undefined && (await isGood(kept, signal))) return kept;
      // Before the next question: a budget may have room for one call only.
      await kept?.notCalled();
      const approvalId = approvals.take(key);
      return custos.authorize(questionOf(options, name, input), { ...options, approvalId, signal });
    },
  };
}
