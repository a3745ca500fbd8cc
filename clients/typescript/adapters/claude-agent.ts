// Claude Agent SDK: hooks that ask Custos before each tool call and report its outcome. `canUseTool` alone would not see calls that rules allow.
import type {
  CanUseTool,
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookJSONOutput,
  PreToolUseHookSpecificOutput,
} from '@anthropic-ai/claude-agent-sdk';
import { type Custos, type JsonObject, type ObligationHandlers, type Permission } from '../src/index.ts';
import { canonicalize } from '../src/json.ts';
import { isGood } from './approvals.ts';
import { type AdapterOptions, ByCall, questionOf, refusalText } from './common.ts';

export interface ClaudeAgentOptions extends Omit<AdapterOptions, 'server'> {
  /** The catalogue of Claude's own tools, such as Bash and Edit. Tools of MCP servers have the catalogue of their server. */
  readonly server?: string;
  /**
   * The names of the MCP servers, as they are in the names of tools. Needed where a name has more than one `__` behind its `mcp__`: without
   * them the tool of such a name is denied, because it could be of either server.
   */
  readonly mcpServers?: readonly string[];
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
/** Of the name of a tool of an MCP server: `mcp__<server>__<tool>`. */
const MCP = 'mcp__';

/** The catalogue and the name of a tool. @throws {TypeError} unless exactly one MCP server can have a tool of this name */
function sourceOf(tool: string, own: string, mcpServers: readonly string[] | undefined) {
  if (!tool.startsWith(MCP)) return { server: own, name: tool };
  const rest = tool.slice(MCP.length);
  const sources = Array.from(rest.matchAll(/(?=__)/g), ({ index }) => index).flatMap((end) => {
    const [server, name] = [rest.slice(0, end), rest.slice(end + 2)];
    return server !== '' && name !== '' && (mcpServers?.includes(server) ?? true) ? [{ server, name }] : [];
  });
  const [source] = sources;
  if (source !== undefined && sources.length === 1) return source;
  const servers = sources.map(({ server }) => JSON.stringify(server)).join(' or ');
  throw new TypeError(
    `the tool ${JSON.stringify(tool)} is of ${servers || 'no known MCP server'}; the application has to name its servers in "mcpServers"`,
  );
}

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

export interface ClaudeGuard {
  /** For `options.hooks` of `query()`. */
  readonly hooks: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  /**
   * Wraps a `canUseTool` of the application, whose user may think for hours and may change the input: what the user consents to is permitted by
   * Custos at that time, as it is then.
   */
  readonly canUseTool: (own: CanUseTool) => CanUseTool;
}

/**
 * Asks Custos before each tool call. One that is not permitted is denied with the reasons, which the model reads. A permitted one is left to
 * what else decides in Claude.
 */
export function guardClaude(custos: Custos, options: ClaudeAgentOptions): ClaudeGuard {
  const { server = DEFAULT_SERVER, waitSeconds = DEFAULT_WAIT_SECONDS } = options;
  const obligations = onArguments(options.obligations);
  const permissions = new ByCall<Permission<JsonObject>>((permission) => void permission.notCalled());
  const authorize = async (tool: string, input: unknown, signal: AbortSignal): Promise<Permission<JsonObject>> => {
    const source = sourceOf(tool, server, options.mcpServers);
    const question = await questionOf({ ...options, server: source.server }, source.name, input);
    return custos.authorize(question, { ...options, obligations, waitSeconds, signal });
  };

  const before: HookCallback = async (input, _, { signal }): Promise<HookJSONOutput> => {
    if (input.hook_event_name !== 'PreToolUse') return {};
    const answer = (more: Partial<PreToolUseHookSpecificOutput>): HookJSONOutput => ({
      hookSpecificOutput: { hookEventName: 'PreToolUse', ...more },
    });
    try {
      const permission = await authorize(input.tool_name, input.tool_input, signal);
      permissions.put(input.tool_use_id, permission);
      // Always the judged arguments: another hook may have changed the input meanwhile.
      const updatedInput = permission.arguments;
      if (options.skipsUserConsent === true) return answer({ permissionDecision: 'allow', updatedInput });
      // Claude promises to use a changed input only with "allow" and "ask".
      const isChanged = !isSame(updatedInput, input.tool_input);
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
    hooks: {
      // Without `block`, a hook that fails would let the call go ahead.
      PreToolUse: [{ hooks: [before], timeout: waitSeconds + EXTRA_SECONDS, onFailure: 'block' }],
      PostToolUse: [{ hooks: [after] }],
      PostToolUseFailure: [{ hooks: [after] }],
    },
    canUseTool: (own) => async (tool, input, about) => {
      const consent = await own(tool, input, about);
      const kept = permissions.take(about.toolUseID);
      if (consent?.behavior !== 'allow') {
        void kept?.notCalled();
        return consent;
      }
      try {
        const wanted = consent.updatedInput ?? input;
        const isKept = kept !== undefined && isSame(wanted, kept.arguments) && (await isGood(kept, about.signal));
        if (!isKept) await kept?.notCalled();
        const permission = isKept ? kept : await authorize(tool, wanted, about.signal);
        permissions.put(about.toolUseID, permission);
        return { ...consent, updatedInput: permission.arguments };
      } catch (error) {
        return { behavior: 'deny', message: refusalText(error) };
      }
    },
  };
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalize(a) === canonicalize(b);
}

/** The hooks of `guardClaude`, for an application without a `canUseTool`. */
export function custosHooks(custos: Custos, options: ClaudeAgentOptions): ClaudeGuard['hooks'] {
  return guardClaude(custos, options).hooks;
}
