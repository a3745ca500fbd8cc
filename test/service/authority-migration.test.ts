// A database from before agents and sessions had records: the migration records each agent, and the audit finds no difference.
import { expect } from 'chai';
import { createAuthorityAudit } from '../../shared/domain/ledger/audit-authority.ts';
import { signIn } from '../support/dashboard.ts';
import { adminUrlOf } from '../support/database.ts';
import { runMigration } from '../support/one-migration.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';

describe('an installation from before agents and sessions had records', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  before(async () => {
    both = await startServiceAndWorker();
    ({ service, worker } = both);
  });
  after(() => both?.close());

  it('gets a record of each agent as it is, ends all sessions, and has no audit findings', async () => {
    await service.admin.post('/v1/agents', { agentId: 'older "é"', name: 'x', capabilities: ['mail'] });
    await service.admin.patch(`/v1/agents/${encodeURIComponent('older "é"')}`, { status: 'PAUSED' });
    await signIn(service.admin, service.adminKey);
    await service.rows(
      "DELETE FROM log_inbox USING record WHERE proof_id = source_id AND event IN ('custos.agent', 'custos.session')",
    );
    for (const verb of ['down', 'up'] as const)
      await runMigration(adminUrlOf(service.databaseUrl), 'AuthorityRecords', verb);
    await worker.append();
    const leaves = await service.rows<{ record: string }>(
      `SELECT convert_from(record, 'UTF8') AS record FROM leaf JOIN record ON record.proof_id = leaf.proof_id WHERE leaf.event = 'custos.agent'`,
    );
    expect(leaves.map(({ record }) => JSON.parse(`${record}}`).payload.body)).to.deep.equal([
      { agentId: 'older "é"', by: null, capabilities: ['mail'], change: 'registered', status: 'PAUSED', tags: [] },
    ]);
    expect(await service.rows('SELECT FROM dashboard_session')).to.deep.equal([]);
    const audit = createAuthorityAudit({ db: service.db, nowMs: service.nowMs, monotonicMs: () => 0 });
    const owner = { organisationId: service.operatorId, environment: 'live' as const };
    expect(await audit.compare(owner, { now: true })).to.deep.equal([]);
  });
});
