// The lock of the data folder, and the libraries of the embedded PostgreSQL, which are checked before a server starts.
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { completeLibraries } from '../../shared/platform/embedded/binaries.ts';
import { AlreadyRunning, holderOf, takeLock } from '../../shared/platform/embedded/lock.ts';
import { isAlive, startOf } from '../../shared/platform/embedded/processes.ts';
import { temporaryFolder } from '../support/folders.ts';
import { runProcess } from '../support/process.ts';

describe('takeLock', () => {
  it('refuses a folder that a living process holds, naming it', () => {
    const folder = temporaryFolder();
    const lock = takeLock(folder);
    expect(() => takeLock(folder))
      .to.throw(AlreadyRunning, `already running: process ${process.pid} uses ${folder}.`)
      .with.property('pid', process.pid);
    expect(holderOf(folder)).to.equal(process.pid);
    lock.release();
    expect(holderOf(folder)).to.equal(undefined);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('takes over the lock of a killed process, and reports it', async () => {
    const folder = temporaryFolder();
    const gone = runProcess('cli/main.js', ['--version']);
    writeFileSync(path.join(folder, 'supervisor.lock'), `${gone.pid} ${startOf(gone.pid)}\n`);
    await gone.ended;
    expect(isAlive(gone.pid)).to.equal(false);
    const lock = takeLock(folder);
    expect(lock.afterCrash).to.equal(true);
    lock.release();
    expect(takeLock(folder).afterCrash).to.equal(false);
  });

  it('is not confused by another process that reuses the id of the holder', () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'supervisor.lock'), `${process.pid} another boot/12345\n`);
    expect(holderOf(folder)).to.equal(undefined);
    expect(takeLock(folder).afterCrash).to.equal(true);
    expect(holderOf(folder)).to.equal(process.pid);
  });

  it('takes over an invalid lock file', () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'supervisor.lock'), '');
    takeLock(folder);
    expect(readFileSync(path.join(folder, 'supervisor.lock'), 'utf8')).to.match(new RegExp(`^${process.pid} `));
  });

  it('does not release a lock that another process has taken over', () => {
    const folder = temporaryFolder();
    const lock = takeLock(folder);
    writeFileSync(path.join(folder, 'supervisor.lock'), `1 ${startOf(1)}\n`);
    lock.release();
    expect(existsSync(path.join(folder, 'supervisor.lock'))).to.equal(true);
  });
});

describe('completeLibraries', () => {
  it('creates the library links that npm did not create, as relative links', () => {
    const native = path.join(temporaryFolder(), 'native');
    mkdirSync(path.join(native, 'lib'), { recursive: true });
    writeFileSync(path.join(native, 'lib', 'libpq.so.5.18'), '');
    writeFileSync(
      path.join(native, 'pg-symlinks.json'),
      JSON.stringify(
        ['libpq.so', 'libpq.so.5'].map((name) => ({
          source: 'native/lib/libpq.so.5.18',
          target: `native/lib/${name}`,
        })),
      ),
    );
    for (const time of ['the first time', 'again']) expect(completeLibraries(native), time).to.equal(true);
    expect(readlinkSync(path.join(native, 'lib', 'libpq.so.5'))).to.equal('libpq.so.5.18');
  });
});
