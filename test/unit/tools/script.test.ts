// Code in arguments: everything on the line is read, and what is not understood is a result, never a milder reading.
import { expect } from 'chai';
import { type CodeKind, readCode } from '../../../shared/core/intent/code/script.ts';
import { dataOf, shippedLexicon } from './support.ts';

describe('code that is an argument', () => {
  const cases = dataOf<Record<CodeKind, [string, boolean, string[]][]>>('script.cases.json');
  for (const kind of ['shell', 'sql', 'http'] as const)
    for (const [text, understood, actions] of cases[kind])
      it(`${kind} ${JSON.stringify(text)} is ${understood ? '' : 'not '}understood: ${actions.join(', ')}`, () => {
        const { fragments, isUnderstood } = readCode(kind, text, shippedLexicon());
        expect(isUnderstood).to.equal(understood);
        expect([...new Set(fragments.map(({ action }) => action))]).to.have.members(actions);
      });

  it('code over 10,000 characters is not understood, and what its beginning says still counts', () => {
    const { fragments, isUnderstood } = readCode('shell', `rm -rf /srv; ${'ls; '.repeat(3_000)}`, shippedLexicon());
    expect(isUnderstood).to.equal(false);
    expect(fragments.some(({ effect }) => effect === 'destructive')).to.equal(true);
  });
});
