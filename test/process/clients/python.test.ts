// The Python client: its own tests, and the example and the program of its README against a real service.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { cleanEnv, startCustos, type TestCustos } from '../../support/process.ts';
import { expectShortened, readmeBlocks } from '../../support/readme-blocks.ts';
import { describeUnless } from '../../support/skip.ts';

const PACKAGE = path.join(findRoot(), 'clients', 'python');
const block = (label: string): string => readmeBlocks('clients/python/README.md', label)[0];

async function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const options = { cwd, env: cleanEnv({ PYTHONDONTWRITEBYTECODE: '1', ...env }), timeout: 110_000 };
  try {
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch (error) {
    throw new Error((error as { stderr?: string }).stderr ?? 'no output', { cause: error });
  }
}

/** In CI, a missing Python makes the tests fail instead. */
const isAbsent = spawnSync('python3', ['--version']).error !== undefined && process.env['CI'] === undefined;
const reason = isAbsent ? 'python3 is not installed (apt-get install python3)' : undefined;

describeUnless(reason, 'the Python client', function (this: Mocha.Suite) {
  this.timeout(120_000);

  it('passes its own tests', async () => {
    await run('python3', ['-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'], PACKAGE, {});
  });

  describe('against a service', () => {
    let custos: TestCustos;
    let env: NodeJS.ProcessEnv;
    const keyFile = (): string => path.join(custos.dataDir, 'bootstrap-key');
    before(async () => {
      custos = await startCustos();
      env = { CUSTOS_URL: custos.address };
    });
    after(async () => {
      await custos.stop();
    });

    it('runs the example as its README shows it', async () => {
      const command = block('quickstart').replace('.custos/bootstrap-key', keyFile());
      expectShortened(await run('/bin/sh', ['-euc', command], findRoot(), env), block('quickstart-output'));
    });

    it('runs the program of its README', async () => {
      const key = readFileSync(keyFile(), 'utf8').trim();
      const output = await run('python3', ['-c', block('guard')], PACKAGE, { ...env, CUSTOS_KEY: key });
      expectShortened(output, block('guard-output'));
    });
  });
});
