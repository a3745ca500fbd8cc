// Resources with disguised letters and with many places. Others: test/texts/enforce/resources.jsonl.
import { expect } from 'chai';
import { readNormalized } from '../../../shared/core/intent/normalized.ts';
import { shippedLexicon } from './lexicon.ts';

describe('resources', () => {
  const read = (resource: string) =>
    readNormalized({ actionWord: 'read', segments: resource.split('/') }, shippedLexicon());

  it('are interpreted as they look where they are disguised, and keep their spelling', () => {
    expect(read('\u0455ecrets/x').data_classes).to.deep.equal(['credentials']);
    expect(read('db/pr\u043eduction/users').places).to.include('production');
    expect(read('db/pr\u043eduction/users').normalized).to.equal('db.read.pr\u043eduction.users');
  });
  it('lists each place once however often it is named, and loses none', () => {
    const { places } = read(`${'production/staging/'.repeat(30)}sandbox/x`);
    expect(places.length).to.be.at.most(8);
    expect(places).to.include.members(['production', 'staging', 'sandbox']);
  });
});
