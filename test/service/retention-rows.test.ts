// Retention of approvals and of operators' actions: what stays provable, what is refused, and what the audit finds when somebody deletes as
// retention does. That each time of an organisation counts is in retention-owners.test.ts.
import { expect } from 'chai';
import pino from 'pino';
import { createOperatorTrail } from '../../ingress/dashboard/operator-trail.ts';
import type { OperatorActions } from '../../ingress/dashboard/client/wire/operator-trail.ts';
import { createLogFileAuditor } from '../../shared/core/proof/audit-file.ts';
import { trustPublishedKeys } from '../../shared/core/proof/keys.ts';
import { parseReceipt, verifyReceipt } from '../../shared/core/proof/receipt.ts';
import { expireApprovals } from '../../shared/domain/approvals/store.ts';
import { exportLog, findLog } from '../../shared/domain/ledger/export.ts';
import { writeServiceRecord } from '../../shared/domain/ledger/service-record.ts';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { createStoredVerifier } from '../../shared/domain/verification/stored.ts';
import { lowestId } from '../../shared/kernel/ids.ts';
import type { Owner } from '../../shared/kernel/owner.ts';
import { runRetain } from '../../workers/jobs/retain.ts';
import { auditorOf } from '../support/auditor.ts';
import type { Client } from '../support/client.ts';
import { signIn } from '../support/dashboard.ts';
import { asSuperuser } from '../support/database.ts';
import { approve, ask, reject } from '../support/escalations.ts';
import { acceptLateDecisions } from '../support/late-decisions.ts';
import { dailyPartitions, FOR_EVER } from '../support/retention.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker } from '../support/worker.ts';

const DAY_MS = 86_400_000;
/** The shortest time of approvals. */
const LEAST_DAYS = 8;
const QUESTION = { intent: 'data.unknown.thing' };
/** Days ago. */
const AGES = { used: 20, rejected: 19, expired: 18, late: 14, again: 13, last: 9, young: 2 } as const;
type Name = keyof typeof AGES;

