// The adapters before a real service (CUSTOS_URL, with the policies of test/process/clients/adapters.test.ts), each in its framework.
import { expect } from 'chai';
import { jsonSchema } from 'ai';
import { Custos, type JsonObject, RefusedError } from '../../src/index.ts';
import { SYSTEM_RUNTIME } from '../../src/runtime.ts';
import { custosHooks } from '../claude-agent.ts';
import { guardTools } from '../vercel-ai.ts';
import type { AdapterOptions } from '../common.ts';
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

  for (const [name, { drive, changesResults }] of Object.entries(FRAMEWORKS))
    describe(name, () => {
      const args = { id: 'note-1' };

      it('runs a permitted tool with the judged arguments, and reports it', async () => {
        const { calls, tool, options } = setUp();
        expect(await drive(custos, { name: 'read_note', arguments: args, tool }, options)).to.include('Ada');
        expect(calls).to.deep.equal([args]);
        expect(await isReported(options.agentId)).to.equal(true);
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

  it('OpenAI Agents decides as a guardrail, too', async () => {
    const { calls, tool, options } = setUp();
    const args = { id: 'note-1' };
    expect(await openAiGuardrail(custos, { name: 'read_note', arguments: args, tool }, options)).to.include('Ada');
    expect(await openAiGuardrail(custos, { name: 'delete_note', arguments: args, tool }, options)).to.include(
      'notes are kept',
    );
    expect(calls).to.deep.equal([args]);
  });

  it('a guardrail of OpenAI Agents refuses a call under obligations, whatever handlers its options have', async () => {
    const { calls, tool, options } = setUp({
      obligations: { redact_fields: () => ({ result: () => '[redacted]' }) },
    });
    const told = await openAiGuardrail(custos, { name: 'list_notes', arguments: {}, tool }, options);
    expect(told).to.include('redact_fields');
    expect(calls).to.deep.equal([]);
  });

  describe('when the user of the application consents late', () => {
    const args = { id: 'note-1' };
    /** An hour passes between the question and the consent of the user, or a minute in which the environment is halted. */
    const consentLate = async (name: string, seconds: number, meanwhile: () => Promise<unknown>) => {
      let aheadMs = 0;
      const { nowMs, wallMs } = SYSTEM_RUNTIME;
      const runtime = { ...SYSTEM_RUNTIME, nowMs: () => nowMs() + aheadMs, wallMs: () => wallMs() + aheadMs };
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
        aheadMs = seconds * 1_000;
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

  it('the Claude Agent SDK asks its user about a permitted call as it would without Custos', async () => {
    const { options } = setUp({
      obligations: { redact_fields: (_, args) => ({ arguments: { ...args, only: 'titles' } }) },
    });
    const { server, ...others } = options;
    const answerOf = async (name: string, more: object = {}) => {
      const hook = custosHooks(custos, { ...others, ...more }).PreToolUse?.[0]?.hooks[0];
      const input = {
        hook_event_name: 'PreToolUse' as const,
        session_id: 's',
        transcript_path: '',
        cwd: '.',
        tool_name: `mcp__${server}__${name}`,
        tool_input: {},
        tool_use_id: 'toolu_1',
      };
      const answer = await hook?.(input, 'toolu_1', { signal: new AbortController().signal });
      return answer !== undefined && 'hookSpecificOutput' in answer ? answer.hookSpecificOutput : undefined;
    };
    expect(await answerOf('find_notes')).to.deep.equal({ hookEventName: 'PreToolUse', updatedInput: {} });
    const changed = { hookEventName: 'PreToolUse', updatedInput: { only: 'titles' } };
    expect(await answerOf('list_notes')).to.deep.equal({ ...changed, permissionDecision: 'ask' });
    const skips = { skipsUserConsent: true };
    expect(await answerOf('list_notes', skips)).to.deep.equal({ ...changed, permissionDecision: 'allow' });
    expect(await answerOf('unknown')).to.include({ permissionDecision: 'deny' });
  });
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
