// Addresses and keys of a service, as people copy them into a command line.
import { expect } from 'chai';
import { UsageError } from '../../../cli/exit.ts';
import { apiKey, serviceUrl } from '../../../cli/options.ts';
import { generateKey } from '../../../shared/domain/keys/format.ts';

describe('the address of a service', () => {
  const addresses: Readonly<Record<string, string>> = {
    'http://127.0.0.1:3000': 'http://127.0.0.1:3000',
    'http://127.0.0.1:3000/': 'http://127.0.0.1:3000',
    'https://custos.example.com/v1': 'https://custos.example.com',
    'https://custos.example.com/v1//': 'https://custos.example.com',
    'https://example.com/gateway/v1/': 'https://example.com/gateway',
    'https://example.com/gateway-v1': 'https://example.com/gateway-v1',
    'http://v1': 'http://v1',
    'http://v1/v1?page=2': 'http://v1',
  };
  for (const [given, base] of Object.entries(addresses))
    it(`${given}: paths such as /v1/enforce follow ${base}`, () => {
      expect(serviceUrl('--url', given)).to.equal(base);
    });

  it('is refused when it is no address', () => {
    for (const given of ['', 'nowhere', '127.0.0.1:3000', 'ftp://example.com', 'http://user@example.com'])
      expect(() => serviceUrl('--url', given), given).to.throw(UsageError, '--url must be an address');
  });
});

describe('an API key that is given to a command', () => {
  it('is refused when it is none, without repeating it', () => {
    const { key } = generateKey('live');
    expect(apiKey('CUSTOS_KEY', key)).to.equal(key);
    for (const given of ['', 'a secret', 'äöü', `${key}x`, key.slice(1)])
      expect(() => apiKey('CUSTOS_KEY', given)).to.throw(UsageError, /^CUSTOS_KEY holds no API key of Custos\.$/);
  });
});
