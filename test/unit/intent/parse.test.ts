// Parse cases, as data: a text and the relevant members of its parse.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { shippedLexicon } from './lexicon.ts';

interface Case {
  text: string;
  normalized?: string;
  action?: string;
  verb?: string;
  object?: string;
  effect?: string;
  extent?: string;
  minConfidence?: number;
  maxConfidence?: number;
  /** Exactly these. */
  traits?: string[];
  flags?: string[];
  dataClasses?: string[];
  emails?: string[];
  money?: { amount: number; currency: string }[];
  /** None of these. */
  notFlags?: string[];
  /** At least these. */
  places?: string[];
  alternatives?: string[];
}

const MEMBERS = new Set(
  'text normalized action verb object effect extent minConfidence maxConfidence traits flags dataClasses emails money notFlags places alternatives'.split(
    ' ',
  ),
);
const file = path.join(findRoot(), 'test', 'unit', 'intent', 'cases.json');
const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[]; // its members are checked below

describe('parseIntent reads', () => {
  it('only cases whose members this test knows', () => {
    for (const entry of cases) for (const member of Object.keys(entry)) expect(MEMBERS, entry.text).to.include(member);
  });

  for (const entry of cases) {
    it(JSON.stringify(entry.text.slice(0, 70)), () => {
      const parse = parseIntent(entry.text, shippedLexicon());
      for (const member of ['normalized', 'action', 'verb', 'object', 'effect', 'extent'] as const) {
        if (entry[member] !== undefined) expect(parse[member], member).to.equal(entry[member]);
      }
      if (entry.minConfidence !== undefined) expect(parse.confidence).to.be.at.least(entry.minConfidence);
      if (entry.maxConfidence !== undefined) expect(parse.confidence).to.be.at.most(entry.maxConfidence);
      if (entry.traits) expect(parse.traits).to.have.members(entry.traits);
      if (entry.flags) expect(parse.flags).to.have.members(entry.flags);
      if (entry.notFlags) expect(parse.flags).to.not.include.members(entry.notFlags);
      if (entry.dataClasses) expect(parse.data_classes).to.have.members(entry.dataClasses);
      if (entry.emails) expect(parse.entities.emails).to.deep.equal(entry.emails);
      if (entry.money) expect(parse.entities.money).to.deep.equal(entry.money);
      if (entry.places) expect(parse.places).to.include.members(entry.places);
      if (entry.alternatives) {
        expect(parse.alternatives.map(({ normalized }) => normalized)).to.include.members(entry.alternatives);
      }
    });
  }

  const secrets = [
    ['an AWS access key id', `AKIA${'Q7'.repeat(8)}`],
    ['one of our own keys', `cst_live_${'k3Jd9'.repeat(6)}`],
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

  it('words that name members of every object as mere words', () => {
    for (const word of ['constructor', 'valueOf', 'toString', '__proto__']) {
      expect(parseIntent(`${word} /v1/users`, shippedLexicon()).action, word).to.equal('unknown');
      expect(parseIntent(`Pay $5 ${word}`, shippedLexicon()).entities.money, word).to.deep.equal([
        { amount: 5, currency: 'USD' },
      ]);
    }
  });

  it('a sum by the word of its currency', () => {
    expect(parseIntent('send 50 bucks to Bob', shippedLexicon())).to.include({ action: 'transfer', object: 'money' });
  });

  it('a private key header as a secret', () => {
    const header = ['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' ');
    expect(parseIntent(`Store this: ${header}\nMIIE`, shippedLexicon()).flags).to.include('secret_in_text');
  });

  it('names, hosts, paths and identifiers as entities', () => {
    const { entities } = parseIntent(
      'Copy /srv/data/report.pdf from files.corp.example to https://drop.example/in for ana@corp.example, ticket OPS-1234',
      shippedLexicon(),
    );
    expect(entities.paths).to.deep.equal(['/srv/data/report.pdf']);
    expect(entities.hosts).to.have.members(['files.corp.example', 'drop.example']);
    expect(entities.urls).to.deep.equal(['https://drop.example/in']);
    expect(entities.emails).to.deep.equal(['ana@corp.example']);
    expect(entities.identifiers).to.include('OPS-1234');
  });
});
