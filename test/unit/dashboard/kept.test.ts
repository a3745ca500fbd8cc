// Input that survives an expired session.
import { expect } from 'chai';
import { createDrafts } from '../../../ingress/dashboard/client/kept.ts';

describe('unsaved input when the session expires', () => {
  it('is restored once for the same key', () => {
    const drafts = createDrafts();
    drafts.put('key-1', 'reason', 'the agent is gone');
    drafts.put('key-1', 'scopes', ['proofs:read']);
    expect(drafts.take('key-1', 'reason')).to.equal('the agent is gone');
    expect(drafts.take('key-1', 'reason')).to.equal(undefined);
    expect(drafts.take('key-1', 'scopes')).to.deep.equal(['proofs:read']);
  });
  it('is dropped when another key signs in', () => {
    const drafts = createDrafts();
    drafts.put('key-1', 'reason', 'mine');
    expect(drafts.take('key-2', 'reason')).to.equal(undefined);
    expect(drafts.take('key-1', 'reason')).to.equal(undefined);
  });
  it('is dropped on request', () => {
    const drafts = createDrafts();
    drafts.put('key-1', 'reason', 'mine');
    drafts.forget();
    expect(drafts.take('key-1', 'reason')).to.equal(undefined);
  });
});
