// Data folders that cannot be used: each error of the file system becomes a sentence that names the folder and the setting.
import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { SetupError } from '../../shared/platform/embedded/account.ts';
import { describeFileError, makeDataDir } from '../../shared/platform/embedded/data-folder.ts';
import { startEmbedded } from '../../shared/platform/embedded/embedded.ts';
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
