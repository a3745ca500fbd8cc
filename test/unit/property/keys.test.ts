// Properties of API keys: any alteration is detected before a look-up.
import { expect } from 'chai';
import fc from 'fast-check';
import { createAuthenticator } from '../../../shared/domain/keys/authenticator.ts';
import { formatKey, generateKey, parseKey } from '../../../shared/domain/keys/format.ts';
import { ENVIRONMENTS } from '../../../shared/kernel/vocabulary.ts';
import { TEST_SEALS } from '../../support/seals.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const word = (length: number) => fc.string({ unit: fc.constantFrom(...BASE62), minLength: length, maxLength: length });
const parts = fc.record({ environment: fc.constantFrom(...ENVIRONMENTS), keyId: word(8), secret: word(43) });

function authenticatorWithoutTable() {
  let lookUps = 0;
  const authenticator = createAuthenticator({
    db: {
      seals: TEST_SEALS,
      transaction: () => Promise.reject(new Error('nothing is written here')),
      async query() {
        lookUps += 1;
        return [];
      },
    },
    changes: { subscribe: () => undefined, ensureFresh: () => undefined },
    pepper: 'a pepper for tests, of no use elsewhere',
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
  });
  return { authenticator, lookUps: () => lookUps };
}

describe('every API key', () => {
  it('is parsed as it was written', () => {
    fc.assert(
      fc.property(parts, (p) => {
        expect(parseKey(formatKey(p))).to.deep.equal({ ...p });
      }),
    );
  });

  it('is refused without a look-up when any one character is another', () => {
    const { authenticator, lookUps } = authenticatorWithoutTable();
    // Exhaustive over one key: each position, each character of the alphabet and a few others.
    const { key } = generateKey('live');
    for (let i = 0; i < key.length; i += 1)
      for (const other of `${BASE62}_-.~é`) {
        if (other === key[i]) continue;
        const altered = key.slice(0, i) + other + key.slice(i + 1);
        expect(() => authenticator.authenticate({ 'x-api-key': altered }), altered)
          .to.throw()
          .with.property('code', 'E1002');
      }
    expect(lookUps()).to.equal(0);
  });

  it('is refused without a look-up when one character of any key is another', () => {
    const { authenticator, lookUps } = authenticatorWithoutTable();
    fc.assert(
      fc.property(parts, fc.nat(), fc.constantFrom(...BASE62), (p, at, other) => {
        const key = formatKey(p);
        const i = at % key.length;
        fc.pre(key[i] !== other);
        const altered = key.slice(0, i) + other + key.slice(i + 1);
        expect(() => authenticator.authenticate({ authorization: `Bearer ${altered}` }))
          .to.throw()
          .with.property('code', 'E1002');
      }),
      { numRuns: 2_000 },
    );
    expect(lookUps()).to.equal(0);
  });

  it('is refused without a look-up when two adjacent characters are swapped or one is missing', () => {
    const { key } = generateKey('test');
    for (let i = 0; i + 1 < key.length; i += 1) {
      const [a, b] = [key[i] ?? '', key[i + 1] ?? ''];
      if (a !== b) expect(parseKey(key.slice(0, i) + b + a + key.slice(i + 2))).to.equal(undefined);
      expect(parseKey(key.slice(0, i) + key.slice(i + 1))).to.equal(undefined);
    }
  });

  it('never throws on any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => parseKey(text) === undefined));
  });
});
