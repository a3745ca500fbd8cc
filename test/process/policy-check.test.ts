// `custos policy check` as a process: exit codes, --strict, --json, invalid arguments, and --watch up to the last write.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { lexiconFile } from '../support/lexicon.ts';
import path from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../support/folders.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { runProcess, type TestEnv } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';

interface Checked {
  readonly ok: boolean;
  readonly digest: string | null;
  readonly policies: number;
  readonly findings: readonly { readonly severity: string; readonly code: string; readonly file: string }[];
}

/** Creates a folder with the shipped lexicon and one policy, or none. */
function folderWith(policy?: object): string {
  const dir = temporaryFolder('check');
  writeFileSync(path.join(dir, 'lexicon.json'), lexiconFile().text);
  if (policy !== undefined) writeFileSync(path.join(dir, 'one.json'), JSON.stringify(policy, null, 2));
  return dir;
}

const level = (operator: string, value: number) => ({ fact: 'trust', path: 'level', operator, value });
const denies = (name: string, conditions: object) => ({
  name,
  conditions,
  event: { type: 'DENY', params: { code: 'NO', message: 'no' } },
});
const policyOf = (...rules: object[]) => ({
  id: 'one',
  description: 'A policy of this test.',
  stage: 'enforce',
  target: { actions: ['delete'], resources: ['db/ledger/*'] },
  rules,
});
const SOUND = policyOf(denies('untrusted', { all: [level('lessThan', 4)] }));
/** The first rule is redundant: the second covers it. */
const DOUBTFUL = policyOf(
  denies('new', { all: [level('lessThan', 2)] }),
  denies('untrusted', { all: [level('lessThan', 4)] }),
);
/** Valid, but its condition is never true. */
const DEAD = policyOf(denies('never', { all: [level('lessThan', 2), level('greaterThan', 4)] }));

const check = (args: readonly string[], env: TestEnv = {}): Promise<Ran> =>
  runCommand(['policy', 'check', ...args], env);

describe('custos policy check', () => {
  it('ends with 0 for sound policies, also those that CUSTOS_POLICY_DIR names', async () => {
    const dir = folderWith(SOUND);
    const { code, stdout } = await check([], { CUSTOS_POLICY_DIR: dir });
    expect(code).to.equal(0);
    expect(stdout).to.match(/^ok 1 policy file, 0 test files: 0 errors, 0 warnings\. Digest [0-9a-f]{12}\.\n$/);
  });

  it('shows a warning with a hint and an example, which fails only when it is strict', async () => {
    const dir = folderWith(DOUBTFUL);
    const lax = await check([dir]);
    expect(lax.code).to.equal(0);
    expect(lax.stdout).to.match(/one\.json:\d+:\d+ warning SHADOWED .*\n {2}hint: .*\n {2}example: .*\n/);
    const strict = await check([dir, '--strict', '--json']);
    expect(strict.code).to.equal(3);
    const checked = JSON.parse(strict.stdout) as Checked;
    expect(checked).to.include({ ok: false, policies: 1 });
    expect(checked.digest).to.match(/^[0-9a-f]{64}$/);
    expect(checked.findings.map(({ severity, code }) => [severity, code])).to.deep.equal([['warning', 'SHADOWED']]);
  });

  it('ends with 3 for a rule that can never apply, and gives the reason in JSON', async () => {
    const { code, stdout } = await check([folderWith(DEAD), '--json']);
    const checked = JSON.parse(stdout) as Checked;
    expect([code, checked.ok, checked.digest]).to.deep.equal([3, false, null]);
    expect(checked.findings[0]).to.include({ severity: 'error', code: 'NEVER_TRUE' });
  });

  it('checks test files, too', async () => {
    const dir = folderWith(SOUND);
    mkdirSync(path.join(dir, 'tests'));
    writeFileSync(path.join(dir, 'tests', 'one.json'), '{ "name": "x", "cases": [{ "nam": "y" }] }');
    const { code, stdout } = await check([dir]);
    expect(code).to.equal(3);
    expect(stdout).to.contain('did you mean "name"?').and.to.contain('1 test file');
  });

  it('ends with 2 and a message for a missing folder, and for an unknown option', async () => {
    const gone = await check([path.join(folderWith(), 'gone')]);
    expect([gone.code, gone.stdout]).to.deep.equal([2, '']);
    expect(gone.stderr).to.match(/^custos: The policy folder .* can't be read: it does not exist\.\n$/);
    expect((await check(['--stict'])).code).to.equal(2);
    // An unset variable in a script gives an empty name, which must not mean the current folder.
    expect(await check([''])).to.deep.equal({
      code: 2,
      stdout: '',
      stderr: 'custos: The name of the folder is empty.\n',
    });
  });

  it('watches until it is stopped: reports each state once, the last write always, and errors in between', async () => {
    const dir = folderWith(SOUND);
    const file = path.join(dir, 'one.json');
    const running = runProcess('cli/main.js', ['policy', 'check', dir, '--watch', '--json']);
    const lines = (): (Checked & { at: string })[] =>
      running
        .stdout()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Checked & { at: string });
    const until = (n: number): Promise<unknown> =>
      waitFor(() => (lines().length >= n ? true : undefined), { what: `${n} results of the watch` });
    await until(1);
    // A burst of writes: the last one must be reported, any of the others may be.
    for (let i = 0; i < 20; i += 1) writeFileSync(file, i % 2 === 0 ? '{ "id": ' : JSON.stringify(SOUND));
    writeFileSync(file, JSON.stringify(DEAD));
    await waitFor(() => (lines().at(-1)?.findings[0]?.code === 'NEVER_TRUE' ? true : undefined), {
      what: 'the last write',
    });
    // Unchanged content is not reported again; a missing folder is reported, and polled until it is back.
    writeFileSync(file, JSON.stringify(DEAD));
    renameSync(dir, `${dir}-away`);
    await waitFor(() => (running.stderr().includes("can't be read") ? true : undefined), {
      what: 'the report of the missing folder',
    });
    writeFileSync(path.join(`${dir}-away`, 'one.json'), JSON.stringify(DOUBTFUL));
    renameSync(`${dir}-away`, dir);
    await waitFor(() => (lines().at(-1)?.findings[0]?.code === 'SHADOWED' ? true : undefined), {
      what: 'the folder to be found again',
    });
    const seen = lines();
    expect(
      seen.filter(
        (one, i) =>
          one.digest === seen[i - 1]?.digest && JSON.stringify(one.findings) === JSON.stringify(seen[i - 1]?.findings),
      ),
    ).to.deep.equal([]);
    expect(seen.every(({ at }) => !Number.isNaN(Date.parse(at)))).to.equal(true);
    expect(await running.stop('SIGINT')).to.deep.equal({ code: 0, signal: null });
    rmSync(dir, { recursive: true, force: true });
  });
});
