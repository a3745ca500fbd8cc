// Runs docs/guides/write-a-policy.md step by step in a copy of the policies, then breaks its policy in ten ways.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { positionAt } from '../../shared/kernel/json.ts';
import { ACTIONS } from '../../shared/kernel/vocabulary.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { runCommand } from '../support/command.ts';
import { V8_OPTIONS } from '../support/process.ts';
import { temporaryFolder } from '../support/folders.ts';
import { dataOf } from '../support/data.ts';

const guide = readFileSync(path.join(findRoot(), 'docs', 'guides', 'write-a-policy.md'), 'utf8');
const MAIN = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'cli', 'main.js');

const BLOCK = /<!-- guide-([a-z-]+) -->\n```\w+\n([^]*?)```(?:\n\n```text\n([^]*?)```)?/g;
/** The labelled code blocks of the guide, each with its expected output. */
const BLOCKS = new Map([...guide.matchAll(BLOCK)].map(([, name = '', text = '', output]) => [name, { text, output }]));

function block(name: string): { readonly text: string; readonly output: string | undefined } {
  const found = BLOCKS.get(name);
  if (found === undefined) throw new Error(`the guide has no block ${name}`);
  return found;
}

const folder = temporaryFolder('policy-guide');
const inFolder = (name: string): string => path.join(folder, name);
const read = (name: string): string => readFileSync(inFolder(name), 'utf8');

interface Run {
  readonly code: number | null;
  readonly out: string;
}

/** Runs shell lines in the folder with the built command line; stops at the first failure. */
function run(script: string): Run {
  const custos = `npx() { shift; "${process.execPath}" ${V8_OPTIONS.join(' ')} "${MAIN}" "$@"; }\n`;
  const nodeFolder = path.dirname(process.execPath);
  const ended = spawnSync('/bin/sh', ['-euc', custos + script], {
    cwd: folder,
    env: { PATH: `${nodeFolder}:${process.env.PATH ?? ''}` },
    timeout: 60_000,
    encoding: 'utf8',
  });
  return { code: ended.status, out: ended.stdout + ended.stderr };
}

interface Finding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly example?: string;
}
interface Checked {
  readonly ok: boolean;
  readonly digest: string | null;
  readonly policies: number;
  readonly findings: readonly Finding[];
}
/** Runs a policy command that the guide does not show, on a path in the folder. */
async function policyCommand(name: string, place: string, ...options: string[]): Promise<Run> {
  const { code, stdout, stderr } = await runCommand(['policy', name, inFolder(place), ...options]);
  return { code, out: stdout + stderr };
}
const check = (dir: string, ...options: string[]): Promise<Run> => policyCommand('check', dir, ...options);

