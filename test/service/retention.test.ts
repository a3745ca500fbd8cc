// Forty days of decisions with retention on: what is dropped, and what stays provable, readable and audited.
import { expect } from 'chai';
import pino from 'pino';
import { createLogFileAuditor, type LogFileAudit } from '../../shared/core/proof/audit-file.ts';
import { createLogFileVerifier } from '../../shared/core/proof/log-file.ts';
import { parseReceipt, verifyReceipt } from '../../shared/core/proof/receipt.ts';
import { trustPublishedKeys } from '../../shared/core/proof/keys.ts';
import { checkPromiseInLog } from '../../shared/core/proof/verify.ts';
import type { Auditor } from '../../shared/domain/ledger/audit.ts';
import { DamagedLogError, exportLog, findLog } from '../../shared/domain/ledger/export.ts';
import { writeToAllLogs } from '../../shared/domain/ledger/service-record.ts';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { createStoredVerifier } from '../../shared/domain/verification/stored.ts';
import { idTimeMs, lowestId, newId } from '../../shared/kernel/ids.ts';
import { type RetainDeps, runRetain } from '../../workers/jobs/retain.ts';
import { spanHours } from '../../workers/jobs/retain-spans.ts';
import { auditorOf } from '../support/auditor.ts';
import type { Client } from '../support/client.ts';
import { acceptLateDecisions } from '../support/late-decisions.ts';
import { dailyPartitions, FOR_EVER } from '../support/retention.ts';
import { asSuperuser } from '../support/database.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker } from '../support/worker.ts';

const DAY_MS = 86_400_000;
const DAYS = 40;
const KEPT_DAYS = 8;
const A_DAY = 4;

interface Asked {
  readonly day: number;
  readonly decisionId: string;
  readonly receipt: string;
}

/** The event of an exported leaf with its record. */
const eventOfLine = (line: string): string =>
  JSON.parse(Buffer.from(JSON.parse(line).record, 'base64').toString()).eventType;

