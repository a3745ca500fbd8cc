// Code in arguments that is too long. Other code: test/texts/shell, sql and http.
import { expect } from 'chai';
import { readCode } from '../../../shared/core/intent/code/script.ts';
import { shippedLexicon } from '../intent/lexicon.ts';

describe('code that is an argument', () => {
  it('code over 10,000 characters is not understood, and what its beginning says still counts', () => {
    const { fragments, isUnderstood } = readCode('shell', `rm -rf /srv; ${'ls; '.repeat(3_000)}`, shippedLexicon());
    expect(isUnderstood).to.equal(false);
    expect(fragments.some(({ effect }) => effect === 'destructive')).to.equal(true);
  });
});
