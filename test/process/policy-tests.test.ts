// `custos policy test` and `custos policy coverage` from the shell, and the commands and output shown in their guide.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { findRoot } from '../../shared/platform/config/root.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { folderWithFewWords } from '../support/lexicon.ts';
import { runProcess } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';

const ROOT = findRoot();

const custos = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  runCommand(['policy', ...args], env);

/** The shipped policies with few words and without their tests, and a function that adds files to them. */
function policyFolder(): { dir: string; put: (name: string, content: string | object) => string } {
  const dir = folderWithFewWords();
  for (const name of ['schema', 'tests']) rmSync(path.join(dir, name), { recursive: true });
  const put = (name: string, content: string | object): string => {
    const file = path.join(dir, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    return file;
  };
  return { dir, put };
}

const reading = (expected: string): object => ({
  name: 'reading',
  cases: [{ name: 'a read', agent: {}, intent: 'data.read.report', expect: expected }],
});

const ESCAPE = '\u001b[';

describe('custos policy test and coverage', () => {
  it('pass on the shipped policies, which are fully covered', async () => {
    const [test, coverage] = await Promise.all([
      custos(['test', '--json']),
      custos(['coverage', '--min', '100', '--json']),
    ]);
    expect(test.code, test.stdout.slice(0, 2_000)).to.equal(0);
    const ran = JSON.parse(test.stdout) as { ok: boolean; passed: number; failed: number; files: object[] };
    expect(ran).to.include({ ok: true, failed: 0 });
    expect(ran.passed).to.be.above(300);
    expect(coverage.code).to.equal(0);
    expect(JSON.parse(coverage.stdout)).to.deep.include({ ok: true, percent: 100, gaps: [], failed: 0 });
  });

  it('a failed case is exit code 4, reported with file and line, without colour when the output is no terminal', async () => {
    const { dir, put } = policyFolder();
    const file = put('tests/r.json', reading('DENY'));
    const [plain, coloured, json] = await Promise.all([
      custos(['test', '--policies', dir]),
      custos(['test', '--policies', dir], { FORCE_COLOR: '1' }),
      custos(['test', file, '--policies', dir, '--json']),
    ]);
    for (const { code } of [plain, coloured, json]) expect(code).to.equal(4);
    expect(plain.stdout).to.contain('r.json:4:5').and.contain('0 passed, 1 failed').and.not.contain(ESCAPE);
    expect(plain.stdout).to.contain('- expected  DENY').and.contain('+ actual    ALLOW');
    expect(plain.stdout).to.match(/reads\/reading-is-open gave ALLOW READ_OPEN: .*reads\.json:\d+:\d+/);
    expect(coloured.stdout).to.contain(ESCAPE);
    const { files } = JSON.parse(json.stdout) as { files: { failures: object[] }[] };
    expect(files[0]?.failures[0]).to.deep.include({
      line: 4,
      column: 5,
      case: 'a read',
      differences: [{ what: 'verdict', expected: 'DENY', actual: 'ALLOW' }],
    });
  });

  it('prints nothing but the chosen format, with the same exit codes', async () => {
    const { dir, put } = policyFolder();
    put('tests/r.json', reading('DENY'));
    const broken = policyFolder();
    broken.put('broken.json', '{ "id": ');
    broken.put('tests/r.json', reading('ALLOW'));
    const [junit, github, sarif, gaps, both] = await Promise.all([
      custos(['test', '--policies', dir, '--format', 'junit']),
      custos(['test', '--policies', dir, '--format', 'github']),
      custos(['test', '--policies', broken.dir, '--format', 'sarif']),
      custos(['coverage', '--policies', dir, '--min', '90', '--format', 'github']),
      custos(['test', '--policies', dir, '--format', 'junit', '--json']),
    ]);
    expect([junit, github, sarif, gaps, both].map(({ code }) => code)).to.deep.equal([4, 4, 3, 4, 2]);
    expect(junit.stdout).to.match(/^<\?xml .*\n<testsuites name="custos policy test" tests="1" failures="1"/);
    expect(github.stdout).to.match(
      /^::error file=[^,]*r\.json,line=4,col=5,title=CASE_FAILED::the case "a read" failed: verdict: expected DENY, actual ALLOW/,
    );
    const { runs } = JSON.parse(sarif.stdout) as { runs: [{ results: [{ ruleId: string }] }] };
    expect(runs[0].results[0].ruleId).to.equal('NOT_JSON');
    expect(
      new Set(
        gaps.stdout
          .trimEnd()
          .split('\n')
          .map((line) => /^::error file=.*,title=UNCOVERED_\w+::/.test(line)),
      ),
    ).to.deep.equal(new Set([true]));
    expect(both.stderr).to.contain('--json means --format json');
  });

  it('watches until it is stopped: runs again after a change, shows what is broken, and never clears a pipe', async () => {
    const { dir, put } = policyFolder();
    put('tests/r.json', reading('DENY'));
    const running = runProcess('cli/main.js', ['policy', 'test', dir, '--watch']);
    const shown = (what: string): Promise<unknown> =>
      waitFor(() => (running.stdout().includes(what) ? true : undefined), { what });
    await shown('1 failed');
    put('tests/r.json', '{ "name": ');
    await shown('Nothing was run.');
    put('tests/r.json', { name: 'empty', cases: [] });
    await waitFor(() => (running.stderr().includes('hold no cases') ? true : undefined), { what: 'no cases' });
    put('tests/r.json', reading('ALLOW'));
    await shown('1 passed, 0 failed');
    expect(running.stdout()).not.to.contain(ESCAPE);
    expect(await running.stop('SIGINT')).to.deep.equal({ code: 0, signal: null });
  });

  it('the commands of the example for GitHub Actions run as written, here on the shipped policies', async () => {
    const workflow: unknown = parse(
      readFileSync(path.join(ROOT, 'examples', 'github-actions', 'policies.yml'), 'utf8'),
    );
    const lines = JSON.stringify(workflow).match(/npx custos [^"\\>]+/g) ?? [];
    expect(lines).to.have.lengthOf(6);
    for (const line of lines) {
      const [npx, name, ...args] = line.trim().replace('base/policies', 'policies').split(' ');
      expect([npx, name, args[0]]).to.deep.equal(['npx', 'custos', 'policy']);
      const { code, stderr } = await custos(args.slice(1));
      expect([code, stderr], line).to.deep.equal([0, '']);
    }
  });

  it('a broken policy or test file is exit code 3, and no test is run', async () => {
    const policies = policyFolder();
    policies.put('broken.json', '{ "id": "broken" }');
    policies.put('tests/r.json', reading('ALLOW'));
    const tests = policyFolder();
    tests.put('tests/r.json', { name: 'r', cases: [{ name: 'c', agent: 'nobody', intent: 'data.read.x' }] });
    const almost = policyFolder();
    almost.put('tests/r.JSON', reading('ALLOW'));
    const [ofPolicy, ofTest, ofCoverage] = await Promise.all([
      custos(['test', '--policies', policies.dir, '--json']),
      custos(['test', '--policies', tests.dir]),
      custos(['coverage', '--policies', almost.dir]),
    ]);
    for (const { code } of [ofPolicy, ofTest, ofCoverage]) expect(code).to.equal(3);
    const { ok, findings } = JSON.parse(ofPolicy.stdout) as { ok: boolean; findings: { file: string }[] };
    expect(ok).to.equal(false);
    expect(findings[0]?.file).to.match(/broken\.json$/);
    expect(ofTest.stdout).to.match(/r\.json:6:16 error UNKNOWN_FIXTURE there is no fixture "nobody" of agents/);
    expect(ofCoverage.stdout).to.match(/r\.JSON:1:1 error NOT_JSON/);
  });

  it('runs the tests of a named policy folder, and named tests against the policies of their folder', async () => {
    const { dir, put } = policyFolder();
    const file = put('tests/r.json', reading('DENY'));
    put('closed.json', {
      id: 'closed',
      description: 'Nothing is read.',
      stage: 'enforce',
      target: { actions: ['read'], resources: ['*'] },
      rules: [
        {
          name: 'closed',
          conditions: { all: [{ fact: 'agent', path: 'id', operator: 'isPresent', value: true }] },
          event: { type: 'DENY', params: { code: 'CLOSED', message: 'closed' } },
        },
      ],
    });
    // The shipped policies, the default, would answer ALLOW.
    const all = await Promise.all([
      custos(['test', dir]),
      custos(['test', file]),
      custos(['test', path.dirname(file)]),
      custos(['coverage', dir]),
      custos(['test', dir, '--policies', path.join(ROOT, 'policies')]),
    ]);
    expect(all.map(({ code }) => code)).to.deep.equal([0, 0, 0, 0, 4]);
  });

  it('exit code 2 when nothing can run: no tests, no case of that name, no percentage, no folder', async () => {
    const { dir, put } = policyFolder();
    const bare = policyFolder();
    put('tests/r.json', reading('ALLOW'));
    const all = await Promise.all([
      custos(['test', '--policies', bare.dir]),
      custos(['test', '--policies', dir, '--filter', 'another']),
      custos(['coverage', '--policies', dir, '--min', 'all']),
      custos(['test', '']),
    ]);
    expect(all.map(({ code }) => code)).to.deep.equal([2, 2, 2, 2]);
    for (const [i, says] of ['does not exist', 'another', 'percentage', 'is empty'].entries())
      expect(all[i]?.stderr).to.contain(says);
  });

  it('coverage below --min is exit code 4, and every gap is reported with its place', async () => {
    const { dir, put } = policyFolder();
    put('tests/r.json', reading('ALLOW'));
    const { code, stdout } = await custos(['coverage', '--policies', dir, '--min', '50', '--json']);
    expect(code).to.equal(4);
    const { ok, percent, gaps } = JSON.parse(stdout) as {
      ok: boolean;
      percent: number;
      gaps: { kind: string; file: string; line: number; column: number }[];
    };
    expect(ok).to.equal(false);
    expect(percent).to.be.below(50);
    expect(new Set(gaps.map(({ kind }) => kind))).to.deep.equal(new Set(['policy', 'rule', 'condition']));
    for (const gap of gaps) {
      const line = readFileSync(path.resolve(gap.file), 'utf8').split('\n')[gap.line - 1] ?? '';
      expect(line.slice(gap.column - 1), JSON.stringify(gap)).to.match(/^\{/);
    }
  });
});

describe('the guide on testing a policy', () => {
  const guide = readFileSync(path.join(ROOT, 'docs', 'guides', 'test-a-policy.md'), 'utf8');
  const blocks = new Map(
    [...guide.matchAll(/<!-- ([\w-]+) -->\n```\w*\n([^]*?)^```$/gm)].map(([, label = '', text = '']) => [label, text]),
  );
  const block = (label: string): string => {
    const text = blocks.get(label);
    if (text === undefined) throw new Error(`the guide has no block ${label}`);
    return text;
  };

  it('shows the actual output, for its files as printed and for the errors that it introduces', async () => {
    const variant = (change: (policy: string, test: string) => [string, string]): string => {
      const { dir, put } = policyFolder();
      const [policy, test] = change(block('policy'), block('test'));
      put('releases.json', policy);
      put('tests/releases.json', test);
      return dir;
    };
    const valued = (value: string): string => variant((policy, test) => [policy.replace('08:00-18:00', value), test]);
    const withoutNight = variant((policy, test) => {
      const document = JSON.parse(test) as { cases: { name: string }[] };
      const cases = document.cases.filter(({ name }) => !name.includes('night'));
      return [policy, JSON.stringify({ ...document, cases })];
    });
    const dirs = [variant((...files) => files), valued('07:00-24:00'), valued('06:00-23:59')];
    const ran = await Promise.all([
      ...dirs.map((dir) => custos(['test', '--policies', dir])),
      custos(['coverage', '--policies', withoutNight]),
    ]);
    // Run from a nearby folder, because paths are shown relative to it.
    const shown = ran.map(({ stdout }, i) => {
      const dir = dirs[i] ?? withoutNight;
      return stdout.replaceAll(`${path.relative(process.cwd(), dir)}/`, 'policies/').replaceAll(`${dir}/`, 'policies/');
    });
    expect(ran.map(({ code }) => code)).to.deep.equal([0, 3, 4, 0]);
    expect(shown[0]).to.equal(block('passed'));
    for (const [i, label] of ['passed', 'broken', 'failed', 'uncovered'].entries())
      for (const line of block(label).trimEnd().split('\n')) expect(shown[i]?.split('\n'), label).to.include(line);
  });
});
