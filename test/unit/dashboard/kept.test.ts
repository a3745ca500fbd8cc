// What outlives a session that ended by itself, and for whom.
import { expect } from 'chai';
import { createDrafts } from '../../../ingress/dashboard/client/kept.ts';

describe('what somebody was typing when the session ended', () => {
  it('is there again for the same key, once', () => {
    const drafts = createDrafts();
    drafts.put('key-1', 'reason', 'the agent is gone');
    drafts.put('key-1', 'scopes', ['proofs:read']);
    expect(drafts.take('key-1', 'reason')).to.equal('the agent is gone');
    expect(drafts.take('key-1', 'reason')).to.equal(undefined);
    expect(drafts.take('key-1', 'scopes')).to.deep.equal(['proofs:read']);
  });
  it('is there for no other key, and gone once another one has signed in', () => {
    const drafts = createDrafts();
    drafts.put('key-1', 'reason', 'mine');
    expect(drafts.take('key-2', 'reason')).to.equal(undefined);
    expect(drafts.take('key-1', 'reason')).to.equal(undefined);
  });
  it('is gone when it is to be forgotten', () => {
    const drafts = createDrafts();
    drafts.put('key-1', 'reason', 'mine');
    drafts.forget();
    expect(drafts.take('key-1', 'reason')).to.equal(undefined);
  });
});
