// Vercel AI SDK: tools that ask Custos before they run.
import { asSchema, type ToolExecutionOptions, type ToolSet } from 'ai';
import type { Custos, ToolDefinition } from '../src/index.ts';
import { createPreflight, type Preflight } from './approvals.ts';
import type { AdapterOptions } from './common.ts';

export interface VercelOptions extends AdapterOptions {
  /** Tools that are left as they are: they are not governed. */
  readonly except?: readonly string[];
  /**
   * Whether a call that waits for a human becomes an approval request of the SDK (`needsApproval`), so that the application can show it.
   * Custos' own approval is needed all the same. Default: the call waits inside `execute`.
   */
  readonly asksUser?: boolean;
}

type Tool = ToolSet[string];
/** The second argument of `needsApproval`. */
type ApprovalAbout = Parameters<Extract<NonNullable<Tool['needsApproval']>, (...args: never[]) => unknown>>[1];

/**
 * The same tools, each asking Custos before it runs. A refusal is thrown in `execute`, which the SDK gives to the model as the tool's error.
 * @throws {TypeError} for a tool without `execute`: it runs elsewhere, where this can't govern it; name it in `except`
 */
export function guardTools<Tools extends ToolSet>(custos: Custos, tools: Tools, options: VercelOptions): Tools {
  const preflight = createPreflight(custos, options);
  const guarded = Object.entries(tools).map(([name, tool]) =>
    options.except?.includes(name) === true ? [name, tool] : [name, guardTool(preflight, name, tool, options)],
  );
  // The same names, and each tool with the same input and output.
  return Object.fromEntries(guarded) as Tools;
}

function guardTool(preflight: Preflight, name: string, tool: Tool, { asksUser }: VercelOptions): Tool {
  const { execute, needsApproval } = tool;
  const known = { name, definition: () => definitionOf(name, tool) };
  if (execute === undefined)
    throw new TypeError(`the tool "${name}" has no execute, so it can't be guarded here; name it in "except"`);
  const asks = async (input: unknown, about: ApprovalAbout): Promise<boolean> => {
    const own =
      typeof needsApproval === 'function' ? await needsApproval.call(tool, input, about) : needsApproval === true;
    return (await preflight.needsApproval(known, input, about.toolCallId)) || own;
  };
  const guarded = async (input: unknown, about: ToolExecutionOptions): Promise<unknown> => {
    const permission = await preflight.authorize(known, input, about.toolCallId, about.abortSignal);
    return permission.run((args) => lastOf(execute.call(tool, args, about)));
  };
  // The SDK's type of a tool is a union over its output that a spread can't follow.
  return { ...tool, execute: guarded, ...(asksUser === true ? { needsApproval: asks } : {}) } as Tool;
}

async function definitionOf(name: string, { description, inputSchema }: Tool): Promise<ToolDefinition> {
  return { name, description, inputSchema: await asSchema(inputSchema).jsonSchema };
}

/** The definitions of tools as their calls are asked about: a list that the dashboard, on its page Tools, makes a catalogue of. */
export function definitionsOf(tools: ToolSet): Promise<ToolDefinition[]> {
  return Promise.all(Object.entries(tools).map(([name, tool]) => definitionOf(name, tool)));
}

/** The result of a tool: of one that streams preliminary results the last, so that obligations apply to all that is shown. */
async function lastOf(result: unknown): Promise<unknown> {
  const settled = await result;
  if (typeof settled !== 'object' || settled === null || !(Symbol.asyncIterator in settled)) return settled;
  let last: unknown;
  for await (const one of settled as AsyncIterable<unknown>) last = one;
  return last;
}
