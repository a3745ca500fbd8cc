// Who may open which page of the dashboard.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { mayOpen } from '../../../ingress/dashboard/client/page-access.ts';
import type { SessionInfo } from '../../../ingress/dashboard/client/wire.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';

type Session = Pick<SessionInfo, 'isOperator' | 'bound'>;

describe('the pages of the dashboard', () => {
  // They are read as text: their code needs a browser.
  const text = readFileSync(path.join(findRoot(), 'ingress/dashboard/client/pages.ts'), 'utf8');
  const names = [...text.matchAll(/^ {4}name: '([^']*)',$/gm)].map(([, name = '']) => name);
  const hiddenFrom = (session: Session): string[] => names.filter((name) => !mayOpen({ name }, session));

  it('are all open to the operator', () => {
    expect(names).to.have.length.above(10);
    expect(hiddenFrom({ isOperator: true, bound: null })).to.deep.equal([]);
  });

  it('of the whole installation are hidden from other organisations', () => {
    expect(hiddenFrom({ isOperator: false, bound: null })).to.deep.equal(['policies', 'queues']);
  });

  it('of webhooks and dead jobs are hidden from a key that is bound to agents, too', () => {
    const bound = { agentIds: ['a'] } as unknown as Session['bound'];
    expect(hiddenFrom({ isOperator: false, bound })).to.deep.equal(['webhooks', 'policies', 'queues', 'dead-jobs']);
  });
});
