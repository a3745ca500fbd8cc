// `custos policy new`: creates a valid, tested policy for every effect; refuses invalid names, targets and folders.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { TEMPLATE_EFFECTS } from '../../cli/policy/template.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/folders.ts';

const policy = (...args: readonly string[]): Promise<Ran> => runCommand(['policy', ...args]);

/** A copy of the shipped policies without their tests. */
function copy(): string {
  const dir = path.join(temporaryFolder('new'), 'policies');
  cpSync(path.join(findRoot(), 'policies'), dir, { recursive: true });
  rmSync(path.join(dir, 'tests'), { recursive: true });
  return dir;
}

describe('custos policy new', () => {
  it('writes a policy and cases for every effect, which pass together with the shipped policies', async () => {
    const dir = copy();
    for (const [i, effect] of TEMPLATE_EFFECTS.entries()) {
      const more =
        i === 0 ? ['--action', 'update', '--action', 'delete', '--resource', 'files/a', '--environment', 'test'] : [];
      const { code, stdout, stderr } = await policy('new', `made-${i}`, dir, '--effect', effect, ...more);
      expect(code, stderr).to.equal(0);
      expect(stdout).to.contain('custos policy test');
    }
    // This command ends with 3 when the folder does not pass the check.
    const tested = await policy('test', '--policies', dir);
    expect(tested.code, tested.stdout).to.equal(0);
    expect(tested.stdout).to.contain(`${2 * TEMPLATE_EFFECTS.length} passed, 0 failed`);
    const first = JSON.parse(readFileSync(path.join(dir, 'made-0.json'), 'utf8')) as {
      target: unknown;
      description: string;
    };
    expect(first.target).to.deep.equal({
      actions: ['update', 'delete'],
      resources: ['files/a'],
      environments: ['test'],
    });
    expect(first.description).to.equal('Update, delete of files/a is refused to agents below trust level 4.');
  });

  it('prints JSON for programs: the files written, or the reason why none was', async () => {
    const dir = copy();
    const { code, stdout } = await policy('new', 'made', dir, '--json');
    const made = JSON.parse(stdout) as { ok: boolean; policy: string; test: string; verdict: string };
    expect([code, made.ok, made.verdict]).to.deep.equal([0, true, 'DENY']);
    for (const file of [made.policy, made.test]) expect(existsSync(file), file).to.equal(true);
    writeFileSync(path.join(dir, 'reads.json'), '{');
    const broken = await policy('new', 'other', dir, '--json');
    expect(broken.code).to.equal(3);
    expect(JSON.parse(broken.stdout)).to.deep.include({ ok: false, policy: null, test: null });
    expect(JSON.parse(broken.stdout).findings[0]).to.include({ line: 1, column: 2, code: 'NOT_JSON' });
  });

  it('refuses invalid policies and existing files, and writes nothing', async () => {
    const dir = copy();
    const before = readdirSync(dir);
    const refused = await Promise.all([
      policy('new', 'Payroll', dir),
      policy('new', 'lexicon', dir),
      policy('new', 'reads', dir),
      policy('new', 'climbs', dir, '--resource', 'db/../x'),
      policy('new', 'unknowns', dir, '--effect', 'ALLOW', '--action', 'unknown'),
      policy('new', 'drops', dir, '--action', 'drop'),
    ]);
    expect(refused.map(({ code }) => code)).to.deep.equal([2, 2, 2, 2, 2, 2]);
    const says = [
      '/id must be lower-case',
      'name of the lexicon',
      'not overwritten',
      'between slashes',
      'no ALLOW matches',
      'must be one of',
    ];
    for (const [i, { stderr }] of refused.entries()) expect(stderr).to.contain(says[i]);
    expect(readdirSync(dir)).to.deep.equal(before);
  });

  it('reports the errors of a broken folder and does not change it, exit code 3', async () => {
    const dir = copy();
    writeFileSync(path.join(dir, 'reads.json'), '{');
    const { code, stdout } = await policy('new', 'payroll', dir);
    expect(code).to.equal(3);
    expect(stdout).to.contain('reads.json:1:2 error NOT_JSON').and.to.contain('nothing was written');
    expect(existsSync(path.join(dir, 'payroll.json')) || existsSync(path.join(dir, 'tests'))).to.equal(false);
  });
});
