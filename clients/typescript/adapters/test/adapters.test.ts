// The adapters before a real service (CUSTOS_URL, with the policies of test/process/clients/adapters.test.ts), each in its framework.
import { expect } from 'chai';
import { jsonSchema } from 'ai';
import { Custos, type JsonObject, RefusedError } from '../../src/index.ts';
import { guardTools } from '../vercel-ai.ts';
import type { AdapterOptions } from '../common.ts';
import { FRAMEWORKS, openAiGuardrail } from './frameworks.ts';

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
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
