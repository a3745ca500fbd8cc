// The registry of resources: files of the folder `resources`, and what entries say about everything that a request covers.
import { expect } from 'chai';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { loadCanonicalSet } from '../../../shared/core/policy/stored-set.ts';
import { createRegistry, resourceFacts } from '../../../shared/core/resources/registry.ts';
import { compileLexicon, filesOf, LEXICON, policy } from './support.ts';

const ATTRIBUTES = {
  resource: { region: { type: 'text', values: ['eu', 'us'] }, class: { type: 'text', values: ['public', 'secret'] } },
};

function loadWith(...entries: unknown[]) {
  const files = entries.map((entry, i) => ({ path: `resources/r${i}.json`, text: JSON.stringify(entry) }));
  const attributes = { path: 'attributes.json', text: JSON.stringify(ATTRIBUTES) };
  return loadPolicySet([...filesOf([policy('p', 'DENY')]), ...files, attributes], LEXICON, { compileLexicon });
}

describe('files of the folder resources', () => {
  it('are part of the set, under canonical names and sorted by them', () => {
    const loaded = loadWith(
      { name: 'DB.Customers:*', owner: 'sales' },
      { name: 'db/a', class: 'secret', $schema: 'x' },
    );
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
    expect(loaded.set.resources).to.deep.equal([
      { name: 'db/a', class: 'secret' },
      { name: 'db/customers/*', owner: 'sales' },
    ]);
    const again = loadCanonicalSet(loaded.set.canonical, { compileLexicon });
    expect(again.ok && again.set.digest).to.equal(loaded.set.digest);
  });

  const invalid: Readonly<Record<string, readonly [entry: unknown, says: string]>> = {
    'no name': [{ owner: 'x' }, ' SCHEMA the member "name" is missing'],
    'the name *': [{ name: '*' }, '/name BAD_RESOURCE must not be "*"'],
    'a name that climbs': [{ name: 'db/../x' }, '/name BAD_RESOURCE must not contain "." or ".."'],
    'a star inside': [{ name: 'db/*/x' }, '/name BAD_RESOURCE may have "*" only'],
    'a name that is encoded twice': [{ name: 'db%252Fx' }, '/name BAD_RESOURCE must not contain a percent sign'],
    'an attribute that is not declared': [
      { name: 'a', attributes: { regoin: 'eu' } },
      '/attributes/regoin BAD_VALUE is not declared',
    ],
    'a value that is not declared': [
      { name: 'a', attributes: { region: 'mars' } },
      '/attributes/region BAD_VALUE must be one of eu, us',
    ],
    'a class that is not declared': [{ name: 'a', class: 'private' }, '/class BAD_VALUE must be one of public, secret'],
    'the owner among the attributes': [
      { name: 'a', attributes: { owner: 'x' } },
      '/attributes/owner BAD_VALUE stands beside',
    ],
    'a nested object': [{ name: 'a', attributes: { region: {} } }, '/attributes/region BAD_VALUE must be a text'],
    'an unknown member': [{ name: 'a', ownr: 'x' }, '/ownr SCHEMA unknown member "ownr"; did you mean "owner"?'],
  };
  for (const [what, [entry, says]] of Object.entries(invalid))
    it(`are refused with ${what}`, () => {
      const loaded = loadWith(entry);
      const found = loaded.ok
        ? []
        : loaded.findings.map(({ pointer, code, message }) => `${pointer} ${code} ${message}`);
      expect(found.join('\n')).to.include(says);
    });

  it('are refused when two of them have one name and other content', () => {
    const loaded = loadWith({ name: 'db/a', owner: 'x' }, { name: 'DB/a', owner: 'y' });
    expect(loaded.ok ? [] : loaded.findings.map(({ code }) => code)).to.deep.equal(['DUPLICATE_RESOURCE']);
    expect(loadWith({ name: 'db/a', owner: 'x' }, { name: 'DB/a', owner: 'x' }).ok).to.equal(true);
  });
});

describe('the attributes of a request', () => {
  const files = createRegistry([
    { name: 'db/*', attributes: { class: 'internal', region: 'eu' } },
    { name: 'db/customers/*', attributes: { class: 'secret', owner: 'sales' } },
    { name: 'db/customers/demo', attributes: { class: 'public' } },
    { name: 'files/a', attributes: { owner: 'it' } },
  ]);
  const own = createRegistry([
    { name: 'db/customers/*', attributes: { owner: 'crm' } },
    { name: 'api/x', attributes: undefined },
  ]);
  const cases: readonly (readonly [what: string, request: string, places: string[], expected: unknown])[] = [
    ['nothing that is registered', 'mail/a', [], undefined],
    ['a resource by its pattern', 'db/orders', [], { attributes: { class: 'internal', region: 'eu' } }],
    [
      'the most specific entry for each attribute, at one name that of the later registry',
      'db/customers/x',
      [],
      { attributes: { class: 'secret', region: 'eu', owner: 'crm' } },
    ],
    [
      'a name over every pattern',
      'db/customers/demo',
      [],
      { attributes: { class: 'public', region: 'eu', owner: 'crm' } },
    ],
    [
      'a pattern does not cover what stands before its star',
      'db/customers',
      [],
      { attributes: { class: 'internal', region: 'eu' } },
    ],
    [
      'a requested pattern has what all of it has',
      'db/customers/x/*',
      [],
      { attributes: { class: 'secret', region: 'eu', owner: 'crm' } },
    ],
    [
      'a requested pattern with an exception inside',
      'db/customers/*',
      [],
      { attributes: { region: 'eu', owner: 'crm' }, varies: ['class'] },
    ],
    [
      'a requested pattern with several inside',
      'db/*',
      [],
      { attributes: { region: 'eu' }, varies: ['class', 'owner'] },
    ],
    ['all resources', '*', [], { attributes: {}, varies: ['*', 'class', 'owner', 'region'] }],
    [
      'a place with another value',
      'files/a',
      ['db/customers'],
      { attributes: { owner: 'it' }, varies: ['class', 'region'] },
    ],
    [
      'a place with another owner',
      'files/a',
      ['db/customers', 'db/customers/user'],
      { attributes: {}, varies: ['class', 'owner', 'region'] },
    ],
    ['a place with the same value', 'db/a', ['db/b'], { attributes: { class: 'internal', region: 'eu' } }],
    ['an entry that was changed outside the service', 'api/x', [], { attributes: {}, varies: ['*'] }],
    ['a pattern with such an entry', 'api/*', [], { attributes: {}, varies: ['*'] }],
  ];
  for (const [what, request, places, expected] of cases)
    it(what, () => expect(resourceFacts(request, places, [files, own])).to.deep.equal(expected));

  it('of a pattern over ten thousand entries are found in a few milliseconds', () => {
    const many = createRegistry(
      Array.from({ length: 10_000 }, (_, i) => ({ name: `db/t${i}`, attributes: { owner: `o${i % 7}` } })),
    );
    const started = process.cpuUsage().user;
    expect(resourceFacts('db/*', [], [many])?.varies).to.deep.equal(['owner']);
    expect(process.cpuUsage().user - started).to.be.lessThan(200_000);
  });
});
