// The client libraries as packages: formatting, their own tests and published files, and the commands and programs of the READMEs of Python
// and Go against one real service; those of TypeScript run in test/process/examples.test.ts, in a fresh clone.
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

/** The first compilation of Go's net/http takes longest. */
const TIMEOUT_MS = 300_000;
const folderOf = (language: string): string => path.join(findRoot(), 'clients', language);
const block = (language: string, label: string): string => readmeBlocks(`clients/${language}/README.md`, label)[0];

/** Why the tests of a language are skipped. In CI, a missing program makes them fail instead. */
function whyNot(command: readonly [string, ...string[]], install: string): string | undefined {
  const [program, ...args] = command;
  const isAbsent = spawnSync(program, args).error !== undefined && process.env['CI'] === undefined;
  return isAbsent ? `${program} is not installed (apt-get install ${install})` : undefined;
}

/** Runs a command in a shell. @returns its standard output */
async function run(command: string, cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  try {
    const options = { cwd, env: cleanEnv(env), timeout: TIMEOUT_MS };
    return (await promisify(execFile)('/bin/sh', ['-euc', command], options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command}\n${stdout ?? ''}\n${stderr ?? ''}`, { cause: error });
  }
}

describe('client packages', function () {
  this.timeout(TIMEOUT_MS);
  let custos: TestCustos;
  before(async () => {
    custos = await startCustos();
  });
  after(async () => {
    await custos.stop();
  });
  const keyFile = (): string => path.join(custos.dataDir, 'bootstrap-key');
  const env = (): NodeJS.ProcessEnv => ({
    CUSTOS_URL: custos.address,
    CUSTOS_KEY: readFileSync(keyFile(), 'utf8').trim(),
  });
  /** The first example of a README, as it is shown there. */
  const quickstart = (language: string, more: NodeJS.ProcessEnv = {}): Promise<string> => {
    const command = block(language, 'quickstart').replace('.custos/bootstrap-key', keyFile());
    return run(command, findRoot(), { CUSTOS_URL: custos.address, ...more });
  };

  describe('the TypeScript client', () => {
    const folder = folderOf('typescript');

    it('publishes its compiled files, its types and its licence, and no tests', async () => {
      const [packed] = JSON.parse(await run('npm pack --dry-run --json --ignore-scripts', folder)) as [
        { files: { path: string }[] },
      ];
      const files = packed.files.map((file) => file.path);
      const exported = [
        'dist/src/index.js',
        'dist/src/index.d.ts',
        'dist/src/verify/index.js',
        'dist/src/verify/index.d.ts',
      ];
      expect(files).to.include.members([...exported, 'LICENSE', 'README.md', 'package.json']);
      expect(files.filter((file) => /test|tsbuildinfo|examples/.test(file))).to.deep.equal([]);
    });
  });

  describeUnless(whyNot(['python3', '--version'], 'python3'), 'the Python client', () => {
    const folder = folderOf('python');
    const python = { PYTHONDONTWRITEBYTECODE: '1' };

    it('passes its own tests', async () => {
      await run('python3 -W error -m unittest discover -s tests -t .', folder, python);
    });

    it('runs the example as its README shows it', async () => {
      expectShortened(await quickstart('python', python), block('python', 'quickstart-output'));
    });

    it('runs the program of its README', async () => {
      const place = temporaryFolder('python-client');
      writeFileSync(path.join(place, 'program.py'), block('python', 'guard'));
      const output = await run(`python3 '${place}/program.py'`, folder, { ...python, PYTHONPATH: folder, ...env() });
      expectShortened(output, block('python', 'guard-output'));
    });
  });

  describeUnless(whyNot(['go', 'version'], 'golang-go'), 'the Go client', () => {
    const folder = folderOf('go');
    // Nothing is fetched: the module needs only the standard library.
    const offline = { GOFLAGS: '', GOPROXY: 'off', GOTOOLCHAIN: 'local' };

    it('is formatted, vetted, and passes its own tests', async () => {
      expect(await run('gofmt -l .', folder, offline)).to.equal('');
      await run('go vet ./... && go test ./...', folder, offline);
    });

    it('verifies without the HTTP part', async () => {
      expect(await run('go list -deps ./verify', folder, offline)).not.to.match(/^net(\/|$)/m);
    });

    it('runs the example as its README shows it', async () => {
      expectShortened(await quickstart('go', offline), block('go', 'quickstart-output'));
    });

    it('runs the program of its README in a module of its own', async () => {
      const place = temporaryFolder('go');
      writeFileSync(path.join(place, 'go.mod'), 'module program\n\ngo 1.19\n');
      writeFileSync(path.join(place, 'main.go'), block('go', 'program'));
      const install = block('go', 'install').replace('../custos/clients/go', folder);
      expectShortened(
        await run(`${install}\ngo run .`, place, { ...offline, ...env() }),
        block('go', 'program-output'),
      );
    });
  });
});
