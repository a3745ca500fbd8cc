// The Go client: formatting, vet, its own tests, and the commands and programs of its README against a real service.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { cleanEnv, startCustos, type TestCustos } from '../../support/process.ts';
import { expectShortened, readmeBlocks } from '../../support/readme-blocks.ts';
import { describeUnless } from '../../support/skip.ts';

/** The first compilation of net/http takes longest. */
const TIMEOUT_MS = 300_000;
const MODULE = path.join(findRoot(), 'clients', 'go');
const block = (label: string): string => readmeBlocks('clients/go/README.md', label)[0];

/** In CI, a missing Go makes the tests fail instead. */
const isAbsent = spawnSync('go', ['version']).error !== undefined && process.env['CI'] === undefined;

describeUnless(isAbsent ? 'go is not installed (apt-get install golang-go)' : undefined, 'the Go client', () => {
  // Nothing is fetched: the module needs only the standard library.
  const offline = { GOFLAGS: '', GOPROXY: 'off', GOTOOLCHAIN: 'local' };
  const run = async (command: string, cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> => {
    const options = { cwd, env: cleanEnv({ ...offline, ...env }), timeout: 240_000 };
    try {
      return (await promisify(execFile)('/bin/sh', ['-euc', command], options)).stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string };
      throw new Error(`${command}\n${stdout ?? ''}\n${stderr ?? ''}`, { cause: error });
    }
  };

  it('is formatted, vetted, and passes its own tests', async () => {
    expect(await run('gofmt -l .', MODULE)).to.equal('');
    await run('go vet ./... && go test ./...', MODULE);
  }).timeout(TIMEOUT_MS);

  it('verifies without the HTTP part', async () => {
    expect(await run('go list -deps ./verify', MODULE)).not.to.match(/^net(\/|$)/m);
  }).timeout(TIMEOUT_MS);

  describe('against a service', () => {
    let custos: TestCustos;
    let env: NodeJS.ProcessEnv;
    before(async function () {
      this.timeout(TIMEOUT_MS);
      custos = await startCustos();
      env = { CUSTOS_URL: custos.address };
    });
    after(async () => {
      await custos.stop();
    });
    const key = (): string => path.join(custos.dataDir, 'bootstrap-key');

    it('runs the example as its README shows it', async () => {
      const output = await run(block('quickstart').replace('.custos/bootstrap-key', key()), findRoot(), env);
      expectShortened(output, block('quickstart-output'));
    }).timeout(TIMEOUT_MS);

    it('runs the program of its README in a module of its own', async () => {
      const folder = temporaryFolder('go');
      const module = /^module (\S+)$/m.exec(readFileSync(path.join(MODULE, 'go.mod'), 'utf8'))?.[1] ?? '';
      const requirement = `require ${module} v0.0.0\nreplace ${module} => ${MODULE}\n`;
      writeFileSync(path.join(folder, 'go.mod'), `module program\n\ngo 1.19\n\n${requirement}`);
      writeFileSync(path.join(folder, 'main.go'), block('program'));
      const output = await run('go run .', folder, { ...env, CUSTOS_KEY: readFileSync(key(), 'utf8').trim() });
      expectShortened(output, block('program-output'));
    }).timeout(TIMEOUT_MS);
  });
});
