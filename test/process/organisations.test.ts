// `custos org` and `custos keys`: tenants and keys from the shell, directly on the database.
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { parseKey } from '../../shared/domain/keys/format.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/folders.ts';
import { TEST_PEPPER } from '../support/process.ts';
import { type KeyService, startKeyService } from '../service/keys-setup.ts';

describe('organisations and keys from the shell', () => {
  let service: KeyService;
  before(async () => {
    service = await startKeyService();
  });
  after(() => service.close());

  const custos = (args: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
    runCommand(args, { DATABASE_URL: service.databaseUrl, CUSTOS_PEPPER: TEST_PEPPER, ...env });
  const ok = async (...args: string[]): Promise<string> => {
    const ran = await custos(args);
    expect(ran.code, ran.stderr).to.equal(0);
    return ran.stdout.trim();
  };
  const statusOf = async (key: string): Promise<number> => {
    await service.changes.refresh();
    return (await service.as(key).get('/v1/agents')).status;
  };

  it('create a tenant whose admin can not see other tenants', async () => {
    const made = JSON.parse(await ok('org', 'create', 'acme', '--name', 'Acme Inc.', '--tier', '5', '--json'));
    expect(made).to.include({ slug: 'acme', name: 'Acme Inc.', tier: 5, isOperator: false });
    const listed = JSON.parse(await ok('org', 'list', '--json')) as { slug: string; isOperator: boolean }[];
    expect(listed.map(({ slug, isOperator }) => [slug, isOperator])).to.deep.equal([
      ['default', true],
      ['taken', false],
      ['acme', false],
    ]);
    expect(await ok('org', 'list')).to.match(/^SLUG .*\ndefault .*\ntaken .*\nacme +Acme Inc\. +5 +no /);
    const key = await ok('keys', 'create', '--org', 'acme', '--name', 'admin', '--scope', 'admin:*');
    const keys = (await service.as(key).get('/v1/auth/keys')).json.items as { keyId: string }[];
    expect(keys.map((one) => one.keyId)).to.deep.equal([parseKey(key)?.keyId]);
    const own = (await service.admin.get('/v1/auth/keys?limit=200')).json.items as { keyId: string }[];
    expect(own.map((one) => one.keyId)).to.not.contain(parseKey(key)?.keyId);
  });

  it('create a key, list it, rotate it and revoke it', async () => {
    const made = JSON.parse(
      await ok(
        'keys',
        'create',
        '--name',
        'cli',
        '--scope',
        'agents:read',
        'agents:write',
        '--environment',
        'test',
        '--agent',
        'a',
        'b',
        '--expires-in',
        '90d',
        '--tier',
        '6',
        '--json',
      ),
    );
    expect(made).to.deep.include({
      environment: 'test',
      scopes: ['agents:read', 'agents:write'],
      agentIds: ['a', 'b'],
      tier: 6,
      createdBy: null,
    });
    expect(parseKey(made.key)?.environment).to.equal('test');
    expect(await statusOf(made.key)).to.equal(200);
    const listed = await ok('keys', 'list', '--environment', 'test');
    expect(listed).to.contain(made.keyId).and.contain('agents:read,agents:write').and.not.contain(made.key);
    const replaced = await ok('keys', 'rotate', made.keyId, '--overlap', '1h');
    expect([await statusOf(made.key), await statusOf(replaced)]).to.deep.equal([200, 200]);
    const keyId = parseKey(replaced)?.keyId ?? '';
    await ok('keys', 'revoke', keyId);
    await ok('keys', 'revoke', keyId);
    expect(await statusOf(replaced)).to.equal(401);
    const all = JSON.parse(await ok('keys', 'list', '--environment', 'test', '--json')) as {
      keyId: string;
      revokedAt: unknown;
    }[];
    expect(all.find((one) => one.keyId === keyId)?.revokedAt).to.be.a('string');
    expect(JSON.stringify(all)).to.not.contain(parseKey(replaced)?.secret);
  });

  it('print a key for CUSTOS_BOOTSTRAP_KEY without a database', async () => {
    const ran = await custos(['keys', 'generate'], { DATABASE_URL: '', CUSTOS_PEPPER: '' });
    expect(parseKey(ran.stdout.trim())?.environment).to.equal('live');
  });

  const create = (...more: string[]) => ['keys', 'create', '--name', 'x', '--scope', 'agents:read', ...more];
  const refused: [string, string[], RegExp][] = [
    ['an organisation that does not exist', create('--org', 'nobody'), /no organisation "nobody"/],
    ['one that does not exist, by the long option', create('--organisation', 'nobody'), /no organisation "nobody"/],
    [
      'an unknown scope',
      ['keys', 'create', '--name', 'x', '--scope', 'agents:read', 'all'],
      /--scope number 2 must be one of/,
    ],
    ['an invalid lifetime', create('--expires-in', 'soon'), /--expires-in must be a number and a unit letter/],
    ['a tier above the organisation', create('--tier', '8'), /--tier.* must be a whole number from 0 to 7/],
    ['an unknown environment', create('--environment', 'prod'), /--environment.*Allowed choices are live, test, dev/s],
    ['a key that does not exist', ['keys', 'revoke', 'zzzzzzzz'], /no key zzzzzzzz/],
    ['the rotation of a key that does not exist', ['keys', 'rotate', 'zzzzzzzz'], /no key zzzzzzzz/],
    ['an overlap that is too long', ['keys', 'rotate', 'zzzzzzzz', '--overlap', '31d'], /--overlap must be/],
    ['an invalid slug', ['org', 'create', 'Not_Good'], /slug must have/],
    ['a slug that is taken', ['org', 'create', 'taken'], /with the slug "taken" already/],
    ["the operator's slug", ['org', 'create', 'default'], /operator's organisation/],
    ['an invalid tier', ['org', 'create', 'other', '--tier', 'high'], /--tier <tier>' argument 'high' is invalid/],
  ];
  before(() => service.addOrganisation('taken'));
  for (const [what, args, sentence] of refused)
    it(`refuse ${what} with a one-sentence message and exit code 2`, async () => {
      const { code, stdout, stderr } = await custos(args);
      expect([code, stdout], stderr).to.deep.equal([2, '']);
      expect(stderr).to.match(sentence);
      expect(stderr, 'no stack').to.not.match(/\n\s+at /);
    });

  it('refuse a policy set for an organisation that does not exist, and name the option', async () => {
    const shipped = path.join(findRoot(), 'policies');
    const other = temporaryFolder('policies');
    cpSync(shipped, other, { recursive: true });
    rmSync(path.join(other, 'broad-patterns.json'));
    await ok('policy', 'push', shipped, '--reason', 'x');
    const names = ['--organisation', 'taken', '--organisation', 'nobody'];
    const ran = await custos(['policy', 'push', other, '--reason', 'x', ...names]);
    expect(ran, ran.stderr).to.include({ code: 2, stdout: '' });
    expect(ran.stderr).to.match(/^custos: --organisation number 2 is not an organisation: "nobody"\.$/m);
  });

  it('refuse to work with another pepper', async () => {
    await ok('org', 'list');
    const ran = await custos(create(), { CUSTOS_PEPPER: 'quite another pepper, of the right length' });
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.contain('CUSTOS_PEPPER is not the one this database was set up with');
    expect(ran.stderr).to.not.match(/\n\s+at /);
  });
});
