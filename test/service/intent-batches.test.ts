// Intents decided in batches: fair over agents, bounded in size, and each exactly once, whatever a member or a worker does.
import { expect } from 'chai';
import fc from 'fast-check';
import { INTENTS_PER_BATCH, takeIntents } from '../../shared/domain/decisions/intent-batch.ts';
import type { Owner } from '../../shared/kernel/owner.ts';
import { countDeadJobs, listDeadJobs, retryDeadJob } from '../../shared/platform/queues/dead-jobs.ts';
import { asSuperuser } from '../support/database.ts';
import { rewriteIntents } from '../support/intents.ts';
import type { Client } from '../support/client.ts';
import { ESCALATING } from '../support/escalations.ts';
import type { Service } from '../support/service.ts';
import { endOpenTransactions } from '../support/sessions.ts';
import {
  heldIntentWorker,
  type ServiceAndWorker,
  startServiceAndWorker,
  startTestWorker,
  type TestWorker,
} from '../support/worker.ts';

describe('batches of submitted intents', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let client: Client;
  let owner: Owner;
  before(async () => {
    both = await startServiceAndWorker({ policies: ESCALATING, words: 'few' });
    ({ service, worker } = both);
    client = await service.client({ scopes: ['intents:write', 'proofs:read'] });
    owner = { organisationId: service.operatorId, environment: 'live' };
  });
  after(() => both?.close());
  afterEach(async () => {
    await service.rows("UPDATE intent SET queued_at = now() WHERE status IN ('queued', 'evaluating')");
    await worker.evaluateAll(owner);
  });

  const submit = async (agentId: string, more: object = {}): Promise<string> =>
    (await client.post('/v1/intents', { agentId, action: 'read', resource: 'db/open/a', ...more })).json.intentId;
  const read = async (intentId: string) => (await client.get(`/v1/intents/${intentId}`)).json;
  const decisionsOf = async (agentId: string): Promise<number> =>
    (await service.rows('SELECT FROM decision WHERE agent_id = $1', [agentId])).length;
  /** Copies of a submitted intent, by SQL because a test needs many. */
  const copies = (intentId: string, agentId: string, count: number, more: { context?: string } = {}) =>
    // Without a seal, as before there were any.
    asSuperuser(service.db, (sql) =>
      sql.query(
        `INSERT INTO intent (organisation_id, environment, intent_id, agent_id, key_id, action, resource, context, submitted_at, updated_at)
         SELECT organisation_id, environment, intent_id || '_' || $2::text || lpad(i::text, 6, '0'), $2, key_id, action, resource, $4, submitted_at, updated_at
         FROM intent, generate_series(1, $3::int) AS i WHERE intent_id = $1`,
        [intentId, agentId, count, more.context ?? null],
      ),
    );
  const openOf = async (agentId: string): Promise<number> =>
    (await service.rows("SELECT FROM intent WHERE agent_id = $1 AND status IN ('queued', 'evaluating')", [agentId]))
      .length;
  /** A minute ago, so that a clock that is set back in between changes nothing. */
  const due = () =>
    service.rows("UPDATE intent SET queued_at = now() - interval '1 minute' WHERE status IN ('queued', 'evaluating')");
  const take = (after?: string, most = INTENTS_PER_BATCH) =>
    service.db.transaction(async (sql) => takeIntents(sql, owner, after, most));

  it('take all that wait, in the order of submission, when it is not much', async () => {
    const ids: string[] = [];
    for (const agentId of ['b', 'a', 'c', 'a']) {
      service.advance(1);
      ids.push(await submit(agentId));
    }
    const { intents, next } = await take();
    expect(intents.map(({ intent_id: id }) => id)).to.deep.equal(ids);
    expect(next).to.equal(undefined);
  });

  it('are shared by agents when more waits: one with very many does not delay the others', async () => {
    const first = await submit('agent-a');
    await copies(first, 'agent-a', 500);
    for (const agentId of ['agent-b', 'agent-c']) await submit(agentId);
    const batch = await take('', 30);
    const agents = batch.intents.map(({ agent_id: agentId }) => agentId);
    expect(agents).to.include.members(['agent-b', 'agent-c']);
    expect(agents.filter((agentId) => agentId === 'agent-a')).to.have.lengthOf(10);
    expect(batch.next).to.equal('');
    // After two batches nobody but the one with very many still waits.
    const intentWorker = worker.intentWorker();
    await intentWorker.decideBatch(owner, INTENTS_PER_BATCH, await intentWorker.decideBatch(owner, INTENTS_PER_BATCH));
    expect([await openOf('agent-b'), await openOf('agent-c')]).to.deep.equal([0, 0]);
    expect(await openOf('agent-a')).to.be.within(1, 400);
  });

  it('reach every agent in turn when there are more than share a batch', async () => {
    const first = await submit('turn-000');
    for (let i = 1; i < 130; i += 1) await copies(first, `turn-${String(i).padStart(3, '0')}`, 3);
    const intentWorker = worker.intentWorker();
    const after = await intentWorker.decideBatch(owner, INTENTS_PER_BATCH, '');
    expect(after).to.equal('turn-099');
    await intentWorker.decideBatch(owner, INTENTS_PER_BATCH, after);
    const [none] = await service.rows<{ n: number }>(
      "SELECT count(*)::int AS n FROM (SELECT FROM intent WHERE agent_id LIKE 'turn-%' GROUP BY agent_id HAVING count(*) FILTER (WHERE status = 'decided') = 0) AS untouched",
    );
    expect(none?.n).to.equal(0);
  });

  it('hold no more intents than a small batch may, also when more agents wait', async () => {
    const first = await submit('few-00');
    for (let i = 1; i < 12; i += 1) await copies(first, `few-${String(i).padStart(2, '0')}`, 3);
    const { intents, next } = await take('', 5);
    expect(intents.map(({ agent_id: agentId }) => agentId).sort()).to.deep.equal([
      'few-00',
      'few-01',
      'few-02',
      'few-03',
      'few-04',
    ]);
    expect(next).to.equal('few-04');
    expect((await take(next, 5)).next).to.equal('few-09');
    expect((await take('few-09', 5)).next).to.equal('');
  });

  it('hold no more bytes than fit into a statement, and a larger intent alone', async () => {
    const first = await submit('large');
    await copies(first, 'large', 6, { context: JSON.stringify({ text: 'x'.repeat(900_000) }) });
    await copies(await submit('larger'), 'larger', 1, { context: JSON.stringify({ text: 'x'.repeat(5_000_000) }) });
    const { intents, next } = await take();
    expect(intents.length).to.be.within(2, 6);
    expect(next).to.equal('');
    await worker.evaluateAll(owner);
    expect([await openOf('large'), await openOf('larger')]).to.deep.equal([0, 0]);
    expect(await decisionsOf('larger')).to.equal(2);
  });

  it('skip what another worker has claimed, which is free when its session is gone', async () => {
    await Promise.all([submit('held-1'), submit('held-2')]);
    const slow = heldIntentWorker(worker, 'after');
    const late = slow.decideBatch(owner, INTENTS_PER_BATCH).catch(() => undefined);
    await slow.held;
    const later = await submit('held-3');
    await worker.evaluateAll(owner);
    expect((await read(later)).status).to.equal('decided');
    expect([await openOf('held-1'), await openOf('held-2')]).to.deep.equal([1, 1]);
    await endOpenTransactions(service);
    await worker.evaluateAll(owner);
    slow.release();
    await late;
    for (const agentId of ['held-1', 'held-2', 'held-3']) expect(await decisionsOf(agentId)).to.equal(1);
  });

  it('do not wait for a member that cannot be evaluated: it gets three attempts, then it has failed and is a dead job', async () => {
    const bad = await submit('damaged');
    await rewriteIntents(service.db, "context = '[1]'", 'intent_id = $1', [bad]);
    const good = await Promise.all([submit('fine-1'), submit('fine-2')]);
    await worker.evaluateAll(owner);
    for (const intentId of good) expect((await read(intentId)).status).to.equal('decided');
    expect((await read(bad)).status).to.equal('queued');
    // It is not tried again before it is due.
    await worker.evaluateAll(owner);
    const attempts = async () =>
      (await service.rows<{ attempts: number }>('SELECT attempts FROM intent WHERE intent_id = $1', [bad]))[0]
        ?.attempts;
    expect(await attempts()).to.equal(1);
    for (const expected of [2, 3]) {
      expect((await read(bad)).status).to.equal('queued');
      await due();
      await worker.evaluateAll(owner);
      expect(await attempts()).to.equal(expected);
    }
    const { status, decision } = await read(bad);
    expect([status, decision.verdict, decision.reasons[0].code]).to.deep.equal(['failed', 'DENY', 'EVALUATION_FAILED']);
    const [dead] = await listDeadJobs(service.db);
    expect(dead?.payload).to.deep.include({ v: 1, ...owner, intentId: bad });
    expect(dead).to.deep.include({ queue: 'intents', name: 'evaluate', ...owner });
    expect(dead?.error).to.include('is not a JSON object');
  });

  it('do not wait for a member whose decision cannot be stored: it alone waits, and an operator can retry it', async () => {
    const constraint = "ALTER TABLE decision ADD CONSTRAINT no_poison CHECK (agent_id <> 'poisoned')";
    await service.rows(constraint);
    const deadBefore = (await countDeadJobs(service.db)).get('intents') ?? 0;
    const good = [await submit('beside-1')];
    const bad = await submit('poisoned');
    good.push(await submit('beside-2'));
    try {
      for (let i = 0; i < 3; i += 1) {
        await worker.evaluateAll(owner);
        await due();
      }
      for (const intentId of good) expect((await read(intentId)).status).to.equal('decided');
      expect(await decisionsOf('beside-1')).to.equal(1);
      // Its DENY can't be stored either.
      expect((await read(bad)).status).to.equal('queued');
      await worker.evaluateAll(owner);
      expect((await countDeadJobs(service.db)).get('intents')).to.equal(deadBefore + 1);
    } finally {
      await service.rows('ALTER TABLE decision DROP CONSTRAINT no_poison');
    }
    const dead = (await listDeadJobs(service.db)).find(
      ({ payload }) => (payload as { intentId?: string }).intentId === bad,
    );
    await retryDeadJob(service.db, dead?.deadJobId ?? '', 'key_1');
    await worker.runQueued();
    expect((await read(bad)).status).to.equal('decided');
    expect(await decisionsOf('poisoned')).to.equal(1);
  });

  it('of a process that ended are tried again in smaller groups, until one that ends its process is given up alone', async () => {
    const first = await submit('crash');
    await copies(first, 'crash', 59);
    const ids = (
      await service.rows<{ id: string }>("SELECT intent_id AS id FROM intent WHERE agent_id = 'crash' ORDER BY 1")
    ).map(({ id }) => id);
    const [poison = ''] = ids;
    const decided = async () => 60 - (await openOf('crash'));
    /** What a killed process leaves behind. */
    const crash = (trialId: string, members: readonly string[], crashes: number) =>
      service.rows(
        "INSERT INTO intent_trial (trial_id, organisation_id, environment, intent_ids, crashes) VALUES ($1, $2, 'live', $3, $4)",
        [trialId, owner.organisationId, members, crashes],
      );
    await crash('t0', ids, 0);
    // The group of the poison ends its process each time; the other groups are decided.
    for (const [trialId, size, crashes] of [
      ['t1', 25, 1],
      ['t2', 4, 2],
      ['t3', 1, 3],
    ] as const) {
      const held = heldIntentWorker(worker, 'before');
      const late = held.decideBatch(owner, INTENTS_PER_BATCH).catch(() => undefined);
      await held.held;
      const [trial] = await service.rows<{ intent_ids: string[]; crashes: number }>(
        'SELECT intent_ids, crashes FROM intent_trial ORDER BY begun_at DESC LIMIT 1',
      );
      expect(trial).to.deep.equal({ intent_ids: ids.slice(0, size), crashes });
      await endOpenTransactions(service);
      held.release();
      await late;
      expect(await decided()).to.equal(0);
      await crash(trialId, ids.slice(0, size), crashes);
    }
    // The groups are more batches than one job takes.
    for (let i = 0; i < 2; i += 1) await worker.evaluateAll(owner);
    const { status, decision } = await read(poison);
    expect([status, decision.reasons[0].code]).to.deep.equal(['failed', 'EVALUATION_FAILED']);
    const [dead] = await listDeadJobs(service.db);
    expect(dead?.error).to.equal('Error: The process ended 4 times while it evaluated the intent.');
    expect(await decided()).to.equal(60);
    expect(await service.rows('SELECT FROM intent_trial')).to.have.lengthOf(0);
    expect(await decisionsOf('crash')).to.equal(60);
  });

  it('decide each accepted intent exactly once, for any mix of members, workers and killed sessions', async function () {
    const second = await startTestWorker(service);
    const KINDS = ['allowed', 'escalated', 'damaged', 'repeated'] as const;
    let round = 0;
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 25 }),
          fc.array(fc.constantFrom('first', 'second', 'killed'), { minLength: 1, maxLength: 5 }),
          async (kinds, runs) => {
            round += 1;
            const ids = new Map<string, (typeof KINDS)[number]>();
            for (const [i, kind] of kinds.entries()) {
              const body = {
                agentId: `mix-${round}-${i % 4}`,
                action: kind === 'escalated' ? 'delete' : 'read',
                resource: `db/asked/m${round}x${i}`,
              };
              const headers = { 'idempotency-key': `mix-${round}-${i}` };
              const times = kind === 'repeated' ? 2 : 1;
              for (let n = 0; n < times; n += 1)
                ids.set((await client.post('/v1/intents', body, { headers })).json.intentId, kind);
            }
            const damaged = [...ids].flatMap(([id, kind]) => (kind === 'damaged' ? [id] : []));
            await rewriteIntents(service.db, "context = '[1]'", 'intent_id = ANY ($1)', [damaged]);
            await Promise.all(
              runs.map(async (run) => {
                // The sessions of all may be ended.
                if (run !== 'killed')
                  return (run === 'first' ? worker : second).evaluateAll(owner).catch(() => undefined);
                const victim = heldIntentWorker(second, 'after');
                const late = victim.decideBatch(owner, INTENTS_PER_BATCH).catch(() => undefined);
                if ((await Promise.race([victim.held.then(() => 'held'), late])) === 'held')
                  await endOpenTransactions(service).catch(() => undefined);
                victim.release();
                await late;
              }),
            );
            for (let attempt = 0; attempt < 4; attempt += 1) {
              await due();
              await Promise.all([worker.evaluateAll(owner), second.evaluateAll(owner)]).catch(() => undefined);
            }
            const rows = await service.rows<{ intent_id: string; status: string; resource: string }>(
              "SELECT intent_id, status, resource FROM intent WHERE agent_id LIKE 'mix-' || $1::text || '-%'",
              [round],
            );
            const decided: string[] = [];
            for (let i = 0; i < 4; i += 1) {
              const { json } = await service.admin.get(`/v1/decisions?agentId=mix-${round}-${i}&limit=200`);
              decided.push(...json.items.map((decision: { intent: { resource: string } }) => decision.intent.resource));
            }
            expect(rows).to.have.lengthOf(ids.size);
            const ENDS = { allowed: 'decided', repeated: 'decided', escalated: 'waiting_approval', damaged: 'failed' };
            for (const row of rows) {
              expect(row.status).to.equal(ENDS[ids.get(row.intent_id) ?? 'allowed']);
              expect(
                decided.filter((resource) => resource === row.resource),
                row.status,
              ).to.have.lengthOf(1);
            }
          },
        ),
        { numRuns: 12, endOnFailure: true },
      );
    } finally {
      await second.close();
    }
  });
});
