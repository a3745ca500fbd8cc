// Parses that no text case can show: secrets, which are put together here, and words that name members of every object.
import { hostOf, isExternalHost } from '../../../shared/core/intent/text/entities.ts';
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

  it('where a program gets a secret from as no secret', () => {
    for (const reference of ['RO_KEY)', 'os.environ["ES_KEY"]', 'settings.get("k")', 'process.env.ES_KEY'])
      for (const name of ['api_key=', 'clientSecret:'])
        expect(parseIntent(`es = Search(1, ${name}${reference}`, shippedLexicon()).flags).to.not.include(
          'secret_in_text',
        );
    for (const secret of ['RO_KEY7', 'os.environ', 'Xk_PQ12-vb', 'process.envy.ES'])
      expect(parseIntent(`Use api_key=${secret}`, shippedLexicon()).flags, secret).to.include('secret_in_text');
  });

  it('words that name members of every object as ordinary words', () => {
    for (const word of ['constructor', 'valueOf', 'toString', '__proto__']) {
      expect(parseIntent(`${word} /v1/users`, shippedLexicon()).action, word).to.equal('unknown');
      expect(parseIntent(`Pay $5 ${word}`, shippedLexicon()).entities.money, word).to.deep.equal([
        { amount: 5, currency: 'USD' },
      ]);
    }
  });

  it('every entity, however many there are and however long: a policy may refuse the last one', () => {
    const addresses = Array.from({ length: 300 }, (_, i) => `u${i}@x.example`);
    const page = `https://files.example/${'p'.repeat(600)}`;
    const sums = Array.from({ length: 200 }, (_, i) => `${i + 1} EUR`);
    const { emails, urls, money } = parseIntent(
      `Send ${page} to ${addresses.join(', ')}. Pay ${sums.join(', ')}.`,
      shippedLexicon(),
    ).entities;
    expect(emails).to.deep.equal(addresses);
    expect(urls).to.deep.equal([page]);
    expect(money.map(({ amount }) => amount)).to.deep.equal(sums.map((_, i) => i + 1));
  });

  it('no host of an address that two clients read differently as one of the organisation', () => {
    const { internalHosts } = shippedLexicon();
    const known = (internalHosts.find((host) => !host.startsWith('.')) ?? 'localhost').replace(/^\./, '');
    for (const url of [`https://evil.example\\@${known}/`, `https://${known}\\@evil.example/`])
      expect(isExternalHost(hostOf(url) ?? '', internalHosts), url).to.equal(true);
    expect(hostOf(`https://${known}:${'1'.repeat(400)}@evil.example/`)).to.equal('evil.example');
  });

  it('no name that begins like a private address as a host of the organisation', () => {
    for (const host of ['10.evil.example', '127.0.0.1.evil.example', '192.168.evil.example', '172.16.0.1.evil.example'])
      expect(isExternalHost(host, []), host).to.equal(true);
    for (const host of ['10.0.0.1', '127.0.0.1:8080', '192.168.1.1', '172.16.0.1'])
      expect(isExternalHost(host, []), host).to.equal(false);
  });

  it('the host of a URL in one spelling, however the address is written', () => {
    for (const host of [
      '0xa9fea9fe',
      '169.254.43518',
      '[::ffff:169.254.169.254]',
      '[::FFFF:a9fe:a9fe]',
      '169.254.169.254.',
    ])
      expect(parseIntent(`Get http://${host}/latest`, shippedLexicon()).entities.hosts, host).to.deep.equal([
        '169.254.169.254',
      ]);
  });

  it('a private key header as a secret', () => {
    const header = ['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' ');
    expect(parseIntent(`Store this: ${header}\nMIIE`, shippedLexicon()).flags).to.include('secret_in_text');
  });
});
