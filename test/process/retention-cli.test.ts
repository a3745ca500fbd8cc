// `custos retention`: times of single organisations from the shell, directly on the database.
import { expect } from 'chai';
import { createOrganisation } from '../../shared/domain/keys/organisations.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { TEST_PEPPER } from '../support/process.ts';
import { type KeyService, startKeyService } from '../service/keys-setup.ts';

describe('times of retention from the shell', () => {
  let service: KeyService;
  before(async () => {
    service = await startKeyService();
    await createOrganisation(service.db, { slug: 'taken', name: 'taken', tier: 7 }, Date.now());
  });
  after(() => service.close());

  const custos = (args: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
    runCommand(['retention', ...args], { DATABASE_URL: service.databaseUrl, CUSTOS_PEPPER: TEST_PEPPER, ...env });
  const rows = async (args: readonly string[], env: Record<string, string> = {}): Promise<Record<string, unknown>[]> =>
    JSON.parse((await custos(['list', '--json', ...args], env)).stdout) as Record<string, unknown>[];
  const AT_TAKEN = ['--org', 'taken', '--environment', 'test'];

  it('are set, listed with where they are from, and unset, each with a record in the log', async () => {
    const env = { CUSTOS_KEEP_DECISIONS: '90d' };
    const set = await custos(['set', 'decisions', '30d', ...AT_TAKEN], env);
    expect(set.code, set.stderr).to.equal(0);
    expect(set.stderr).to.contain('decisions of taken, test: 30d (before: as the installation)');
    const all = await rows([], env);
    const of = (organisation: string | null) => all.filter((one) => one['organisation'] === organisation);
    expect(of(null).map(({ kind, keepSeconds }) => [kind, keepSeconds])).to.deep.equal([
      ['decisions', 90 * 86_400],
      ['facts', null],
      ['texts', null],
      ['intents', null],
      ['signals', null],
      ['jobs', null],
      ['deliveries', 7 * 86_400],
      ['approvals', null],
      ['actions', null],
    ]);
    expect(of('taken')[0]).to.include({ environment: 'test', keepSeconds: 30 * 86_400, from: 'organisation' });
    expect(of('taken')[0]?.['author']).to.match(/^cli:/);
    expect(of('taken')[6]).to.include({ keepSeconds: 7 * 86_400, from: 'CUSTOS_KEEP_DELIVERIES' });
    expect((await custos(['list'], env)).stdout).to.match(/^taken +test +decisions +30d +organisation +cli:\S+ +2/m);
    expect((await custos(['set', 'texts', 'forever', ...AT_TAKEN])).code).to.equal(0);
    expect((await rows(AT_TAKEN, { CUSTOS_KEEP_TEXTS: '5d' }))[2]).to.include({ keepSeconds: null });
    for (const kind of ['decisions', 'texts']) expect((await custos(['unset', kind, ...AT_TAKEN])).code).to.equal(0);
    expect((await rows(AT_TAKEN, env))[0]).to.include({ keepSeconds: 90 * 86_400, from: 'CUSTOS_KEEP_DECISIONS' });
    const [recorded] = await service.db.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM record WHERE event = 'custos.retention_time' AND environment = 'test'",
      [],
    );
    expect(recorded?.n).to.equal(4);
  });

  const REFUSED: readonly (readonly [args: readonly string[], because: RegExp, env?: Record<string, string>])[] = [
    [
      ['set', 'receipts', '30d'],
      /receipts.*decisions, facts, texts, intents, signals, jobs, deliveries, approvals, actions/,
    ],
    [['set', 'decisions', 'long'], /must be a duration such as 36h, 90d or 52w, not "long".*"forever"/],
    [['set', 'signals', '23h'], /must be at least 1d, not "23h"/],
    [['set', 'approvals', '7d'], /must be at least 8d, not "7d": an approval may be open for seven days/],
    [['set', 'facts', '40000d'], /must be at most 36500d/],
    [
      ['set', 'texts', '1d'],
      /must not be shorter than CUSTOS_APPROVAL_TTL and an hour/,
      { CUSTOS_APPROVAL_TTL: '86400' },
    ],
    [['set', 'decisions', '30d', '--org', 'nobody'], /no organisation "nobody".*custos org list/],
    [['unset', 'decisions', '--org', 'nobody'], /no organisation "nobody"/],
    [['list', '--org', 'nobody'], /no organisation "nobody"/],
    [['set', 'decisions', '30d', '--environment', 'prod'], /prod.*live, test, dev/],
  ];
  for (const [args, because, env] of REFUSED)
    it(`are refused with exit code 2 and the reason: ${args.join(' ')}`, async () => {
      const { code, stderr } = await custos(args, env);
      expect([code, because.test(stderr)], stderr).to.deep.equal([2, true]);
    });
});
