// What `npm pack` builds (shared/platform/build/package.mjs), with a build of its own in place of the service's.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { temporaryFolder } from '../../support/folders.ts';

const SCRIPT = path.join('shared', 'platform', 'build', 'package.mjs');

describe('the build for the package', () => {
  const root = temporaryFolder('package build');
  const write = (file: string, text = file): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  const filesOf = (folder: string): string[] =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => name.split(path.sep).join('/'))
      .filter((name) => path.extname(name) !== '')
      .sort();

  before(() => {
    for (const file of ['cli/main.ts', 'shared/words.json']) write(file);
    const old = [
      '.tsbuildinfo',
      'chunks/old-AAAAAAAA.js',
      'cli/gone.js',
      'cli/gone.d.ts',
      'cli/main.js',
      'cli/main.d.ts',
    ];
    for (const file of [...old, 'service.cjs', 'licences.txt', 'shared/words.json', 'ingress/dashboard/bundle/main.js'])
      write(path.join('dist', file));
    // Stands for compiler and bundlers: the compiler writes only with a new .tsbuildinfo.
    write(
      'build.mjs',
      `import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
      const all = readdirSync('dist', { recursive: true });
      writeFileSync('seen.json', JSON.stringify({ all, chunkMs: statSync('dist/chunks/old-AAAAAAAA.js').mtimeMs }));
      if (!existsSync('dist/.tsbuildinfo')) writeFileSync('dist/cli/main.js', 'new');`,
    );
    write('package.json', JSON.stringify({ name: 'built', scripts: { build: 'node build.mjs' } }));
    mkdirSync(path.join(root, path.dirname(SCRIPT)), { recursive: true });
    copyFileSync(path.join(findRoot(), SCRIPT), path.join(root, SCRIPT));
    const { status, stderr } = spawnSync(process.execPath, [path.join(root, SCRIPT)], { encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
  });

  it('leaves every file in its place while it builds, for a service that is running', () => {
    const { all } = JSON.parse(readFileSync(path.join(root, 'seen.json'), 'utf8')) as {
      readonly all: readonly string[];
    };
    expect(all).to.include.members(['service.cjs', path.join('cli', 'main.js'), path.join('cli', 'gone.js')]);
  });

  it('has every file written again, and the bundler remove the chunks of earlier builds', () => {
    expect(readFileSync(path.join(root, 'dist', 'cli', 'main.js'), 'utf8')).to.equal('new');
    const { chunkMs } = JSON.parse(readFileSync(path.join(root, 'seen.json'), 'utf8')) as { readonly chunkMs: number };
    expect(chunkMs).to.equal(0);
  });

  it('removes what no source makes any more, and nothing else', () => {
    expect(existsSync(path.join(root, 'dist', 'cli', 'gone.js'))).to.equal(false);
    expect(filesOf('dist')).to.deep.equal([
      'chunks/old-AAAAAAAA.js',
      'cli/main.d.ts',
      'cli/main.js',
      'ingress/dashboard/bundle/main.js',
      'licences.txt',
      'service.cjs',
      'shared/words.json',
    ]);
  });

  it('is what npm runs before it packs', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(findRoot(), 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    expect(scripts['prepack']).to.equal(`node ${SCRIPT}`);
  });
});
