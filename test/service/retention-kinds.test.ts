// Retention by kind: facts, submitted intents, the evidence of signals, and dead jobs go alone; what stays is whole.
import { expect } from 'chai';
import pino from 'pino';
import { writeToAllLogs } from '../../shared/domain/ledger/service-record.ts';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { createStoredVerifier } from '../../shared/domain/verification/stored.ts';
import { unpackRecord } from '../../shared/core/decision/packed-record.ts';
import { lowestId, newId } from '../../shared/kernel/ids.ts';
import { type RetainDeps, runRetain } from '../../workers/jobs/retain.ts';
import { auditorOf } from '../support/auditor.ts';
import { rewriteIntents } from '../support/intents.ts';
import type { Client } from '../support/client.ts';
import { asSuperuser } from '../support/database.ts';
import { acceptLateDecisions } from '../support/late-decisions.ts';
import { dailyPartitions, FOR_EVER } from '../support/retention.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker } from '../support/worker.ts';

const DAY_MS = 86_400_000;
const DAYS = 12;

describe('retention by kind', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let client: Client;
  const intents: string[] = [];

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
  const count = async (from: string): Promise<number> =>
    (await service.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`))[0]?.n ?? 0;
  const findings = async (): Promise<string[]> => {
    const audits = await auditorOf(service).run({ full: true });
    return audits.flatMap((log) => log.findings.map(({ kind }) => kind));
  };
  const OLD_PARTS = (days: number): string =>
    `table_partition WHERE parent = 'decision' AND custos_id_time(past_id) < now() - interval '${days} days'`;

  before(async function () {
    this.timeout(120_000);
    both = await startServiceAndWorker({ words: 'few' });
    ({ service } = both);
    client = await service.client({ scopes: ['intents:write', 'proofs:read', 'trust:write'] });
    await service.rows(dailyPartitions(DAYS));
    await acceptLateDecisions(service.db);
    service.advance(-DAYS * DAY_MS);
    for (let day = 0; day <= DAYS; day += 1) {
      for (let i = 0; i < 3; i += 1)
        expect((await client.post('/v1/enforce', { agent_id: 'reader', intent: `data.read.x${i}` })).status).to.equal(
          200,
        );
      const signal = { signalId: `s-${day}`, agentId: 'reader', type: 'success', weight: 1, evidence: { day } };
      expect((await client.post('/v1/trust/signals', { signals: [signal] })).status).to.equal(202);
      const submitted = await client.post('/v1/intents', { agentId: 'reader', action: 'read', resource: 'data/x' });
      expect(submitted.status, submitted.text).to.equal(202);
      intents.push(submitted.json.intentId);
      await both.worker.evaluateAll({ organisationId: service.operatorId, environment: 'live' });
      await both.worker.append();
      if (day < DAYS) service.advance(DAY_MS);
    }
  });
  after(() => both?.close());

  it('drops facts and no decision: each is listed, audited, and not evaluable any more', async () => {
    const all = await count('decision');
    await retain({ facts: 4 * DAY_MS });
    await both.worker.append();
    expect(await count('decision')).to.equal(all);
    const old = "decision WHERE custos_id_time(decision_id) < now() - interval '6 days'";
    expect([await count(old), await count(`${old} AND facts IS NOT NULL`)]).to.satisfy(
      ([rows = 0, facts]: number[]) => rows > 0 && facts === 0,
    );
    const young = "decision WHERE custos_id_time(decision_id) > now() - interval '4 days'";
    expect([await count(young), await count(`${young} AND facts IS NULL`)]).to.satisfy(
      ([rows = 0, none]: number[]) => rows > 0 && none === 0,
    );
    expect(await findings()).to.deep.equal([]);
    const [{ id } = { id: '' }] = await service.rows<{ id: string }>('SELECT min(decision_id) AS id FROM decision');
    expect((await client.get(`/v1/decisions/${id}`)).status).to.equal(200);
    const store = createEvidenceStore({ db: service.db });
    const verifier = createStoredVerifier({ store });
    const statuses: Record<string, number> = {};
    for await (const { status } of verifier.all({})) statuses[status] = (statuses[status] ?? 0) + 1;
    expect(Object.keys(statuses).sort()).to.deep.equal(['not_evaluable', 'verified']);
  });

  it('records in the log that facts were dropped, once for each partition', async () => {
    const recorded = await count("record WHERE event = 'custos.retention'");
    expect(recorded).to.equal(await count(`${OLD_PARTS(4)} AND name LIKE '%\\_bare'`));
    await retain({ facts: 4 * DAY_MS });
    expect(await count("record WHERE event = 'custos.retention'")).to.equal(recorded);
  });

  it('leaves partitions without facts insert-only, with the indexes of the others', async () => {
    const [part] = await service.rows<{ name: string }>(
      `SELECT name FROM ${OLD_PARTS(4)} AND name LIKE '%\\_bare' LIMIT 1`,
    );
    for (const statement of [`DELETE FROM ${part?.name}`, `UPDATE ${part?.name} SET verdict = 'DENY'`])
      expect(String(await service.rows(statement).catch((e: unknown) => e)), statement).to.contain('insert-only');
    const indexes = (table: string): Promise<number> => count(`pg_index WHERE indrelid = '${table}'::regclass`);
    expect(await indexes(part?.name ?? '')).to.equal(await indexes('decision'));
  });

  it('goes on after a crash in the middle of a copy, and loses no row that is written meanwhile', async () => {
    const [part] = await service.rows<{ name: string; ms: number }>(
      `SELECT name, extract(epoch FROM custos_id_time(first_id))::float8 * 1000 AS ms FROM ${OLD_PARTS(2)} AND name NOT LIKE '%\\_bare' ORDER BY past_id LIMIT 1`,
    );
    await service.db.query('SELECT custos_copy_blank($1, 1)', [part?.name]);
    const id = newId('dec', (part?.ms ?? 0) + 60_000);
    await service.rows(
      `INSERT INTO decision SELECT (jsonb_populate_record(d, jsonb_build_object('decision_id', '${id}', 'proof_id', 'late'))).* FROM decision d WHERE facts IS NOT NULL LIMIT 1`,
    );
    const all = await count('decision');
    await retain({ facts: 2 * DAY_MS });
    expect(await count('decision')).to.equal(all);
    expect(await count(`decision WHERE decision_id = '${id}' AND facts IS NULL`)).to.equal(1);
    expect(await count(`pg_class WHERE relname = '${part?.name}'`)).to.equal(0);
  });

  it('swaps nothing that is younger than a day, whoever asks', async () => {
    const [part] = await service.rows<{ name: string }>(
      "SELECT name FROM table_partition WHERE parent = 'decision' AND custos_id_time(past_id) > now() - interval '20 hours' ORDER BY past_id LIMIT 1",
    );
    for (const call of ['custos_copy_blank($1, 1)', 'custos_swap_blank($1)'])
      expect(String(await service.db.query(`SELECT ${call}`, [part?.name]).catch((e: unknown) => e)), call).to.contain(
        'too young',
      );
  });

  it('keeps facts that an open approval needs, until it is closed', async () => {
    const lateBare = (): Promise<number> => count(`${OLD_PARTS(1)} AND name LIKE '%\\_bare'`);
    service.advance(-1.5 * DAY_MS);
    const { json } = await client.post('/v1/enforce', { agent_id: 'reader', intent: 'data.unknown.thing' });
    await both.worker.append();
    service.advance(1.5 * DAY_MS);
    const before = await lateBare();
    await retain({ facts: DAY_MS });
    expect(await count(`decision WHERE decision_id = '${json.decision_id}' AND facts IS NOT NULL`)).to.equal(1);
    await service.rows(`UPDATE approval SET state = 'expired' WHERE approval_id = '${json.approval.approval_id}'`);
    await retain({ facts: DAY_MS });
    expect(await count(`decision WHERE decision_id = '${json.decision_id}' AND facts IS NULL`)).to.equal(1);
    expect(await lateBare()).to.be.above(before);
  });

  it('drops submitted intents that are decided, and neither open ones nor their decisions', async () => {
    const before = await count('decision');
    await rewriteIntents(service.db, "status = 'waiting_approval', decision_id = NULL", 'intent_id = $1', [intents[0]]);
    await retain({ intents: 4 * DAY_MS });
    const statuses = await Promise.all(intents.map(async (id) => (await client.get(`/v1/intents/${id}`)).status));
    expect(statuses).to.deep.equal(intents.map((_, day) => (day === 0 || day > DAYS - 4 ? 200 : 404)));
    expect(await count('decision')).to.equal(before);
  });

  it('forgets what signals say beside their weight, and still counts each once', async () => {
    await retain({ signals: 4 * DAY_MS });
    expect(await count('trust_signal')).to.equal(DAYS + 1);
    expect(await count('trust_signal WHERE evidence IS NULL')).to.be.within(DAYS - 5, DAYS - 3);
    const again = { signalId: 's-0', agentId: 'reader', type: 'success', weight: 1, evidence: { day: 0 } };
    expect((await client.post('/v1/trust/signals', { signals: [again] })).json.code).to.equal('E2010');
    expect(await count('trust_signal')).to.equal(DAYS + 1);
  });

  it('forgets dead jobs that somebody has settled, and no other', async () => {
    const job = (state: string, days: number): string =>
      `('proofs', 'append', '{}', 'x', now() - interval '${days} days', '${state}', ${state === 'dead' ? 'NULL' : `now() - interval '${days} days'`})`;
    await service.rows(
      `INSERT INTO dead_job (queue, name, payload, error, failed_at, state, resolved_at) VALUES ${job('dead', 9)}, ${job('discarded', 9)}, ${job('retried', 1)}`,
    );
    await retain({ jobs: 4 * DAY_MS });
    const left = await service.rows<{ state: string }>('SELECT state FROM dead_job ORDER BY state');
    expect(left.map(({ state }) => state)).to.deep.equal(['dead', 'retried']);
  });

  it('drops nothing and records nothing while the disk is full, and drops it when there is room again', async () => {
    const tampered = (text: string): Promise<unknown> => asSuperuser(service.db, (sql) => sql.query(text, []));
    const state = async (): Promise<number[]> => [
      await count('decision'),
      await count("record WHERE event = 'custos.retention'"),
    ];
    await tampered(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`);
    // Between the records and the drop.
    await tampered(
      'CREATE TRIGGER full_disk BEFORE INSERT ON retention_drop FOR EACH ROW EXECUTE FUNCTION full_disk()',
    );
    const before = await state();
    for (const kinds of [{ decisions: 8 * DAY_MS }, { facts: DAY_MS, decisions: 8 * DAY_MS }])
      expect(String(await retain(kinds).catch((error: unknown) => error))).to.match(/No space|E6002|database/);
    expect(await state()).to.deep.equal(before);
    await tampered('DROP TRIGGER full_disk ON retention_drop');
    await retain({ decisions: 8 * DAY_MS });
    const [decisions = 0, records = 0] = await state();
    expect([decisions < (before[0] ?? 0), records > (before[1] ?? 0)]).to.deep.equal([true, true]);
  });

  it('drops a partition without facts, and one whose copy was begun, with its decisions', async () => {
    const [part] = await service.rows<{ name: string }>(
      `SELECT name FROM ${OLD_PARTS(1)} AND name NOT LIKE '%\\_bare' ORDER BY past_id LIMIT 1`,
    );
    if (part !== undefined) await service.db.query('SELECT custos_copy_blank($1, 1)', [part.name]);
    await retain({ decisions: DAY_MS });
    expect(await count(OLD_PARTS(2))).to.equal(0);
    expect(await count("pg_class WHERE relname LIKE '%\\_bare' AND relkind = 'r' AND NOT relispartition")).to.equal(0);
    await both.worker.append();
    // The late row of the crash above was written past the log.
    expect(await findings()).to.deep.equal([]);
  });

  it('names a record of retention that somebody forged, and does not let it hide a deletion', async () => {
    const beforeMs = service.nowMs() - DAY_MS - 1_000;
    const old = `decision WHERE decision_id < '${lowestId('dec', beforeMs)}'`;
    expect(await count(old)).to.be.above(0);
    const before = new Date(beforeMs).toISOString();
    const body = { beforeId: lowestId('dec', beforeMs), before, setting: 'CUSTOS_KEEP_DECISIONS', keepSeconds: 86_400 };
    const forged = { what: 'decisions', ...body };
    await service.db.transaction((sql) => writeToAllLogs(sql, 'custos.retention', forged, service.nowMs()));
    await both.worker.append();
    expect(await findings()).to.deep.equal(['retention-unfounded']);
    await asSuperuser(service.db, (sql) => sql.query(`DELETE FROM ${old}`, []));
    const after = await findings();
    expect(after).to.include('source-missing').and.include('retention-unfounded');
    // Nor with a sealed row that says the same, as its seal needs the pepper.
    await service.rows(`UPDATE retention_drop SET before_id = '${forged.beforeId}' WHERE what = 'decisions'`);
    expect(await findings())
      .to.include('source-missing')
      .and.include('retention-unfounded');
  });

  it('does not excuse a decision without facts that somebody inserted with an old date', async () => {
    const known = await findings();
    const [made] = await service.rows<{ decision_id: string; record: Buffer; columns: string[] }>(
      `SELECT decision_id, record, ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = 'decision'::regclass AND attnum > 0
        AND NOT attisdropped AND attname NOT IN ('decision_id', 'record', 'facts', 'facts_salt')) AS columns
      FROM decision WHERE verdict = 'ALLOW' ORDER BY decision_id DESC LIMIT 1`,
    );
    if (made === undefined) throw new Error('there is no decision');
    const forgedId = newId('dec', service.nowMs() - 6 * DAY_MS);
    const record = unpackRecord(made.record).toString().replaceAll(made.decision_id.slice(3), forgedId.slice(3));
    const columns = made.columns.join(', ');
    const insert = `INSERT INTO decision (decision_id, record, ${columns}) SELECT $1, $2, ${columns} FROM decision WHERE decision_id = $3`;
    await service.db.query(insert, [forgedId, Buffer.from(record), made.decision_id]);
    const wait = `INSERT INTO log_inbox (organisation_id, environment, source, source_id) VALUES ($1, 'live', 'decision', $2)`;
    await service.db.query(wait, [service.operatorId, forgedId]);
    await both.worker.append();
    expect(await findings()).to.have.members([...known, 'facts-missing']);
    await asSuperuser(service.db, (sql) => sql.query('DELETE FROM decision WHERE decision_id = $1', [forgedId]));
    expect(await findings()).to.have.members([...known, 'source-missing']);
  });
});
