// Tests of the sweeper and of dead jobs on a real PostgreSQL: lost work is queued again, work that is still queued is not.
import { expect } from 'chai';
import pg from 'pg';
import pino from 'pino';
import type { Database } from '../../shared/platform/db/database.ts';
import type { DeadJob } from '../../shared/platform/queues/types.ts';
import { countDeadJobs, discardDeadJob, listDeadJobs, retryDeadJob } from '../../shared/platform/queues/dead-jobs.ts';
import { createDeadJobRecorder } from '../../workers/dead-jobs.ts';
import type { Swept } from '../../workers/jobs/sweep.ts';
import { sweep as sweepWith } from '../../workers/sweeper.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';

const logger = pino({ level: 'silent' });

const swept = ({ proofs = 0, trust = 0, intents = 0 }): Swept => ({
  queued: { 'intents.evaluate': intents, 'trust.fold': trust, 'proofs.append': proofs, 'webhooks.deliver': 0 },
  resolved: 0,
});

describe('lost work', () => {
  let database: TestDatabase;
  let db: Database;
  let client: pg.Client;

  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
    client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
    // Rows are written as no request leaves them.
    await client.query('ALTER TABLE intent DISABLE TRIGGER USER');
  });
  after(async () => {
    await client.end();
    await db.close();
    await database.drop();
  });
  beforeEach(async () => {
    waiting = {};
    await client.query('TRUNCATE outbox, dead_job, log_inbox, trust_inbox, intent');
  });

  const outbox = async (): Promise<unknown[]> => {
    const { rows } = await client.query<{ queue: string; name: string; payload: string }>(
      'SELECT queue, name, payload FROM outbox ORDER BY seq',
    );
    return rows.map(({ queue, name, payload }) => ({ queue, name, payload: JSON.parse(payload) }));
  };
  /** Age in seconds of a new row. It is in the future, so that the row does not reach the age of a second on a stalled machine. */
  const NOW = -30;
  const waitingRecord = (organisationId: string, environment: string, ageSeconds: number): Promise<unknown> =>
    client.query(
      `INSERT INTO log_inbox (organisation_id, environment, source, source_id, created_at)
        VALUES ($1, $2, 'decision', 'd', now() - make_interval(secs => $3))`,
      [organisationId, environment, ageSeconds],
    );
  const intent = (intentId: string, status: string, ageSeconds: number, traceparent?: string): Promise<unknown> =>
    client.query(
      `INSERT INTO intent (organisation_id, environment, intent_id, agent_id, key_id, action, resource, traceparent,
          status, decision_id, submitted_at, updated_at, queued_at, submission_seal)
        VALUES ('org_1', 'test', $1, 'a', 'k', 'read', 'file:a', $4, $2::text,
          CASE WHEN $2::text IN ('decided', 'failed') THEN 'd' END, now(), now(), now() - make_interval(secs => $3), 'x')`,
      [intentId, status, ageSeconds, traceparent ?? null],
    );
  /** The oldest waiting job that each queue reports. */
  let waiting: Partial<Record<string, number>> = {};
  const sweep = (): Promise<Swept> => sweepWith({ db, queues: { oldestWaitingAtMs: async (queue) => waiting[queue] } });
  const dead = (queue: DeadJob['queue'], name: string, payload: unknown, run = `${name}-1@1`): DeadJob => ({
    queue,
    name,
    payload,
    error: new Error('always'),
    run,
  });
  const recorder = (): ((job: DeadJob) => Promise<void>) => createDeadJobRecorder({ db, logger });

  describe('the sweeper', () => {
    it('wakes each log whose oldest record has waited for a second exactly once, and no other log', async () => {
      for (let i = 0; i < 5; i += 1) await waitingRecord('org_1', 'test', 3);
      await waitingRecord('org_1', 'live', NOW);
      await waitingRecord('org_2', 'test', 2);
      await waitingRecord('org_2', 'test', NOW);
      expect(await sweep()).to.deep.equal(swept({ proofs: 2 }));
      expect(await outbox()).to.have.deep.members([
        {
          queue: 'proofs',
          name: 'append',
          payload: { v: 1, organisationId: 'org_1', environment: 'test', swept: true },
        },
        {
          queue: 'proofs',
          name: 'append',
          payload: { v: 1, organisationId: 'org_2', environment: 'test', swept: true },
        },
      ]);
    });

    it('queues one fold job when a signal has waited for a second', async () => {
      const signal = (ageSeconds: number): Promise<unknown> =>
        client.query(
          `INSERT INTO trust_inbox (organisation_id, environment, signal_id, created_at)
            VALUES ('org_1', 'test', 's', now() - make_interval(secs => $1))`,
          [ageSeconds],
        );
      await signal(NOW);
      expect((await sweep()).queued['trust.fold']).to.equal(0);
      await client.query('TRUNCATE trust_inbox');
      await signal(2);
      await signal(2);
      expect((await sweep()).queued['trust.fold']).to.equal(1);
      expect(await outbox()).to.deep.equal([{ queue: 'trust', name: 'fold', payload: { v: 1, swept: true } }]);
    });

    it('wakes each owner of an intent that has been due for a second exactly once, and no other', async () => {
      await intent('i1', 'queued', 2);
      await intent('i2', 'evaluating', 20);
      await client.query("UPDATE intent SET environment = 'live' WHERE intent_id = 'i2'");
      await intent('i3', 'queued', 3);
      for (const [id, status, ageSeconds] of [
        ['i4', 'queued', NOW],
        ['i5', 'decided', 60],
        ['i6', 'waiting_approval', 60],
      ] as const) {
        await intent(id, status, ageSeconds);
        await client.query("UPDATE intent SET organisation_id = 'org_2' WHERE intent_id = $1", [id]);
      }
      expect((await sweep()).queued['intents.evaluate']).to.equal(2);
      const swept = { v: 1, organisationId: 'org_1', swept: true };
      expect(await outbox()).to.have.deep.members([
        { queue: 'intents', name: 'evaluate', payload: { ...swept, environment: 'test' } },
        { queue: 'intents', name: 'evaluate', payload: { ...swept, environment: 'live' } },
      ]);
    });

    it('does not queue work again that still waits in the queue or in the outbox, however long', async () => {
      await intent('lost', 'queued', 40);
      await intent('waits', 'queued', 20);
      await client.query("UPDATE intent SET environment = 'live' WHERE intent_id = 'waits'");
      await waitingRecord('org_1', 'test', 20);
      await waitingRecord('org_2', 'test', 40);
      const { rows } = await client.query<{ at: Date }>("SELECT now() - interval '30 seconds' AS at");
      const at = rows[0]?.at ?? new Date();
      waiting = { intents: at.getTime(), proofs: at.getTime() };
      expect(await sweep()).to.deep.equal(swept({ proofs: 1, intents: 1 }));
      // Work that was queued again is in the outbox now, and all work that was accepted later may be there as well.
      await client.query("UPDATE outbox SET created_at = now() - interval '1 minute'");
      waiting = {};
      expect(await sweep()).to.deep.equal(swept({}));
      await client.query('TRUNCATE outbox');
      expect(await sweep()).to.deep.equal(swept({ proofs: 2, intents: 2 }));
    });

    it('wakes what is accepted at a time that is ahead, and a dead job of such a time delays none', async () => {
      const AHEAD = -86_400;
      await waitingRecord('org_1', 'test', AHEAD);
      await intent('i1', 'queued', AHEAD);
      await client.query(
        "INSERT INTO trust_inbox (organisation_id, environment, signal_id, created_at) VALUES ('org_1', 'test', 's', now() + interval '1 day')",
      );
      await recorder()(dead('trust', 'fold', { v: 1 }));
      await client.query("UPDATE dead_job SET failed_at = now() + interval '1 day'");
      expect(await sweep()).to.deep.include(swept({ proofs: 1, intents: 1, trust: 1 }));
    });

    it('does nothing while the queues are unavailable', async () => {
      await intent('i1', 'queued', 20);
      const away = { oldestWaitingAtMs: () => Promise.reject(new Error('away')) };
      expect(await sweepWith({ db, queues: away }).catch((error: Error) => error.message)).to.equal('away');
      expect(await outbox()).to.deep.equal([]);
    });

    it('queues the work of dead wake-ups again every half a minute; a dead intent delays no other', async () => {
      const log1 = { v: 1, organisationId: 'org_1', environment: 'test' };
      await waitingRecord('org_1', 'test', 60);
      await waitingRecord('org_1', 'live', 5);
      await intent('i1', 'queued', 20);
      await client.query("UPDATE intent SET open_since = now() - interval '1 minute'");
      await recorder()(dead('proofs', 'append', log1));
      await recorder()(dead('intents', 'evaluate', { ...log1, intentId: 'i0' }));
      expect(await sweep()).to.deep.equal(swept({ proofs: 1, intents: 1 }));
      await recorder()(dead('intents', 'evaluate', log1));
      expect((await sweep()).queued['intents.evaluate']).to.equal(0);
      await client.query("TRUNCATE outbox; UPDATE dead_job SET failed_at = now() - interval '31 seconds'");
      expect(await sweep()).to.deep.equal(swept({ proofs: 2, intents: 1 }));
    });

    it('resolves dead jobs whose work has been done, and no others', async () => {
      const log1 = { v: 1, organisationId: 'org_1', environment: 'test' };
      await intent('decided', 'decided', 20);
      await intent('open', 'evaluating', 1);
      await intent('failed', 'failed', 20);
      await recorder()(dead('intents', 'evaluate', { ...log1, organisationId: 'org_2' }));
      await client.query("UPDATE intent SET open_since = now() - interval '1 minute'");
      await recorder()(dead('intents', 'evaluate', log1));
      for (const intentId of ['decided', 'open', 'failed'])
        await recorder()(dead('intents', 'evaluate', { ...log1, intentId }));
      await waitingRecord('org_1', 'test', 5);
      await recorder()(dead('proofs', 'append', log1));
      await recorder()(dead('proofs', 'append', { ...log1, organisationId: 'org_2' }));
      await recorder()(dead('trust', 'fold', { v: 1 }));
      expect((await sweep()).resolved).to.equal(4);
      const named = (jobs: { name: string; payload: unknown }[]): unknown[] =>
        jobs.map(({ name, payload }) => {
          const { intentId, organisationId } = payload as { intentId?: string; organisationId?: string };
          return [name, intentId ?? organisationId];
        });
      expect(named(await listDeadJobs(db))).to.have.deep.members([
        ['evaluate', 'org_1'],
        ['evaluate', 'open'],
        ['evaluate', 'failed'],
        ['append', 'org_1'],
      ]);
      const resolved = await listDeadJobs(db, { state: 'discarded' });
      for (const { resolvedBy, reason } of resolved)
        expect({ resolvedBy, reason }).to.deep.equal({ resolvedBy: 'custos', reason: 'The work was done after all.' });
      expect((await sweep()).resolved).to.equal(0);
    });
  });

  describe('a dead job', () => {
    const payload = { v: 1, organisationId: 'org_1', environment: 'test', intentId: 'i1' };

    it('is stored as one row even when it is reported repeatedly and concurrently', async () => {
      const job = dead('intents', 'evaluate', payload);
      await Promise.all([recorder()(job), recorder()(job), recorder()(job)]);
      await recorder()(job);
      const [row, ...others] = await listDeadJobs(db);
      expect(others).to.deep.equal([]);
      expect(row).to.deep.include({
        queue: 'intents',
        name: 'evaluate',
        payload,
        organisationId: 'org_1',
        environment: 'test',
        error: 'Error: always',
        state: 'dead',
      });
      expect(await countDeadJobs(db)).to.deep.equal(new Map([['intents', 1]]));
    });

    it('triggers the hook for its name, which is called again if it failed the first time', async () => {
      const heard: unknown[] = [];
      let fails = true;
      const withHook = createDeadJobRecorder<'intents'>({
        db,
        logger,
        hooks: {
          evaluate: async (given, error) => {
            if (fails) throw new Error('not now');
            heard.push(given.intentId, error.message);
          },
        },
      });
      const job = dead('intents', 'evaluate', payload);
      expect(await withHook(job).catch(String)).to.equal('Error: not now');
      fails = false;
      await withHook(job);
      expect(heard).to.deep.equal(['i1', 'always']);
      // After the decision an old report has no effect.
      await retryDeadJob(db, (await listDeadJobs(db))[0]?.deadJobId ?? '', 'key_1');
      await withHook(job);
      expect(heard).to.have.length(2);
      expect(await listDeadJobs(db)).to.deep.equal([]);
    });

    it('is put back into its queue only once by two concurrent retries', async () => {
      await recorder()(dead('intents', 'evaluate', payload));
      const id = (await listDeadJobs(db))[0]?.deadJobId ?? '';
      const retried = await Promise.all([retryDeadJob(db, id, 'key_1'), retryDeadJob(db, id, 'key_2')]);
      expect(retried.filter((one) => one !== undefined)).to.have.length(1);
      expect(await outbox()).to.deep.equal([
        { queue: 'intents', name: 'evaluate', payload: { ...payload, retryOf: id } },
      ]);
      expect(await listDeadJobs(db)).to.deep.equal([]);
      const [row] = await listDeadJobs(db, { state: 'retried' });
      expect(row?.resolvedBy).to.be.oneOf(['key_1', 'key_2']);
      expect(row?.resolvedAt).to.be.a('date');
    });

    it('can be discarded with a reason, and is then neither retried nor reported again', async () => {
      const job = dead('intents', 'evaluate', payload);
      await recorder()(job);
      const id = (await listDeadJobs(db))[0]?.deadJobId ?? '';
      const owner = { organisationId: 'org_1', environment: 'test' } as const;
      for (const other of [
        { ...owner, organisationId: 'org_2' },
        { ...owner, environment: 'live' as const },
      ])
        expect(await discardDeadJob(db, id, 'key_1', 'not needed', other)).to.equal(undefined);
      expect(await discardDeadJob(db, id, 'key_1', 'not needed', owner)).to.include({ reason: 'not needed' });
      expect(await discardDeadJob(db, id, 'key_1', 'twice')).to.equal(undefined);
      expect(await retryDeadJob(db, id, 'key_1')).to.equal(undefined);
      await recorder()(job);
      expect(await listDeadJobs(db)).to.deep.equal([]);
      expect(await outbox()).to.deep.equal([]);
    });

    it('is stored as a new row when it fails again after a retry', async () => {
      await recorder()(dead('intents', 'evaluate', payload, 'evaluate-1@1'));
      await retryDeadJob(db, (await listDeadJobs(db))[0]?.deadJobId ?? '', 'key_1');
      await recorder()(dead('intents', 'evaluate', { ...payload, retryOf: '1' }, 'evaluate-1-retry-1@2'));
      expect(await listDeadJobs(db)).to.have.length(1);
    });
  });
});
