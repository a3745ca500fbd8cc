// Folders are created by makeFolder: mkdir with `recursive` never returns below /proc in Node 20.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { makeFolder } from '../../../shared/platform/files/folders.ts';
import { temporaryFolder } from '../../support/folders.ts';

const root = findRoot();
const RECURSIVE = /\bmkdir(?:Sync)?\([^;]*recursive/;

describe('makeFolder', () => {
  const folder = temporaryFolder('folders');
  const file = path.join(folder, 'file');
  const dangling = path.join(folder, 'dangling');
  const link = path.join(folder, 'link');
  writeFileSync(file, '');
  symlinkSync('nowhere', dangling);
  mkdirSync(path.join(folder, 'real'));
  symlinkSync('real', link);

  it('creates every folder that is missing, with the mode, also behind a link', () => {
    const made = path.join(link, 'a b', 'Ordner für Ü', 'c');
    makeFolder(made, 0o700);
    makeFolder(made, 0o700);
    for (const one of [made, path.dirname(made)]) expect(statSync(one).mode & 0o777).to.equal(0o700);
    expect(existsSync(path.join(folder, 'real', 'a b'))).to.equal(true);
  });

  const failing = {
    '/proc/nowhere/a': 'ENOENT',
    [file]: 'EEXIST',
    [path.join(file, 'a')]: 'ENOTDIR',
    [dangling]: 'EEXIST',
    [path.join(dangling, 'a')]: 'EEXIST',
  };
  for (const [target, code] of Object.entries(failing))
    it(`fails with ${code} at ${target.replace(folder, '')}`, () => {
      expect(() => makeFolder(target))
        .to.throw()
        .with.property('code', code);
    });

  it('is the only function of the service that creates the folders above one', () => {
    const files = ['cli', 'ingress', 'shared', 'workers'].flatMap((top) =>
      readdirSync(path.join(root, top), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => path.join(top, name)),
    );
    expect(files).to.include(path.join('shared', 'platform', 'files', 'folders.ts'));
    const others = files.filter((name) => RECURSIVE.test(readFileSync(path.join(root, name), 'utf8')));
    expect(others).to.deep.equal([]);
    expect(RECURSIVE.test('mkdirSync(folder,\n { recursive: true })')).to.equal(true);
  });
});
