// Each framework with its own fake model, which calls one tool: whether the tool ran, with what, and what the model was told.
import { fileURLToPath } from 'node:url';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { tool as langchainTool } from '@langchain/core/tools';
import {
  Agent,
  type AgentOutputItem,
  type Model,
  RunContext,
  Runner,
  tool as openAiTool,
  Usage,
} from '@openai/agents-core';
import { generateText, jsonSchema, stepCountIs, tool as vercelTool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { createAgent } from 'langchain';
import { z } from 'zod';
import type { Custos, JsonObject, ToolDefinition } from '../../src/index.ts';
import { custosHooks } from '../claude-agent.ts';
import type { AdapterOptions } from '../common.ts';
import { custosMiddleware } from '../langchain.ts';
import { guardTool, toolInputGuardrail } from '../openai-agents.ts';
import { guardTools } from '../vercel-ai.ts';

/** A call that the fake model makes. */
export interface ModelCall {
  readonly name: string;
  readonly arguments: JsonObject;
  /** What the tool returns, or throws. */
  readonly tool: (args: JsonObject) => unknown;
}

/** What came back to the model, as text. */
export type Drive = (custos: Custos, call: ModelCall, options: AdapterOptions) => Promise<string>;

const CALL_ID = 'call_1';
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const vercel: Drive = async (custos, { name, arguments: args, tool }, options) => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const model = new MockLanguageModelV3({
    doGenerate: [
      {
        content: [{ type: 'tool-call', toolCallId: CALL_ID, toolName: name, input: JSON.stringify(args) }],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      },
      {
        content: [{ type: 'text', text: 'done' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      },
    ],
  });
  const inputSchema = jsonSchema<JsonObject>({ type: 'object' });
  const tools = { [name]: vercelTool({ inputSchema, execute: async (input) => tool(input) }) };
  const { steps } = await generateText({
    model,
    tools: guardTools(custos, tools, options),
    prompt: 'go',
    stopWhen: stepCountIs(2),
  });
  const part = steps[0]?.content.find(({ type }) => type === 'tool-result' || type === 'tool-error');
  if (part?.type === 'tool-result') return textOf(part.output);
  return part?.type === 'tool-error' ? String(part.error) : 'nothing';
};

/** A model that calls one tool and then ends. */
function openAiModel({ name, arguments: args }: ModelCall): Model {
  const outputs: AgentOutputItem[] = [
    { type: 'function_call', callId: CALL_ID, name, arguments: JSON.stringify(args), status: 'completed' },
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] },
  ];
  return {
    getResponse: async () => ({ usage: new Usage(), output: outputs.splice(0, 1) }),
    getStreamedResponse: () => {
      throw new Error('this model does not stream');
    },
  };
}

const parameters = { type: 'object' as const, properties: {}, required: [], additionalProperties: true as const };

async function runOpenAi(call: ModelCall, tools: Agent['tools']): Promise<string> {
  const agent = new Agent({ name: 'test', tools, model: openAiModel(call) });
  const result = await new Runner({ tracingDisabled: true }).run(agent, 'go');
  const output = result.newItems.find((item) => item.type === 'tool_call_output_item');
  return output?.type === 'tool_call_output_item' ? textOf(output.output) : 'nothing';
}

function openAiFunction({ name, tool }: ModelCall, more: object = {}) {
  const execute = async (input: unknown) => textOf(await tool(input as JsonObject));
  return openAiTool({ name, description: name, parameters, strict: false, execute, ...more });
}

const openAi: Drive = (custos, call, options) => runOpenAi(call, [guardTool(custos, openAiFunction(call), options)]);

/** An application in JavaScript may give the guardrail the options of `guardTool`, which have handlers of obligations. */
export const openAiGuardrail: Drive = (custos, call, options) => {
  const guardrail = toolInputGuardrail(custos, options as Parameters<typeof toolInputGuardrail>[1]);
  return runOpenAi(call, [openAiFunction(call, { inputGuardrails: [guardrail] })]);
};

