// Who may open which page of the dashboard: the menu shows no page that the service refuses.
import { expect } from 'chai';
import { mayOpen, PAGES } from '../../../ingress/dashboard/client/pages.ts';
import type { SessionInfo } from '../../../ingress/dashboard/client/wire.ts';

describe('the pages of the dashboard', () => {
  const hiddenFrom = (session: Pick<SessionInfo, 'isOperator' | 'bound'>): string[] =>
    PAGES.filter((page) => !mayOpen(page, session as SessionInfo)).map(({ name }) => name);
  const bound = { agentIds: ['a'], scopes: [], maxTier: 1 } as unknown as SessionInfo['bound'];

  it('are all open to the operator', () => {
    expect(hiddenFrom({ isOperator: true, bound: null })).to.deep.equal([]);
  });

  it('of the whole installation are hidden from other organisations', () => {
    expect(hiddenFrom({ isOperator: false, bound: null })).to.deep.equal(['policies', 'queues']);
  });

  it('of webhooks and dead jobs are hidden from a key that is bound to agents, too', () => {
    expect(hiddenFrom({ isOperator: false, bound })).to.deep.equal(['webhooks', 'policies', 'queues', 'dead-jobs']);
  });
});