describe("retention of approvals and operators' actions", () => {
  let both: ServiceAndWorker;
  let service: Service;
  let client: Client;
  let owner: Owner;
  const ids = {} as Record<Name, string>;
  let usedBy: string;
  let receipt: string;
  /** Rows of an approval before its use, with the seals that they had then. */
  const earlier: Record<string, unknown>[] = [];

  const count = async (from: string): Promise<number> =>
    (await service.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`))[0]?.n ?? 0;
  const deps = (days: number) => ({
    db: service.db,
    nowMs: service.nowMs,
    deletionMs: service.nowMs,
    logger: pino({ level: 'silent' }),
    leastKeepMs: DAY_MS,
    keepMs: { ...FOR_EVER, approvals: days * DAY_MS, actions: days * DAY_MS },
    onDropped: () => undefined,
  });
  const retain = async (days: number): Promise<void> => {
    await runRetain(deps(days));
    await both.worker.append();
  };
  /** Of an auditor that has just started, so that findings of earlier ones are compared again. */
  const findings = async (): Promise<string[]> => {
    const audits = await auditorOf(service).run({ full: true });
    return audits.flatMap((log) => log.findings.map(({ kind }) => kind));
  };
  /** With the rights of the service's role; undefined: it was not refused. */
  const refusal = async (sql: string): Promise<string | undefined> =>
    service.db.query(sql, []).then(
      () => undefined,
      (error: unknown) => String(error),
    );
  /** As the job does. */
  const forget = (what: 'approvals' | 'actions', days: number): string =>
    `SELECT custos_forget_${what}('${owner.organisationId}', 'live', '', custos_id_at('${what === 'approvals' ? 'apr' : 'act'}', now() - interval '${days} days'))`;
  const tamper = (sql: string): Promise<unknown> => asSuperuser(service.db, (tx) => tx.query(sql, []));
  /** Runs the work, and puts back what it has deleted or changed. */
  const undoing = async (work: () => Promise<void>): Promise<void> => {
    const tables = ['approval', 'row_version', 'dashboard_audit'];
    for (const table of tables) await tamper(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
    try {
      await work();
    } finally {
      for (const table of tables) {
        await tamper(`TRUNCATE ${table}`);
        await tamper(`INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM kept_${table}`);
        await tamper(`DROP TABLE kept_${table}`);
      }
    }
  };
  const statusOf = async (name: Name): Promise<[number, string | undefined]> => {
    const { status, json } = await service.admin.get(`/v1/approvals/${ids[name]}`);
    return [status, json.code];
  };
  const rowOf = async (id: string): Promise<Record<string, unknown>> =>
    (await service.rows<Record<string, unknown>>('SELECT * FROM approval WHERE approval_id = $1', [id]))[0] ?? {};
  const atAge = async <T>(days: number, work: () => Promise<T>): Promise<T> => {
    service.advance(-days * DAY_MS);
    try {
      return await work();
    } finally {
      service.advance(days * DAY_MS);
    }
  };

  before(async function () {
    this.timeout(120_000);
    both = await startServiceAndWorker({ words: 'few' });
    ({ service } = both);
    owner = { organisationId: service.operatorId, environment: 'live' };
    client = await service.client({ scopes: ['intents:write', 'proofs:read'] });
    await service.rows(dailyPartitions(AGES.used + 1));
    await acceptLateDecisions(service.db);
    const trail = createOperatorTrail({ db: service.db, nowMs: service.nowMs, logger: pino({ level: 'silent' }) });
    for (const [name, days] of Object.entries(AGES) as [Name, number][])
      await atAge(days, async () => {
        const body = { ...QUESTION, agent_id: name };
        const { approval } = await ask(client, body);
        ids[name] = approval.approval_id;
        if (name === 'used') {
          earlier.push(await rowOf(ids.used));
          await approve(service.admin, ids.used);
          earlier.push(await rowOf(ids.used));
          const decision = await ask(client, { ...body, approval_id: ids.used });
          expect(decision.verdict).to.equal('ALLOW');
          usedBy = decision.decision_id;
        } else if (name !== 'late') {
          if (name === 'expired') service.advance(3_600_000);
          await (name === 'expired' ? expireApprovals(service.db, service.nowMs()) : reject(service.admin, ids[name]));
          if (name === 'expired') service.advance(-3_600_000);
        }
        const action = { requestId: `r-${name}`, keyId: null, address: '::1', action: 'x', subject: '/x' };
        for (const of of [owner, { organisationId: null, environment: null }])
          await trail.around({ ...action, ...of }, () =>
            Promise.resolve({ status: 200, change: { subject: 'agent', id: name, fields: [] } }),
          );
        await both.worker.append();
      });
    receipt = (await client.get(`/v1/proofs/prf${usedBy.slice(3)}`)).text;
    expect(await findings()).to.deep.equal([]);
  });
  after(() => both?.close());

  describe('without a setting', () => {
    it('erases nothing, however old it is', async () => {
      await runRetain({ ...deps(1), keepMs: FOR_EVER });
      expect(await statusOf('used')).to.deep.equal([200, undefined]);
      expect(await count('dashboard_audit')).to.equal(4 * Object.keys(AGES).length);
    });
  });

  describe('what is deleted as retention does, by somebody with the service’s database role', () => {
    it('is refused where it is young, and by statements of one’s own', async () => {
      expect(await refusal(forget('approvals', 7.9))).to.contain('too young');
      expect(await refusal(forget('actions', 0.9))).to.contain('too young');
      for (const table of ['approval', 'row_version', 'dashboard_audit'])
        expect(
          await refusal(`SELECT set_config('custos.forgets', '${table}', false)`).then(() =>
            refusal(`DELETE FROM ${table}`),
          ),
          table,
        ).to.match(/permission denied|insert-only/);
      expect(String(await service.rows('DELETE FROM approval').catch((error: unknown) => error))).to.contain(
        'insert-only',
      );
    });

    it('never takes an open approval', async () => {
      await undoing(async () => {
        await service.db.query(forget('approvals', LEAST_DAYS), []);
        expect([await count('approval'), await count(`approval WHERE approval_id = '${ids.late}'`)]).to.deep.equal([
          2, 1,
        ]);
      });
    });

    it('is found by the audit: approvals', async () => {
      await undoing(async () => {
        await service.db.query(forget('approvals', LEAST_DAYS), []);
        expect(new Set(await findings())).to.deep.equal(new Set(['approval-missing']));
      });
    });

    it('is found by the audit: operators’ actions, also where a row was only changed', async () => {
      await undoing(async () => {
        await service.db.query(forget('actions', 1), []);
        expect(new Set(await findings())).to.deep.equal(new Set(['action-missing']));
      });
      for (const change of [
        "address = '127.0.0.1'",
        "outcome = 'refused'",
        "change = '{}'",
        "at = at - interval '1 s'",
      ])
        await undoing(async () => {
          await tamper(`UPDATE dashboard_audit SET ${change} WHERE request_id = 'r-young' AND outcome = 'done'`);
          expect(new Set(await findings()), change).to.deep.equal(new Set(['action-altered']));
        });
    });
  });

  describe('what a setting erases', () => {
    before(async () => {
      const records = () => count("record WHERE event = 'custos.retention'");
      const rename = (from: string, to: string): Promise<unknown> => tamper(`ALTER FUNCTION ${from} RENAME TO ${to}`);
      await rename('custos_forget_approvals', 'custos_forget_later');
      expect(String(await runRetain(deps(15)).catch((error: unknown) => error))).to.contain('custos_forget_approvals');
      await rename('custos_forget_later', 'custos_forget_approvals');
      await both.worker.append();
      // A worker was killed after the record: it is stated, and still there.
      expect([await records(), await findings()]).to.deep.equal([1, []]);
      await Promise.all([1, 2].map(() => runRetain(deps(15)).catch(() => undefined)));
      await retain(15);
      expect(await records()).to.equal(2);
    });

    it('is gone with its votes, its versions and its addresses, and what is younger stays', async () => {
      expect(
        (await service.rows<{ agent_id: string }>('SELECT agent_id FROM approval ORDER BY approval_id')).map(
          (row) => row.agent_id,
        ),
      ).to.deep.equal(['late', 'again', 'last', 'young']);
      expect(
        (
          await service.rows<{ id: string }>(
            "SELECT DISTINCT row_id[3] AS id FROM row_version WHERE table_name = 'approval' ORDER BY 1",
          )
        ).map(({ id }) => id),
      ).to.deep.equal([ids.again, ids.last, ids.young]);
      const requests = await service.rows<{ id: string; n: number }>(
        'SELECT request_id AS id, count(*)::int AS n FROM dashboard_audit GROUP BY 1 ORDER BY 1',
      );
      expect(requests.map(({ id, n }) => [id, n])).to.deep.equal([
        ['r-again', 4],
        ['r-last', 4],
        ['r-late', 4],
        ['r-young', 4],
      ]);
    });

    it('is no finding of the audit, and the exported log passes offline', async () => {
      expect(await findings()).to.deep.equal([]);
      const keys = trustPublishedKeys((await client.get('/v1/log/keys')).json);
      const log = await findLog(service.db, owner.organisationId, 'live');
      if (log === undefined || log.origin === null) throw new Error('there is no log');
      const auditor = createLogFileAuditor({ trustedKeys: keys });
      for await (const line of exportLog(service.db, { ...log, origin: log.origin })) auditor.next(line.trimEnd());
      expect(auditor.end().findings).to.deep.equal([]);
      expect(verifyReceipt(parseReceipt(receipt), keys)).to.include({ ok: true });
    });

    it('leaves the decision that used an approval verified, with who approved it', async () => {
      const verifier = createStoredVerifier({ store: createEvidenceStore({ db: service.db }) });
      const outcomes: (readonly [string | undefined, string])[] = [];
      for await (const { decisionId, status } of verifier.all({})) outcomes.push([decisionId, status]);
      expect(outcomes).to.deep.include([usedBy, 'verified']);
      expect(outcomes.filter(([, status]) => status !== 'verified')).to.deep.equal([]);
    });

    it('is answered with 410 (E4006), whoever asks, and what is young and unknown with 404', async () => {
      const of = async (id: string): Promise<unknown[]> =>
        Promise.all(
          [
            service.admin.get(`/v1/approvals/${id}`),
            client.get(`/v1/approvals/${id}`),
            approve(service.admin, id),
            reject(service.admin, id),
          ].map(async (answer) => [(await answer).status, (await answer).json.code]),
        );
      expect(await of(ids.used)).to.deep.equal(Array.from({ length: 4 }, () => [410, 'E4006']));
      expect(await of(lowestId('apr', service.nowMs()))).to.deep.equal(Array.from({ length: 4 }, () => [404, 'E4001']));
      expect((await of('nothing'))[0]).to.deep.equal([404, 'E4001']);
      expect(await statusOf('young')).to.deep.equal([200, undefined]);
    });

    it('is told on the page of operators’ actions', async () => {
      const signed = await signIn(service.admin, service.adminKey);
      const { json } = await signed.get('/audit/actions');
      const { erasedBefore, items } = json as OperatorActions;
      const ageDays = (service.nowMs() - Date.parse(erasedBefore ?? '')) / DAY_MS;
      expect([ageDays > 15, ageDays < 17, items.length > 0]).to.deep.equal([true, true, true]);
    });

    it('is not an open approval, nor a younger one, until it is closed', async () => {
      await retain(10);
      expect([await statusOf('late'), await statusOf('again')]).to.deep.equal([
        [200, undefined],
        [200, undefined],
      ]);
      await expireApprovals(service.db, service.nowMs());
      await retain(10);
      expect([await statusOf('late'), await statusOf('again'), await statusOf('last')]).to.deep.equal([
        [410, 'E4006'],
        [410, 'E4006'],
        [200, undefined],
      ]);
      expect(await findings()).to.deep.equal([]);
    });

    it('is recorded where something was erased, and of what says how far only the newest version is kept', async () => {
      const other = { organisationId: await service.addOrganisation('empty'), environment: 'live' } as const;
      const made = await service.client({ scopes: ['intents:write'], organisationId: other.organisationId });
      await made.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'a' });
      await both.worker.append();
      const before = await count("record WHERE event = 'custos.retention'");
      await retain(10);
      await retain(10);
      expect(await count("record WHERE event = 'custos.retention'")).to.equal(before);
      const versions = await service.rows<{ kind: string; n: number; version: number }>(
        `SELECT kind, t.version, count(*)::int AS n FROM retention_time t JOIN row_version v ON table_name = 'retention_time' AND row_id = ARRAY[organisation_id, environment, kind]
         GROUP BY 1, 2 ORDER BY 1`,
      );
      expect(versions.map(({ kind, n, version }) => [kind, n, version > 1])).to.deep.equal([
        ['actions', 1, true],
        ['approvals', 1, true],
      ]);
    });

    it('is nothing while the clock of the worker is ahead', async () => {
      const before = await count('approval');
      await atAge(-30, () => runRetain(deps(LEAST_DAYS + 1)));
      expect(await count('approval')).to.equal(before);
    });

    it('is nothing that has no such id or time, by records that somebody puts into the log', async () => {
      const missing = async (): Promise<number[]> => {
        const found = await findings();
        return ['approval-missing', 'action-missing'].map((kind) => found.filter((one) => one === kind).length);
      };
      expect(await missing()).to.deep.equal([0, 0]);
      for (const [event, body] of [
        ['custos.dashboard', { seq: 1_000_000, at: 'never' }],
        ['custos.dashboard', { seq: 1_000_001, at: '1969-01-01T00:00:00.000Z' }],
        ['custos.approval', { approvalId: 'aaa', state: 'expired' }],
      ] as const)
        await service.db.transaction((sql) =>
          writeServiceRecord(
            sql,
            event === 'custos.approval' ? { ...owner, event, agentId: 'a', body } : { ...owner, event, body },
            service.nowMs(),
          ),
        );
      await both.worker.append();
      expect(await missing()).to.deep.equal([1, 2]);
    });
  });

  describe('what is deleted and stated by somebody with the service’s database role', () => {
    it('is found, with its forged records and an edited row of how far retention went', async () => {
      const beforeMs = service.nowMs() - (LEAST_DAYS + 0.5) * DAY_MS;
      const kept = { keepSeconds: LEAST_DAYS * 86_400, before: '', setting: 'x' } as const;
      await service.db.query(forget('approvals', LEAST_DAYS + 0.5), []);
      await service.db.query(forget('actions', LEAST_DAYS + 0.5), []);
      expect(await count(`approval WHERE approval_id = '${ids.last}'`)).to.equal(0);
      for (const [what, prefix] of [
        ['approvals', 'apr'],
        ['actions', 'act'],
      ] as const)
        for (const scope of [{ scope: 'organisation' }, {}] as const) {
          const body = { what, beforeId: lowestId(prefix, beforeMs), ...kept, ...scope };
          const record = { ...owner, event: 'custos.retention', body } as const;
          await service.db.transaction((sql) => writeServiceRecord(sql, record, service.nowMs()));
        }
      await both.worker.append();
      const found = ['approval-missing', 'action-missing', 'retention-unfounded'];
      expect(new Set(await findings())).to.deep.equal(new Set(found));
      await service.db.query("UPDATE retention_time SET dropped_before = replace(dropped_before, '_0', '_z')", []);
      expect(new Set(await findings())).to.include.members(found);
    });
  });

  describe('what was erased', () => {
    it('can’t be used again when somebody puts it back as it was before its use', async () => {
      const { json } = await client.post('/v1/enforce', { ...QUESTION, agent_id: 'used', approval_id: ids.used });
      expect([json.verdict, json.reasons[0].code]).to.deep.equal(['DENY', 'APPROVAL_MISMATCH']);
      for (const row of earlier) {
        const names = Object.keys(row);
        const places = names.map((_, i) => `$${i + 1}`);
        await service.db.query(
          `INSERT INTO approval (${names.join(', ')}) VALUES (${places.join(', ')})`,
          Object.values(row),
        );
        expect([404, 409, 410]).to.include((await approve(service.admin, ids.used)).status);
        const again = await client.post('/v1/enforce', { ...QUESTION, agent_id: 'used', approval_id: ids.used });
        expect(again.json.verdict).to.equal('DENY');
        await both.worker.append();
        expect(await findings()).to.include('approval-altered');
        await tamper(`DELETE FROM approval WHERE approval_id = '${ids.used}'`);
      }
    });
  });
});