const langchain: Drive = async (custos, { name, arguments: args, tool }, options) => {
  const model = fakeModel()
    .respondWithTools([{ name, args, id: CALL_ID }])
    .respond(new AIMessage('done'));
  const own = langchainTool(async (input) => textOf(await tool(input as JsonObject)), {
    name,
    description: name,
    schema: z.looseObject({}),
  });
  const agent = createAgent({ model, tools: [own], middleware: [custosMiddleware(custos, options)] });
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'go' }] });
  const message = messages.find((one) => ToolMessage.isInstance(one));
  return message === undefined ? 'nothing' : textOf(message.content);
};

/** The SDK has no fake model, so its real client speaks with a program that plays Claude Code's part of the protocol. */
const claude: Drive = async (custos, { name, arguments: args, tool }, options) => {
  const { server, ...others } = options;
  let told = 'nothing';
  const session = query({
    prompt: 'go',
    options: {
      pathToClaudeCodeExecutable: fileURLToPath(new URL('../../../adapters/test/fake-claude.mjs', import.meta.url)),
      executable: 'node',
      env: { PATH: process.env['PATH'], FAKE_CALL: JSON.stringify({ name: `mcp__${server}__${name}`, input: args }) },
      hooks: custosHooks(custos, others),
      // The program asks for the tool in this way, because it has none itself.
      stderr: (line) => process.stderr.write(line),
      canUseTool: async (_, input) => {
        const result = await tool(input as JsonObject);
        return { behavior: 'allow', updatedInput: { result: textOf(result) } };
      },
    },
  });
  for await (const message of session) if (message.type === 'result' && 'result' in message) told = message.result;
  return told;
};

/** A tool whose user consents between the two steps. */
export interface Consent {
  /** @param input default: the arguments of the call */
  readonly needsApproval: (input?: JsonObject) => Promise<boolean>;
  /** @returns the result, or the text of the refusal */
  readonly execute: (input?: JsonObject) => Promise<string>;
}

type CallWithConsent = (custos: Custos, call: ModelCall, options: AdapterOptions & { asksUser: boolean }) => Consent;

export const callVercelTool: CallWithConsent = (custos, { name, arguments: args, tool }, options) => {
  const inputSchema = jsonSchema<JsonObject>({ type: 'object' });
  const own = vercelTool({
    inputSchema,
    needsApproval: true,
    execute: async (input: JsonObject) => textOf(tool(input)),
  });
  const guarded = guardTools(custos, { [name]: own }, options)[name];
  const about = { toolCallId: CALL_ID, messages: [] };
  const { needsApproval, execute } = guarded as unknown as Record<
    'needsApproval' | 'execute',
    (input: unknown, about: object) => Promise<unknown>
  >;
  return {
    needsApproval: async (input = args) => (await needsApproval(input, about)) === true,
    execute: async (input = args) => textOf(await execute(input, about).catch(String)),
  };
};

export const callOpenAiTool: CallWithConsent = (custos, call, options) => {
  const guarded = guardTool(custos, openAiFunction(call, { needsApproval: true }), options);
  const context = new RunContext();
  return {
    needsApproval: (input = call.arguments) => guarded.needsApproval(context, input, CALL_ID),
    execute: async (input = call.arguments) => {
      const text = JSON.stringify(input);
      const toolCall = { type: 'function_call' as const, callId: CALL_ID, name: call.name, arguments: text };
      return textOf(await guarded.invoke(context, text, { toolCall }));
    },
  };
};

/** By the framework's name. */
export const FRAMEWORKS: Readonly<Record<string, Framework>> = {
  'Vercel AI SDK': { drive: vercel, changesResults: true, definition: { inputSchema: { type: 'object' } } },
  'OpenAI Agents': {
    drive: openAi,
    changesResults: true,
    definition: { description: 'read_note', inputSchema: parameters },
  },
  LangChain: {
    drive: langchain,
    changesResults: true,
    definition: {
      description: 'read_note',
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {},
        additionalProperties: false,
      },
    },
  },
  // Its hooks are not told what the model was shown of a tool.
  'Claude Agent SDK': { drive: claude, changesResults: false },
};

interface Framework {
  readonly drive: Drive;
  readonly changesResults: boolean;
  /** Of the tool that it calls `read_note`, as its model is shown it. */
  readonly definition?: ToolDefinition;
}
