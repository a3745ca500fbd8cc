// The votes of several approvers: the audit compares them with the log, in every state of their approval.
import { expect } from 'chai';
import { auditorOf } from '../support/auditor.ts';
import { approve, ask, escalate, QUORUM, reject } from '../support/escalations.ts';
import { startServiceAndWorker } from '../support/worker.ts';

describe('the votes on an approval', () => {
  it('are what the log says in every state of the approval, or the audit finds it', async () => {
    const { service, worker, close } = await startServiceAndWorker({ policies: QUORUM, words: 'few' });
    try {
      const client = await service.client({ scopes: ['intents:write'] });
      const voter = () => service.client({ scopes: ['admin:*'], tags: ['finance'] });
      const [one, other] = [await voter(), await voter()];
      const auditor = auditorOf(service);
      const findings = async () => {
        await worker.append();
        return (await auditor.run({ full: true })).flatMap((log) => log.findings.map(({ kind }) => kind));
      };
      const asked = { agent_id: 'agent', intent: 'delete:db/asked/several/a' };
      const id = await escalate(client, asked);
      await approve(one, id, 'first "vote"');
      expect(await findings(), 'pending').to.deep.equal([]);
      await approve(other, id);
      expect(await findings(), 'approved').to.deep.equal([]);
      expect((await ask(client, { ...asked, approval_id: id })).allowed).to.equal(true);
      expect(await findings(), 'used').to.deep.equal([]);
      const refused = await escalate(client, { ...asked, intent: 'delete:db/asked/several/b' });
      await approve(one, refused);
      await reject(other, refused);
      expect(await findings(), 'rejected').to.deep.equal([]);
      await service.rows(`UPDATE approval SET votes = replace(votes, 'first', 'other') WHERE approval_id = $1`, [id]);
      expect(await findings()).to.include('approval-altered');
    } finally {
      await close();
    }
  });
});
