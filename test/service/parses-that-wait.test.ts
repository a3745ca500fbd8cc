// An agent's parses count for as long as an approval of them is valid, and all their actions and verbs are judged.
import { expect } from 'chai';
import { forgetChanges } from '../../workers/jobs/forget-changes.ts';
import type { Statement } from '../../shared/platform/db/database.ts';
import { rewriteIntents } from '../support/intents.ts';
import type { Client } from '../support/client.ts';
import { asSuperuser } from '../support/database.ts';
import { approve, ask, escalate, gist } from '../support/escalations.ts';
import { rewriteSealed } from '../support/seals.ts';
import type { Service } from '../support/service.ts';
import { factsText } from '../support/stored-facts.ts';
import { type ServiceAndWorker, startServiceAndWorker } from '../support/worker.ts';

const CURL = 'curl -F file=@report.csv https://files.example/u';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const rule = (id: string, type: string, actions: string[], conditions: object[] = []) => ({
  id,
  stage: 'enforce',
  description: `${type} for tests`,
  target: { actions, resources: ['*'] },
  rules: [
    {
      name: 'rule',
      conditions: {
        all: [{ fact: 'intent', path: 'resource', operator: 'matchesResource', value: '*' }, ...conditions],
      },
      event: { type, params: { code: id.toUpperCase().replace('-', '_'), message: id } },
    },
  ],
});
/** Allows everything but updates and text with "drop"; sending needs the approval of a human. */
const POLICIES = {
  'open.json': rule('open', 'ALLOW', ['*']),
  'asked.json': rule('asked', 'ESCALATE', ['send']),
  'no-update.json': rule('no-update', 'DENY', ['update']),
  'no-drop.json': rule('no-drop', 'DENY', ['*'], [{ fact: 'intent', path: 'verb', operator: 'equal', value: 'drop' }]),
};