describe('retention over forty days', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let client: Client;
  let auditor: Auditor;
  const asked: Asked[] = [];
  /** Decisions in the database at the end of each day. */
  const sizes: number[] = [];
  const dropped = { decision: 0, intent_parse: 0 };

  const deps = (): RetainDeps => ({
    db: service.db,
    nowMs: service.nowMs,
    deletionMs: service.nowMs,
    logger: pino({ level: 'silent' }),
    leastKeepMs: DAY_MS,
    keepMs: { ...FOR_EVER, decisions: KEPT_DAYS * DAY_MS, texts: KEPT_DAYS * DAY_MS },
    onDropped: (table) => (dropped[table] += 1),
  });
  const count = async (from: string): Promise<number> =>
    (await service.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`))[0]?.n ?? 0;
  const ask = async (intent: string): Promise<string> => {
    const answer = await client.post('/v1/enforce', { agent_id: 'reader', intent });
    expect(answer.status, answer.text).to.equal(200);
    return answer.json.decision_id;
  };
  const findings = async (): Promise<string[]> =>
    (await auditor.run({ full: true })).flatMap((log) => log.findings.map(({ kind }) => kind));
  const tamper = (text: string): Promise<unknown> => asSuperuser(service.db, (sql) => sql.query(text, []));

  before(async function () {
    this.timeout(240_000);
    both = await startServiceAndWorker();
    ({ service } = both);
    client = await service.client({ scopes: ['intents:write', 'proofs:read', 'trust:write'] });
    await service.rows(dailyPartitions(DAYS));
    await acceptLateDecisions(service.db);
    auditor = auditorOf(service);
    service.advance(-DAYS * DAY_MS);
    for (let day = 0; day <= DAYS; day += 1) {
      const ids: string[] = [];
      for (let i = 0; i < A_DAY; i += 1)
        ids.push(await ask(i === 0 ? 'delete:db/production/users' : `data.read.x${i}`));
      await client.post('/v1/intent', { agent_id: 'reader', raw_intent: 'read the user profile data' });
      await both.worker.append();
      for (const decisionId of ids)
        asked.push({ day, decisionId, receipt: (await client.get(`/v1/proofs/prf${decisionId.slice(3)}`)).text });
      await runRetain(deps());
      sizes.push(await count('decision'));
      if (day < DAYS) service.advance(DAY_MS);
    }
    await both.worker.append();
  });
  after(() => both?.close());

  it('keeps the database at the size of what is kept', async () => {
    const most = (KEPT_DAYS + 2) * A_DAY;
    expect(Math.max(...sizes.slice(KEPT_DAYS + 2))).to.be.at.most(most);
    expect(sizes.at(-1)).to.be.at.least(KEPT_DAYS * A_DAY);
    expect(await count('intent_parse')).to.be.within(KEPT_DAYS, KEPT_DAYS + 2);
    expect(dropped.decision).to.be.at.least(DAYS - KEPT_DAYS - 2);
  });

  it('keeps short counts of decisions as long as the decisions, and those of hours for ever', async () => {
    const counts = await service.rows<{ seconds: number; days: number; oldest: number }>(
      `SELECT seconds, count(DISTINCT start_at::date)::int AS days, bool_or(now() - start_at > interval '${KEPT_DAYS + 3} days')::int AS oldest
       FROM decision_count GROUP BY 1 ORDER BY 1`,
    );
    expect(counts.map(({ seconds, oldest }) => [seconds, oldest])).to.deep.equal([
      [10, 0],
      [60, 0],
      [3_600, 1],
    ]);
    for (const { seconds, days } of counts)
      expect(days, `${seconds}`).to.be.at.least(seconds < 3_600 ? KEPT_DAYS : DAYS);
  });

  it('drops no row of what is still to be kept', async () => {
    const young = asked.filter(({ day }) => day > DAYS - KEPT_DAYS);
    for (const { decisionId } of young) expect((await client.get(`/v1/decisions/${decisionId}`)).status).to.equal(200);
  });

  it('leaves receipts that were given out valid, offline, with the published keys', async () => {
    const keys = trustPublishedKeys((await client.get('/v1/log/keys')).json);
    for (const { receipt, day } of asked)
      expect(verifyReceipt(parseReceipt(receipt), keys), `day ${day}`).to.include({ ok: true });
  });

  it('answers 410 (E4006) for a dropped decision and its proof, and 404 for one that is young and unknown', async () => {
    const old = asked[0]?.decisionId ?? '';
    const young = `${asked.at(-1)?.decisionId.slice(0, 14)}${'0'.repeat(16)}`;
    const outcomes = await Promise.all(
      [`/v1/decisions/${old}`, `/v1/proofs/prf${old.slice(3)}`, `/v1/decisions/${young}`].map((path) =>
        client.get(path),
      ),
    );
    expect(outcomes.map(({ status, json }) => [status, json.code])).to.deep.equal([
      [410, 'E4006'],
      [410, 'E4006'],
      [404, 'E4001'],
    ]);
  });

  it('lists all decisions that are kept, page by page, and every leaf and every link of the chain', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await client.get(`/v1/decisions?limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.json.items.map((one: { decision_id: string }) => one.decision_id));
      cursor = page.json.nextCursor;
    }
    expect(seen.length).to.equal(await count('decision'));
    const chain = await client.get('/v1/proofs/chain/reader?limit=200');
    const items = chain.json.items as { record: string | null; previousHash: string; eventHash: string }[];
    expect(items.length).to.equal(asked.length);
    for (const [i, item] of items.entries())
      expect(item.previousHash).to.equal(i === 0 ? '0'.repeat(64) : items[i - 1]?.eventHash);
    expect(items[0]?.record).to.equal(null);
    expect(items.at(-1)?.record).to.be.a('string');
    expect((await client.get('/v1/proofs?entityId=reader&limit=200')).json.items.length).to.equal(asked.length);
  });

  it('is recorded in the log: what, until when, and by which setting', async () => {
    const { items } = (await client.get('/v1/proofs?event=custos.retention&limit=200')).json;
    expect(items.length).to.equal(dropped.decision + dropped.intent_parse);
    const [{ proofId }] = items;
    const { record } = (await client.get(`/v1/proofs/${proofId}`)).json;
    const { payload } = JSON.parse(Buffer.from(record, 'base64').toString('utf8'));
    expect(payload.body).to.include({ keepSeconds: KEPT_DAYS * 86_400 });
    expect(payload.body.setting).to.match(/^CUSTOS_KEEP_(?:DECISIONS|TEXTS)$/);
    expect(Date.parse(payload.body.before)).to.be.below(service.nowMs() - (KEPT_DAYS - 1) * DAY_MS);
  });

  it('gives the auditor nothing to report, and lets what is kept be verified', async () => {
    expect(await findings()).to.deep.equal([]);
    const verifier = createStoredVerifier({
      store: createEvidenceStore({ db: service.db }),
    });
    const outcomes: string[] = [];
    for await (const { status } of verifier.all({})) outcomes.push(status);
    expect(outcomes.length).to.equal(await count('decision'));
    expect(new Set(outcomes)).to.deep.equal(new Set(['verified']));
  });

  const exported = async (): Promise<string[]> => {
    const found = await findLog(service.db, service.operatorId, 'live');
    if (found === undefined || found.origin === null) throw new Error('there is no log');
    const lines: string[] = [];
    for await (const line of exportLog(service.db, { ...found, origin: found.origin })) lines.push(line.trimEnd());
    return lines;
  };
  const auditOf = async (lines: readonly string[]): Promise<LogFileAudit> => {
    const trustedKeys = trustPublishedKeys((await client.get('/v1/log/keys')).json);
    const fileAuditor = createLogFileAuditor({ trustedKeys });
    for (const line of lines) fileAuditor.next(line);
    return fileAuditor.end();
  };

  it('exports a log that passes the audit offline, and names the leaves whose records were dropped', async () => {
    const lines = await exported();
    const { findings: found, dropped: ranges, leaves } = await auditOf(lines);
    expect(found).to.deep.equal([]);
    const [{ n } = { n: 0 }] = await service.rows<{ n: number }>(
      "SELECT count(*)::int AS n FROM leaf WHERE event = 'custos.decision' AND NOT EXISTS (SELECT FROM decision WHERE decision_id = 'dec' || substr(leaf.proof_id, 4))",
    );
    expect(ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)).to.equal(n);
    expect([n > 0, leaves > n]).to.deep.equal([true, true]);
    const trustedKeys = trustPublishedKeys((await client.get('/v1/log/keys')).json);
    const records: number[] = [];
    const verifier = createLogFileVerifier({ trustedKeys, onLeaf: (index) => records.push(index) });
    for (const line of lines) verifier.next(line);
    expect(verifier.end().size).to.equal(leaves);
    expect(records.length).to.equal(leaves - n);
    // A promise about a record that was dropped is neither kept nor broken.
    const { proofId } = JSON.parse(lines.find((line) => line.includes('"dropped"')) ?? '').dropped;
    const time = new Date(0).toISOString();
    const promise = { log: JSON.parse(lines[0] ?? '').origin, proofId, recordDigest: 'ab'.repeat(32), keyId: 'k' };
    const check = checkPromiseInLog({ ...promise, issuedAt: time, deadline: time, signature: '' }, trustedKeys);
    for (const line of lines) expect(check.next(line)).to.equal(undefined);
    expect(check.end()).to.include({ failure: 'RECORD_DROPPED' });
  });

  it('exports nothing as dropped that the offline audit could not tell from a deleted record', async () => {
    const lines = await exported();
    const at = lines.findLastIndex((line) => line.includes('"record"') && eventOfLine(line) === 'custos.decision');
    const { index } = JSON.parse(lines[at] ?? '');
    const old = JSON.parse(lines.find((line) => line.includes('"dropped"')) ?? '').dropped;
    const [leaf] = await service.rows<Record<'proof_id' | 'entity_id' | 'previous' | 'event' | 'hash', string>>(
      `SELECT proof_id, entity_id, encode(previous_hash, 'hex') AS previous, encode(event_hash, 'hex') AS event, encode(leaf_hash, 'hex') AS hash FROM leaf WHERE leaf_index = ${index}`,
    );
    const hidden = (proofId: string | undefined): string[] => {
      const { entity_id: agentId, previous: previousHash, event: eventHash, hash: leafHash } = leaf ?? {};
      const dropped = { proofId, agentId, previousHash, eventHash, leafHash };
      return lines.with(at, JSON.stringify({ index, dropped }));
    };
    // As it is, and as an older decision than it was: it stands where nothing that old was appended.
    for (const proofId of [leaf?.proof_id, `${old.proofId.slice(0, -1)}z`])
      expect(
        (await auditOf(hidden(proofId))).findings.map(({ kind }) => kind),
        proofId,
      ).to.include('source-missing');
  });

  it('does not take a young leaf for a dropped one when somebody gives it the id of an old one', async () => {
    const [leaf] = await service.rows<{ proof_id: string }>(
      "SELECT leaf.proof_id FROM leaf JOIN decision ON decision_id = 'dec' || substr(leaf.proof_id, 4) ORDER BY leaf_index OFFSET 15 LIMIT 1",
    );
    const [drop] = await service.rows<{ before_id: string }>(
      "SELECT before_id FROM retention_drop WHERE what = 'decisions'",
    );
    const oldId = `prf${newId('dec', idTimeMs(drop?.before_id ?? '') - 1_000).slice(3)}`;
    const decision = `decision WHERE decision_id = 'dec${leaf?.proof_id.slice(3)}'`;
    await tamper(`CREATE TABLE hidden AS SELECT * FROM ${decision}`);
    await tamper(`DELETE FROM ${decision}`);
    await tamper(`UPDATE leaf SET proof_id = '${oldId}' WHERE proof_id = '${leaf?.proof_id}'`);
    expect(await findings()).to.deep.equal(['source-missing']);
    await tamper(`UPDATE leaf SET proof_id = '${leaf?.proof_id}' WHERE proof_id = '${oldId}'`);
    await tamper('INSERT INTO decision SELECT * FROM hidden');
    await tamper('DROP TABLE hidden');
    expect(await findings()).to.deep.equal([]);
    await tamper('UPDATE log SET halted_reason = NULL');
  });

  it('drops no decision of an open approval, until it is closed', async () => {
    service.advance(-3 * DAY_MS);
    const { json } = await client.post('/v1/enforce', { agent_id: 'reader', intent: 'data.unknown.thing' });
    await both.worker.append();
    service.advance(3 * DAY_MS);
    const short = { ...deps(), keepMs: { ...FOR_EVER, decisions: 2 * DAY_MS } };
    await runRetain(short);
    expect((await client.get(`/v1/decisions/${json.decision_id}`)).status).to.equal(200);
    await service.rows(`UPDATE approval SET state = 'expired' WHERE approval_id = '${json.approval.approval_id}'`);
    await both.worker.append();
    await runRetain(short);
    expect((await client.get(`/v1/decisions/${json.decision_id}`)).status).to.equal(410);
  });

  it('waits for no reader: the partition stays, nothing is recorded, and the next run drops it', async () => {
    const short = { ...deps(), keepMs: { ...FOR_EVER, decisions: DAY_MS } };
    const before = [await count('decision'), await count("record WHERE event = 'custos.retention'")];
    await service.db.transaction(async (sql) => {
      await sql.query('SELECT count(*) FROM decision', []);
      const error = await runRetain(short).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).to.include({ code: 'E6002' });
    });
    expect([await count('decision'), await count("record WHERE event = 'custos.retention'")]).to.deep.equal(before);
    // Two workers at once: each partition is dropped and recorded once.
    const gone = dropped.decision;
    await Promise.all([runRetain(short), runRetain(short)]);
    expect(dropped.decision).to.be.above(gone);
    expect(await count("record WHERE event = 'custos.retention'")).to.equal(dropped.decision + dropped.intent_parse);
  });

  it('refuses to drop what is younger than a day, whoever asks', async () => {
    const [part] = await service.rows<{ name: string }>(
      "SELECT name FROM table_partition WHERE parent = 'decision' AND custos_id_time(past_id) > now() - interval '20 hours' ORDER BY past_id LIMIT 1",
    );
    const error = await service.db
      .query('SELECT custos_drop_partition($1)', [part?.name])
      .catch((reason: unknown) => reason);
    expect(String(error)).to.contain('too young');
  });

  it('does not hide from the auditor a row that was deleted by hand, or a leaf of a dropped row that was altered', async () => {
    await both.worker.append();
    expect(await findings()).to.deep.equal([]);
    const [leaf] = await service.rows<{ leaf_index: string; hash: string }>(
      "SELECT leaf_index::text, encode(leaf_hash, 'hex') AS hash FROM leaf WHERE event = 'custos.decision' ORDER BY leaf_index LIMIT 1",
    );
    await tamper(`UPDATE leaf SET leaf_hash = sha256('other') WHERE leaf_index = ${leaf?.leaf_index}`);
    expect(await findings()).not.to.deep.equal([]);
    await tamper(`UPDATE leaf SET leaf_hash = '\\x${leaf?.hash}' WHERE leaf_index = ${leaf?.leaf_index}`);
    expect(await findings()).to.deep.equal([]);
    await tamper('DELETE FROM decision WHERE decision_id = (SELECT max(decision_id) FROM decision)');
    expect(await findings()).to.include('source-missing');
    expect(await exported().catch((error: unknown) => error)).to.be.instanceOf(DamagedLogError);
  });

  it('does not hide what is younger than a day behind a record of retention that somebody forged', async () => {
    const missing = async (): Promise<number> => (await findings()).filter((kind) => kind === 'source-missing').length;
    const known = await missing();
    await ask('data.read.young');
    const beforeId = lowestId('dec', service.nowMs() + DAY_MS);
    const before = new Date(service.nowMs() + DAY_MS).toISOString();
    const forged = { what: 'decisions', beforeId, before, setting: 'CUSTOS_KEEP_DECISIONS', keepSeconds: 86_400 };
    await service.db.transaction((sql) => writeToAllLogs(sql, 'custos.retention', forged, service.nowMs()));
    await both.worker.append();
    await tamper('DELETE FROM decision WHERE decision_id = (SELECT max(decision_id) FROM decision)');
    expect(await missing()).to.equal(known + 1);
  });
});

describe('the length of a partition', () => {
  it('is an eighth of the time that is kept, at least an hour and at most thirty days', () => {
    expect([DAY_MS, 8 * DAY_MS, 4_000 * DAY_MS, Infinity].map((ms) => spanHours(ms))).to.deep.equal([3, 24, 720, 720]);
  });
});
