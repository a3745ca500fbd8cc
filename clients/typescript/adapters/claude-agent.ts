// Claude Agent SDK: hooks that ask Custos before each tool call and report its outcome. `canUseTool` would not see calls that rules allow.
import type {
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookJSONOutput,
  PreToolUseHookSpecificOutput,
} from '@anthropic-ai/claude-agent-sdk';
import { type Custos, type JsonObject, type ObligationHandlers, type Permission } from '../src/index.ts';
import { canonicalize } from '../src/json.ts';
import { type AdapterOptions, ByCall, questionOf, refusalText } from './common.ts';

export interface ClaudeAgentOptions extends Omit<AdapterOptions, 'server'> {
  /** The catalogue of Claude's own tools, such as Bash and Edit. Tools of MCP servers have the catalogue of their server. */
  readonly server?: string;
  /**
   * Whether a call that Custos permits runs without Claude's permission mode, rules and `canUseTool` (`permissionDecision: 'allow'`).
   * Default: false. They decide as they would without Custos, and only a call that both permit runs.
   */
  readonly skipsUserConsent?: boolean;
}

const DEFAULT_SERVER = 'claude-agent';
const DEFAULT_WAIT_SECONDS = 300;
/** For the questions before and after the wait, with their retries. */
const EXTRA_SECONDS = 60;
/** `mcp__<server>__<tool>` */
const MCP_TOOL = /^mcp__(.+?)__(.+)$/s;

/** A hook sees a result only when it is too late to change it. */
function onArguments(handlers: ObligationHandlers<JsonObject> = {}): ObligationHandlers<JsonObject> {
  return Object.fromEntries(
    Object.entries(handlers).map(([type, handle]) => [
      type,
      async (obligation, args) => {
        const terms = await handle(obligation, args);
        if (terms?.result !== undefined)
          throw new Error(`its obligation ${type} is about the result, which hooks can not change`);
        return terms;
      },
    ]),
  );
}

/**
 * For `options.hooks` of `query()`. A call that is not permitted is denied with the reasons, which the model reads. A permitted one is left
 * to what else decides in Claude.
 */
export function custosHooks(
  custos: Custos,
  options: ClaudeAgentOptions,
): Partial<Record<HookEvent, HookCallbackMatcher[]>> {
  const { server = DEFAULT_SERVER, waitSeconds = DEFAULT_WAIT_SECONDS } = options;
  const obligations = onArguments(options.obligations);
  const permissions = new ByCall<Permission<JsonObject>>((permission) => void permission.notCalled());

  const before: HookCallback = async (input, _, { signal }): Promise<HookJSONOutput> => {
    if (input.hook_event_name !== 'PreToolUse') return {};
    const answer = (more: Partial<PreToolUseHookSpecificOutput>): HookJSONOutput => ({
      hookSpecificOutput: { hookEventName: 'PreToolUse', ...more },
    });
    const [, mcpServer = server, name = input.tool_name] = MCP_TOOL.exec(input.tool_name) ?? [];
    try {
      const question = questionOf({ ...options, server: mcpServer }, name, input.tool_input);
      const permission = await custos.authorize(question, { ...options, obligations, waitSeconds, signal });
      permissions.put(input.tool_use_id, permission);
      // Always the judged arguments: another hook may have changed the input meanwhile.
      const updatedInput = permission.arguments;
      if (options.skipsUserConsent === true) return answer({ permissionDecision: 'allow', updatedInput });
      // Claude promises to use a changed input only with "allow" and "ask".
      const isChanged = canonicalize(updatedInput) !== canonicalize(question.arguments);
      return answer(isChanged ? { permissionDecision: 'ask', updatedInput } : { updatedInput });
    } catch (error) {
      return answer({ permissionDecision: 'deny', permissionDecisionReason: refusalText(error) });
    }
  };
  const after: HookCallback = async (input) => {
    if (input.hook_event_name === 'PostToolUse')
      permissions.take(input.tool_use_id)?.report({ outcome: 'success', result: input.tool_response });
    if (input.hook_event_name === 'PostToolUseFailure')
      permissions.take(input.tool_use_id)?.report({ outcome: 'failure' });
    return {};
  };
  return {
    // Without `block`, a hook that fails would let the call go ahead.
    PreToolUse: [{ hooks: [before], timeout: waitSeconds + EXTRA_SECONDS, onFailure: 'block' }],
    PostToolUse: [{ hooks: [after] }],
    PostToolUseFailure: [{ hooks: [after] }],
  };
}
