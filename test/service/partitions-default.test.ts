// The default partition: what comes before the partition of its time was made is moved into it, or goes when that would have gone.
import { expect } from 'chai';
import pino from 'pino';
import { Registry } from 'prom-client';
import { watchInstallation } from '../../shared/domain/installation/gauges.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { type RetainDeps, runRetain } from '../../workers/jobs/retain.ts';
import { auditorOf } from '../support/auditor.ts';
import type { Client } from '../support/client.ts';
import { acceptLateDecisions } from '../support/late-decisions.ts';
import { dailyPartitions, FOR_EVER } from '../support/retention.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker } from '../support/worker.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PARENTS = ['decision', 'intent_parse'] as const;
/** The partition of the day that no partition has; see dailyPartitions. */
const GAP_DAY = 8;

describe('the default partition', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let client: Client;

  beforeEach(async function () {
    this.timeout(60_000);
    both = await startServiceAndWorker({ words: 'few' });
    ({ service } = both);
    client = await service.client({ scopes: ['intents:write', 'proofs:read'] });
    await service.rows(dailyPartitions(12));
    await acceptLateDecisions(service.db);
  });
  afterEach(() => both?.close());

  const retain = (keepMs: Partial<RetainDeps['keepMs']>): Promise<void> =>
    runRetain({
      db: service.db,
      nowMs: service.nowMs,
      deletionMs: service.nowMs,
      logger: pino({ level: 'silent' }),
      leastKeepMs: DAY_MS,
      keepMs: { ...FOR_EVER, ...keepMs },
      onDropped: () => undefined,
    });
  const ask = async (): Promise<void> => {
    const posts = [
      ['/v1/enforce', { agent_id: 'reader', intent: 'data.read.x' }],
      ['/v1/intent', { agent_id: 'reader', raw_intent: 'read the user profile data' }],
    ] as const;
    for (const [path, body] of posts) expect((await client.post(path, body)).status).to.equal(200);
  };
  const count = async (from: string): Promise<number> =>
    (await service.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`))[0]?.n ?? 0;
  const waiting = (): Promise<number[]> => Promise.all(PARENTS.map((parent) => count(`${parent}_default`)));
  /** As if the service had been off since these were due: the partitions end an hour ago. */
  const endAnHourAgo = async (): Promise<void> => {
    for (const parent of PARENTS) for (const n of [0, 1]) await service.rows(`DROP TABLE ${parent}_day_${n}`);
  };
  const insertAt = (atMs: readonly number[]): Promise<object[]> =>
    service.rows(
      `INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, process_id, record)
       SELECT id, $1, 'live', 'a', 'k', 'ALLOW', now(), 'p', 'x' FROM unnest($2::text[]) AS id`,
      [service.operatorId, atMs.map((ms) => newId('dec', ms))],
    );
  const partOf = async (atMs: number): Promise<string | undefined> => {
    await insertAt([atMs]);
    const rows = await service.rows<{ part: string }>(
      "SELECT tableoid::regclass::text AS part FROM decision WHERE agent_id = 'a' ORDER BY decision_id DESC LIMIT 1",
    );
    return rows[0]?.part;
  };
  const findings = async (): Promise<string[]> => {
    await both.worker.append();
    const audits = await auditorOf(service).run({ full: true });
    return audits.flatMap((log) => log.findings.map(({ kind }) => kind));
  };

  it('is empty after the first run of the job, although requests came before it after a pause of days', async () => {
    await endAnHourAgo();
    await ask();
    expect((await waiting()).every((rows) => rows > 0)).to.equal(true);
    const before = await service.rows('SELECT * FROM decision ORDER BY decision_id');
    await retain({ decisions: 90 * DAY_MS, texts: 90 * DAY_MS });
    expect(await service.rows('SELECT * FROM decision ORDER BY decision_id')).to.deep.equal(before);
    for (const days of [0, 1, 5, 10]) {
      service.advance(days * DAY_MS);
      await ask();
      service.advance(-days * DAY_MS);
    }
    expect(await waiting()).to.deep.equal([0, 0]);
    expect(await findings()).to.deep.equal([]);
    const indexes = (table: string): Promise<number> => count(`pg_index WHERE indrelid = '${table}'::regclass`);
    expect(await indexes((await partOf(service.nowMs())) ?? '')).to.equal(await indexes('decision'));
  });

  it('keeps the rows of an hour that are too many to be moved, and no later ones', async () => {
    await endAnHourAgo();
    const hourMs = Math.floor(service.nowMs() / HOUR_MS) * HOUR_MS;
    await insertAt(Array.from({ length: 2_001 }, (_, i) => hourMs + i));
    // A clock that was ahead.
    await insertAt([hourMs + 3 * DAY_MS]);
    await retain({ decisions: 90 * DAY_MS });
    expect(await count('decision_default')).to.equal(2_001);
    const registry = new Registry();
    const queues = { counts: () => Promise.reject(new Error('away')) };
    watchInstallation(registry, { sql: service.db, queues, monotonicMs: () => performance.now() });
    expect(await registry.metrics())
      .to.contain('custos_default_partition_rows{table="decision"} 2001')
      .and.contain('custos_default_partition_rows{table="intent_parse"} 0');
    expect(await partOf(hourMs + HOUR_MS + 1)).not.to.equal('decision_default');
    expect(await partOf(hourMs + 11 * DAY_MS)).not.to.equal('decision_default');
  });

  it('gets nothing of the time before a partition that a clock made ahead of time', async () => {
    await endAnHourAgo();
    await service.rows(
      "SELECT custos_add_partitions('decision', interval '1 day', date_trunc('hour', now()) + interval '4 days')",
    );
    const made = await service.rows<{ name: string }>(
      "SELECT name FROM table_partition WHERE parent = 'decision' AND past_id > custos_id_at('dec', now()) ORDER BY past_id",
    );
    for (const { name } of made.slice(1, -1)) await service.rows(`DROP TABLE ${name}`);
    await retain({ decisions: 90 * DAY_MS });
    for (const days of [0, 1, 2, 3, 4, 6])
      expect(await partOf(service.nowMs() + days * DAY_MS)).not.to.equal('decision_default');
  });

  it('loses what is old when the partitions beside it do, with a record that the audit accepts', async function () {
    this.timeout(60_000);
    for (const parent of PARENTS) await service.rows(`DROP TABLE ${parent}_day_${GAP_DAY}`);
    service.advance(-12 * DAY_MS);
    for (let day = 12; day >= 0; day -= 1) {
      await ask();
      await both.worker.append();
      if (day > 0) service.advance(DAY_MS);
    }
    const before = await waiting();
    expect(before.every((rows) => rows > 0)).to.equal(true);
    // Too young.
    await retain({ decisions: 10 * DAY_MS, facts: 9 * DAY_MS, texts: 10 * DAY_MS });
    expect(await waiting()).to.deep.equal(before);
    expect(await count('decision_default WHERE facts IS NULL')).to.equal(0);
    await retain({ facts: 4 * DAY_MS });
    expect(await waiting()).to.deep.equal(before);
    expect(await count('decision_default WHERE facts IS NOT NULL')).to.equal(0);
    await retain({ decisions: 4 * DAY_MS, texts: 4 * DAY_MS });
    expect(await waiting()).to.deep.equal([0, 0]);
    expect(await findings()).to.deep.equal([]);
    const [{ id } = { id: '' }] = await service.rows<{ id: string }>(
      "SELECT custos_id_at('dec', now() - interval '23 hours') AS id",
    );
    const forget = service.db.query('SELECT custos_forget_default($1, 10)', [id]);
    expect(String(await forget.catch((error: unknown) => error))).to.contain('too young');
  });
});