describe('The guide to writing a policy', () => {
  before(() => {
    cpSync(path.join(findRoot(), 'policies'), inFolder('policies'), { recursive: true });
  });

  it('starts with a copy of the policies, and creates a new policy with the output shown, never overwriting one', () => {
    expect(run(block('copy').text).code).to.equal(0);
    const made = run(block('new').text);
    expect(made).to.deep.equal({ code: 0, out: block('new').output });
    const again = run(block('new').text);
    expect(again.code).to.equal(2);
    expect(again.out).to.contain('is not overwritten');
  });

  it('the new policy and its cases pass unchanged', async () => {
    expect(await check('drafts', '--strict')).to.include({ code: 0 });
    expect((await policyCommand('test', 'drafts/tests/office-hours.json')).out).to.contain('2 passed, 0 failed');
  });

  it('its policy passes the check, and its deliberate mistakes give the findings shown', async () => {
    const policy = block('policy').text;
    writeFileSync(inFolder('drafts/office-hours.json'), policy.replace('withinHours', 'withinHour'));
    const misspelt = await check('drafts');
    expect(misspelt.code).to.equal(3);
    expect(misspelt.out).to.contain(block('mistake').text);
    const never = policy.replace(
      /"conditions": .*\n/,
      `"conditions": { "all": [
        { "fact": "time", "path": "hour", "operator": "lessThan", "value": 8 }, { "fact": "time", "path": "hour", "operator": "greaterThan", "value": 17 }] },\n`,
    );
    writeFileSync(inFolder('drafts/office-hours.json'), never);
    const refused = await check('drafts');
    expect(refused.code).to.equal(3);
    expect(refused.out.replace(/json:\d+:\d+/, 'json')).to.contain(
      block('never')
        .text.trim()
        .replace(/json:\d+:\d+/, 'json'),
    );
    expect(refused.out).to.contain('example:');
    writeFileSync(inFolder('drafts/office-hours.json'), policy);
    expect(run(block('check').text)).to.include({ code: 0 });
  });

  it('its cases fail first, then pass with the output shown, and cover every rule', () => {
    const failed = run(block('test-fails').text);
    expect(failed.code).to.equal(4);
    expect(failed.out)
      .to.contain('office-hours/not-at-night did not give ESCALATE')
      .and.to.contain('1 passed, 1 failed');
    writeFileSync(inFolder('drafts/tests/office-hours.json'), block('cases').text);
    expect(run(block('test').text)).to.deep.equal({ code: 0, out: block('test').output });
    expect(run(block('coverage').text)).to.include({ code: 0 });
  });

  it('explains the verdict with the output shown', () => {
    const explained = run(block('explain').text);
    expect(explained.code).to.equal(0);
    const shown = block('explain').output ?? '';
    expect(explained.out.slice(0, shown.length)).to.equal(shown);
    expect(explained.out).to.contain('+ time.now not withinHours "08:00-18:00"');
  });

  it('names every class of actions, and the explanation shows to which one a word of a trade belongs', async () => {
    const [, classes = ''] = /\*\*classes of actions\*\*:([^.]*)\./.exec(guide) ?? [];
    expect([...classes.matchAll(/`(\w+)`/g)].map(([, name]) => name)).to.have.members([...ACTIONS]);
    const explained = await policyCommand('explain', 'drafts', '--intent', 'shop.refund.order');
    expect(explained.out).to.contain('transfer shop/order (verb refund)');
  });

  it('ends with the policy in the folder of the service, where it passes the check and its tests', async () => {
    expect(run(block('rollout').text)).to.include({ code: 0 });
    const checked = JSON.parse((await check('policies', '--json')).out) as Checked;
    expect(checked).to.deep.include({ ok: true, findings: [] });
    expect(checked.digest).to.match(/^[0-9a-f]{64}$/);
    expect((await policyCommand('test', 'policies')).code).to.equal(0);
  });

  it('names the members that each command prints with --json', async () => {
    const table = /<!-- json -->\n([^]*?)\n\n/.exec(guide)?.[1] ?? '';
    const named = Object.fromEntries(
      [...table.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, command, members = '']) => [
        command,
        [...members.matchAll(/`(\w+)`/g)].map(([, member]) => member),
      ]),
    );
    const { components } = JSON.parse(readFileSync(path.join(findRoot(), 'docs', 'openapi.json'), 'utf8')) as {
      components: { schemas: Record<string, { properties: object }> };
    };
    // The two commands that need a service print the API's answer, which their own tests check.
    const printed: Record<string, object> = {
      replay: components.schemas['ReplayReport']?.properties ?? {},
      shadow: components.schemas['ShadowStatus']?.properties ?? {},
    };
    const files = ['lexicon', 'office-hours.json', 'tests/office-hours.json'];
    for (const file of files) cpSync(inFolder(`policies/${file}`), inFolder(`small/${file}`), { recursive: true });
    for (const [name, ...options] of [
      ['check'],
      ['test'],
      ['fmt', '--check'],
      ['coverage'],
      ['explain', '--intent', 'data.read.report'],
    ] as const)
      printed[name] = JSON.parse((await policyCommand(name, 'small', ...options, '--json')).out) as object;
    const { stdout } = await runCommand(['policy', 'new', 'another', inFolder('small'), '--json']);
    printed['new'] = JSON.parse(stdout) as object;
    for (const [name, value] of Object.entries(printed)) expect(named[name], name).to.deep.equal(Object.keys(value));
    expect(Object.keys(named).sort()).to.deep.equal(Object.keys(printed).sort());
  });

  it('fmt replaces files in one step with their mode, leaves broken ones alone with their place, and --check only tells', async () => {
    const policy = JSON.stringify(JSON.parse(read('policies/office-hours.json')));
    const dir = inFolder('unformatted');
    mkdirSync(dir);
    const file = path.join(dir, 'a.json');
    writeFileSync(file, policy, { mode: 0o640 });
    writeFileSync(path.join(dir, 'b.json'), '{\n  "id": }');
    const checked = await policyCommand('fmt', 'unformatted', '--check');
    expect([checked.code, readFileSync(file, 'utf8')]).to.deep.equal([3, policy]);
    const formatted = await policyCommand('fmt', 'unformatted');
    expect(formatted.code).to.equal(3);
    expect(formatted.out)
      .to.match(/b\.json:2:9 error NOT_JSON/)
      .and.to.contain('1 formatted, 1 left alone');
    expect(readFileSync(path.join(dir, 'b.json'), 'utf8')).to.equal('{\n  "id": }');
    expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal(JSON.parse(policy));
    expect(statSync(file).mode & 0o777).to.equal(0o640);
    expect(readdirSync(dir).sort()).to.deep.equal(['a.json', 'b.json']);
    rmSync(path.join(dir, 'b.json'));
    expect((await policyCommand('fmt', 'unformatted', '--check')).code).to.equal(0);
    writeFileSync(file, policy);
    expect((await policyCommand('fmt', 'unformatted', '--check')).code).to.equal(4);
  });

  it('every labelled block is used by these tests', () => {
    const used = [
      'copy',
      'new',
      'policy',
      'check',
      'mistake',
      'never',
      'test-fails',
      'cases',
      'test',
      'coverage',
      'explain',
      'rollout',
    ];
    expect([...BLOCKS.keys()].sort()).to.deep.equal(used.sort());
  });
});

