// The form of an API key, against vectors that were computed with Python's zlib and hmac.
import { expect } from 'chai';
import { base62, checksum, formatKey, generateKey, parseKey } from '../../../shared/domain/keys/format.ts';
import { createSecretHasher } from '../../../shared/domain/keys/secrets.ts';

const SECRET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg';
const VECTORS = [
  `cst_live_4fZ0q9Lm_${SECRET}_0BJOnS`,
  `cst_test_00000000_${'0'.repeat(43)}_0pKpKp`,
  `cst_dev_zzzzzzzz_${'z'.repeat(43)}_4QgnHW`,
  // A checksum below 62^4: two zeros of padding.
  `cst_live_0000004h_${'A'.repeat(43)}_00htMP`,
];

describe('the form of an API key', () => {
  for (const key of VECTORS)
    it(`reads and writes ${key.slice(0, 18)}... as an independent implementation does`, () => {
      const parts = parseKey(key);
      expect(parts).to.not.equal(undefined);
      if (parts !== undefined) expect(formatKey(parts)).to.equal(key);
    });

  it('splits a key into its parts', () => {
    expect(parseKey(VECTORS[0] ?? '')).to.deep.equal({ environment: 'live', keyId: '4fZ0q9Lm', secret: SECRET });
  });

  it("has zlib's CRC-32 in six base62 characters", () => {
    expect(checksum('123456789')).to.equal('3jZRME');
    expect(base62(0n, 6)).to.equal('000000');
    expect(base62(2n ** 256n - 1n, 43)).to.equal('yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1');
  });

  for (const environment of ['live', 'test', 'dev'] as const)
    it(`makes ${environment} keys that it reads`, () => {
      const made = generateKey(environment);
      expect(made.key).to.match(/^cst_(live|test|dev)_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
      expect(parseKey(made.key)).to.deep.equal({ environment, keyId: made.keyId, secret: made.secret });
    });

  it('makes unique secrets of 256 bits that use the whole alphabet', () => {
    const made = Array.from({ length: 500 }, () => generateKey('live'));
    expect(new Set(made.map((one) => one.secret)).size).to.equal(500);
    expect(new Set(made.map((one) => one.secret).join('')).size).to.equal(62);
    expect(new Set(made.map((one) => one.keyId).join('')).size).to.equal(62);
  });

  const key = VECTORS[0] ?? '';
  for (const [what, text] of [
    ['nothing', ''],
    ['white space around', ` ${key}`],
    ['a line break after', `${key}\n`],
    ['another environment, whose checksum no longer fits', key.replace('cst_live', 'cst_test')],
    [
      'an environment that does not exist',
      formatKey({ environment: 'prod' as 'live', keyId: '4fZ0q9Lm', secret: SECRET }),
    ],
    ['capital letters in the prefix', key.replace('cst', 'CST')],
    ['a secret that is too short', key.replace(SECRET, SECRET.slice(1))],
    ['a character that is not base62', key.replace('4fZ0q9Lm', '4fZ0q9L-')],
    ['a checksum without its padding', key.replace('_0BJOnS', '_BJOnS')],
    ['text after it', `${key}0`],
    ['a full-width digit', key.replace('4fZ0q9Lm', '４fZ0q9Lm')],
  ] as const)
    it(`is not ${what}`, () => {
      expect(parseKey(text)).to.equal(undefined);
    });
});

describe("the hash of a key's secret", () => {
  const hasher = createSecretHasher('0123456789abcdef0123456789abcdef');

  it('is HMAC-SHA-256 under the pepper of the characters', () => {
    expect(hasher.hash(SECRET).toString('hex')).to.equal(
      '70dfb21c40b3fb3b08fb54a5d06913e753456a7d0109d12fee23cd07f4514176',
    );
  });

  it('matches only itself, and never an absent hash', () => {
    const presented = hasher.hash(SECRET);
    expect(hasher.matches(presented, hasher.hash(SECRET))).to.equal(true);
    expect(hasher.matches(presented, hasher.hash(`${SECRET.slice(1)}0`))).to.equal(false);
    expect(hasher.matches(presented, undefined)).to.equal(false);
    expect(hasher.matches(Buffer.alloc(32), undefined), 'the dummy for an absent key is not a key').to.equal(false);
    expect(hasher.matches(presented, Buffer.alloc(0))).to.equal(false);
  });
});
