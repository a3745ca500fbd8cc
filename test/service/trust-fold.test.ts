// The fold as a transaction: what it writes, its rollback after a failure in any statement, and its batches.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { EntitySql, Sql } from '../../shared/platform/db/database.ts';
import { FOLD_BATCH, foldBatch, LOCK_STATES, nextBatch } from '../../shared/domain/trust/fold.ts';
import { dayOf, scoreOn } from '../../shared/core/trust/beta.ts';
import { createAuditor } from '../../shared/domain/ledger/audit.ts';
import { queueLostSignals } from '../../shared/domain/trust/lost-signals.ts';
import { createSignalStore } from '../../shared/domain/trust/signals.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { fold as foldJob } from '../../workers/jobs/fold.ts';
import type { Client } from '../support/client.ts';
import { leaveMidnight, type Service, startService } from '../support/service.ts';
import { startTestWorker } from '../support/worker.ts';

const CAP = 10_000;
const TABLES = ['trust_inbox', 'trust_state', 'trust_bucket', 'trust_fold', 'record', 'log_inbox', 'outbox', 'change'];

describe('the fold', () => {
  let service: Service;
  let reporter: Client;
  beforeEach(async () => {
    service = await startService();
    leaveMidnight(service);
    reporter = await service.client({ scopes: ['trust:write', 'trust:read'] });
  });
  afterEach(() => service?.close());

  const deps = () => ({ db: service.db, nowMs: service.nowMs, dailyCap: CAP });
  const send = (signals: readonly object[]) => reporter.post('/v1/trust/signals', { signals });
  const count = async (table: string): Promise<number> =>
    Number((await service.rows<{ n: string }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n);
  const contents = async (): Promise<string> => {
    const rows = await Promise.all(TABLES.map((table) => service.rows(`SELECT t::text FROM ${table} AS t ORDER BY 1`)));
    return JSON.stringify(rows);
  };

  it('writes for each agent a canonical record of its signals, queued for the log, its state and its change notice', async () => {
    await send([
      { signalId: 's1', agentId: 'ä gent', type: 'success', weight: 0.25 },
      { signalId: 's2', agentId: 'other', type: 'failure' },
      { signalId: 's3', agentId: 'ä gent', type: 'violation' },
    ]);
    await service.rows("DELETE FROM outbox WHERE queue = 'proofs'");
    expect((await foldBatch(deps())).signals).to.equal(3);

    const [record] = await service.rows<{
      proof_id: string;
      event: string;
      record: Buffer;
      occurred_at: Date;
      key_id: null;
    }>("SELECT proof_id, event, record, occurred_at, key_id FROM record WHERE entity_id = 'ä gent'");
    const whole = JSON.parse(`${record?.record.toString('utf8')}}`);
    expect(`${record?.record.toString('utf8')}}`, 'RFC 8785').to.equal(canonicalize(whole));
    const { body, ...payload } = whole.payload;
    expect(payload).to.deep.equal({
      environment: 'live',
      organisation: payload.organisation,
      proofId: record?.proof_id,
    });
    expect(record?.proof_id).to.match(/^prf_[0-9a-z]{26}$/);
    expect(whole).to.include({
      agentId: 'ä gent',
      eventType: 'custos.trust',
      occurredAt: record?.occurred_at.toISOString(),
    });
    const day = new Date(service.nowMs()).toISOString().slice(0, 10);
    const [{ key_id: key } = { key_id: '' }] = await service.rows<{ key_id: string }>(
      'SELECT DISTINCT key_id FROM trust_signal',
    );
    const { score, level, uncertainty } = (await reporter.get('/v1/trust/%C3%A4%20gent')).json;
    expect(body).to.deep.equal({
      asOf: { day, signals: 2 },
      dailyCapThousandths: CAP,
      level,
      score,
      uncertainty,
      signals: [
        { day, key, n: 1, signalId: 's1', type: 'success', weight: 0.25 },
        { day, key, n: 2, signalId: 's3', type: 'violation', weight: 1 },
      ],
    });
    expect(await service.rows('SELECT source, source_id FROM log_inbox ORDER BY seq')).to.deep.include({
      source: 'record',
      source_id: record?.proof_id,
    });
    const woken = await service.rows<{ payload: string }>(
      "SELECT payload FROM outbox WHERE queue = 'proofs' AND name = 'append'",
    );
    expect(woken.map((row) => JSON.parse(row.payload))).to.deep.equal([
      { v: 1, organisationId: service.operatorId, environment: 'live' },
    ]);
    const [news] = await service.rows<{ subject: string }>("SELECT subject FROM change WHERE kind = 'trust'");
    expect(JSON.parse(news?.subject ?? '')).to.have.members([service.operatorId, 'live', 'ä gent', 'other']);
    expect(await count('trust_inbox')).to.equal(0);
    expect((await foldBatch(deps())).signals, 'nothing is left').to.equal(0);
  });

  it('changes nothing when it fails, after any of its statements', async () => {
    await send([{ agentId: 'known', type: 'success' }]);
    await foldBatch(deps());
    await send([
      { agentId: 'known', type: 'failure' },
      { agentId: 'new', type: 'success' },
    ]);
    const before = await contents();
    let statements = 0;
    for (let failAfter = 1; failAfter < 30; failAfter += 1) {
      let done = 0;
      // Like a worker killed at this point: Postgres rolls back the open transaction.
      const transaction = <T>(work: (sql: EntitySql) => Promise<T>): Promise<T> =>
        service.db.transaction((sql) =>
          work({
            ...sql,
            async query<Row extends object>(...given: Parameters<Sql['query']>) {
              if (done === failAfter) throw new Error('killed');
              done += 1;
              return sql.query<Row>(...given);
            },
          }).then((result) => {
            if (done === failAfter) throw new Error('killed before the commit');
            return result;
          }),
        );
      const failure = await foldBatch({ ...deps(), db: { transaction } }).then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (failure === undefined) break;
      statements = failAfter;
      expect(failure).to.contain('killed');
      expect(await contents(), `after ${failAfter} statements`).to.equal(before);
    }
    expect(statements).to.equal(9);
    const { asOf } = (await reporter.get('/v1/trust/known')).json;
    expect(asOf.signals, 'the attempt that was not killed folded it once').to.equal(2);
    expect(await count('trust_fold')).to.equal(3);
  });

  it('releases its locks and signals when its connection dies in the middle', async () => {
    await send([
      { agentId: 'a', type: 'failure' },
      { agentId: 'b', type: 'failure' },
    ]);
    const before = await contents();
    let failure: unknown;
    const transaction = <T>(work: (sql: EntitySql) => Promise<T>): Promise<T> =>
      service.db.transaction((sql) =>
        work({
          ...sql,
          async query<Row extends object>(...given: Parameters<Sql['query']>) {
            const rows = await sql.query<Row>(...given);
            if (given[0] === LOCK_STATES) {
              const [own] = await sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid', []);
              // Waits until the backend has ended (at most 10 s): only then are its locks released.
              await service.rows('SELECT pg_terminate_backend($1, 10000)', [own?.pid]);
            }
            return rows;
          },
        }),
      );
    await foldBatch({ ...deps(), db: { transaction } }).catch((error: unknown) => (failure = error));
    expect(failure).to.have.property('code', 'E6002');
    expect(await contents()).to.equal(before);
    expect((await foldBatch(deps())).signals).to.equal(2);
  });

  it('skips signals that another worker has locked, without waiting', async () => {
    await send(Array.from({ length: 6 }, (_, i) => ({ agentId: `agent ${i}`, type: 'success' })));
    await service.db.transaction(async (sql) => {
      await sql.query('SELECT seq FROM trust_inbox ORDER BY seq LIMIT 4 FOR UPDATE', []);
      expect((await foldBatch(deps())).signals).to.equal(2);
      expect((await foldBatch(deps())).signals).to.equal(0);
    });
    expect((await foldBatch(deps())).signals).to.equal(4);
  });

  it('folds a signal whose inbox row was deleted, once: the audit finds it, and it is queued again', async () => {
    const worker = await startTestWorker(service);
    try {
      await send([{ agentId: 'known', type: 'success' }]);
      await foldBatch(deps());
      await worker.append();
      let offsetMs = 0;
      const auditor = createAuditor({
        db: service.db,
        nowMs: service.nowMs,
        monotonicMs: () => performance.now() + offsetMs,
        onLostSignals: async (owner, agentId) => void (await queueLostSignals(service.db, owner, agentId)),
      });
      const audit = async () => {
        offsetMs += 10_000;
        const audits = await auditor.run();
        return audits.flatMap(({ findings }) => findings.map(({ kind, sentence }) => `${kind} ${sentence}`));
      };
      const waiting = [{ agentId: 'known', type: 'violation' }];
      await send(waiting);
      expect(await audit(), 'it waits').to.deep.equal([]);
      await send([...waiting, { agentId: 'unknown', type: 'violation' }]);
      await service.rows('DELETE FROM trust_inbox');
      expect(await audit()).to.have.members([
        'signal-lost The trust of the agent "known": 2 of its accepted signals are in no fold and do not wait for one.',
        'signal-lost The trust of the agent "unknown": 1 of its accepted signals are in no fold and do not wait for one.',
      ]);
      expect(await count('trust_inbox')).to.equal(3);
      const owner = { organisationId: service.operatorId, environment: 'live' } as const;
      expect(await queueLostSignals(service.db, owner, 'known'), 'none is queued twice').to.equal(0);
      await foldBatch(deps());
      expect((await reporter.get('/v1/trust/known')).json.asOf.signals).to.equal(3);
      expect(await queueLostSignals(service.db, owner, 'known')).to.equal(0);
      expect(await audit()).to.deep.equal([]);
      await service.rows(
        'INSERT INTO trust_inbox (organisation_id, environment, signal_id) SELECT organisation_id, environment, signal_id FROM trust_signal LIMIT 1',
      );
      await foldBatch(deps());
      expect(
        (await audit()).map((text) => text.split(' ')[0]),
        'one that counts twice',
      ).to.deep.equal(['trust-altered']);
    } finally {
      await worker.close();
    }
  });

  it('queues exactly what is lost of an agent with more signals than one statement may read', async () => {
    const [many, each] = [50_000, 20_000];
    const owner = { organisationId: service.operatorId, environment: 'live' } as const;
    const agent = [owner.organisationId, owner.environment, 'busy'];
    // Signals 0 to `many`: each 1,000th is in no fold, and the last 10 wait.
    const isLost = 'n % 1000 = 77';
    await service.rows(
      `INSERT INTO trust_signal (organisation_id, environment, agent_id, signal_id, key_id, type, weight, occurred_at, received_at)
       SELECT $1, $2, $3, 's-' || n, 'k', 'success', 1000, now(), now() FROM generate_series(0, $4::int) n`,
      [...agent, many],
    );
    await service.rows(
      `INSERT INTO trust_fold (organisation_id, environment, agent_id, first_n, last_n, folded_at, day, score, uncertainty, signals, proof_id)
       SELECT $1, $2, $3, min(place), max(place), now(), 20000, 500, 0.1, json_agg(json_build_object('signalId', 's-' || n))::text, 'prf' || min(n)
       FROM (SELECT n, row_number() OVER (ORDER BY n) AS place FROM generate_series(0, $4::int - 10) n WHERE NOT ${isLost}) AS numbered
       GROUP BY (place - 1) / $5::int`,
      [...agent, many, each],
    );
    await service.rows(
      `INSERT INTO trust_inbox (organisation_id, environment, signal_id) SELECT $1, $2, 's-' || n FROM generate_series($3::int - 9, $3::int) n`,
      [...agent.slice(0, 2), many],
    );
    let queued = 0;
    // The filter mistakes a few, in each run others.
    for (let run = 0; run < 3; run += 1) queued += await queueLostSignals(service.db, owner, 'busy');
    const [{ lost } = { lost: 0 }] = await service.rows<{ lost: number }>(
      `SELECT count(*)::int AS lost FROM generate_series(0, ${many} - 10) n WHERE ${isLost}`,
    );
    expect(lost).to.be.above(40);
    expect(queued).to.equal(lost);
    const [{ waiting } = { waiting: 0 }] = await service.rows<{ waiting: number }>(
      `SELECT count(DISTINCT signal_id)::int AS waiting FROM trust_inbox WHERE signal_id LIKE 's-%'`,
    );
    expect(waiting).to.equal(lost + 10);
    await service.rows('DELETE FROM trust_inbox');
  });

  it('keeps what a waiting signal says: the role of the service may erase its evidence, and nothing else', async () => {
    await send([{ signalId: 'kept', agentId: 'known', type: 'violation', evidence: { a: 1 } }]);
    const refusal = (statement: string) =>
      service.rows(`${statement} WHERE signal_id = 'kept'`).then(
        () => undefined,
        (error: Error) => error.message,
      );
    expect(await refusal("UPDATE trust_signal SET type = 'success'")).to.match(/insert-only/);
    expect(await refusal("UPDATE trust_signal SET agent_id = 'another'")).to.match(/insert-only/);
    expect(await refusal('UPDATE trust_signal SET weight = 1')).to.match(/insert-only/);
    expect(await refusal('UPDATE trust_signal SET weight = 0')).to.match(/weight_check/);
    expect(await refusal('DELETE FROM trust_signal')).to.match(/permission denied|insert-only/);
    expect(await refusal('UPDATE trust_signal SET evidence = NULL')).to.equal(undefined);
  });

  it('reads one row for each agent and each changed bucket, however many days of evidence the agents have', async () => {
    const today = dayOf(service.nowMs());
    const buckets = Array.from({ length: 400 }, (_, i) => [
      { keyId: 'key one', day: today - 3 * i, positive: 7_000 + 20 * i, negative: i },
      { keyId: 'key two', day: today - 3 * i, positive: 300, negative: i === 300 ? 2 ** 45 + 7 : 5 * (i % 7) },
    ]).flat();
    const agents = Array.from({ length: 9 }, (_, i) => `old ${i}`);
    await service.rows(
      `INSERT INTO trust_bucket (organisation_id, environment, agent_id, day, key_id, positive, negative)
        SELECT $1, 'live', agent_id, day, key_id, positive, negative FROM unnest($2::text[]) AS agent_id,
          unnest($3::int[], $4::text[], $5::bigint[], $6::bigint[]) AS bucket (day, key_id, positive, negative)`,
      [
        service.operatorId,
        agents,
        buckets.map(({ day }) => day),
        buckets.map(({ keyId }) => keyId),
        buckets.map(({ positive }) => positive),
        buckets.map(({ negative }) => negative),
      ],
    );
    await send(
      agents.flatMap((agentId) => [
        { agentId, type: 'success' },
        { agentId, type: 'failure', weight: 0.5 },
      ]),
    );
    let mostRows = 0;
    const transaction = <T>(work: (sql: EntitySql) => Promise<T>): Promise<T> =>
      service.db.transaction((sql) =>
        work({
          ...sql,
          async query<Row extends object>(...given: Parameters<Sql['query']>) {
            const rows = await sql.query<Row>(...given);
            mostRows = Math.max(mostRows, rows.length);
            return rows;
          },
        }),
      );
    const limited = { ...deps(), db: { transaction }, maxAgents: 4 };
    expect(await foldBatch(limited), 'all signals of the first agents').to.deep.equal({ signals: 8, leftOut: 10 });
    expect(await foldBatch(limited)).to.deep.equal({ signals: 8, leftOut: 2 });
    expect(await foldBatch(limited)).to.deep.equal({ signals: 2, leftOut: 0 });
    expect(mostRows).to.equal(8);
    const expected = scoreOn(today, [...buckets, { day: today, positive: 1_000, negative: 500 }], CAP);
    for (const { score, uncertainty } of await service.rows<{ score: number; uncertainty: string }>(
      'SELECT score, uncertainty FROM trust_state',
    ))
      expect({ score, uncertainty: Number(uncertainty) }).to.deep.equal(expected);
  });

  it('takes a smaller batch after a failure, and larger ones again, as a job', async () => {
    const sizes: unknown[] = [];
    let isAway = true;
    const db = {
      ...service.db,
      transaction: <T>(work: (sql: EntitySql) => Promise<T>): Promise<T> =>
        service.db.transaction((sql) =>
          work({
            ...sql,
            async query<Row extends object>(...given: Parameters<Sql['query']>) {
              if (given[0].includes('DELETE FROM trust_inbox')) sizes.push(given[1][0]);
              if (isAway) throw new Error('Query read timeout');
              return sql.query<Row>(...given);
            },
          }),
        ),
    };
    const run = foldJob.handler({ ...deps(), db });
    for (let i = 0; i < 7; i += 1)
      await run({ v: 1 }).then(
        () => expect.fail('it must fail'),
        () => undefined,
      );
    isAway = false;
    await run({ v: 1 });
    await run({ v: 1 });
    expect(sizes).to.deep.equal([20_000, 5_000, 1_250, 312, 78, 19, 10, 10, 20]);
  });

  it('makes the next batch smaller when one was slow or took signals of too many agents', () => {
    expect(nextBatch(20_000, { signals: 20_000, leftOut: 0, tookMs: 5_000 })).to.equal(10_000);
    expect(nextBatch(20_000, { signals: 1_000, leftOut: 19_000, tookMs: 500 })).to.equal(4_000);
    expect(nextBatch(20_000, { signals: 12_000, leftOut: 8_000, tookMs: 500 })).to.equal(20_000);
    expect(nextBatch(11, { signals: 11, leftOut: 0, tookMs: 4_000 })).to.equal(10);
  });

  it('runs batch by batch until nothing is pending, as a job', async () => {
    const signals = createSignalStore({ db: service.db });
    const at = new Date(service.nowMs()).toISOString();
    const total = FOLD_BATCH + 1_500;
    for (let i = 0; i < total; i += 500) {
      const rows = Array.from({ length: 500 }, (_, j) => ({
        organisationId: service.operatorId,
        environment: 'live' as const,
        signalId: createHash('sha256')
          .update(`${i + j}`)
          .digest('hex'),
        agentId: `agent ${(i + j) % 7}`,
        keyId: 'AAAAAAAA',
        type: 'success' as const,
        weight: 1,
        occurredAt: at,
        receivedAt: at,
        source: undefined,
        evidence: undefined,
      }));
      await signals.accept(rows, () => '');
    }
    const fold = foldJob.handler(deps());
    await Promise.all([fold({ v: 1 }), fold({ v: 1 })]);
    expect(await count('trust_inbox')).to.equal(0);
    const [sum] = await service.rows<{ n: string }>('SELECT sum(signals) AS n FROM trust_state');
    expect(Number(sum?.n)).to.equal(total);
  });
});