/** One way to break the guide's policy: the replacement, and the one finding, expected at the `|` in a text of the broken file. */
interface Break {
  readonly what: string;
  readonly from: string;
  readonly to: string;
  readonly at: string;
  readonly code: string;
  readonly says: string;
}
const BREAKS = dataOf<readonly Break[]>('process/policy-guide.cases.json');

describe("The guide's policy, broken in ten ways", () => {
  const policy = block('policy').text;
  const nameOf = (i: number): string => `broken-${i}.json`;
  let checked: Checked;
  let shown: Run;

  before(async () => {
    const dir = inFolder('broken');
    cpSync(path.join(findRoot(), 'policies'), dir, { recursive: true });
    for (const [i, { from, to }] of BREAKS.entries()) {
      expect(policy).to.contain(from);
      // Each gets its own policy id, so that there are no duplicates.
      const text = policy.replace('"office-hours"', `"broken-${i}"`).replace(from, () => to);
      writeFileSync(path.join(dir, nameOf(i)), text);
    }
    checked = JSON.parse((await check('broken', '--json')).out) as Checked;
    shown = await check('broken');
  });

  it('gives ten findings, one in each file, and exit code 3', () => {
    expect(BREAKS).to.have.lengthOf(10);
    expect(shown.code).to.equal(3);
    expect(checked).to.include({ ok: false, digest: null });
    expect(checked.findings.map(({ file }) => path.basename(file)).sort()).to.deep.equal(
      BREAKS.map((_, i) => nameOf(i)).sort(),
    );
    expect(shown.out).to.contain('10 errors, 0 warnings');
  });

  for (const [name, ...options] of [['test'], ['coverage'], ['explain', '--intent', 'data.read.x']] as const)
    it(`custos policy ${name} --json reports the same ten findings, and nothing else`, async () => {
      const { code, out } = await policyCommand(name, 'broken', ...options, '--json');
      const answer = JSON.parse(out) as Checked;
      expect([code, answer.ok]).to.deep.equal([3, false]);
      expect(answer.findings).to.deep.equal(checked.findings);
    });

  for (const [i, { what, at, code, says }] of BREAKS.entries())
    it(`${what}: ${code}, at its line and column, with a helpful message`, () => {
      const text = read(`broken/${nameOf(i)}`);
      const finding = checked.findings.find(({ file }) => path.basename(file) === nameOf(i));
      const marked = at.replace('|', '');
      expect(text).to.contain(marked);
      const place = positionAt(text, text.indexOf(marked) + at.indexOf('|'));
      expect(finding).to.include({ ...place, code, severity: 'error' });
      expect(finding?.message).to.contain(says);
      expect(shown.out).to.contain(
        `broken/${nameOf(i)}:${place.line}:${place.column} error ${code} ${finding?.message}`,
      );
    });
});
