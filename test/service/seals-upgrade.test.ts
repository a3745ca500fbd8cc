// The migration that adds the seals: it seals the rows of an older installation in the same step, only with that installation's pepper.
import { expect } from 'chai';
import { createDataSource } from '../../shared/platform/db/data-source.ts';
import { migrationsWith } from '../../shared/platform/db/migrations/index.ts';
import { genuine, sealedColumns } from '../../shared/platform/db/seals/rows.ts';
import { SEALED_TABLE_NAMES } from '../../shared/platform/db/seals/tables.ts';
import { AUDIT_PROGRESS, isProgressSeal } from '../../shared/platform/db/seals/audit-progress.ts';
import { logUnderTest } from './audit-setup.ts';
import { runMigration } from '../support/one-migration.ts';
import { signIn } from '../support/dashboard.ts';
import { adminUrlOf } from '../support/database.ts';
import { approve, escalate, ESCALATING } from '../support/escalations.ts';
import { TEST_PEPPER } from '../support/process.ts';
import { type Service, startService } from '../support/service.ts';

/** Tables of later migrations: an installation older than the seals has no rows of them. */
const NEWER: ReadonlySet<string> = new Set([
  'resource',
  'policy_proposal',
  'organisation_policy',
  'retention_time',
  'log_key',
]);

describe('an installation older than the seals', () => {
  let service: Service;
  before(async () => {
    service = await startService({ policies: ESCALATING, words: 'few' });
    const { admin } = service;
    await admin.post('/v1/agents', { agentId: 'older "é"\t', name: 'x', tags: ['a', 'b'] });
    await admin.patch(`/v1/agents/${encodeURIComponent('older "é"\t')}`, { status: 'PAUSED' });
    await approve(admin, await escalate(await service.client(), { agent_id: 'bot', intent: 'delete:db/asked/1' }));
    await admin.post('/v1/halt', { reason: 'older' });
    await signIn(admin, service.adminKey);
    // More than one batch of rows.
    await service.rows(
      `INSERT INTO agent (organisation_id, environment, agent_id, name, created_at, updated_at)
       SELECT $1, 'dev', 'many-' || n, 'n', now(), now() FROM generate_series(1, 2500) n`,
      [service.operatorId],
    );
  });
  after(() => service.close());

  const migrate = async (pepper: string, verb: 'up' | 'down'): Promise<void> => {
    const Migration = migrationsWith(pepper).find((One) => new One().name?.startsWith('Seals'));
    if (Migration === undefined) throw new Error('there is no such migration');
    const url = adminUrlOf(service.databaseUrl);
    const source = createDataSource({ url, applicationName: 'custos-test', poolSize: 1, onError: () => undefined });
    await source.initialize();
    const runner = source.createQueryRunner();
    try {
      await runner.startTransaction();
      await new Migration()[verb](runner);
      await runner.commitTransaction();
    } finally {
      await runner.release();
      await source.destroy();
    }
  };

  it('gets its log keys, its promise keys and the states of its audits sealed', async () => {
    const [slug] = await service.rows<{ slug: string }>('SELECT slug FROM organisation WHERE is_operator', []);
    const log = logUnderTest({ db: service.db, organisationId: service.operatorId, slug: slug?.slug ?? '' });
    await log.append();
    await log.publish();
    await log.findings();
    const url = adminUrlOf(service.databaseUrl);
    for (const name of ['KeySeals', 'AuditProgress']) await runMigration(url, name, 'down');
    for (const name of ['AuditProgress', 'KeySeals']) await runMigration(url, name, 'up');
    for (const table of ['log_key', 'promise_key'] as const) {
      const rows = await service.rows(`SELECT ${sealedColumns(table, 't')} FROM ${table} t`);
      expect(rows, table).not.to.have.lengthOf(0);
      expect(genuine(service.db, table, rows), table).to.have.lengthOf(rows.length);
    }
    const [audit] = await service.rows<Parameters<typeof isProgressSeal>[1]>(`SELECT ${AUDIT_PROGRESS} FROM audit`);
    expect(audit !== undefined && isProgressSeal(service.db.seals, audit)).to.equal(true);
  });

  it('gets all its rows sealed, and none with another pepper', async () => {
    await migrate(TEST_PEPPER, 'down');
    const error = await migrate('another pepper, of as little use elsewhere', 'up').catch((e: unknown) => e);
    expect(String(error)).to.contain('CUSTOS_PEPPER is not the one this database was set up with');
    await migrate(TEST_PEPPER, 'up');
    for (const table of SEALED_TABLE_NAMES) {
      if (NEWER.has(table)) continue;
      const rows = await service.rows(`SELECT ${sealedColumns(table, 't')} FROM ${table} t`);
      expect(rows, table).not.to.have.lengthOf(0);
      expect(genuine(service.db, table, rows), table).to.have.lengthOf(rows.length);
    }
  });
});
