// Retention of single organisations: each kind with the installation's time alone, a shorter and a longer one; and what must not go.
import { expect } from 'chai';
import pino from 'pino';
import { trustPublishedKeys } from '../../shared/core/proof/keys.ts';
import { createLogFileAuditor } from '../../shared/core/proof/audit-file.ts';
import { parseReceipt, verifyReceipt } from '../../shared/core/proof/receipt.ts';
import { exportLog, findLog } from '../../shared/domain/ledger/export.ts';
import { setOwnTime } from '../../shared/domain/installation/retention-times.ts';
import { RETENTION_KINDS, type RetentionKind } from '../../shared/domain/retention/times.ts';
import type { Owner } from '../../shared/kernel/owner.ts';
import { createOperatorTrail } from '../../ingress/dashboard/operator-trail.ts';
import { forgetDeliveries } from '../../workers/jobs/forget-deliveries.ts';
import { type RetainDeps, runRetain } from '../../workers/jobs/retain.ts';
import { auditorOf } from '../support/auditor.ts';
import type { Client } from '../support/client.ts';
import { asSuperuser } from '../support/database.ts';
import { acceptLateDecisions } from '../support/late-decisions.ts';
import { dailyPartitions, FOR_EVER } from '../support/retention.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker } from '../support/worker.ts';

const DAY_MS = 86_400_000;
const DAYS = 14;
/** What goes, goes up to an eighth of its time later. */
const LATE_DAYS = 1.5;

/** Rows that are left of a kind, with the time of each. */
const LEFT: Readonly<Record<RetentionKind, string>> = {
  decisions: 'SELECT organisation_id, custos_id_time(decision_id) AS at FROM decision',
  facts: 'SELECT organisation_id, custos_id_time(decision_id) AS at FROM decision WHERE facts IS NOT NULL',
  texts: 'SELECT organisation_id, custos_id_time(intent_id) AS at FROM intent_parse',
  intents: 'SELECT organisation_id, custos_id_time(intent_id) AS at FROM intent',
  signals: 'SELECT organisation_id, received_at AS at FROM trust_signal WHERE evidence IS NOT NULL',
  jobs: 'SELECT organisation_id, resolved_at AS at FROM dead_job',
  deliveries:
    'SELECT organisation_id, d.created_at AS at FROM webhook_delivery d JOIN webhook_endpoint USING (endpoint_id)',
  approvals:
    "SELECT organisation_id, custos_id_time(approval_id) AS at FROM approval WHERE state NOT IN ('pending', 'approved')",
  actions: 'SELECT organisation_id, at FROM dashboard_audit',
};
/** Days that are kept: by the installation, by one with less, by one with more, and by the installation then. */
const timesOf = (kind: RetentionKind): readonly [number, number, number, number] =>
  kind === 'approvals' ? [12, 9, 11, 8] : [11, 8, 10, 5];
/** The others first: decisions take their facts with them. */
const KINDS = [...RETENTION_KINDS].sort((a, b) => Number(a === 'decisions') - Number(b === 'decisions'));

