// The database's clock was ahead and has been set back: what was stored meanwhile has times that are ahead, and waits for none of them.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { processesAlive, readProcesses } from '../../shared/platform/process/heartbeat.ts';
import { createReplayClaims } from '../../shared/domain/drafts/replay-jobs.ts';
import { webhookSuite } from '../support/webhook-suite.ts';

const AHEAD = "interval '1 day'";

describe('what was stored while the clock was ahead', () => {
  const suite = webhookSuite();
  const { rows } = { rows: (text: string, values?: readonly unknown[]) => suite.service.rows<Row>(text, values) };
  interface Row {
    readonly status?: string;
  }
  const owner = () => ({ organisationId: suite.service.operatorId, environment: 'live' }) as const;
  const submit = async (): Promise<string> => {
    const body = { agentId: 'a', action: 'delete', resource: 'db/open/x' };
    return (await suite.service.admin.post('/v1/intents', body)).json.intentId;
  };
  const statusOf = async (intentId: string) =>
    (await rows('SELECT status FROM intent WHERE intent_id = $1', [intentId]))[0]?.status;

  it('is decided at once: a submitted intent, but not one that was set aside for some seconds', async () => {
    const [ahead, aside] = [await submit(), await submit()];
    await rows(`UPDATE intent SET queued_at = now() + ${AHEAD} WHERE intent_id = $1`, [ahead]);
    await rows("UPDATE intent SET queued_at = now() + interval '31 seconds' WHERE intent_id = $1", [aside]);
    await suite.worker.evaluateAll(owner());
    expect([await statusOf(ahead), await statusOf(aside)]).to.deep.equal(['decided', 'queued']);
    await rows('UPDATE intent SET queued_at = now() WHERE intent_id = $1', [aside]);
    await suite.worker.evaluateAll(owner());
    expect(await statusOf(aside)).to.equal('decided');
  });

  it('is reported by /ready while it waits', async () => {
    const intentId = await submit();
    await rows(`UPDATE intent SET open_since = now() + ${AHEAD} WHERE intent_id = $1`, [intentId]);
    const { json } = await suite.service.admin.get('/ready');
    const backlog = json.checks.find(({ name }: { name: string }) => name === 'backlog');
    expect(backlog.ok).to.equal(false);
    expect(backlog.detail).to.match(/since a time \d+ s ahead/);
    await suite.worker.evaluateAll(owner());
  });

  it('says of no process that it is alive', async () => {
    const processId = randomUUID();
    await rows(
      `INSERT INTO process_heartbeat (process_id, role, version, host, pid, seen_at) VALUES ($1, 'workers', '', 'gone', 1, now() + ${AHEAD})`,
      [processId],
    );
    const alive = await processesAlive(suite.service.db, 'workers');
    expect(alive.map(({ host }) => host)).to.not.include('gone');
    expect((await readProcesses(suite.service.db)).map(({ host }) => host)).to.not.include('gone');
    await rows('DELETE FROM process_heartbeat WHERE process_id = $1', [processId]);
  });

  it('is delivered at once: a message whose attempt is later than any pause, to an endpoint with such a lease', async () => {
    await suite.worker.append();
    const made = await suite.create();
    await suite.decide('one');
    suite.receiver.answers.push(503);
    await suite.deliver(made);
    await rows(`UPDATE webhook_delivery SET due_at = now() + ${AHEAD} WHERE state = 'pending'`);
    await rows(`UPDATE webhook_endpoint SET leased_until = now() + ${AHEAD}`);
    await suite.deliver(made);
    expect(suite.agents()).to.deep.equal(['one', 'one']);
    expect((await suite.deliveries(made))[0]).to.deep.include({ state: 'delivered' });
  });

  it('counts failures of an endpoint from now, and while the clock is ahead disables none', async () => {
    await suite.worker.append();
    const made = await suite.create();
    await suite.decide('one');
    suite.receiver.otherwise = 503;
    await suite.deliver(made);
    await rows(`UPDATE webhook_endpoint SET failing_since = now() - interval '4 days', leased_until = '-infinity'`);
    await rows('UPDATE webhook_delivery SET due_at = now() WHERE due_at IS NOT NULL');
    suite.deletionMs = -Infinity;
    await suite.deliver(made);
    expect(await suite.read(made)).to.deep.include({ enabled: true });
    await rows(`UPDATE webhook_endpoint SET failing_since = now() + ${AHEAD}, leased_until = '-infinity'`);
    await rows('UPDATE webhook_delivery SET due_at = now() WHERE due_at IS NOT NULL');
    await suite.deliver(made);
    const { failingSince } = await suite.read(made);
    expect(Date.parse(failingSince)).to.be.at.most(suite.service.nowMs());
  });

  it('is taken over at once: a replay whose run was killed', async () => {
    await rows(
      `INSERT INTO replay (replay_id, organisation_id, environment, to_at, key_id, draft, draft_digest, total, created_at, status, claim, updated_at)
        VALUES ('rpl', $1, 'live', now(), 'k', 'draft', 'd', 1, now(), 'running', 'killed', now() + ${AHEAD})`,
      [suite.service.operatorId],
    );
    const { db, nowMs } = suite.service;
    expect((await createReplayClaims({ db, nowMs }).next('another'))?.replayId).to.equal('rpl');
    await rows("DELETE FROM replay WHERE replay_id = 'rpl'");
  });
});
