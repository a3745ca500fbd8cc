// Keys bound to agents: which agents they may name, and that they cannot remove their binding.
import { expect } from 'chai';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { assertMayName, assertWithinBinding, mayName } from '../../../shared/domain/keys/bound.ts';

const free = { agentIds: null };
const bound = { agentIds: new Set(['a', 'b']) };

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

  it('creates only keys within its binding', () => {
    assertWithinBinding(bound, ['b'], '/agentIds');
    assertWithinBinding(free, null, '/agentIds');
    assertWithinBinding(free, ['z'], '/agentIds');
    expect(refusal(() => assertWithinBinding(bound, null, '/agentIds')).errors?.[0]?.pointer).to.equal('/agentIds');
    expect(refusal(() => assertWithinBinding(bound, ['a', 'z'], '/agentIds')).errors?.[0]?.pointer).to.equal(
      '/agentIds/1',
    );
  });
});
