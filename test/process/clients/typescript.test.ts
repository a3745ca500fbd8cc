// The TypeScript client as a package: the commands and the program of its README against a real service, and the files that it publishes.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { cleanEnv, startCustos, type TestCustos } from '../../support/process.ts';
import { readmeBlocks } from '../../support/readme-blocks.ts';

const PACKAGE = path.join(findRoot(), 'clients', 'typescript');
const block = (label: string): string => readmeBlocks('clients/typescript/README.md', label)[0];

describe('the TypeScript client', function () {
  this.timeout(120_000);
  const run = async (command: string, cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> =>
    (await promisify(execFile)('/bin/sh', ['-euc', command], { cwd, env: cleanEnv(env), timeout: 60_000 })).stdout;

  it('publishes its compiled files, its types and its licence, and no tests', async () => {
    const [packed] = JSON.parse(await run('npm pack --dry-run --json', PACKAGE)) as [{ files: { path: string }[] }];
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

  describe('against a service', () => {
    let custos: TestCustos;
    let env: NodeJS.ProcessEnv;
    before(async () => {
      custos = await startCustos();
      const key = readFileSync(path.join(custos.dataDir, 'bootstrap-key'), 'utf8').trim();
      env = { CUSTOS_URL: custos.address, CUSTOS_KEY: key };
    });
    after(async () => {
      await custos.stop();
    });

    it('runs the example as its README shows it', async () => {
      const keyFile = path.join(custos.dataDir, 'bootstrap-key');
      const command = block('quickstart').replace('.custos/bootstrap-key', keyFile);
      expect(await run(command, findRoot(), env)).to.equal(block('quickstart-output'));
    });

    it('runs the program of its README where the package is installed', async () => {
      const folder = temporaryFolder('typescript-client');
      mkdirSync(path.join(folder, 'node_modules', '@custos'), { recursive: true });
      symlinkSync(PACKAGE, path.join(folder, 'node_modules', '@custos', 'client'));
      writeFileSync(path.join(folder, 'program.mjs'), block('program'));
      expect(await run('node program.mjs', folder, env)).to.equal(block('program-output'));
    });
  });
});
