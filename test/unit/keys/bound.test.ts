// Keys bound to agents: which agents they may name, and that they cannot remove their binding.
import { expect } from 'chai';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { mayChange } from '../../../ingress/dashboard/client/pages/keys-states.ts';
import { assertMayChange, assertMayMake, assertMayName, mayName } from '../../../shared/domain/keys/bound.ts';

const free = { agentIds: null, tags: [], keepsObligations: new Set<string>() };
const bound = { agentIds: new Set(['a', 'b']), tags: ['plain'], keepsObligations: new Set<string>() };

function refusal(work: () => void): ApiError {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('a key bound to agents', () => {
  it('may name its agents, code point by code point, and no other', () => {
    expect(mayName(bound, 'a')).to.equal(true);
    expect(mayName(bound, 'A')).to.equal(false);
    expect(mayName(bound, 'a ')).to.equal(false);
    expect(mayName(free, 'anybody')).to.equal(true);
    assertMayName(bound, 'b', '/agentId');
    assertMayName(free, 'c', '/agentId');
    const error = refusal(() => assertMayName(bound, 'c', '/requests/3/agent_id'));
    expect(error.code).to.equal('E1004');
    expect(error.errors?.[0]?.pointer).to.equal('/requests/3/agent_id');
  });

  it('makes only keys within its binding, with tags and obligations that it has', () => {
    const powers = { agentIds: ['b'], tags: [], keepsObligations: [] };
    assertMayMake(bound, powers);
    assertMayMake(bound, { ...powers, tags: ['plain'] });
    assertMayMake(free, { ...powers, agentIds: null, tags: ['finance'] });
    const pointerOf = (other: object): string | undefined =>
      refusal(() => assertMayMake(bound, { ...powers, ...other })).errors?.[0]?.pointer;
    expect(pointerOf({ agentIds: null })).to.equal('/agentIds');
    expect(pointerOf({ agentIds: ['a', 'z'] })).to.equal('/agentIds/1');
    expect(pointerOf({ tags: ['plain', 'finance'] })).to.equal('/tags');
    expect(pointerOf({ keepsObligations: ['redact_fields'] })).to.equal('/keepsObligations');
  });

  const KEYS: readonly object[] = [
    {},
    { agentIds: ['a', 'b'], tags: ['plain'] },
    { agentIds: null },
    { agentIds: ['a', 'z'] },
    { tags: ['plain', 'finance'] },
    { keepsObligations: ['redact_fields'] },
  ];
  for (const other of KEYS)
    it(`rotates and revokes a key with ${JSON.stringify(other)} as the dashboard shows it, and says why it does not`, () => {
      const powers = { agentIds: ['b'], tags: [], keepsObligations: [], ...other };
      const isShown = mayChange({ bound: { agentIds: ['a', 'b'], tags: ['plain'], keepsObligations: [] } }, powers);
      expect(isShown).to.equal(KEYS.indexOf(other) < 2);
      expect(mayChange({ bound: null }, powers)).to.equal(true);
      assertMayChange(free, powers);
      if (isShown) return assertMayChange(bound, powers);
      const { code, message, errors } = refusal(() => assertMayChange(bound, powers));
      expect([code, errors?.[0]?.pointer]).to.deep.equal(['E1004', '{keyId}']);
      expect(message).not.to.match(/make|give/);
    });
});
