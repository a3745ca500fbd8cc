// Backups and restores in places that make them difficult, and when they are interrupted.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { type Ran, runCommand } from '../support/command.ts';
import { preparedDataDir, temporaryFolder } from '../support/folders.ts';
import { descendants } from '../support/process-tree.ts';
import { runProcess, untilGone } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';
import { mountSmallDisk } from '../fault/harness/small-disk.ts';

describe('custos backup and custos restore', () => {
  const dataDir = preparedDataDir();
  const around = temporaryFolder('around');
  const at = (...names: string[]): string => path.join(around, ...names);
  const backup = at('backup');
  const ofData = (...args: string[]): Promise<Ran> => runCommand(args, { CUSTOS_DATA_DIR: dataDir });
  const restoreTo = (folder: string): Promise<Ran> => runCommand(['restore', backup], { CUSTOS_DATA_DIR: folder });

  before(async () => {
    const made = await ofData('log', 'list');
    expect(made.code, made.stderr).to.equal(0);
    const saved = await ofData('backup', backup);
    expect(saved.code, saved.stderr).to.equal(0);
  });

  const expectWhole = async (folder: string, { code, stderr }: Ran): Promise<void> => {
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(readdirSync(folder)).to.include.members(['pepper', 'postgres']).and.not.include('restore.part');
    const used = await runCommand(['log', 'list'], { CUSTOS_DATA_DIR: folder });
    expect(used.code, used.stderr).to.equal(0);
  };

  it('restore into a folder that a symbolic link leads to', async () => {
    mkdirSync(at('elsewhere'), { mode: 0o711 });
    symlinkSync('elsewhere', at('link'));
    await expectWhole(at('elsewhere'), await restoreTo(at('link')));
  });

  it('restore into a volume, whose file system has a folder of its own', async function () {
    const disk = mountSmallDisk();
    if (disk === undefined) return this.skip();
    try {
      mkdirSync(path.join(disk.folder, 'lost+found'), { mode: 0o700 });
      await expectWhole(disk.folder, await restoreTo(disk.folder));
    } finally {
      disk.close();
    }
  });

  for (const [when, reached] of [
    ['while it copies', ['postgres', 'base']],
    ['while the database recovers', ['postgres', 'postmaster.pid']],
  ] as const)
    it(`restore leaves nothing when it is interrupted ${when}, and no server`, async () => {
      const folder = at('interrupted');
      const restoring = runProcess('cli/main.js', ['restore', backup], { CUSTOS_DATA_DIR: folder });
      await waitFor(() => existsSync(path.join(folder, 'restore.part', ...reached)), { intervalMs: 5, what: when });
      const all = descendants(restoring.pid);
      expect(await restoring.stop('SIGINT')).to.deep.equal({ code: 130, signal: null });
      expect(restoring.stderr()).to.equal('custos: interrupted by SIGINT.\n');
      expect(existsSync(folder)).to.equal(false);
      await untilGone(all);
    });

  it('two restores into one folder, and a start meanwhile: one is refused, the other one is whole', async () => {
    const folder = at('twice');
    const restoring = runProcess('cli/main.js', ['restore', backup], { CUSTOS_DATA_DIR: folder });
    await waitFor(() => existsSync(path.join(folder, 'restore.part')), { intervalMs: 5, what: 'the copy' });
    for (const args of [['restore', backup], ['start']]) {
      const { code, stderr } = await runCommand(args, { CUSTOS_DATA_DIR: folder, PORT: '0' });
      expect(code).to.equal(1);
      expect(stderr).to.match(/^custos: (?:already running: process \d+ uses|The restore of) /);
    }
    expect(await restoring.ended).to.deep.equal({ code: 0, signal: null });
    await expectWhole(folder, { code: 0, stdout: '', stderr: restoring.stderr() });
  });

  it('a data folder whose restore was killed is used by nothing', async () => {
    const folder = at('killed');
    const restoring = runProcess('cli/main.js', ['restore', backup], { CUSTOS_DATA_DIR: folder });
    await waitFor(() => existsSync(path.join(folder, 'restore.part', 'pepper')), { intervalMs: 5, what: 'the copy' });
    await restoring.kill();
    for (const args of [['start'], ['log', 'list'], ['restore', backup], ['pepper', 'rotate']]) {
      const { code, stderr } = await runCommand(args, { CUSTOS_DATA_DIR: folder, PORT: '0' });
      expect([args, code, stderr]).to.deep.equal([
        args,
        1,
        `custos: The restore of ${folder} is not complete. If none is running, empty the folder and begin again ("custos restore").\n`,
      ]);
    }
    const { stdout } = await runCommand(['doctor'], { CUSTOS_DATA_DIR: folder });
    expect(stdout).to.contain(`The restore of ${folder} is not complete`);
  });

  it('backup leaves nothing when it is interrupted, and no server', async () => {
    const to = at('unfinished');
    const saving = runProcess('cli/main.js', ['backup', to], { CUSTOS_DATA_DIR: dataDir });
    await waitFor(() => readdirSync(around).some((name) => name.startsWith('unfinished.')), {
      intervalMs: 2,
      what: 'the copy',
    });
    const all = descendants(saving.pid);
    expect(await saving.stop('SIGTERM')).to.deep.equal({ code: 143, signal: null });
    expect(readdirSync(around).filter((name) => name.startsWith('unfinished'))).to.deep.equal([]);
    await untilGone(all);
  });

  it('backup refuses a folder within the data folder, also through a link, before it copies itself', async () => {
    symlinkSync(dataDir, at('into'));
    for (const to of [path.join(dataDir, 'new', 'copy'), path.join(at('into'), 'new', 'copy')]) {
      const { code, stderr } = await ofData('backup', to);
      expect([code, stderr]).to.deep.equal([
        1,
        `custos: ${to} is inside ${dataDir}. Keep the backup in another place.\n`,
      ]);
    }
    expect(existsSync(path.join(dataDir, 'new'))).to.equal(false);
  });

  it('backup leaves out what belongs to a file system, which this user may not read', async () => {
    const lost = path.join(dataDir, 'lost+found');
    mkdirSync(lost, { mode: 0o000 });
    const { code, stderr } = await ofData('backup', at('without-lost'));
    rmSync(lost, { recursive: true });
    expect(code, stderr).to.equal(0);
    expect(readdirSync(at('without-lost', 'data'))).to.not.include('lost+found');
  });

  const unfit: Readonly<Record<string, readonly [name: string, make: (file: string) => void, why: RegExp]>> = {
    'a name that no restore accepts': [
      'a\\b',
      (file) => writeFileSync(file, ''),
      /no file of this name: "data\/a\\\\b"/,
    ],
    'a symbolic link': ['linked', (file) => symlinkSync('/nowhere', file), /linked is neither a file nor a folder/],
    'a pipe': ['pipe', (file) => execFileSync('mkfifo', [file]), /pipe is neither a file nor a folder/],
  };
  for (const [what, [name, make, why]] of Object.entries(unfit))
    it(`backup refuses ${what} in the data folder, in a sentence`, async () => {
      const file = path.join(dataDir, name);
      make(file);
      const { code, stderr } = await ofData('backup', at('unfit'));
      rmSync(file);
      expect(code).to.equal(1);
      expect(stderr)
        .to.match(why)
        .and.not.match(/\n\s+at /);
      expect(readdirSync(around).filter((each) => each.startsWith('unfit'))).to.deep.equal([]);
    });
});