describe('retention of single organisations', () => {
  let both: ServiceAndWorker;
  let service: Service;
  const owners: Record<'first' | 'second', Owner> = {
    first: { organisationId: '', environment: 'live' },
    second: { organisationId: '', environment: 'live' },
  };
  const clients: Record<string, Client> = {};
  const admins: Record<string, Client> = {};
  const decisions: { readonly of: string; readonly day: number; readonly id: string; readonly receipt: string }[] = [];

  const deps = (keepMs: Partial<RetainDeps['keepMs']>): RetainDeps => ({
    db: service.db,
    nowMs: service.nowMs,
    deletionMs: service.nowMs,
    logger: pino({ level: 'silent' }),
    leastKeepMs: DAY_MS,
    keepMs: { ...FOR_EVER, ...keepMs },
    onDropped: () => undefined,
  });
  const retain = async (kind: RetentionKind, days: number | undefined): Promise<void> => {
    const keepMs = { [kind]: days === undefined ? undefined : days * DAY_MS };
    await runRetain(deps(keepMs));
    await forgetDeliveries.handler(deps(keepMs))(undefined as never);
    await both.worker.append();
  };
  const set = (of: 'first' | 'second', kind: RetentionKind, keep: string): Promise<string> =>
    service.db.transaction((sql) => setOwnTime(sql, owners[of], { kind, keep, author: 'cli:test' }, service.nowMs()));
  const count = async (from: string): Promise<number> =>
    (await service.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`))[0]?.n ?? 0;
  const findings = async (): Promise<string[]> => {
    const audits = await auditorOf(service).run({ full: true });
    return audits.flatMap((log) => log.findings.map(({ kind }) => kind));
  };
  /** Everything younger than `days` is there, and nothing that is older by a step or more. */
  const keeps = async (of: 'first' | 'second', kind: RetentionKind, days: number): Promise<void> => {
    const left = `(${LEFT[kind]}) AS l WHERE organisation_id = '${owners[of].organisationId}' AND at`;
    const [old, young] = await Promise.all([
      count(`${left} < now() - interval '${days + LATE_DAYS} days'`),
      count(`${left} > now() - interval '${days} days' + interval '1 hour'`),
    ]);
    expect([old, young >= days - 1], `${kind} of ${of} for ${days} days: ${old}, ${young}`).to.deep.equal([0, true]);
  };

  before(async function () {
    this.timeout(240_000);
    both = await startServiceAndWorker({ words: 'few' });
    ({ service } = both);
    owners.first = { organisationId: service.operatorId, environment: 'live' };
    owners.second = { organisationId: await service.addOrganisation('acme'), environment: 'live' };
    await service.rows(dailyPartitions(DAYS));
    await acceptLateDecisions(service.db);
    const scopes = ['intents:write', 'proofs:read', 'trust:write'] as const;
    for (const [name, { organisationId }] of Object.entries(owners)) {
      clients[name] = await service.client({ scopes: [...scopes], organisationId });
      admins[name] = await service.client({ scopes: ['admin:*'], organisationId });
      await service.rows(
        `INSERT INTO webhook_endpoint (endpoint_id, organisation_id, environment, url, events, signing_keys, created_at, created_by)
         VALUES ($1, $2, 'live', 'https://example.com', '{}', '[]', now(), 'k')`,
        [name, organisationId],
      );
    }
    const trail = createOperatorTrail({ db: service.db, nowMs: service.nowMs, logger: pino({ level: 'silent' }) });
    service.advance(-DAYS * DAY_MS);
    for (let day = 0; day <= DAYS; day += 1) {
      for (const [of, client] of Object.entries(clients)) {
        const { json } = await client.post('/v1/enforce', { agent_id: 'reader', intent: 'data.read.x' });
        await client.post('/v1/intent', { agent_id: 'reader', raw_intent: 'read the user profile data' });
        const signal = { signalId: `s-${day}`, agentId: 'reader', type: 'success', weight: 1, evidence: { day } };
        expect((await client.post('/v1/trust/signals', { signals: [signal] })).status).to.equal(202);
        const submitted = await client.post('/v1/intents', { agentId: 'reader', action: 'read', resource: 'data/x' });
        expect(submitted.status, submitted.text).to.equal(202);
        const owner = owners[of as keyof typeof owners];
        await both.worker.evaluateAll(owner);
        const at = new Date(service.nowMs());
        await service.rows(
          `INSERT INTO dead_job (organisation_id, environment, queue, name, payload, error, failed_at, state, resolved_at)
           VALUES ($1, 'live', 'proofs', 'append', '{}', 'x', $2, 'discarded', $2)`,
          [owner.organisationId, at],
        );
        await service.rows(
          `INSERT INTO webhook_delivery (endpoint_id, message_id, type, subject, payload, state, created_at)
           VALUES ($1, $2, 't', 's', '{}', 'delivered', $3)`,
          [of, `m-${day}`, at],
        );
        decisions.push({ of, day, id: json.decision_id, receipt: '' });
        const asked = (await client.post('/v1/enforce', { agent_id: `asks-${day}`, intent: 'data.unknown.thing' }))
          .json;
        const rejected = await admins[of]?.post(`/v1/approvals/${asked.approval.approval_id}/reject`, { reason: 'no' });
        expect(rejected?.status, rejected?.text).to.equal(200);
        const action = {
          ...owner,
          requestId: `r-${of}-${day}`,
          keyId: null,
          address: '::1',
          action: 'x',
          subject: '/x',
        };
        await trail.around(action, () => Promise.resolve({ status: 200 }));
      }
      await both.worker.append();
      if (day < DAYS) service.advance(DAY_MS);
    }
    for (const [i, one] of decisions.entries()) {
      const { text } = (await clients[one.of]?.get(`/v1/proofs/prf${one.id.slice(3)}`)) ?? { text: '' };
      decisions[i] = { ...one, receipt: text };
    }
  });
  after(() => both?.close());

  for (const kind of KINDS)
    describe(kind, () => {
      const [all, less, more, allThen] = timesOf(kind);

      it('go after the time of the installation, where nobody has another one', async () => {
        await retain(kind, all);
        await keeps('first', kind, all);
        await keeps('second', kind, all);
      });

      it('go earlier for an organisation whose time is shorter', async () => {
        expect(await set('second', kind, `${less}d`)).to.equal('installation');
        await retain(kind, all);
        await keeps('first', kind, all);
        await keeps('second', kind, less);
      });

      it('stay longer for an organisation whose time is longer', async () => {
        await set('first', kind, `${more}d`);
        expect(await set('second', kind, 'installation')).to.equal(`${less}d`);
        await retain(kind, allThen);
        await keeps('first', kind, more);
        await keeps('second', kind, allThen);
        await set('first', kind, 'forever');
        await retain(kind, allThen);
        await keeps('first', kind, more);
      });

      it('leave nothing for the auditor to find', async () => {
        expect(await findings()).to.deep.equal([]);
      });
    });

  describe('afterwards', () => {
    it('answers 410 (E4006) for a deleted decision, and 200 for one of the same day of an organisation that keeps it', async () => {
      const day = decisions.filter((one) => one.day === DAYS - 8);
      const answers = await Promise.all(day.map(async ({ of, id }) => clients[of]?.get(`/v1/decisions/${id}`)));
      expect(
        Object.fromEntries(answers.map((answer, i) => [day[i]?.of, [answer?.status, answer?.json.code]])),
      ).to.deep.equal({
        first: [200, undefined],
        second: [410, 'E4006'],
      });
    });

    it('leaves receipts that were given out valid, and the exported log passes the audit offline', async () => {
      const keys = trustPublishedKeys((await clients['second']?.get('/v1/log/keys'))?.json);
      for (const { receipt, of, day } of decisions.filter((one) => one.of === 'second'))
        expect(verifyReceipt(parseReceipt(receipt), keys), `${of} ${day}`).to.include({ ok: true });
      const log = await findLog(service.db, owners.second.organisationId, 'live');
      if (log === undefined || log.origin === null) throw new Error('there is no log');
      const auditor = createLogFileAuditor({ trustedKeys: keys });
      for await (const line of exportLog(service.db, { ...log, origin: log.origin })) auditor.next(line.trimEnd());
      const { findings: found, dropped } = auditor.end();
      expect([found, dropped.length > 0]).to.deep.equal([[], true]);
    });

    it('records in the log of the organisation what was set, and what was deleted for it alone', async () => {
      const settings = await service.rows<{ n: number }>(
        `SELECT count(*)::int AS n FROM record WHERE event = 'custos.retention_time' AND organisation_id = '${owners.second.organisationId}'`,
      );
      expect(settings[0]?.n).to.equal(2 * RETENTION_KINDS.length);
      expect(
        await count(
          `record WHERE event = 'custos.retention' AND organisation_id = '${owners.second.organisationId}' AND position('"scope":"organisation"' IN convert_from(record, 'UTF8')) > 0`,
        ),
      ).to.be.within(3, 40);
    });

    it('goes on after a worker was killed between the record and the deletion, and two workers delete once', async () => {
      await set('second', 'decisions', '3d');
      const rename = (from: string, to: string): Promise<unknown> =>
        asSuperuser(service.db, (sql) => sql.query(`ALTER FUNCTION ${from} RENAME TO ${to}`, []));
      await rename('custos_forget_decisions', 'custos_forget_later');
      const error = await runRetain(deps({})).catch((reason: unknown) => reason);
      expect(String(error)).to.contain('custos_forget_decisions');
      await rename('custos_forget_later', 'custos_forget_decisions');
      await both.worker.append();
      // Stated, and still there.
      expect(await findings()).to.deep.equal([]);
      const records = await count("record WHERE event = 'custos.retention'");
      await Promise.all([1, 2].map(() => runRetain(deps({})).catch(() => undefined)));
      await retain('decisions', undefined);
      await keeps('second', 'decisions', 3);
      expect(await count("record WHERE event = 'custos.retention'")).to.equal(records);
      expect(await findings()).to.deep.equal([]);
    });

    it('blanks and deletes once more what a worker did not come to record, and records it', async () => {
      for (const kind of ['facts', 'texts'] as const) await set('second', kind, '3d');
      const fail =
        'CREATE FUNCTION killed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING MESSAGE = $m$killed$m$; END $$';
      const recorded = (): Promise<number> => count("record WHERE event = 'custos.retention'");
      const before = await recorded();
      await asSuperuser(service.db, async (sql) => {
        await sql.query(fail, []);
        await sql.query(
          'CREATE TRIGGER killed BEFORE INSERT OR UPDATE ON retention_time EXECUTE FUNCTION killed()',
          [],
        );
      });
      expect(String(await runRetain(deps({})).catch((error: unknown) => error))).to.contain('killed');
      expect(await recorded()).to.equal(before);
      await asSuperuser(service.db, (sql) => sql.query('DROP FUNCTION killed CASCADE', []));
      await runRetain(deps({}));
      await both.worker.append();
      for (const kind of ['facts', 'texts'] as const) await keeps('second', kind, 3);
      expect(await recorded()).to.equal(before + 2);
      expect(await findings()).to.deep.equal([]);
    });

    it('deletes again what a copy without facts has brought back', async () => {
      const [part] = await service.rows<{ name: string }>(
        `SELECT name FROM table_partition WHERE parent = 'decision' AND name NOT LIKE '%\\_bare'
          AND custos_id_time(past_id) < now() - interval '1 days 2 hours' ORDER BY past_id DESC LIMIT 1`,
      );
      expect(part).not.to.equal(undefined);
      await service.db.query('SELECT custos_copy_blank($1, 1000)', [part?.name]);
      await set('second', 'decisions', '24h');
      await runRetain(deps({}));
      await set('first', 'facts', '24h');
      await runRetain(deps({ facts: DAY_MS }));
      await both.worker.append();
      await keeps('second', 'decisions', 1);
      expect(await findings()).to.deep.equal([]);
    });

    it('trusts the earlier of two clocks', async () => {
      const before = await count('decision');
      service.advance(30 * DAY_MS);
      await runRetain(deps({}));
      service.advance(-30 * DAY_MS);
      expect(await count('decision')).to.equal(before);
    });

    it('deletes no decision that an open approval needs, until it is closed', async () => {
      service.advance(-2.5 * DAY_MS);
      const { json } =
        (await clients['second']?.post('/v1/enforce', { agent_id: 'reader', intent: 'data.unknown.thing' })) ?? {};
      service.advance(2.5 * DAY_MS);
      await both.worker.append();
      const status = async (): Promise<number | undefined> =>
        (await clients['second']?.get(`/v1/decisions/${json.decision_id}`))?.status;
      await runRetain(deps({}));
      expect(await status()).to.equal(200);
      await service.rows(`UPDATE approval SET state = 'expired' WHERE approval_id = '${json.approval.approval_id}'`);
      await runRetain(deps({}));
      expect(await status()).to.equal(410);
    });

    it('deletes nothing younger than a day and nothing for anybody else, whoever asks', async () => {
      const forget = `SELECT custos_forget_decisions('${owners.first.organisationId}', 'live', '', custos_id_at('dec', now() - interval '23 hours'))`;
      expect(String(await service.db.query(forget, []).catch((error: unknown) => error))).to.contain('too young');
      const marked = service.db.transaction(async (sql) => {
        await sql.query("SELECT set_config('custos.forgets', 'decision', true)", []);
        await sql.query('DELETE FROM decision', []);
      });
      expect(String(await marked.catch((error: unknown) => error))).to.match(/permission denied|insert-only/);
      expect(String(await service.rows('DELETE FROM decision').catch((error: unknown) => error))).to.contain(
        'insert-only',
      );
    });

    it('deletes nothing by a time that somebody wrote into the table, and names the row', async () => {
      await set('first', 'decisions', 'forever');
      const before = await count('decision');
      await service.rows("UPDATE retention_time SET keep = '1d' WHERE kind = 'decisions'");
      await runRetain(deps({}));
      await service.rows("DELETE FROM retention_time WHERE kind = 'decisions'");
      await runRetain(deps({ decisions: 2 * DAY_MS }));
      expect(await count('decision')).to.equal(before);
      await set('first', 'decisions', '2d');
      await set('second', 'decisions', '2d');
      await runRetain(deps({}));
      expect(await count('decision')).to.be.below(before);
    });
  });
});
