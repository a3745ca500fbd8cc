// Data folders that cannot be used: each error of the file system becomes a sentence that names the folder and the setting.
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { SetupError } from '../../shared/platform/embedded/account.ts';
import { requireWhole } from '../../shared/platform/embedded/cluster.ts';
import { describeFileError, makeDataDir } from '../../shared/platform/embedded/data-folder.ts';
import { startEmbedded } from '../../shared/platform/embedded/embedded.ts';
import { makeSecrets, readSecrets } from '../../shared/platform/embedded/secrets.ts';
import { temporaryFolder } from '../support/folders.ts';

describe('the data folder', () => {
  const folder = temporaryFolder('data folder');
  const file = path.join(folder, 'file');
  writeFileSync(file, '');

  it('is created with all folders above it, for its owner alone', () => {
    const made = path.join(folder, 'a b', 'c', 'data');
    makeDataDir(made);
    expect(statSync(made).mode & 0o066).to.equal(0);
  });

  const unusable = {
    'is a file': file,
    'is below a file': path.join(file, 'data'),
    'cannot be created': '/proc/nowhere/data',
  };
  for (const [why, dataDir] of Object.entries(unusable))
    it(`is refused in a sentence when it ${why}`, async () => {
      const error = await startEmbedded({ dataDir, say: () => undefined }).then(
        () => expect.fail('it started'),
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(SetupError);
      expect((error as Error).message).to.match(
        /^The data folder .* can't be used: .*\. Set CUSTOS_DATA_DIR to a folder/,
      );
      expect(existsSync(path.join(dataDir, 'postgres'))).to.equal(false);
    });

  describe('with a database', () => {
    const secrets = { 'postgres-password': {}, pepper: { pepper: 'p' }, 'signing-key.pem': { signingKeyFile: '/k' } };
    const whole = (): string => {
      const dataDir = temporaryFolder('whole');
      mkdirSync(path.join(dataDir, 'postgres'));
      writeFileSync(path.join(dataDir, 'postgres', 'PG_VERSION'), '18\n');
      if (process.getuid?.() === 0) chownSync(path.join(dataDir, 'postgres'), 1, 1);
      makeSecrets(dataDir);
      return dataDir;
    };

    for (const [name, given] of Object.entries(secrets))
      it(`is refused without its ${name}, or with an empty one, and no other is made`, () => {
        const dataDir = whole();
        requireWhole(dataDir, {});
        writeFileSync(path.join(dataDir, name), '\n');
        expect(() => requireWhole(dataDir, {})).to.throw(SetupError, `${name} is empty`);
        rmSync(path.join(dataDir, name));
        expect(() => requireWhole(dataDir, {})).to.throw(SetupError, `${name} is missing`);
        expect(() => readSecrets(dataDir, {})).to.throw(SetupError, `${name} is missing`);
        expect(existsSync(path.join(dataDir, name))).to.equal(false);
        // A setting that names the secret replaces the file; there is none for the password.
        if (name !== 'postgres-password') expect(readSecrets(dataDir, given)).to.include(given);
      });

    it('is refused when root has copied it without its owners, with how to mend it', function () {
      if (process.getuid?.() !== 0) this.skip();
      const dataDir = whole();
      chownSync(path.join(dataDir, 'postgres'), 0, 0);
      expect(() => requireWhole(dataDir, {})).to.throw(SetupError, /belongs to root.*chown -R postgres/);
    });

    it('gets another key for promises when that is lost, because the old promises stay valid', () => {
      const dataDir = whole();
      rmSync(path.join(dataDir, 'promise-key.pem'));
      expect(existsSync(readSecrets(dataDir, {}).promiseKeyFile)).to.equal(true);
    });
  });

  it('is refused when it has kept checkpoints and no database, and no database is made', async () => {
    const dataDir = temporaryFolder('lost');
    mkdirSync(path.join(dataDir, 'checkpoints', 'custos.local'), { recursive: true });
    const error = await startEmbedded({ dataDir, say: () => undefined }).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(SetupError);
    expect((error as Error).message).to.match(/^The database of .* is missing/);
    expect(readdirSync(dataDir)).to.deep.equal(['checkpoints']);
  });

  it('names the reason of each error on its path, and passes on every other error', () => {
    const dataDir = '/srv/my data/custos';
    const error = (code: string, at: string): Error => Object.assign(new Error('raw'), { code, path: at });
    for (const [code, at, reason] of [
      ['EACCES', `${dataDir}/supervisor.lock`, 'this user may not access it'],
      ['EROFS', '/srv/my data', 'the file system is read-only'],
      ['ENOSPC', `${dataDir}/pepper.new`, 'the disk is full'],
    ] as const)
      expect((describeFileError(error(code, at), dataDir) as Error).message).to.contain(
        `can't be used: ${reason} (${code}`,
      );
    // Node does not name the file of a write to an open one.
    const writing = Object.assign(new Error('raw'), { code: 'ENOSPC', syscall: 'write' });
    expect((describeFileError(writing, dataDir) as Error).message).to.equal(
      `A file can't be written: the disk is full (ENOSPC). The data folder is ${dataDir}.`,
    );
    for (const other of [
      error('EACCES', '/etc/ssl/key.pem'),
      error('ECONNREFUSED', dataDir),
      error('EACCES', `${dataDir}-2/x`),
      new Error('x'),
    ])
      expect(describeFileError(other, dataDir)).to.equal(other);
  });
});
