// The database's clock is ahead for a while and is set back: what was recorded meanwhile, before and afterwards verifies, online and from files.
import { expect } from 'chai';
import { expireApprovals } from '../../shared/domain/approvals/store.ts';
import { foldBatch } from '../../shared/domain/trust/fold.ts';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { createStoredVerifier } from '../../shared/domain/verification/stored.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { approve, ask, ESCALATING, escalate, reject } from '../support/escalations.ts';
import { exportDecisions } from '../support/exported-decisions.ts';
import { TEST_PEPPER } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';
import { type ServiceAndWorker, startServiceAndWorker } from '../support/worker.ts';

const DAY_MS = 86_400_000;

describe('decisions around a time at which the clock was ahead', () => {
  let both: ServiceAndWorker;
  let client: Client;
  before(async () => {
    both = await startServiceAndWorker({ policies: ESCALATING, words: 'few' });
    client = await both.service.client({ scopes: ['intents:write', 'trust:write'] });
  });
  after(() => both?.close());

  /** Sets the clock forward for this work. */
  const ahead = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
    both.service.advance(ms);
    try {
      return await work();
    } finally {
      both.service.advance(-ms);
    }
  };
  /** Decides until the answer is as expected, because changes are announced. */
  const decide = (agentId: string, isDue: (decision: { trust: { as_of: { signals: number } } }) => boolean) =>
    waitFor(async () => {
      const decision = await ask(client, { agent_id: agentId, intent: 'delete:db/open/x' });
      return isDue(decision) ? decision : undefined;
    });
  const withSignals = (agentId: string, signals: number) =>
    decide(agentId, ({ trust }) => trust.as_of.signals === signals);
  const signal = async (agentId: string): Promise<void> => {
    const { status, text } = await client.post('/v1/trust/signals', { agentId, type: 'success' });
    expect(status, text).to.be.below(300);
    await foldBatch({ db: both.service.db, nowMs: both.service.nowMs, dailyCap: 10_000 });
  };
  const question = (agentId: string, name: string) => ({ agent_id: agentId, intent: `delete:db/asked/${name}` });
  const use = async (agentId: string, name: string, approvalId: string, code: string): Promise<void> => {
    const decision = await ask(client, { ...question(agentId, name), approval_id: approvalId });
    expect(decision.reasons.at(-1).code, name).to.equal(code);
  };

  const verifyAll = async (): Promise<void> => {
    const { service, worker } = both;
    const verifier = createStoredVerifier({ store: createEvidenceStore({ db: service.db }) });
    await worker.append();
    const sentences: string[] = [];
    let seen = 0;
    for await (const outcome of verifier.all({})) {
      seen += 1;
      if (outcome.status === 'failed') sentences.push(outcome.sentence);
    }
    expect(seen).to.be.greaterThan(0);
    expect(sentences).to.deep.equal([]);
    const run = (...args: string[]) =>
      runCommand(args, { DATABASE_URL: service.databaseUrl, CUSTOS_PEPPER: TEST_PEPPER });
    const { verify, env } = await exportDecisions(service, run);
    const offline = await runCommand([...verify, '--all'], env);
    expect(offline.code, offline.stdout + offline.stderr).to.equal(0);
  };

  for (const [what, ms] of [
    ['90 seconds', 90_000],
    ['400 days', 400 * DAY_MS],
  ] as const) {
    const agent = (name: string): string => `${name}-${ms}`;

    it(`hold for signals that were folded while it was ${what} ahead, before and afterwards`, async () => {
      const id = agent('trusted');
      await ask(client, { agent_id: id, intent: 'delete:db/open/x' });
      await ahead(ms, async () => {
        await signal(id);
        await withSignals(id, 1);
      });
      await withSignals(id, 1);
      await signal(id);
      await withSignals(id, 2);
      await verifyAll();
    });

    it(`hold for halts that began or ended while it was ${what} ahead`, async () => {
      const { admin } = both.service;
      const id = agent('halted');
      const halted = (is: boolean) =>
        decide(id, (decision) => JSON.stringify(decision).includes('"HALTED"') === is).then(() => undefined);
      const begin = async () => expect((await admin.post('/v1/halt', { reason: 'x' })).status).to.be.below(300);
      const end = async () => expect((await admin.delete('/v1/halt')).status).to.be.below(300);
      await ahead(ms, begin);
      await halted(true);
      await end();
      await halted(false);
      await ahead(ms, () => halted(false));
      await begin();
      await halted(true);
      await ahead(ms, async () => {
        await halted(true);
        await end();
        await halted(false);
      });
      await halted(false);
      await verifyAll();
    });
  }

  it('hold for approvals that were decided, asked for or closed meanwhile', async () => {
    const { service } = both;
    const id = 'approved';
    const [used, refused, closed] = [
      await escalate(client, question(id, 'used')),
      await escalate(client, question(id, 'refused')),
      await escalate(client, question(id, 'closed')),
    ];
    const asked = await ahead(90_000, async () => {
      expect((await approve(service.admin, used)).status).to.equal(200);
      expect((await reject(service.admin, refused, 'no')).status).to.equal(200);
      return escalate(client, question(id, 'asked'));
    });
    await use(id, 'used', used, 'APPROVED');
    await use(id, 'refused', refused, 'APPROVAL_REJECTED');
    expect((await approve(service.admin, asked)).status).to.equal(200);
    await use(id, 'asked', asked, 'APPROVED');
    const stranger = await service.client();
    const again = await ask(stranger, { ...question(id, 'used'), approval_id: used });
    expect(again.reasons[0].code).to.equal('APPROVAL_USED');
    await ahead(DAY_MS, () => expireApprovals(service.db, service.nowMs()));
    await use(id, 'closed', closed, 'APPROVAL_EXPIRED');
    await verifyAll();
  });
});
