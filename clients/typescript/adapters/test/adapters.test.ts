// The adapters before a real service (CUSTOS_URL, with the policies of test/process/clients/adapters.test.ts), each in its framework.
import { expect } from 'chai';
import { ToolMessage } from '@langchain/core/messages';
import { jsonSchema } from 'ai';
import { Custos, definitionDigest, type JsonObject, RefusedError } from '../../src/index.ts';
import { SYSTEM_RUNTIME } from '../../src/runtime.ts';
import { guardClaude } from '../claude-agent.ts';
import { guardTools } from '../vercel-ai.ts';
import type { AdapterOptions } from '../common.ts';
import { custosMiddleware } from '../langchain.ts';
import { callOpenAiTool, callVercelTool, FRAMEWORKS, openAiGuardrail } from './frameworks.ts';

const { CUSTOS_URL = '', CUSTOS_KEY = '', CUSTOS_ADMIN_KEY = '' } = process.env;
const NOTE = { id: 'note-1', author: 'Ada' };

describe('with a Custos client, the adapter of', () => {
  const custos = new Custos({ url: CUSTOS_URL, key: CUSTOS_KEY });
  const admin = new Custos({ url: CUSTOS_URL, key: CUSTOS_ADMIN_KEY });

  const setUp = (more: Partial<AdapterOptions> = {}) => {
    const agentId = `agent-${crypto.randomUUID()}`;
    const calls: JsonObject[] = [];
    const tool = (args: JsonObject): unknown => {
      calls.push(args);
      return NOTE;
    };
    const options = { agentId, server: 'notes', waitSeconds: 20, ...more };
    const decideAs = async (verdict: 'approve' | 'reject'): Promise<void> => {
      for (let tries = 0; tries < 200; tries += 1) {
        const { items } = await admin.approvals.list({ agentId, status: 'pending' }).page();
        const [approval] = items;
        if (approval !== undefined) {
          await admin.approvals[verdict](approval.approvalId, { reason: 'test' });
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error('no approval was opened');
    };
    return { calls, tool, options, decideAs };
  };
  /** Whether the report of the agent's one decision is accepted; it is anchored later. */
  const isReported = async (agentId: string): Promise<boolean> => {
    await custos.flush();
    const { items } = await admin.decisions.list({ agentId }).page();
    const { status } = await admin.proofs.get(`tool.called:${items[0]?.decisionId ?? ''}`);
    return status === 'pending' || status === 'anchored';
  };

  /** A client that notes with which digests of definitions it asks. */
  const notingDigests = () => {
    const digests: unknown[] = [];
    const fetchAndNote: typeof fetch = (address, init) => {
      const { tool } = JSON.parse(String(init?.body ?? '{}')) as { tool?: { definition_digest?: string } };
      if (tool !== undefined) digests.push(tool.definition_digest);
      return fetch(address, init);
    };
    return { digests, noting: new Custos({ url: CUSTOS_URL, key: CUSTOS_KEY, fetch: fetchAndNote }) };
  };

  for (const [name, { drive, changesResults, definition }] of Object.entries(FRAMEWORKS))
    describe(name, () => {
      const args = { id: 'note-1' };

      it('runs a permitted tool with the judged arguments, and reports it', async () => {
        const { calls, tool, options } = setUp();
        expect(await drive(custos, { name: 'read_note', arguments: args, tool }, options)).to.include('Ada');
        expect(calls).to.deep.equal([args]);
        expect(await isReported(options.agentId)).to.equal(true);
      });

      it('asks with the digest of what the model was shown of the tool, where the framework tells that', async () => {
        const { noting, digests } = notingDigests();
        const { tool, options } = setUp();
        await drive(noting, { name: 'read_note', arguments: args, tool }, options);
        await noting.close();
        const digest = definition && definitionDigest({ name: 'read_note', ...definition });
        expect(digests).to.deep.equal([digest]);
      });

      it('does not run a denied tool, and tells the model why', async () => {
        const { calls, tool, options } = setUp();
        const told = await drive(custos, { name: 'delete_note', arguments: args, tool }, options);
        expect(told).to.include('notes are kept');
        expect(calls).to.deep.equal([]);
      });

      it('runs a tool once when a human approves, and not when one rejects', async () => {
        const approved = setUp();
        const call = { name: 'send_note', arguments: args };
        const [told] = await Promise.all([
          drive(custos, { ...call, tool: approved.tool }, approved.options),
          approved.decideAs('approve'),
        ]);
        expect(told).to.include('Ada');
        expect(approved.calls).to.deep.equal([args]);
        const rejected = setUp();
        await Promise.all([
          drive(custos, { ...call, tool: rejected.tool }, rejected.options),
          rejected.decideAs('reject'),
        ]);
        expect(rejected.calls).to.deep.equal([]);
      });

      it('keeps obligations that it has a handler for, and refuses others', async () => {
        const call = { name: 'list_notes', arguments: {} };
        const without = setUp();
        await drive(custos, { ...call, tool: without.tool }, without.options);
        expect(without.calls).to.deep.equal([]);
        const withOne = setUp({
          obligations: { redact_fields: () => ({ result: (result) => textOf(result).replace('Ada', '[redacted]') }) },
        });
        const told = await drive(custos, { ...call, tool: withOne.tool }, withOne.options);
        expect(told).not.to.include('Ada');
        expect(withOne.calls).to.have.lengthOf(changesResults ? 1 : 0);
      });

      it('does not run a tool when Custos is away', async () => {
        const away = new Custos({ url: 'http://127.0.0.1:9', key: CUSTOS_KEY, retries: 0 });
        const { calls, tool, options } = setUp();
        const told = await drive(away, { name: 'read_note', arguments: args, tool }, options);
        expect(told).not.to.include('Ada');
        expect(calls).to.deep.equal([]);
      });
    });

  it('the Vercel AI SDK shows a call that waits for a human as an approval request; its own consent is not enough', async () => {
    const { calls, tool, options } = setUp({ waitSeconds: 0 });
    const guarded = guardTools(
      custos,
      {
        send_note: {
          inputSchema: jsonSchema({ type: 'object' }),
          execute: (input: unknown) => tool(input as JsonObject),
        },
      },
      { ...options, asksUser: true },
    );
    const about = { toolCallId: 'call_1', messages: [] };
    const args = { id: 'note-1' };
    const { needsApproval, execute } = guarded.send_note as unknown as {
      needsApproval: (input: unknown, about: unknown) => Promise<boolean>;
      execute: (input: unknown, about: unknown) => Promise<unknown>;
    };
    expect(await needsApproval(args, about)).to.equal(true);
    const early = await execute(args, about).catch((error: unknown) => error);
    expect(early).to.be.instanceOf(RefusedError);
    expect(calls).to.deep.equal([]);
    expect(await needsApproval(args, about)).to.equal(true);
    const { items } = await admin.approvals.list({ agentId: options.agentId, status: 'pending' }).page();
    await admin.approvals.approve(items[0]?.approvalId ?? '', { reason: 'test' });
    expect(await execute(args, about)).to.deep.equal(NOTE);
    expect(calls).to.deep.equal([args]);
  });

  it('the Vercel AI SDK calls a tool as its own method', async () => {
    const { options } = setUp();
    const read_note = {
      inputSchema: jsonSchema({ type: 'object' }),
      note: NOTE,
      execute(this: { readonly note: unknown }) {
        return this.note;
      },
    };
    const { execute } = guardTools(custos, { read_note }, options).read_note;
    // The SDK's type of a tool permits no members of its own.
    const run = execute as (input: unknown, about: unknown) => Promise<unknown>;
    expect(await run({ id: 'note-1' }, { toolCallId: 'call_1', messages: [] })).to.deep.equal(NOTE);
  });

  it('OpenAI Agents decides as a guardrail, too, with the digest of the definition', async () => {
    const { noting, digests } = notingDigests();
    const { calls, tool, options } = setUp();
    const args = { id: 'note-1' };
    expect(await openAiGuardrail(noting, { name: 'read_note', arguments: args, tool }, options)).to.include('Ada');
    expect(await openAiGuardrail(noting, { name: 'delete_note', arguments: args, tool }, options)).to.include(
      'notes are kept',
    );
    expect(calls).to.deep.equal([args]);
    const inputSchema = FRAMEWORKS['OpenAI Agents']?.definition?.inputSchema;
    const digestOf = (name: string): string => definitionDigest({ name, description: name, inputSchema });
    expect(digests).to.deep.equal(['read_note', 'delete_note'].map(digestOf));
  });

  it('a guardrail of OpenAI Agents refuses a call under obligations, whatever handlers its options have', async () => {
    const { calls, tool, options } = setUp({
      obligations: { redact_fields: () => ({ result: () => '[redacted]' }) },
    });
    const told = await openAiGuardrail(custos, { name: 'list_notes', arguments: {}, tool }, options);
    expect(told).to.include('redact_fields');
    expect(calls).to.deep.equal([]);
  });

  it('LangChain hands on no error and no command of a tool whose result has to be redacted, but the interrupt of a graph', async () => {
    const { options } = setUp({ obligations: { redact_fields: () => ({ result: (result) => result }) } });
    const { wrapToolCall } = custosMiddleware(custos, options);
    const request = { toolCall: { name: 'list_notes', args: {}, id: 'call_1' }, runtime: {} };
    const call = wrapToolCall as unknown as (
      asked: typeof request,
      handler: () => Promise<unknown>,
    ) => Promise<unknown>;
    const failWith = (own: Error) => call(request, () => Promise.reject(own)).catch((error: unknown) => error);
    expect(await failWith(new Error('no note of Ada'))).to.include({ name: 'RefusedError', hasRun: true });
    const told = (await call(request, async () => ({ lg_name: 'Command', update: NOTE }))) as ToolMessage;
    expect(told.content).to.include('has run').and.not.to.include('Ada');
    const interrupt = Object.assign(new Error('a question'), { is_bubble_up: true });
    expect(await failWith(interrupt)).to.equal(interrupt);
  });

  it('runs each tool with its own input where models use an id of a call again', async () => {
    for (const callTool of [callVercelTool, callOpenAiTool]) {
      const { calls, tool, options } = setUp({ waitSeconds: 0 });
      const inputs = [{ id: 'note-1' }, { id: 'note-2' }];
      const call = { name: 'read_note', arguments: {}, tool };
      const { needsApproval, execute } = callTool(custos, call, { ...options, asksUser: true });
      for (const input of inputs) expect(await needsApproval(input)).to.equal(true);
      for (const input of inputs) await execute(input);
      expect(calls).to.deep.equal(inputs);
    }
  });

  it('LangChain hands on no artifact of a result under obligations, to which they were not applied', async () => {
    const { options } = setUp({ obligations: { redact_fields: () => ({ result: (result) => result }) } });
    const { wrapToolCall } = custosMiddleware(custos, options);
    // The parts of a request that the middleware uses.
    const request = { toolCall: { name: 'list_notes', args: {}, id: 'call_1' }, runtime: {} };
    const result = new ToolMessage({ content: '1 note', tool_call_id: 'call_1', status: 'error', artifact: NOTE });
    const call = wrapToolCall as unknown as (
      asked: typeof request,
      handler: () => Promise<unknown>,
    ) => Promise<unknown>;
    const answer = (await call(request, async () => result)) as ToolMessage;
    expect(answer).to.include({ content: '1 note', status: 'error' });
    expect(answer.artifact).to.equal(undefined);
  });

  describe('when the user of the application consents late', () => {
    const args = { id: 'note-1' };
    /** An hour passes between the question and the consent of the user, or a minute in which the environment is halted. */
    const consentLate = async (name: string, seconds: number, meanwhile: () => Promise<unknown>) => {
      const { runtime, pass } = clockAhead();
      const late = new Custos({ url: CUSTOS_URL, key: CUSTOS_KEY, runtime });
      const { calls, tool, options } = setUp({ waitSeconds: 0 });
      const asks = { ...options, asksUser: true };
      const call = { name, arguments: args, tool };
      const ways = {
        'Vercel AI SDK': callVercelTool(late, call, asks),
        'OpenAI Agents': callOpenAiTool(late, call, asks),
      };
      const told: string[] = [];
      try {
        for (const { needsApproval } of Object.values(ways)) expect(await needsApproval()).to.equal(true);
        pass(seconds);
        await meanwhile();
        for (const { execute } of Object.values(ways)) told.push(await execute());
      } finally {
        await late.close();
      }
      const { items } = await admin.decisions.list({ agentId: options.agentId }).page();
      return { calls, told, asked: items.length };
    };

    it('a permitted call does not run when the environment was halted meanwhile', async () => {
      try {
        const { calls, told } = await consentLate('read_note', 60, () => admin.halt.set({ reason: 'test' }));
        expect(calls).to.deep.equal([]);
        for (const text of told) expect(text).to.match(/halted/i);
      } finally {
        await admin.halt.lift({ reason: 'test' });
      }
    });

    it('a permission that still stands is used, and no second question is asked', async () => {
      const { calls, asked } = await consentLate('read_note', 60, async () => undefined);
      expect(calls).to.deep.equal([args, args]);
      expect(asked).to.equal(2);
    });

    it('a permission that has expired is replaced by a new decision', async () => {
      const { calls, asked } = await consentLate('read_note', 3_600, async () => undefined);
      expect(calls).to.deep.equal([args, args]);
      expect(asked).to.equal(4);
    });
  });

  describe('the Claude Agent SDK', () => {
    /** The steps of Claude before it runs a tool: the hook, and the user's consent. */
    const stepsOf = (name: string, more: object = {}, runtime = SYSTEM_RUNTIME) => {
      const { options } = setUp({
        waitSeconds: 0,
        obligations: { redact_fields: (_, args) => ({ arguments: { ...args, only: 'titles' } }) },
      });
      const { server, ...others } = options;
      const own = new Custos({ url: CUSTOS_URL, key: CUSTOS_KEY, runtime });
      const { hooks, canUseTool } = guardClaude(own, { ...others, ...more });
      const tool_name = `mcp__${server}__${name}`;
      const { signal } = new AbortController();
      return {
        agentId: options.agentId,
        ask: async (tool_input: JsonObject) => {
          const base = { session_id: 's', transcript_path: '', cwd: '.', tool_use_id: 'toolu_1' };
          const input = { ...base, hook_event_name: 'PreToolUse' as const, tool_name, tool_input };
          const answer = await hooks.PreToolUse?.[0]?.hooks[0]?.(input, 'toolu_1', { signal });
          return answer !== undefined && 'hookSpecificOutput' in answer ? answer.hookSpecificOutput : undefined;
        },
        consent: (input: JsonObject, updatedInput?: JsonObject) => {
          const answer = { behavior: 'allow' as const, ...(updatedInput === undefined ? {} : { updatedInput }) };
          return canUseTool(async () => answer)(tool_name, input, { signal, toolUseID: 'toolu_1', requestId: 'r' });
        },
        end: () => own.close(),
      };
    };
    const unchanged = { hookEventName: 'PreToolUse', updatedInput: {} };
    const changed = { hookEventName: 'PreToolUse', updatedInput: { only: 'titles' } };

    it('asks its user about a permitted call as it would without Custos, and denies others', async () => {
      expect(await stepsOf('find_notes').ask({})).to.deep.equal(unchanged);
      expect(await stepsOf('list_notes').ask({})).to.deep.equal({ ...changed, permissionDecision: 'ask' });
      expect(await stepsOf('unknown').ask({})).to.include({ permissionDecision: 'deny' });
    });

    it('knows the server of a tool whose name can be read in two ways only by the names of the servers', async () => {
      const stored: unknown[] = [];
      const ask = async (server: string, name: string, mcpServers?: readonly string[]) => {
        const { options } = setUp({ waitSeconds: 0 });
        const { hooks } = guardClaude(custos, {
          agentId: options.agentId,
          waitSeconds: 0,
          ...(mcpServers && { mcpServers }),
        });
        const base = { session_id: 's', transcript_path: '', cwd: '.', tool_use_id: 'toolu_1', tool_input: {} };
        const input = { ...base, hook_event_name: 'PreToolUse' as const, tool_name: `mcp__${server}__${name}` };
        const { signal } = new AbortController();
        const answer = await hooks.PreToolUse?.[0]?.hooks[0]?.(input, 'toolu_1', { signal });
        expect(answer).to.have.nested.property('hookSpecificOutput.permissionDecision', 'deny');
        const { items } = await admin.decisions.list({ agentId: options.agentId }).page();
        stored.push(items.map(({ tool }) => [tool?.server, tool?.name]));
        return (answer as { hookSpecificOutput: { permissionDecisionReason: string } }).hookSpecificOutput;
      };
      const { permissionDecisionReason } = await ask('team__notes', 'list_notes');
      expect(permissionDecisionReason).to.include('"team" or "team__notes"').and.to.include('mcpServers');
      await ask('team', '_list');
      await ask('team__notes', 'list_notes', ['notes', 'team__notes']);
      await ask('other', 'list_notes', ['notes']);
      await ask('other', 'list_notes');
      expect(stored).to.deep.equal([[], [], [['team__notes', 'list_notes']], [], [['other', 'list_notes']]]);
    });

    it('does not ask its user when the application wants it so', async () => {
      const skips = { skipsUserConsent: true };
      expect(await stepsOf('list_notes', skips).ask({})).to.deep.equal({ ...changed, permissionDecision: 'allow' });
    });

    it('runs what its user consents to: the judged input once, and a changed input only after another decision', async () => {
      const same = stepsOf('read_note');
      await same.ask({ id: 'note-1' });
      const allowed = { behavior: 'allow', updatedInput: { id: 'note-1' } };
      expect(await same.consent({ id: 'note-1' })).to.deep.equal(allowed);
      expect((await admin.decisions.list({ agentId: same.agentId }).page()).items).to.have.lengthOf(1);

      const other = stepsOf('read_note');
      await other.ask({ id: 'note-1' });
      const answer = await other.consent({ id: 'note-1' }, { id: 'note-2' });
      expect(answer).to.deep.equal({ behavior: 'allow', updatedInput: { id: 'note-2' } });
      expect((await admin.decisions.list({ agentId: other.agentId }).page()).items).to.have.lengthOf(2);

      // It needs an id to be known at all.
      const unknown = stepsOf('read_note');
      await unknown.ask({ id: 'note-1' });
      expect(await unknown.consent({ id: 'note-1' }, {})).to.include({ behavior: 'deny' });
    });

    it('does not run a call to which its user consents after the environment was halted', async () => {
      const { runtime, pass } = clockAhead();
      const steps = stepsOf('read_note', {}, runtime);
      await steps.ask({ id: 'note-1' });
      try {
        pass(60);
        await admin.halt.set({ reason: 'test' });
        expect(await steps.consent({ id: 'note-1' })).to.include({ behavior: 'deny' });
      } finally {
        await admin.halt.lift({ reason: 'test' });
        await steps.end();
      }
    });
  });
});

/** A clock that passes seconds at once. */
function clockAhead() {
  let aheadMs = 0;
  const { nowMs, wallMs } = SYSTEM_RUNTIME;
  return {
    runtime: { ...SYSTEM_RUNTIME, nowMs: () => nowMs() + aheadMs, wallMs: () => wallMs() + aheadMs },
    pass: (seconds: number): void => void (aheadMs += seconds * 1_000),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
