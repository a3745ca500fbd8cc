// Parses that no text case can show: secrets, which are put together here, and words that name members of every object.
import { expect } from 'chai';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { shippedLexicon } from './lexicon.ts';

describe('parseIntent reads', () => {
  const secrets = [
    ['an AWS access key id', `AKIA${'Q7'.repeat(8)}`],
    ['a Custos key', `cst_live_${'k3Jd9'.repeat(6)}`],
    ['a GitHub token', `ghp_${'a1B2'.repeat(9)}`],
    ['a JSON web token', `eyJ${'hbGciOi'}.eyJ${'zdWIiOi'}.c2ln`],
    ['a password in a URL', 'postgres://admin:hunter22@db.internal/shop'],
    ['an assignment', 'password=correct-horse-battery'],
  ] as const;
  for (const [name, secret] of secrets) {
    it(`${name} as a secret, and repeats it nowhere`, () => {
      for (const text of [
        `List the buckets with ${secret}`,
        `delete ${secret}`,
        `Use the key "${secret}" to read logs`,
        secret,
      ]) {
        const parse = parseIntent(text, shippedLexicon());
        expect(parse.flags, text).to.include('secret_in_text');
        expect(JSON.stringify(parse).toLowerCase()).to.not.include(secret.toLowerCase());
      }
    });
  }

  it('no secret as a path, whatever it ends with', () => {
    const secret = ['password=', 'Tr0ub4dor.pem'].join('');
    const parse = parseIntent(`Copy it with ${secret}`, shippedLexicon());
    expect(parse.flags).to.include('secret_in_text');
    expect(parse.entities.paths).to.deep.equal([]);
  });

  it('words that name members of every object as ordinary words', () => {
    for (const word of ['constructor', 'valueOf', 'toString', '__proto__']) {
      expect(parseIntent(`${word} /v1/users`, shippedLexicon()).action, word).to.equal('unknown');
      expect(parseIntent(`Pay $5 ${word}`, shippedLexicon()).entities.money, word).to.deep.equal([
        { amount: 5, currency: 'USD' },
      ]);
    }
  });

  it('a private key header as a secret', () => {
    const header = ['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' ');
    expect(parseIntent(`Store this: ${header}\nMIIE`, shippedLexicon()).flags).to.include('secret_in_text');
  });
});
