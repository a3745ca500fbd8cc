// The migration to several open approvals of one question, over approvals that are open.
import { expect } from 'chai';
import { adminUrlOf } from '../support/database.ts';
import { approve, ask, escalate, ESCALATING } from '../support/escalations.ts';
import { runMigration } from '../support/one-migration.ts';
import { startService } from '../support/service.ts';

describe('the migration to several open approvals of one question', () => {
  it('leaves open approvals as they are, and can be undone and repeated', async () => {
    const service = await startService({ policies: ESCALATING, words: 'few' });
    try {
      const migrate = (verb: 'up' | 'down') => runMigration(adminUrlOf(service.databaseUrl), 'ApprovalDemands', verb);
      const client = await service.client({ scopes: ['intents:write'] });
      const asked = { agent_id: 'agent', intent: 'delete:db/asked/a' };
      const id = await escalate(client, asked);
      for (const verb of ['down', 'down', 'up', 'up'] as const) await migrate(verb);
      const indexes = await service.rows("SELECT indexname FROM pg_indexes WHERE indexname LIKE 'approval_open%'");
      expect(indexes).to.have.deep.members([
        { indexname: 'approval_open_once' },
        { indexname: 'approval_open_by_agent' },
      ]);
      expect(await escalate(client, asked)).to.equal(id);
      await approve(service.admin, id);
      expect((await ask(client, { ...asked, approval_id: id })).verdict).to.equal('ALLOW');
    } finally {
      await service.close();
    }
  });
});
