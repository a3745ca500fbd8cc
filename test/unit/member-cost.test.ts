// What many questions in one request cost against the rate limit.
import { expect } from 'chai';
import { costOfMembers } from '../../ingress/routes/member-cost.ts';

describe('the cost of a request with many questions', () => {
  const asked = (count: number, text: string) =>
    Array.from({ length: count }, () => ({ agent_id: 'a', tool: { server: 's', name: 't', arguments: { text } } }));

  it('is one unit for ten questions, or for ten thousand characters in them', () => {
    expect(costOfMembers(asked(1, ''))).to.equal(1);
    expect(costOfMembers(asked(100, 'x'))).to.equal(10);
    expect(costOfMembers(asked(100, 'x'.repeat(9_000)))).to.equal(91);
    expect(costOfMembers([['a', ['b'.repeat(20_000)]], null, 7, true])).to.equal(3);
  });
});