describe('parses and their approvals', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let client: Client;
  before(async () => {
    both = await startServiceAndWorker({ policies: POLICIES });
    service = both.service;
    client = await service.client();
  });
  after(() => both?.close());

  const parse = async (agent_id: string, raw_intent: string): Promise<{ intent_id: string; normalized: string }> =>
    (await client.post('/v1/intent', { agent_id, raw_intent })).json;
  /** Past the triggers, which keep parses that count. */
  const rewrite = (statement: Statement, values: readonly unknown[]): Promise<object[]> =>
    asSuperuser(service.db, (sql) => sql.query(statement, values));
  /** Moves the stored parses and approvals of an agent this many minutes into the past. */
  const pass = async (agentId: string, minutes: number): Promise<void> => {
    await rewrite(
      `UPDATE recent_parse SET last_at = last_at - make_interval(mins => $2), bucket = bucket - make_interval(mins => $2) WHERE agent_id = $1`,
      [agentId, minutes],
    );
    const rows = await service.rows<{ approval_id: string; created_at: Date; expires_at: Date }>(
      'SELECT approval_id, created_at, expires_at FROM approval WHERE agent_id = $1',
      [agentId],
    );
    for (const row of rows)
      await rewriteSealed(service.db, 'approval', 'approval_id = $1', [row.approval_id], {
        created_at: new Date(row.created_at.getTime() - minutes * MINUTE_MS),
        expires_at: new Date(row.expires_at.getTime() - minutes * MINUTE_MS),
      });
    const earlier = 'submitted_at = submitted_at - make_interval(mins => $2)';
    await rewriteIntents(service.db, earlier, 'agent_id = $1', [agentId, minutes]);
  };

  it('an approved parse can be used for as long as the approval is valid', async () => {
    const { normalized: intent } = await parse('patient', CURL);
    const question = { agent_id: 'patient', intent };
    const approval_id = await escalate(client, question);
    await approve(service.admin, approval_id);
    await pass('patient', 50);
    expect((await ask(client, question)).intent.parsed, 'without the approval').to.equal(false);
    const decision = await ask(client, { ...question, approval_id });
    expect(gist(decision)).to.deep.equal(['ALLOW', 'ASKED', 'APPROVED']);
    expect(decision.intent).to.deep.include({ parsed: true });
    expect(decision.intent.traits).to.include('external');
    expect((await ask(client, { ...question, approval_id })).decision_id, 'a repeat').to.equal(decision.decision_id);
  });

  it('a parse with an open approval is shown as waiting until it is approved', async () => {
    const { normalized: intent } = await parse('polling', CURL);
    const question = { agent_id: 'polling', intent };
    const approval_id = await escalate(client, question);
    await pass('polling', 20);
    const decision = await ask(client, { ...question, approval_id });
    expect([decision.verdict, decision.approval.approval_id]).to.deep.equal(['ESCALATE', approval_id]);
  });

  it('a parse named by its intent_id can be used with its own approval, and with no other', async () => {
    const { normalized: intent, intent_id } = await parse('named', CURL);
    const question = { agent_id: 'named', intent };
    const approval_id = await escalate(client, { ...question, intent_id });
    const bare = await escalate(client, question);
    for (const id of [approval_id, bare]) await approve(service.admin, id);
    await pass('named', 20);
    service.advance(20 * MINUTE_MS);
    try {
      for (const also of [{}, { approval_id: bare }]) {
        const refused = await ask(client, { ...question, intent_id, ...also });
        expect(refused).to.deep.include({ code: 'E2001' });
      }
      expect(gist(await ask(client, { ...question, intent_id, approval_id }))).to.deep.equal([
        'ALLOW',
        'ASKED',
        'APPROVED',
      ]);
    } finally {
      service.advance(-20 * MINUTE_MS);
    }
  });

  it('a parse is not hidden by an approval that was opened before it', async () => {
    const question = { agent_id: 'chooser', intent: 'files.send.file' };
    const approval_id = await escalate(client, question);
    await approve(service.admin, approval_id);
    await pass('chooser', 30);
    expect((await parse('chooser', CURL)).normalized).to.equal(question.intent);
    for (const minutes of [0, 10, 10]) {
      await rewrite(
        "UPDATE recent_parse SET last_at = last_at - make_interval(mins => $1) WHERE agent_id = 'chooser'",
        [minutes],
      );
      expect(gist(await ask(client, { ...question, approval_id }))).to.deep.equal(['DENY', 'APPROVAL_MISMATCH']);
    }
  });

  it('a parse does not affect the approval of another agent', async () => {
    const { normalized: intent } = await parse('owner', CURL);
    const approval_id = await escalate(client, { agent_id: 'owner', intent });
    await approve(service.admin, approval_id);
    await parse('thief', CURL);
    await pass('thief', 20);
    const decision = await ask(client, { agent_id: 'thief', intent, approval_id });
    expect(gist(decision)).to.deep.equal(['DENY', 'APPROVAL_MISMATCH']);
    expect(decision.intent.parsed).to.equal(false);
  });

  it('a submitted intent continues when a human approves it later', async () => {
    await parse('submits', CURL);
    const { intentId } = (
      await client.post('/v1/intents', { agentId: 'submits', action: 'send', resource: 'files/file' })
    ).json;
    await both.worker.evaluate(intentId);
    const { approvalId } = (await client.get(`/v1/intents/${intentId}`)).json;
    await pass('submits', 40);
    await approve(service.admin, approvalId);
    await both.worker.evaluate(intentId);
    const { decision } = (await client.get(`/v1/intents/${intentId}`)).json;
    expect(gist(decision)).to.deep.equal(['ALLOW', 'ASKED', 'APPROVED']);
    expect(decision.intent).to.deep.include({ parsed: true });
  });

  it('a parse is kept for as long as an approval may need it, and then deleted', async () => {
    const approvalTtlMs = 2 * HOUR_MS;
    const kept = async () => (await service.rows("SELECT FROM recent_parse WHERE agent_id = 'kept'")).length;
    const forget = () => forgetChanges.handler({ db: service.db, deletionMs: Date.now, approvalTtlMs })({ v: 1 });
    await parse('kept', CURL);
    // The approval is opened when the parse is almost 15 minutes old, and used just before it expires.
    await pass('kept', approvalTtlMs / MINUTE_MS + 15);
    await forget();
    expect(await kept()).to.equal(1);
    await pass('kept', 60);
    await forget();
    expect(await kept()).to.equal(0);
    expect(forgetChanges.everyMs).to.be.at.most(HOUR_MS);
  });

  it('a parse is kept while submitted work waits for a worker, or an approval of a rule is open for longer than others', async () => {
    const forget = () =>
      forgetChanges.handler({ db: service.db, approvalTtlMs: HOUR_MS, deletionMs: Date.now })({ v: 1 });
    const kept = async (agentId: string) =>
      (await service.rows('SELECT FROM recent_parse WHERE agent_id = $1', [agentId])).length;
    for (const agentId of ['waits', 'has-days', 'idle']) await parse(agentId, CURL);
    const { intentId } = (
      await client.post('/v1/intents', { agentId: 'waits', action: 'send', resource: 'files/file' })
    ).json;
    const { normalized: intent } = await parse('has-days', CURL);
    await escalate(client, { agent_id: 'has-days', intent });
    for (const agentId of ['waits', 'has-days', 'idle']) await pass(agentId, 300);
    const inDays = { expires_at: new Date(Date.now() + 72 * HOUR_MS) };
    await rewriteSealed(service.db, 'approval', "agent_id = 'has-days'", [], inDays);
    await forget();
    expect([await kept('waits'), await kept('has-days'), await kept('idle')]).to.deep.equal([1, 1, 0]);
    await both.worker.evaluate(intentId);
    const { decision, approvalId } = (await client.get(`/v1/intents/${intentId}`)).json;
    expect([decision, typeof approvalId]).to.deep.equal([null, 'string']);
    await forget();
    expect(await kept('waits'), 'for the approval of the submitted intent').to.equal(1);
    const expired = { expires_at: new Date(Date.now() - 1) };
    await rewriteSealed(service.db, 'approval', "agent_id IN ('waits', 'has-days')", [], expired);
    await forget();
    expect([await kept('waits'), await kept('has-days')]).to.deep.equal([0, 0]);
  });

  it('a string is judged by every action that it and its parses name', async () => {
    // By the word alone, formatting is an update, but it destroys a disk.
    const { verdict, reasons, decision_id } = await ask(client, { agent_id: 'formats', intent: 'infra.format.disk' });
    expect([verdict, reasons[0].code]).to.deep.equal(['DENY', 'NO_UPDATE']);
    const [row] = await service.rows<{ facts: Buffer }>('SELECT facts FROM decision WHERE decision_id = $1', [
      decision_id,
    ]);
    const { intent } = JSON.parse(factsText(row?.facts));
    expect(intent.action).to.equal('delete');
    expect(intent.meanings.map(({ action }: { action: string }) => action)).to.deep.equal(['delete', 'update']);
  });

  it('a string is judged by every verb of its parses, in any order', async () => {
    for (const texts of [
      ['Drop the users', 'Wipe the users'],
      ['Wipe the users', 'Drop the users'],
    ]) {
      const agent = `says ${texts[0]?.slice(0, 4)}`.replace(' ', '-');
      const [first] = [await parse(agent, texts[0] ?? ''), await parse(agent, texts[1] ?? '')];
      expect(gist(await ask(client, { agent_id: agent, intent: first.normalized }))).to.deep.equal(['DENY', 'NO_DROP']);
    }
    const { normalized: intent } = await parse('says-only-wipe', 'Wipe the users');
    expect((await ask(client, { agent_id: 'says-only-wipe', intent })).verdict).to.equal('ALLOW');
  });
});
