// Commands on policies with --url: every one against a running service, from a push to the own policies of an organisation.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { runCommand, type Ran } from '../support/command.ts';
import type { ClientResponse } from '../support/client.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

const LEXICON = 'lexicon.json';

describe('custos policy with --url', () => {
  let service: Service;
  let keys: Readonly<Record<'author' | 'approver' | 'tenant', string>>;
  const folder = temporaryFolder('url');

  before(async () => {
    service = await startService({ words: 'few', env: { CUSTOS_POLICY_APPROVALS: '1' } });
    const organisationId = await service.addOrganisation('acme');
    const admin = async (more = {}): Promise<string> => (await service.addKey({ scopes: ['admin:*'], ...more })).key;
    keys = { author: await admin(), approver: await admin(), tenant: await admin({ organisationId }) };
    mkdirSync(folder, { recursive: true });
  });
  after(() => service?.close());

  const as = (who: keyof typeof keys, ...args: string[]): Promise<Ran> =>
    runCommand([...args, '--url', service.ingress.address], { CUSTOS_KEY: keys[who] });
  /** The JSON of a command that succeeds. */
  const json = async (who: keyof typeof keys, ...args: string[]): Promise<ClientResponse['json']> => {
    const { code, stdout, stderr } = await as(who, ...args, '--json');
    expect(code, `${args.join(' ')}: ${stderr}`).to.equal(0);
    return JSON.parse(stdout);
  };
  const write = (effect: 'ALLOW' | 'DENY', id = 'reads'): string => {
    const conditions = { all: [{ fact: 'intent', path: 'effect', operator: 'equal', value: 'read' }] };
    const rules = [{ name: 'reads', conditions, event: { type: effect, params: { code: 'R', message: 'r' } } }];
    const target = { actions: ['read'], resources: ['*'] };
    writeFileSync(
      path.join(folder, 'reads.json'),
      JSON.stringify({ id, description: 'reads', stage: 'enforce', target, rules }),
    );
    return folder;
  };
  const approve = (approvalId: string) =>
    json('approver', 'approvals', 'approve', approvalId, '--reason', 'I read the difference');
  const inForce = async (who: keyof typeof keys = 'author'): Promise<string> =>
    (await service.admin.withKey(keys[who]).get('/v1/policies')).json.digest;

  it('pushes by one key, approves by another, compares, lists, rolls back, stages, promotes, drops, and keeps own policies', async () => {
    const before = await inForce();
    const dry = await json('author', 'policy', 'push', write('DENY'), '--dry-run');
    expect([dry.status, dry.previousDigest, await inForce()]).to.deep.equal(['checked', before, before]);
    const pushed = await json('author', 'policy', 'push', folder, '--reason', 'no reads', '--expect', before);
    expect([pushed.status, await inForce()]).to.deep.equal(['waiting', before]);
    const own = await as('author', 'approvals', 'approve', pushed.approvalId, '--reason', 'mine');
    expect([own.code, own.stderr]).to.satisfy(([code, text]: [number, string]) => code === 1 && /author/.test(text));
    const shown = await json('approver', 'approvals', 'show', pushed.approvalId);
    expect(shown).to.deep.include({ reason: 'no reads', mayDecide: true });
    expect((await approve(pushed.approvalId)).status).to.equal('used');
    const { digest } = pushed;
    await waitFor(async () => (await inForce()) === digest, { what: 'the pushed set' });

    const compared = await json('author', 'policy', 'diff', before, 'active');
    expect(compared.parts.map(({ name }: { name: string }) => name)).to.include('reads');
    const [last] = await json('author', 'policy', 'log', '--limit', '1');
    expect(last).to.deep.include({ digest, previousDigest: before, reason: 'no reads', source: 'push' });
    expect(last.approver).to.be.a('string');
    const back = await json('author', 'policy', 'rollback', before, '--reason', 'too strict');
    expect((await approve(back.approvalId)).status).to.equal('used');
    await waitFor(async () => (await inForce()) === before, { what: 'the set before' });

    const staged = await json('author', 'policy', 'push', folder, '--organisation', 'acme', '--reason', 'at acme');
    await approve(staged.approvalId);
    await waitFor(async () => (await inForce('tenant')) === digest, { what: 'the staged set' });
    const share = await json('author', 'policy', 'push', folder, '--share', '10%', '--reason', 'and in shadow');
    expect(share.status, 'a share changes no verdict').to.equal('staged');
    const [stage] = await json('author', 'policy', 'stages');
    expect(stage).to.deep.include({ digest, organisations: ['acme'], share: 0.1, shareOf: null });
    const dropped = await json('author', 'policy', 'drop-stage', digest, '--reason', 'not yet');
    await approve(dropped.approvalId);
    await waitFor(async () => (await inForce('tenant')) === before, { what: 'the set of the installation' });
    expect(await json('author', 'policy', 'stages')).to.deep.equal([]);
    const promoted = await json('author', 'policy', 'promote', digest, '--reason', 'for all');
    await approve(promoted.approvalId);
    await waitFor(async () => (await inForce('tenant')) === digest, { what: 'the promoted set' });

    write('DENY', 'ours');
    const ours = await json('tenant', 'policy', 'push', folder, '--reason', 'ours');
    expect([ours.status, await inForce('tenant')]).to.deep.equal(['activated', ours.digest]);
    const changes = await json('tenant', 'policy', 'log', '--limit', '1');
    expect(changes[0]).to.deep.include({ digest: ours.digest, organisation: 'acme', reason: 'ours' });
    const none = await json('tenant', 'policy', 'withdraw', '--reason', 'enough');
    expect(none.digest).to.equal(digest);
    const again = await json('tenant', 'policy', 'rollback', ours.digest, '--reason', 'again', '--dry-run');
    expect(again.status).to.equal('checked');
  });

  it('is refused with the sentence of the service, without a key, a valid share or an address', async () => {
    writeFileSync(path.join(folder, LEXICON), '{');
    const cases: readonly (readonly [Ran, number, string])[] = [
      [await as('author', 'policy', 'push', folder, '--reason', 'x'), 1, 'lexicon.json:1'],
      [await as('tenant', 'policy', 'promote', '0'.repeat(64), '--reason', 'x'), 1, "operator's organisation"],
      [await as('author', 'policy', 'push', folder, '--share', '0', '--reason', 'x'), 2, 'more than 0'],
      [await runCommand(['policy', 'log', '--url', service.ingress.address]), 2, 'CUSTOS_KEY'],
      [await runCommand(['policy', 'log', '--url', 'nowhere'], { CUSTOS_KEY: keys.author }), 2, '--url'],
    ];
    for (const [{ code, stderr }, expected, says] of cases)
      expect([code, stderr.includes(says)], stderr).to.deep.equal([expected, true]);
  });
});
