// OpenAI Agents SDK: function tools that ask Custos before they run, and a guardrail for tools that can't be wrapped.
import {
  type Agent,
  defineToolInputGuardrail,
  type FunctionTool,
  ToolGuardrailFunctionOutputFactory,
  type ToolInputParameters,
} from '@openai/agents-core';
import { type Custos, RefusedError, type ToolDefinition } from '../src/index.ts';
import { createPreflight } from './approvals.ts';
import { type AdapterOptions, questionOf, refusalText } from './common.ts';

export interface OpenAiAgentsOptions extends AdapterOptions {
  /**
   * Whether a call that waits for a human interrupts the run (`needsApproval`), so that the application can show it. Custos' own approval is
   * needed all the same. Default: the call waits inside the tool.
   */
  readonly asksUser?: boolean;
}

type Defined = Pick<FunctionTool, 'name' | 'description' | 'parameters'>;

/** The definition of a function tool as its calls are asked about: a list of them is one that the dashboard, on its page Tools, makes a catalogue of. */
export function definitionOf({ name, description, parameters }: Defined): ToolDefinition {
  return { name, description, inputSchema: parameters };
}

/** @throws {TypeError} */
function inputOf(text: string): unknown {
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown);
  } catch {
    throw new TypeError('the input is not JSON');
  }
}

/** The same tool, asking Custos before it runs. The model gets a refusal as the tool's output. */
export function guardTool<Context, Parameters extends ToolInputParameters, Result>(
  custos: Custos,
  tool: FunctionTool<Context, Parameters, Result>,
  options: OpenAiAgentsOptions,
): FunctionTool<Context, Parameters, Result> {
  const preflight = createPreflight(custos, options);
  const known = { name: tool.name, definition: () => definitionOf(tool) };
  const needsApproval: typeof tool.needsApproval = async (context, input, callId = '') =>
    (await preflight.needsApproval(known, input, callId)) || tool.needsApproval(context, input, callId);
  const invoke: typeof tool.invoke = async (context, text, details) => {
    let permission;
    try {
      const callId = details?.toolCall?.callId ?? '';
      permission = await preflight.authorize(known, inputOf(text), callId, details?.signal);
    } catch (error) {
      return refusalText(error);
    }
    try {
      // The tool gets the judged arguments as text; it parses them as it would have parsed those of the model.
      return await permission.run((args) => tool.invoke(context, JSON.stringify(args), details));
    } catch (error) {
      // An error of the tool itself is no refusal.
      if (error instanceof RefusedError) return error.message;
      throw error;
    }
  };
  return { ...tool, invoke, ...(options.asksUser === true ? { needsApproval } : {}) };
}

/** Handlers would be given a call that the guardrail can't carry out in their way. */
export interface GuardrailOptions extends Omit<AdapterOptions, 'obligations'> {
  readonly obligations?: undefined;
}

/**
 * A tool input guardrail: for tools that can't be wrapped. It decides only: the outcome is not reported, and a call that is permitted under
 * obligations is refused, because a guardrail can't change arguments or results.
 */
export function toolInputGuardrail(custos: Custos, options: GuardrailOptions) {
  return defineToolInputGuardrail({
    name: 'custos',
    run: async ({ agent, toolCall }) => {
      try {
        const { name } = toolCall;
        const question = await questionOf(options, name, inputOf(toolCall.arguments), () => {
          // Two tools of one name: it is not known which of them is called.
          const [tool, other] = (agent as Agent).tools.filter((one) => one.name === name);
          return tool?.type === 'function' && other === undefined ? definitionOf(tool) : undefined;
        });
        // Also for options that come from JavaScript, or from a variable that is meant for `guardTool`.
        const { decision } = await custos.authorize(question, { ...options, obligations: {} });
        return ToolGuardrailFunctionOutputFactory.allow({ decisionId: decision.decisionId });
      } catch (error) {
        return ToolGuardrailFunctionOutputFactory.rejectContent(refusalText(error));
      }
    },
  });
}
