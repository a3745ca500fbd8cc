// The lock of the data folder, and the libraries of the embedded PostgreSQL, which are checked before a server starts.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { lightBeacon } from '../../shared/platform/embedded/beacon.ts';
import { completeLibraries } from '../../shared/platform/embedded/binaries.ts';
import { AlreadyRunning, holderOf, takeLock } from '../../shared/platform/embedded/lock.ts';
import { isAlive, startOf } from '../../shared/platform/embedded/processes.ts';
import { temporaryFolder } from '../support/folders.ts';
import { runProcess } from '../support/process.ts';

describe('takeLock', () => {
  it('refuses a folder that a living process holds, naming it', async () => {
    const folder = temporaryFolder();
    const lock = await takeLock(folder);
    const refused = await takeLock(folder).catch((error: unknown) => error);
    expect(refused)
      .to.be.instanceOf(AlreadyRunning)
      .and.include({
        message: `already running: process ${process.pid} uses ${folder}.`,
        pid: process.pid,
      });
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
    const lock = await takeLock(folder);
    expect(lock.afterCrash).to.equal(true);
    lock.release();
    expect((await takeLock(folder)).afterCrash).to.equal(false);
  });

  it('is not confused by another process that reuses the id of the holder', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'supervisor.lock'), `${process.pid} another boot/12345\n`);
    expect(holderOf(folder)).to.equal(undefined);
    expect((await takeLock(folder)).afterCrash).to.equal(true);
    expect(holderOf(folder)).to.equal(process.pid);
  });

  it('takes over an invalid lock file', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'supervisor.lock'), '');
    await takeLock(folder);
    expect(readFileSync(path.join(folder, 'supervisor.lock'), 'utf8')).to.match(new RegExp(`^${process.pid} `));
  });

  it('is released once, however often that is asked: a second time would close what belongs to others by then', async () => {
    const folder = temporaryFolder();
    const lock = await takeLock(folder);
    lock.release();
    // It gets the number of the descriptor that was closed.
    const other = openSync(folder, 'r');
    lock.release();
    closeSync(other);
  });

  it('does not release a lock that another process has taken over', async () => {
    const folder = temporaryFolder();
    const lock = await takeLock(folder);
    writeFileSync(path.join(folder, 'supervisor.lock'), `1 ${startOf(1)}\n`);
    lock.release();
    expect(existsSync(path.join(folder, 'supervisor.lock'))).to.equal(true);
  });

  // In another container the id means nothing: here it belongs to a process that ended.
  describe('of a process that can not be seen from here', function () {
    before(function () {
      if (process.platform !== 'linux') this.skip();
    });

    /** A lock whose id is not that of a live process, with the socket of one that lives, or of none. */
    const lockOf = (folder: string, socket: string): void =>
      writeFileSync(path.join(folder, 'supervisor.lock'), `${process.pid} another boot/12345\n${socket}\n`);

    it('is respected while that process lives, also in a folder with a long path', async () => {
      const folder = path.join(temporaryFolder(), 'n'.repeat(120));
      mkdirSync(folder);
      const beacon = await lightBeacon(folder, 'supervisor.lock.00ff.socket');
      lockOf(folder, 'supervisor.lock.00ff.socket');
      const refused = await takeLock(folder).catch((error: unknown) => error);
      expect(refused)
        .to.be.instanceOf(AlreadyRunning)
        .and.have.property('message', `already running: process ${process.pid} of another container uses ${folder}.`);
      expect(readdirSync(folder)).to.have.members(['supervisor.lock', 'supervisor.lock.00ff.socket']);
      beacon?.close();
      expect((await takeLock(folder)).afterCrash).to.equal(true);
    });

    it('is taken over when that process was killed, and its socket is deleted', async () => {
      const folder = temporaryFolder();
      const listening = `require('node:net').createServer().listen('supervisor.lock.0f.socket', () => process.kill(process.pid, 'SIGKILL'))`;
      spawnSync(process.execPath, ['-e', listening], { cwd: folder });
      expect(readdirSync(folder)).to.deep.equal(['supervisor.lock.0f.socket']);
      lockOf(folder, 'supervisor.lock.0f.socket');
      const lock = await takeLock(folder);
      expect(lock.afterCrash).to.equal(true);
      lock.release();
      expect(readdirSync(folder)).to.deep.equal([]);
    });
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
