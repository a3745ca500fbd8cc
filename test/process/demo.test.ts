// `npm run demo` against a real service: it succeeds repeatedly, and reports answers that differ from the expected ones.
import path from 'node:path';
import { expect } from 'chai';
import { generateKey } from '../../shared/domain/keys/format.ts';
import type { DemoResult } from '../../cli/demo/story.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { temporaryDataDir } from '../support/folders.ts';
import { type ServiceWithFolder, startServiceWithFolder } from '../support/data-folder.ts';
import type { TestEnv } from '../support/process.ts';

const demo = (args: readonly string[], env: TestEnv = {}): Promise<Ran> => runCommand(['demo', ...args], env);

describe('custos demo', () => {
  let custos: ServiceWithFolder;
  let adminKey: string;
  const json = async (): Promise<DemoResult> => {
    const { stdout } = await demo(['--url', custos.address, '--key', adminKey, '--json']);
    return JSON.parse(stdout) as DemoResult;
  };
  const call = (method: string, route: string, key: string, body?: object): Promise<Response> =>
    fetch(`${custos.address}${route}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  before(async () => {
    custos = await startServiceWithFolder();
    ({ adminKey } = custos.service);
  });
  after(() => custos.close());

  it('runs all steps twice with the key of the data folder, in plain text when the output is no terminal', async () => {
    for (let time = 1; time <= 2; time += 1) {
      const { code, stdout, stderr } = await demo(['--url', custos.address], { CUSTOS_DATA_DIR: custos.dataDir });
      expect(code, stdout + stderr).to.equal(0);
      expect(stdout).to.match(
        /ALLOW[^]*DENY[^]*ESCALATE[^]*APPROVED[^]*APPROVAL_USED[^]*continued by itself[^]*the score rose[^]*the score fell[^]*RECORD_ALTERED[^]*Everything happened/,
      );
      expect(stdout).not.to.match(/\u001b|NOT OK/);
    }
  });

  it('prints one JSON summary, with names that are unique to the run', async () => {
    const [first, second] = [await json(), await json()];
    expect(first, JSON.stringify(first.problem)).to.include({ ok: true, problem: null, environment: 'test' });
    expect(new Set(first.decisions.map(({ verdict }) => verdict))).to.have.all.keys('ALLOW', 'DENY', 'ESCALATE');
    expect(first.intents.map(({ status }) => status)).to.deep.equal(['decided', 'decided', 'decided']);
    expect(new Set(first.approvals), 'one requested directly, one that submitted work waited for').to.have.lengthOf(2);
    expect(first.trust.map(({ level }) => level)).to.deep.equal([1, 3, 1]);
    expect(first.chains.map(({ records }) => records)).to.satisfy((counts: number[]) => counts.every((n) => n > 0));
    expect(first.receipts.map(({ proofId }) => proofId))
      .to.deep.equal(first.proofs)
      .and.to.have.lengthOf(3);
    for (const { origin, index, size } of first.receipts) {
      expect(origin).to.equal('custos.local/default/test');
      expect(index).to.be.below(size);
    }
    expect(first.refusals, 'of forged receipts').to.deep.equal(['RECORD_ALTERED', 'CHECKPOINT_SIGNATURE']);
    expect(second.run).not.to.equal(first.run);
    expect(second.agents).not.to.have.members(first.agents);
  });

  it('changes nothing in the live environment, and leaves no key behind', async () => {
    const live = async (): Promise<unknown[]> =>
      Promise.all(
        ['/v1/agents', '/v1/decisions', '/v1/intents', '/v1/proofs?event=custos.decision'].map(
          async (route) => ((await (await call('GET', route, adminKey)).json()) as { items: unknown }).items,
        ),
      );
    expect((await json()).ok).to.equal(true);
    expect(await live()).to.deep.equal([[], [], [], []]);
    const request = { name: 'look', environment: 'test', scopes: ['admin:*'] };
    const look = (await (await call('POST', '/v1/auth/keys', adminKey, request)).json()) as { key: string };
    const { items } = (await (await call('GET', '/v1/auth/keys', look.key)).json()) as {
      items: { name: string; revokedAt: string | null }[];
    };
    expect(items.filter(({ name }) => name.startsWith('demo '))).not.to.have.lengthOf(0);
    expect(items.filter(({ name, revokedAt }) => name !== 'look' && revokedAt === null)).to.deep.equal([]);
  });

  it('fails in a halted environment, and names the unexpected answer', async () => {
    const request = { name: 'halter', environment: 'test', scopes: ['admin:*'] };
    const { key } = (await (await call('POST', '/v1/auth/keys', adminKey, request)).json()) as { key: string };
    expect((await call('POST', '/v1/halt', key, { reason: 'a test' })).status).to.be.oneOf([200, 201]);
    const { code, stdout } = await demo(['--url', custos.address, '--key', adminKey]);
    expect((await call('DELETE', '/v1/halt', key)).status).to.equal(200);
    expect(code).to.equal(1);
    expect(stdout).to.contain('NOT OK  The demo expects ALLOW here, and the service says DENY (HALTED)');
    expect(stdout, 'the keys are revoked even so').to.contain('ok  the revoked key is refused');
  });

  it('reports in one sentence that the key is no admin key', async () => {
    const request = { name: 'reader', scopes: ['agents:read'] };
    const { key } = (await (await call('POST', '/v1/auth/keys', adminKey, request)).json()) as { key: string };
    // Passed in the environment, so that both ways to pass a key are tested.
    const { code, stdout } = await demo(['--url', custos.address], { CUSTOS_KEY: key });
    expect(code).to.equal(1);
    expect(stdout).to.contain('could not create a test key').and.to.contain('403 E1004');
  });
});

describe('custos demo without a service', () => {
  it('reports in one sentence that no service answers, and how to start one', async () => {
    // Nothing listens on port 9 (discard) of this machine.
    const { code, stdout } = await demo(['--url', 'http://127.0.0.1:9', '--key', generateKey('live').key]);
    expect(code).to.equal(1);
    expect(stdout).to.equal(
      '   NOT OK  Nothing answers at http://127.0.0.1:9. Start the service with "npx custos start", or give its address with --url.\n',
    );
  });

  it('names the places where it looked for a key', async () => {
    const dataDir = temporaryDataDir();
    const { code, stderr } = await demo([], { CUSTOS_DATA_DIR: dataDir });
    expect(code).to.equal(1);
    expect(stderr)
      .to.contain(`${path.join(dataDir, 'bootstrap-key')} does not exist`)
      .and.to.contain('CUSTOS_KEY');
  });

  it('refuses an invalid address', async () => {
    const { code, stderr } = await demo(['--url', 'localhost:3000', '--key', 'any']);
    expect(code).to.equal(2);
    expect(stderr).to.contain('not "localhost:3000"');
  });
});
