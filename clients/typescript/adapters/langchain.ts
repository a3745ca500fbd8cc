// LangChain and LangGraph agents: a middleware that asks Custos before each tool call.
import { ToolMessage } from '@langchain/core/messages';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { toJsonSchema } from '@langchain/core/utils/json_schema';
import { createMiddleware } from 'langchain';
import { type Custos, type Decision, RefusedError, type ToolDefinition } from '../src/index.ts';
import { type AdapterOptions, questionOf, refusalText } from './common.ts';

/** LangGraph's mark of what a tool throws to leave the graph, for example to ask the application's user. It is not shown to the model. */
const isInterrupt = (error: unknown): boolean =>
  error instanceof Error && 'is_bubble_up' in error && error.is_bubble_up === true;

function withheldCommand(tool: string, { verdict, reasons, decisionId }: Decision): RefusedError {
  const message = `The tool "${tool}" has run, but its result is withheld: it is a command, which obligations can not be applied to.`;
  return new RefusedError(message, { verdict, reasons, decisionId, hasRun: true });
}

/** A tool of LangChain: of a server's own tool (a plain object) only the model's provider knows what it does. */
type Defined = Pick<StructuredToolInterface, 'name' | 'description' | 'schema'>;

/**
 * The definition of a tool as its calls are asked about: a list of them is one that the dashboard, on its page Tools, makes a catalogue of.
 * Undefined for one that only the model's provider defines.
 */
export function definitionOf(tool: Defined | object | undefined): ToolDefinition | undefined {
  if (tool === undefined || !('name' in tool && 'description' in tool && 'schema' in tool)) return undefined;
  const { name, description, schema } = tool;
  return { name, description, inputSchema: toJsonSchema(schema) };
}

/** The model gets a refusal as the tool's message, with status `error`. */
export function custosMiddleware(custos: Custos, options: AdapterOptions) {
  return createMiddleware({
    name: 'Custos',
    wrapToolCall: async (request, handler) => {
      const { toolCall } = request;
      const { name, id = '' } = toolCall;
      const signal = request.runtime.signal;
      const refuse = (error: unknown) =>
        new ToolMessage({ content: refusalText(error), tool_call_id: id, name, status: 'error' });
      let permission;
      try {
        const question = await questionOf(options, name, toolCall.args, () => definitionOf(request.tool));
        permission = await custos.authorize(question, { ...options, signal });
      } catch (error) {
        return refuse(error);
      }
      let answer;
      try {
        answer = await handler({ ...request, toolCall: { ...toolCall, args: permission.arguments } });
      } catch (error) {
        permission.report({ outcome: 'failure' });
        throw isInterrupt(error) ? error : permission.applyObligationsToError(error);
      }
      if (!ToolMessage.isInstance(answer)) {
        // A command changes the state of the graph in its own way: obligations can't be applied to it.
        permission.report({ outcome: 'success' });
        return permission.decision.obligations.length === 0
          ? answer
          : refuse(withheldCommand(name, permission.decision));
      }
      permission.report({ outcome: answer.status === 'error' ? 'failure' : 'success', result: answer.content });
      try {
        const content = await permission.applyObligations(answer.content);
        if (permission.decision.obligations.length === 0) return answer;
        const shown = typeof content === 'string' ? content : JSON.stringify(content);
        // Without the artifact of the answer, to which no obligation was applied.
        const { tool_call_id, status = 'success' } = answer;
        return new ToolMessage({ content: shown, tool_call_id, name, status });
      } catch (error) {
        return refuse(error);
      }
    },
  });
}
