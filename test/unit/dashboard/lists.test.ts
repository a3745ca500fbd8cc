// Pure functions of the pages: the search for keys, and approvals that expire.
import { expect } from 'chai';
import type { Approval, Key } from '../../../ingress/dashboard/client/answers.ts';
import { statusAt, timeLeft, wasDecided } from '../../../ingress/dashboard/client/pages/approvals-states.ts';
import { keysFound } from '../../../ingress/dashboard/client/pages/keys-states.ts';

const NOW = new Date('2026-11-21T03:00:00Z');
const LATER = '2026-11-22T03:00:00Z';
const BEFORE = '2026-11-20T03:00:00Z';

function key(keyId: string, more: Partial<Key> = {}): Key {
  return {
    keyId,
    name: `Key ${keyId}`,
    scopes: ['intents:write'],
    agentIds: null,
    keepsObligations: [],
    tags: [],
    environment: 'live',
    tier: 4,
    createdAt: BEFORE,
    createdBy: null,
    expiresAt: LATER,
    revokedAt: null,
    replacedBy: null,
    lastUsedAt: null,
    ...more,
  };
}

const KEYS = [
  key('aaaa', { name: 'Invoice gateway' }),
  key('bbbb', { scopes: ['proofs:read'], revokedAt: BEFORE }),
  key('cccc', { agentIds: ['billing-7', 'billing-8'], expiresAt: BEFORE }),
  key('dddd', { replacedBy: 'aaaa', tags: ['Finance'] }),
];

describe('the search for keys', () => {
  for (const [search, state, ids] of [
    [undefined, undefined, ['aaaa', 'bbbb', 'cccc', 'dddd']],
    ['invoice GATE', undefined, ['aaaa']],
    ['BBBB', undefined, ['bbbb']],
    ['proofs:', undefined, ['bbbb']],
    ['billing-8', undefined, ['cccc']],
    ['finance', undefined, ['dddd']],
    ['nothing', undefined, []],
    [undefined, 'active', ['aaaa']],
    [undefined, 'revoked', ['bbbb']],
    [undefined, 'expired', ['cccc']],
    [undefined, 'replaced', ['dddd']],
    ['key', 'expired', ['cccc']],
  ] as const)
    it(`by ${search ?? 'no words'} and ${state ?? 'no state'} are ${ids.join(', ') || 'none'}`, () =>
      expect(keysFound(KEYS, { search, state }, NOW).map(({ keyId }) => keyId)).to.deep.equal(ids));
});

describe('an approval that expires', () => {
  // Only the members that these functions read.
  const approval = (more: Partial<Approval>): Approval =>
    ({
      status: 'pending',
      expiresAt: '2026-11-21T03:00:30Z',
      decidedBy: null,
      usedBy: null,
      reason: null,
      ...more,
    }) as Approval;

  it('is expired at its time, before the service stores it', () => {
    expect(statusAt(approval({}), NOW)).to.equal('pending');
    expect(statusAt(approval({}), new Date('2026-11-21T03:00:30Z'))).to.equal('expired');
    expect(statusAt(approval({ status: 'approved' }), new Date(LATER))).to.equal('expired');
    expect(statusAt(approval({ status: 'used' }), new Date(LATER))).to.equal('used');
    expect(timeLeft('2026-11-21T03:00:30Z', NOW)).to.equal('30 s left');
    expect(timeLeft('2026-11-21T02:00:00Z', NOW)).to.equal('expired 1 h ago');
  });
  it('shows why it cannot be decided any more', () => {
    expect(wasDecided(approval({}), NOW)).to.contain('nobody decided in time');
    expect(wasDecided(approval({ status: 'rejected', decidedBy: 'abcd', reason: 'no' }), NOW)).to.equal(
      'It was already rejected by abcd: no',
    );
    const decided = { decidedBy: 'abcd', reason: 'yes' };
    expect(wasDecided(approval({ ...decided, status: 'approved' }), NOW)).to.equal(
      'It was already approved by abcd: yes',
    );
    expect(wasDecided(approval({ ...decided, status: 'approved' }), new Date(LATER))).to.contain(
      'nobody used it in time',
    );
    expect(wasDecided(approval({ ...decided, status: 'expired' }), NOW)).to.contain('nobody used it in time');
    expect(wasDecided(approval({ ...decided, status: 'used', usedBy: 'efgh' }), NOW)).to.equal(
      'It was already approved by abcd, and used by the key efgh: yes',
    );
  });
});
